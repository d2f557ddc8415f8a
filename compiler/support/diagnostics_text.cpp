// Diagnostics for people.
#include "support/diagnostics_print.h"
#include "support/display.h"

#include <algorithm>
#include <ostream>

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
void printSnippet(std::ostream &out, const Source &source, Range range, const std::optional<Fix> &fix,
                  Colours colours) {
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
        << blanks(more + before) << colours.good(carets) << '\n';
    if (fix && fix->range.begin >= start && fix->range.begin <= end)
        out << blanks(more + display(start, fix->range.begin)) << colours.good(shownShort(fix->text)) << '\n';
}

std::string coloured(const char *kind, Colours colours) {
    const std::string text = std::string(kind) + ':';
    return *kind == 'e' ? colours.error(text) : *kind == 'w' ? colours.warning(text) : colours.note(text);
}

void printHead(std::ostream &out, const Source &source, Range range, const char *kind,
               const std::string &message, Colours colours) {
    std::string place = "oocc:";
    if (!nowhere(range)) {
        const Position at = source.position(range.begin);
        place = shownShort(source.path()) + ':' + std::to_string(at.line) + ':' + std::to_string(at.column) + ':';
    }
    const bool note = *kind == 'n';
    out << (note ? place : colours.bold(place)) << ' ' << coloured(kind, colours) << ' '
        << (note ? shownShort(message) : colours.bold(shownShort(message))) << '\n';
}

const char *kindOf(const Diagnostic &d) {
    return d.severity == Severity::Error ? "error" : "warning";
}

void printOne(std::ostream &out, const Source &source, const Diagnostic &d, Colours colours) {
    printHead(out, source, d.range, kindOf(d), d.message, colours);
    if (!nowhere(d.range)) printSnippet(out, source, d.range, d.fix, colours);
    if (d.help) out << colours.note("help:") << ' ' << shownShort(*d.help, "\n") << '\n';
    // A chain of calls tells most at its ends.
    constexpr size_t kMostNotes = 8;
    const size_t notes = d.notes.size(), first = notes > kMostNotes ? kMostNotes / 2 : notes;
    for (size_t i = 0; i < notes; ++i) {
        if (i == first) {
            i = notes - kMostNotes / 2;
            out << colours.note("note:") << ' ' << i - first << " more places between\n";
        }
        const Note &note = d.notes[i];
        printHead(out, source, note.range, "note", note.message, colours);
        if (!nowhere(note.range)) printSnippet(out, source, note.range, std::nullopt, colours);
    }
}

std::string counted(int n, const char *what) {
    return std::to_string(n) + ' ' + what + (n == 1 ? "" : "s");
}

} // namespace

void printText(std::ostream &out, const Diagnostics &diagnostics, const Source &source, Colours colours) {
    int errors = 0, warnings = 0;
    for (const Diagnostic *d : diagnostics.inOrder()) {
        int &count = d->severity == Severity::Error ? errors : warnings;
        ++count;
        if (count <= kMaxErrorsPrinted && errors <= kMaxErrorsPrinted) printOne(out, source, *d, colours);
    }
    if (errors + warnings < 2) return;
    if (errors > 0) out << counted(errors, "error");
    if (warnings > 0) out << (errors > 0 ? " and " : "") << counted(warnings, "warning");
    if (errors > kMaxErrorsPrinted)
        out << "; the first " << kMaxErrorsPrinted << " errors are shown";
    else if (warnings > kMaxErrorsPrinted)
        out << "; the first " << kMaxErrorsPrinted << " warnings are shown";
    out << '\n';
}

void printText(std::ostream &out, const Diagnostics &diagnostics, Colours colours) {
    for (const Diagnostic &d : diagnostics.all()) {
        // These say what kind they are.
        const std::string_view rule = d.rule;
        const std::string kind =
            rule == "usage" || rule == "internal" ? "" : coloured(kindOf(d), colours) + ' ';
        out << colours.bold("oocc:") << ' ' << kind << colours.bold(shownShort(d.message)) << '\n';
        for (const Note &note : d.notes)
            out << note.message << (note.message.ends_with('\n') ? "" : "\n");
        if (d.help) out << colours.bold("oocc:") << ' ' << colours.note("help:") << ' ' << shownShort(*d.help, "\n") << '\n';
    }
}

} // namespace oocc
