#include "support/diagnostics.h"

#include <algorithm>
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

/// The source line, the caret line under the part of `range` on it, and the fix under the caret.
void printSnippet(std::ostream &out, const Source &source, Range range, const std::optional<Fix> &fix) {
    const uint32_t start = source.lineStart(range.begin);
    const std::string_view line = source.lineAt(range.begin);
    const uint32_t end = start + static_cast<uint32_t>(line.size());
    const uint32_t begin = std::min(range.begin, end);
    const std::string_view marked = source.slice({begin, std::clamp(range.end, begin, end)});

    std::string carets = "^";
    const size_t width = blanks(marked).size();
    if (width > 1) carets.append(width - 1, '~');
    out << line << '\n' << blanks(source.slice({start, begin})) << carets << '\n';
    if (fix && fix->range.begin >= start && fix->range.begin <= end)
        out << blanks(source.slice({start, fix->range.begin})) << fix->text << '\n';
}

void printHead(std::ostream &out, const Source &source, Range range, const char *kind,
               const std::string &message) {
    if (nowhere(range)) {
        out << "oocc: " << kind << ": " << message << '\n';
        return;
    }
    const Position at = source.position(range.begin);
    out << source.path() << ':' << at.line << ':' << at.column << ": " << kind << ": " << message << '\n';
}

void printOne(std::ostream &out, const Source &source, const Diagnostic &d) {
    printHead(out, source, d.range, d.severity == Severity::Error ? "error" : "warning", d.message);
    if (!nowhere(d.range)) printSnippet(out, source, d.range, d.fix);
    if (d.help) out << "help: " << *d.help << '\n';
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

std::vector<const Diagnostic *> Diagnostics::inOrder() const {
    std::vector<const Diagnostic *> sorted;
    std::set<std::tuple<uint32_t, std::string, Severity>> seen;
    for (const Diagnostic &d : list_)
        if (seen.insert({d.range.begin, d.message, d.severity}).second) sorted.push_back(&d);
    std::ranges::stable_sort(sorted, {}, [](const Diagnostic *d) { return d->range.begin; });
    return sorted;
}

void Diagnostics::print(std::ostream &out, const Source &source) const {
    int errors = 0, warnings = 0;
    for (const Diagnostic *d : inOrder()) {
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
