#include "support/diagnostics.h"

#include "support/display.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <tuple>

namespace oocc {

namespace {

constexpr int kMaxErrorsPrinted = 20;

bool nowhere(Range range) {
    return range.begin == kNowhere.begin;
}

/// Indentation as wide as `text`: its tabs stay tabs, every other character is a space.
std::string blanks(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (c == '\t')
            out += '\t';
        else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80)
            out += ' ';
    return out;
}

/// The bytes of a line that are shown: all of it, or what is around `at` where nobody would find that.
Range part(std::string_view line, uint32_t at) {
    constexpr uint32_t kMost = 400, kBefore = 100;
    const auto size = static_cast<uint32_t>(line.size());
    if (size <= kMost) return {0, size};
    uint32_t begin = at < kMost - kBefore ? 0 : at - kBefore, end = std::min(begin + kMost, size);
    const auto inside = [&](uint32_t i) { return i < size && (static_cast<unsigned char>(line[i]) & 0xC0) == 0x80; };
    while (begin > 0 && inside(begin))
        --begin;
    while (end > begin && inside(end))
        --end;
    return {begin, end};
}

/// The source line, the caret line under the part of `range` on it, and the fix under the caret.
void printSnippet(std::ostream &out, const Source &source, Range range, const std::optional<Fix> &fix) {
    const uint32_t start = source.lineStart(range.begin);
    const std::string_view line = source.lineAt(range.begin);
    const uint32_t end = start + static_cast<uint32_t>(line.size());
    const uint32_t begin = std::min(range.begin, end);
    const Range seen = part(line, begin - start);
    const auto display = [&](uint32_t from, uint32_t to) { // of the line, what is shown of bytes [from, to)
        from = std::clamp(from - start, seen.begin, seen.end), to = std::clamp(to - start, from, seen.end);
        return shown(line.substr(from, to - from), "\t");
    };
    const std::string before = display(start, begin), marked = display(begin, std::clamp(range.end, begin, end));
    const std::string more = seen.begin > 0 ? "..." : "";

    std::string carets = "^";
    const size_t width = blanks(marked).size();
    if (width > 1) carets.append(width - 1, '~');
    out << more << display(start, end) << (seen.end < line.size() ? "..." : "") << '\n'
        << blanks(more + before) << carets << '\n';
    if (fix && fix->range.begin >= start && fix->range.begin <= end)
        out << blanks(more + display(start, fix->range.begin)) << shownShort(fix->text) << '\n';
}

void printHead(std::ostream &out, const Source &source, Range range, const char *kind,
               const std::string &message) {
    if (nowhere(range)) {
        out << "oocc: " << kind << ": " << shownShort(message) << '\n';
        return;
    }
    const Position at = source.position(range.begin);
    out << shownShort(source.path()) << ':' << at.line << ':' << at.column << ": " << kind << ": "
        << shownShort(message) << '\n';
}

void printOne(std::ostream &out, const Source &source, const Diagnostic &d) {
    printHead(out, source, d.range, d.severity == Severity::Error ? "error" : "warning", d.message);
    if (!nowhere(d.range)) printSnippet(out, source, d.range, d.fix);
    if (d.help) out << "help: " << shownShort(*d.help, "\n") << '\n';
    for (const Note &note : d.notes) {
        printHead(out, source, note.range, "note", note.message);
        if (!nowhere(note.range)) printSnippet(out, source, note.range, std::nullopt);
    }
}

std::string counted(int n, const char *what) {
    return std::to_string(n) + ' ' + what + (n == 1 ? "" : "s");
}

} // namespace

Diagnostic &Diagnostic::note(Range where, std::string text) {
    notes.push_back({where, std::move(text)});
    return *this;
}

Diagnostic &Diagnostic::withHelp(std::string text) {
    help = std::move(text);
    return *this;
}

Diagnostic &Diagnostic::withFix(Range where, std::string text) {
    fix = Fix{where, std::move(text)};
    return *this;
}

Diagnostic &Diagnostics::error(Range range, std::string message) {
    ++errors_;
    return list_.emplace_back(Severity::Error, range, std::move(message));
}

Diagnostic &Diagnostics::warning(Range range, std::string message) {
    return list_.emplace_back(Severity::Warning, range, std::move(message));
}

void Diagnostics::noteFrom(size_t first, Range where, const std::string &text) {
    for (size_t i = first; i < list_.size(); ++i)
        list_[i].note(where, text);
}

void Diagnostics::print(std::ostream &out, const Source &source) const {
    std::multimap<uint32_t, const Diagnostic *> sorted; // in order of report where positions are equal
    std::set<std::tuple<uint32_t, std::string, Severity>> seen;
    for (const Diagnostic &d : list_)
        if (seen.insert({d.range.begin, d.message, d.severity}).second) sorted.emplace(d.range.begin, &d);

    int errors = 0, warnings = 0;
    for (const auto &[begin, d] : sorted) {
        int &count = d->severity == Severity::Error ? errors : warnings;
        ++count;
        if (errors <= kMaxErrorsPrinted) printOne(out, source, *d);
    }
    if (errors + warnings < 2) return;
    if (errors > 0) out << counted(errors, "error");
    if (warnings > 0) out << (errors > 0 ? " and " : "") << counted(warnings, "warning");
    if (errors > kMaxErrorsPrinted) out << "; the first " << kMaxErrorsPrinted << " errors are shown";
    out << '\n';
}

} // namespace oocc
