#include "format/layout.h"

namespace oocc {

using Kind = Piece::Kind;

namespace {

constexpr int kWidestTight = 50; ///< a longer one could not be broken

bool mayBeTight(std::string_view op) {
    return oneOf(op, {"*", "/", "%", "+", "-"});
}

} // namespace

const Piece &Layout::firstWord(const Piece &piece) const {
    const Piece *at = &piece;
    while (at->kind != Kind::Word)
        at = &at->parts.front();
    return *at;
}

void Layout::forget(const Piece &piece) {
    for (const Piece *at = &piece;; at = &at->parts.front()) {
        known_.erase(at);
        if (at->kind == Kind::Word) return;
    }
}

const Piece &Layout::lastWord(const Piece &piece) const {
    const Piece *at = &piece;
    while (at->kind != Kind::Word)
        at = &at->parts.back();
    return *at;
}

bool Layout::adjoin(const Piece &left, const Piece &right) const {
    return words_[lastWord(left).word].range.end == words_[firstWord(right).word].range.begin;
}

/// No blanks, but for those in brackets.
bool Layout::isSolid(const Piece &piece) {
    if (piece.kind == Kind::Binary) return measured(piece).solid;
    return piece.kind != Kind::Not && piece.kind != Kind::If && piece.kind != Kind::Reduction;
}

bool Layout::isTight(const Piece &binary) {
    const Piece &a = binary.parts[0], &op = binary.parts[1], &b = binary.parts[2];
    if (is(op, "^")) return true;
    if (!mayBeTight(text(op)) || !isSolid(b)) return false;
    const bool factors = is(op, "*") && a.kind == Kind::Binary && is(a.parts[1], "*");
    if (!isSolid(a) && !factors) return false;
    if (inIndices_) return true;
    const int most = isSolid(a) ? measured(a).width : 0;
    return adjoin(a, op) && adjoin(op, b) && most + measured(b).width < kWidestTight;
}

bool Layout::spaced(const Piece &parent, size_t left) {
    const Piece &a = parent.parts[left], &b = parent.parts[left + 1];
    switch (parent.kind) {
    case Kind::Member:
    case Kind::Index:
    case Kind::Negation:
        return false;
    case Kind::Binary:
        return !measured(parent).tight;
    case Kind::Call:
    case Kind::Reduction:
        if (left == 0) return false;
        break;
    case Kind::Statement:
        if (is(b, ":") || is(b, "{")) return true;
        if (left == 1 && is(parent.parts[0], "fn")) return false;
        break;
    default:
        break;
    }
    if (b.kind == Kind::Indices) return false;
    if (a.kind == Kind::Word && oneOf(text(a), {"(", "[", "{"})) return parent.kind == Kind::Block || parent.kind == Kind::FaceList;
    if (b.kind == Kind::Word && oneOf(text(b), {")", "]", ",", ":", ";"})) return false;
    if (is(b, "}")) return parent.kind != Kind::PointSet;
    return true;
}

/// Of the comments in front of a word, with the blanks after each.
int Layout::commentsWidth(const PlacedWord &word) const {
    int width = 0;
    for (const Comment &comment : word.comments) {
        const std::string_view text = source_.slice(comment.range);
        if (text.starts_with("//") || text.find('\n') != std::string_view::npos) return kNever;
        width += static_cast<int>(text.size()) + 1;
    }
    return width;
}

Layout::Measure Layout::measured(const Piece &piece) {
    if (const auto at = known_.find(&piece); at != known_.end()) return at->second;
    const Measure out = measure(piece);
    known_[&piece] = out;
    return out;
}

Layout::Measure Layout::measure(const Piece &piece) {
    if (piece.kind == Kind::Word) {
        const PlacedWord &word = words_[piece.word];
        return {std::min(kNever, commentsWidth(word) + static_cast<int>(word.range.end - word.range.begin)), false, false};
    }
    const bool outer = inIndices_;
    if (piece.kind == Kind::Indices) inIndices_ = true;
    if (piece.kind == Kind::Parentheses || piece.kind == Kind::Call) inIndices_ = false;
    int width = 0;
    for (const Piece &part : piece.parts)
        width = std::min(kNever, width + measured(part).width);
    Measure out{width, piece.kind == Kind::Binary && isTight(piece), false};
    out.solid = out.tight && isSolid(piece.parts[0]);
    inIndices_ = outer;
    known_[&piece] = out; // for spaced()
    for (size_t i = 0; i + 1 < piece.parts.size(); ++i)
        out.width = std::min(kNever, out.width + (spaced(piece, i) ? 1 : 0));
    return out;
}

} // namespace oocc
