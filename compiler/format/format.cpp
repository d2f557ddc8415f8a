// A program as lines: one for each statement, update, face and comment. What is said in a comment stays where it is.
#include "format/format.h"

#include "format/layout.h"
#include "format/lines.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace oocc {

using Kind = Piece::Kind;

namespace {

constexpr int kIndent = 4;

/// The words before which a cell begins, by the statement's keyword; cells[0] of declarations of data is the keyword
/// itself.
struct Columns {
    std::string_view keyword, alignment;
    std::vector<std::string_view> before;
    bool afterKeyword = false;
};
const std::vector<std::string_view> kValue{"="}, kTyped{":", "="}, kData{":", "=", "from"}, kInit{"=", "from"},
    kInject{"at", "+="};
const Columns kColumns[] = {
    {"param", "param", kTyped},    {"let", "let", kValue},         {"fn", "fn", kValue},
    {"field", "data", kData, true}, {"coef", "data", kData, true}, {"temp", "data", kData, true},
    {"series", "data", kData, true},
    {"init", "init", kInit},       {"boundary", "boundary", kValue}, {"shape", "shape", kValue},
    {"scalar", "scalar", kValue},  {"monitor", "monitor", kValue}, {"inject", "inject", kInject},
};

std::string trimmed(std::string text) {
    std::string out;
    for (size_t at = 0; at <= text.size();) { // every line of a comment
        const size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        line.erase(line.find_last_not_of(" \t\f") + 1);
        out += (at > 0 ? "\n" : "") + line;
        at = end + 1;
    }
    return out;
}

class Formatter {
  public:
    Formatter(const Source &source, Pieces pieces)
        : source_(source), pieces_(std::move(pieces)), layout_(source_, pieces_) {}

    std::string run() {
        statements(pieces_.program.parts, 0, pieces_.program.parts.size() - 1, 0);
        commentsBefore(pieces_.words.back(), 0, true);
        return aligned(lines_);
    }

  private:
    /// Statements, updates or faces, from part `begin` to part `end`.
    void statements(const std::vector<Piece> &parts, size_t begin, size_t end, int indent) {
        for (size_t i = begin; i < end; ++i) {
            PlacedWord &first = pieces_.words[layout_.firstWord(parts[i]).word];
            commentsBefore(first, indent, false);
            layout_.forget(parts[i]);
            blank_ = blank_ || (first.comments.empty() && first.newLines > 1);
            if (opened_) blank_ = false;
            opened_ = false;
            statement(parts[i], indent);
        }
    }

    Line &addLine(Line::Kind kind, int indent) {
        Line line;
        line.kind = kind;
        line.indent = indent;
        line.blankBefore = std::exchange(blank_, false);
        return lines_.emplace_back(std::move(line));
    }

    /// Takes out of the word what stands on lines of its own, or behind what is before it. A comment right before the word
    /// on its line stays with it.
    void commentsBefore(PlacedWord &word, int indent, bool closes) {
        std::vector<Comment> &comments = word.comments;
        size_t own = comments.size();
        if (!closes)
            for (int after = word.newLines; own > 0 && after == 0 && isInline(comments[own - 1]); --own)
                after = comments[own - 1].newLines;
        const bool behind = !lines_.empty();
        bool first = true;
        for (size_t i = 0; i < comments.size(); ++i) {
            const bool sameLine = behind && first && comments[i].newLines == 0;
            if (!sameLine) first = false;
            if (!sameLine && i >= own) {
                blank_ = i == 0 && comments[i].newLines > 1;
                comments.erase(comments.begin(), comments.begin() + static_cast<ptrdiff_t>(i));
                return;
            }
            comment(comments[i], sameLine, indent);
        }
        if (!comments.empty() || closes) blank_ = !closes && word.newLines > 1;
        comments.clear();
    }

    bool isInline(const Comment &comment) const {
        const std::string_view text = source_.slice(comment.range);
        return text.starts_with("/*") && text.find('\n') == std::string_view::npos;
    }

    void comment(const Comment &comment, bool behind, int indent) {
        std::string text(source_.slice(comment.range));
        const auto column = static_cast<int>(source_.position(comment.range.begin).column) - 1;
        if (behind) {
            std::string &last = lines_.back().comment;
            last += (last.empty() ? "" : " ") + trimmed(text);
            column_ = column;
            return;
        }
        const bool goesOn = column_ == column && comment.newLines == 1 && text.starts_with("//") && column > indent &&
                            !lines_.empty() && lines_.back().kind != Line::Kind::Comment;
        blank_ = comment.newLines > 1 && !opened_;
        opened_ = false;
        if (!goesOn) column_ = -1;
        addLine(goesOn ? Line::Kind::Continued : Line::Kind::Comment, indent).comment =
            trimmed(goesOn ? text : moved(text, indent - column));
    }

    /// A comment of several lines, all of them as far to the right as the first.
    static std::string moved(const std::string &text, int by) {
        std::string out;
        for (size_t i = 0; i < text.size(); ++i) {
            out += text[i];
            if (text[i] != '\n') continue;
            if (by > 0 && i + 1 < text.size() && text[i + 1] != '\n') out.append(static_cast<size_t>(by), ' ');
            for (int left = -by; left > 0 && i + 1 < text.size() && text[i + 1] == ' '; --left)
                ++i;
        }
        return out;
    }

