#include "format/layout.h"

namespace oocc {

using Kind = Piece::Kind;

// -- on one line ---------------------------------------------------------------------------------------------

void Layout::put(std::string_view text) {
    out_ += text;
    const size_t end = text.rfind('\n');
    column_ = static_cast<int>(end == std::string_view::npos ? column_ + text.size() : text.size() - end - 1);
}

void Layout::newLine(int column) {
    while (!out_.empty() && out_.back() == ' ')
        out_.pop_back();
    out_ += '\n' + std::string(static_cast<size_t>(std::max(column, 0)), ' ');
    column_ = std::max(column, 0);
}

void Layout::putWord(size_t index) {
    const PlacedWord &word = words_[index];
    for (const Comment &comment : word.comments) {
        if (!out_.empty() && !oneOf(std::string_view(out_).substr(out_.size() - 1), {" ", "\n", "(", "[", "{"})) put(" ");
        std::string text(source_.slice(comment.range));
        text.erase(text.find_last_not_of(" \t") + 1);
        put(text);
        if (text.starts_with("//"))
            newLine(anchor_);
        else
            put(" ");
    }
    put(source_.slice(word.range));
}

void Layout::putFlat(const Piece &piece) {
    if (piece.kind == Kind::Word) return putWord(piece.word);
    for (size_t i = 0; i < piece.parts.size(); ++i) {
        putFlat(piece.parts[i]);
        if (i + 1 < piece.parts.size() && spaced(piece, i)) put(" ");
    }
}

std::string Layout::flat(const Piece &piece) {
    measured(piece);
    out_.clear();
    column_ = 0;
    putFlat(piece);
    return std::move(out_);
}

std::string Layout::broken(const Piece &piece, int indent) {
    measured(piece);
    out_.clear();
    column_ = indent;
    anchor_ = indent + 4;
    layStatement(piece, indent);
    return std::string(static_cast<size_t>(indent), ' ') + std::move(out_);
}

// -- on several lines ------------------------------------------------------------------------------------------

/// `reserve`: columns of what follows on the same line and cannot be parted from the piece.
void Layout::lay(const Piece &piece, int reserve) {
    const int outer = anchor_;
    if (fits(width(piece) + reserve)) {
        putFlat(piece);
        return;
    }
    switch (piece.kind) {
    case Kind::Word:
        putWord(piece.word);
        break;
    case Kind::Binary:
        layChain(piece, reserve, false);
        break;
    case Kind::If:
        layIf(piece, reserve);
        break;
    case Kind::Parentheses:
    case Kind::Call:
    case Kind::Indices:
    case Kind::Point:
    case Kind::PointSet:
    case Kind::Place:
    case Kind::Names:
        layList(piece, reserve);
        break;
    default:
        layParts(piece, reserve);
    }
    anchor_ = outer;
}

void Layout::layParts(const Piece &piece, int reserve) {
    for (size_t i = 0; i < piece.parts.size(); ++i) {
        int end = 0; // columns of the words right behind it
        size_t k = i + 1;
        for (; k < piece.parts.size() && piece.parts[k].kind == Kind::Word && !spaced(piece, k - 1); ++k)
            end += width(piece.parts[k]);
        lay(piece.parts[i], k == piece.parts.size() ? end + reserve : end);
        if (i + 1 < piece.parts.size() && spaced(piece, i)) put(" ");
    }
}

/// What stands in brackets and between commas: as much on a line as it holds.
void Layout::layList(const Piece &piece, int reserve) {
    anchor_ = column_;
    for (size_t i = 0; i < piece.parts.size(); ++i) {
        const Piece &part = piece.parts[i];
        const bool last = i + 1 == piece.parts.size();
        if (i > 0 && is(piece.parts[i - 1], ",")) {
            const int rest = last ? reserve : 1 + (i + 2 == piece.parts.size() ? reserve : 0); // a comma or a bracket
            if (fits(1 + width(part) + rest))
                put(" ");
            else
                newLine(anchor_);
        } else if (i > 0 && spaced(piece, i - 1)) {
            put(" ");
        }
        lay(part, last ? reserve : i + 2 == piece.parts.size() ? reserve + 1 : 1);
        if (part.kind == Kind::Word && oneOf(text(part), {"(", "[", "{"})) anchor_ = column_;
    }
}

/// a + b - c: a list of operands. Sums and products fill lines; where `and` or `or` is broken, each has one.
void Layout::layChain(const Piece &piece, int reserve, bool afterEquals) {
    const auto level = [&](const Piece &binary) {
        const std::string_view op = text(binary.parts[1]);
        return oneOf(op, {"+", "-"}) ? 1 : oneOf(op, {"*", "/", "%"}) ? 2 : op == "and" ? 3 : op == "or" ? 4 : 5;
    };
    if (measured(piece).solid) return layParts(piece, reserve);
    std::vector<const Piece *> spine{&piece};
    for (const Piece *left = &piece.parts[0]; left->kind == Kind::Binary && !measured(*left).solid &&
                                              level(*left) == level(piece);
         left = &left->parts[0])
        spine.push_back(left);

    const int which = level(piece);
    const bool logical = which == 3 || which == 4;
    const int start = afterEquals && which <= 2 ? column_ - 2 : column_;
    anchor_ = start + (logical ? 0 : 2);
    lay(spine.back()->parts[0], 0);
    for (auto at = spine.rbegin(); at != spine.rend(); ++at) {
        const Piece &op = (*at)->parts[1], &operand = (*at)->parts[2];
        const int rest = std::next(at) == spine.rend() ? reserve : 0;
        const int more = width(op) + 1 + width(operand) + rest;
        if (measured(**at).tight) {
            lay(op, 0);
            lay(operand, rest);
            continue;
        }
        // What can be broken inside of brackets is begun on this line: a factor not far from where the product begins,
        // anything else if it fits on no line.
        const bool bracketed = operand.kind == Kind::Parentheses || operand.kind == Kind::Call;
        const bool hug = bracketed && width(operand) < kNever &&
                         (which == 2 ? column_ < start + kLineWidth / 4
                                     : start + more > kLineWidth && column_ < start + kLineWidth / 3);
        if (!logical && (fits(1 + more) || hug))
            put(" ");
        else
            newLine(start);
        lay(op, 0);
        put(" ");
        lay(operand, rest);
    }
}

/// if C then A else B; one more line for each `else if`.
void Layout::layIf(const Piece &piece, int reserve) {
    const int start = column_;
    const Piece *at = &piece;
    const bool chain = piece.parts[5].kind == Kind::If;
    for (;; at = &at->parts[5]) {
        anchor_ = start + 4;
        const auto &p = at->parts; // if C then A else B
        lay(p[0], 0);
        put(" ");
        anchor_ = column_;
        const size_t before = out_.size();
        lay(p[1], 0);
        const bool onOneLine = out_.find('\n', before) == std::string::npos;
        const bool more = p[5].kind == Kind::If;
        const int then = width(p[2]) + 1 + width(p[3]);
        if (onOneLine && fits(1 + then + (chain ? 0 : 1 + width(p[4]) + 1 + width(p[5]) + reserve)))
            put(" ");
        else
            newLine(start + (chain ? 4 : 0));
        anchor_ = start + 4;
        lay(p[2], 0);
        put(" ");
        lay(p[3], 0);
        if (!chain && fits(1 + width(p[4]) + 1 + width(p[5]) + reserve))
            put(" ");
        else
            newLine(start);
        lay(p[4], 0);
        put(" ");
        if (!more) return lay(p[5], reserve);
    }
}

/// A statement: its clauses (where, every, to, from) may go on lines of their own.
void Layout::layStatement(const Piece &piece, int indent) {
    int list = indent + 4;
    const auto &parts = piece.parts;
    const auto isClause = [&](size_t i) {
        return i > 1 && parts[i].kind == Kind::Word && oneOf(text(parts[i]), {"where", "every", "to", "from"}) &&
               i + 1 < parts.size() && !is(parts[i + 1], ";");
    };
    for (size_t i = 0; i < parts.size(); ++i) {
        const Piece &part = parts[i];
        anchor_ = indent + 4;
        int end = 0; // columns of the words that stay behind it
        for (size_t k = i + 1; k < parts.size() && parts[k].kind == Kind::Word && !isClause(k) && !is(parts[k - 1], ","); ++k)
            end += (spaced(piece, k - 1) ? 1 : 0) + width(parts[k]);
        const bool afterComma = i > 0 && is(parts[i - 1], ",");
        if (isClause(i) && !fits(1 + width(part) + 1 + width(parts[i + 1]) + 1))
            newLine(indent + 4);
        else if (afterComma && !fits(1 + width(part) + end))
            newLine(list);
        else if (i > 0 && spaced(piece, i - 1))
            put(" ");
        const bool value = i > 0 && (is(parts[i - 1], "=") || is(parts[i - 1], "+="));
        if (value && part.kind == Kind::Binary && !fits(width(part) + end)) {
            layChain(part, end, true);
        } else {
            lay(part, end);
        }
        if (is(part, "(")) list = column_;
    }
}

} // namespace oocc
