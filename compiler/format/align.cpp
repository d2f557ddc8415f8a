// Runs of lines: declarations whose `:` and `=` stand below each other, and comments behind code.
#include "format/format.h"
#include "format/lines.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace oocc {

namespace {

constexpr int kMostPadding = 10;   ///< what differs by more is not aligned
constexpr int kCommentColumn = 41; ///< of comments behind code that leaves room for it

/// Columns, of text in UTF-8.
int columns(std::string_view text) {
    return static_cast<int>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(std::string text, int width) {
    text.append(static_cast<size_t>(std::max(0, width - columns(text))), ' ');
    return text;
}

bool isOneLine(const Line &line) {
    return line.kind == Line::Kind::Code && line.cells[0].find('\n') == std::string::npos;
}

/// Lines of one class; those of comments that go on below are passed over.
struct Run {
    std::vector<Line *> lines;
    std::vector<int> least, most; ///< per column: how wide cells are that another one follows

    bool takes(const Line &line) const {
        for (size_t c = 0; c + 1 < line.cells.size() && c < most.size(); ++c) {
            const int width = columns(line.cells[c]);
            if (std::max(width, most[c]) - std::min(width, least[c]) > kMostPadding) return false;
        }
        return true;
    }
    void add(Line &line) {
        lines.push_back(&line);
        for (size_t c = 0; c + 1 < line.cells.size(); ++c) {
            if (c == most.size()) {
                most.push_back(0);
                least.push_back(INT32_MAX);
            }
            most[c] = std::max(most[c], columns(line.cells[c]));
            least[c] = std::min(least[c], columns(line.cells[c]));
        }
    }
    std::string text(const Line &line, bool pad) const {
        std::string out(static_cast<size_t>(line.indent), ' ');
        for (size_t c = 0; c < line.cells.size(); ++c) {
            const bool last = c + 1 == line.cells.size();
            out += last ? line.cells[c] : pad ? padded(line.cells[c], most[c]) + ' ' : line.cells[c] + ' ';
        }
        return out;
    }
    /// Makes one cell of each line's cells.
    void join() {
        const bool room = std::ranges::all_of(
            lines, [&](const Line *line) { return columns(text(*line, true)) <= kLineWidth; });
        for (Line *line : lines)
            line->cells = {text(*line, room)};
        *this = {};
    }
};

void joinCells(std::vector<Line> &lines) {
    Run run;
    const std::string *alignment = nullptr;
    for (Line &line : lines) {
        if (line.kind == Line::Kind::Continued) continue;
        const bool goesOn = !run.lines.empty() && !line.blankBefore && line.kind == Line::Kind::Code &&
                            !line.alignment.empty() && *alignment == line.alignment &&
                            run.lines.front()->indent == line.indent && run.takes(line);
        if (!goesOn) run.join();
        if (line.kind == Line::Kind::Code && !line.alignment.empty()) {
            run.add(line);
            alignment = &line.alignment;
        } else if (line.kind == Line::Kind::Code || line.kind == Line::Kind::Brace) {
            if (line.cells[0].find('\n') == std::string::npos)
                line.cells = {std::string(static_cast<size_t>(line.indent), ' ') + line.cells[0]};
        }
    }
    run.join();
}

/// Comments behind code, from line `i` on: those behind short code begin in one column, those behind longer code in
/// another. Returns the line after them.
size_t placeComments(std::vector<Line> &lines, size_t i) {
    const auto isLong = [](const Line &line) { return columns(line.cells[0]) + 2 > kCommentColumn; };
    const auto hasComment = [](const Line &line) {
        return isOneLine(line) && !line.comment.empty();
    };
    size_t end = i;
    int column = kCommentColumn;
    const bool wide = isLong(lines[i]);
    for (; end < lines.size() && (end == i || !lines[end].blankBefore); ++end) {
        if (lines[end].kind == Line::Kind::Continued) continue;
        if (!hasComment(lines[end]) || isLong(lines[end]) != wide) break;
        column = std::max(column, columns(lines[end].cells[0]) + 2);
    }
    for (; i < end; ++i)
        if (lines[i].kind == Line::Kind::Continued)
            lines[i].comment = std::string(static_cast<size_t>(column), ' ') + lines[i].comment;
        else
            lines[i].comment = padded(lines[i].cells[0], column) + lines[i].comment;
    return end;
}

} // namespace

std::string aligned(const std::vector<Line> &all) {
    std::vector<Line> lines = all;
    joinCells(lines);
    std::string out;
    for (size_t i = 0; i < lines.size();) {
        size_t end = i + 1;
        if (isOneLine(lines[i]) && !lines[i].comment.empty() && lines[i].kind == Line::Kind::Code)
            end = placeComments(lines, i);
        else if (lines[i].kind == Line::Kind::Comment)
            lines[i].comment = std::string(static_cast<size_t>(lines[i].indent), ' ') + lines[i].comment;
        else if (lines[i].kind == Line::Kind::Continued) // below code of several lines
            lines[i].comment = std::string(kCommentColumn, ' ') + lines[i].comment;
        else
            lines[i].comment = lines[i].cells[0] + (lines[i].comment.empty() ? "" : "  " + lines[i].comment);
        for (; i < end; ++i)
            out += (lines[i].blankBefore && !out.empty() ? "\n" : "") + lines[i].comment + '\n';
    }
    return out;
}

} // namespace oocc