    void statement(const Piece &piece, int indent) {
        column_ = -1;
        const bool block = piece.parts.back().kind == Kind::Block || piece.parts.back().kind == Kind::FaceList;
        if (block && !staysOnOneLine(piece, indent)) return blockStatement(piece, indent);
        if (indent + layout_.width(piece) > kLineWidth) {
            addLine(Line::Kind::Code, indent).cells = {layout_.broken(piece, indent)};
            return;
        }
        Line &line = addLine(Line::Kind::Code, indent);
        cells(piece, line);
    }

    /// Whether the text has the block on one line, and there is room.
    bool staysOnOneLine(const Piece &piece, int indent) {
        const Piece &second = layout_.firstWord(piece.parts.back().parts[1]);
        return pieces_.words[second.word].newLines == 0 && indent + layout_.width(piece) <= kLineWidth;
    }

    void blockStatement(const Piece &piece, int indent) {
        const Piece &block = piece.parts.back();
        Piece head{Kind::Statement, 0, {piece.parts.begin(), piece.parts.end() - 1}};
        head.parts.push_back(block.parts.front());
        layout_.forgetAll(); // what is known is known by address, and the head is a copy
        const bool wide = indent + layout_.width(head) > kLineWidth;
        addLine(Line::Kind::Brace, indent).cells = {wide ? layout_.broken(head, indent) : layout_.flat(head)};
        layout_.forgetAll();
        opened_ = true;
        statements(block.parts, 1, block.parts.size() - 1, indent + kIndent);
        PlacedWord &closer = pieces_.words[block.parts.back().word];
        commentsBefore(closer, indent + kIndent, true);
        blank_ = opened_ = false;
        column_ = -1;
        addLine(Line::Kind::Brace, indent).cells = {"}"};
    }

    void cells(const Piece &piece, Line &line) {
        Columns columns{};
        if (piece.kind == Kind::Update) columns = {"", "update", kValue};
        if (piece.kind == Kind::Face) columns = {"", "face", {}};
        if (piece.kind == Kind::Statement)
            for (const Columns &each : kColumns)
                if (layout_.text(layout_.firstWord(piece)) == each.keyword) columns = each;
        const bool aligned = piece.parts.back().kind == Kind::Word;
        if (aligned) line.alignment = columns.alignment;
        line.cells.emplace_back();
        for (size_t i = 0; i < piece.parts.size(); ++i) {
            const Piece &part = piece.parts[i];
            const bool begins =
                aligned && i > 0 &&
                ((columns.afterKeyword && i == 1) || (piece.kind == Kind::Face && layout_.is(piece.parts[i - 1], ":")) ||
                 std::ranges::any_of(columns.before, [&](std::string_view word) { return layout_.is(part, word); }));
            if (begins)
                line.cells.emplace_back();
            else if (i > 0 && layout_.spaced(piece, i - 1))
                line.cells.back() += ' ';
            line.cells.back() += layout_.flat(part);
        }
    }

    const Source &source_;
    Pieces pieces_;
    Layout layout_;
    std::vector<Line> lines_;
    bool blank_ = false;  ///< before the next line
    bool opened_ = false; ///< the line before has opened a block
    int column_ = -1;     ///< of the comment behind the code before
};

/// What must not change: every word, every comment but for blanks, and what belongs together.
bool sameMeaning(const Source &a, const Pieces &before, const Source &b, const Pieces &after) {
    const auto squeezed = [](std::string_view text) {
        std::string out;
        std::ranges::copy_if(text, std::back_inserter(out), [](char c) { return c != ' ' && c != '\t' && c != '\f' && c != '\n' && c != '\r'; });
        return out;
    };
    if (before.words.size() != after.words.size()) return false;
    for (size_t i = 0; i < before.words.size(); ++i) {
        const PlacedWord &x = before.words[i], &y = after.words[i];
        if (a.slice(x.range) != b.slice(y.range) || x.comments.size() != y.comments.size()) return false;
        for (size_t c = 0; c < x.comments.size(); ++c)
            if (squeezed(a.slice(x.comments[c].range)) != squeezed(b.slice(y.comments[c].range))) return false;
    }
    const auto same = [](const auto &self, const Piece &x, const Piece &y) -> bool {
        return x.kind == y.kind && x.word == y.word &&
               std::ranges::equal(x.parts, y.parts, [&](const Piece &p, const Piece &q) { return self(self, p, q); });
    };
    return same(same, before.program, after.program);
}

std::string withLineEnds(std::string_view text, bool crlf) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\r') {
            if (i + 1 < text.size() && text[i + 1] == '\n') continue;
            out += '\n'; // an old Macintosh's
            continue;
        }
        if (text[i] == '\n' && crlf) out += '\r';
        out += text[i];
    }
    return out;
}

} // namespace

std::optional<std::string> format(const Source &source, Diagnostics &diagnostics) {
    std::optional<Pieces> before = pieces(source, diagnostics);
    if (!before) return std::nullopt;
    const size_t end = source.text().find('\n');
    const bool crlf = end != std::string_view::npos && end > 0 && source.text()[end - 1] == '\r';
    const Source plain(source.path(), withLineEnds(source.text(), false));
    Diagnostics ignored;
    if (plain.text() != source.text()) before = pieces(plain, ignored);
    if (!before) throw std::logic_error("the formatter cannot read " + source.path() + " with plain line ends");
    const Source result(source.path(), Formatter(plain, *before).run());
    const std::optional<Pieces> after = pieces(result, ignored);
    if (!after || !sameMeaning(plain, *before, result, *after))
        throw std::logic_error("the formatter would have changed the meaning of " + source.path());
    return crlf ? withLineEnds(result.text(), true) : std::string(result.text());
}

} // namespace oocc
