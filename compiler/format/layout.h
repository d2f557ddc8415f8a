// Private to format/: a piece of a program on one line, or on as many as it takes.
//
// Spaces around an operator show what belongs together, and this is for the author to say: `2*u + k*(a + b)`. So `*`, `/`,
// `%`, `+` and `-` may stand without spaces, and stay so where nothing that they take in has any; and `0.5 * h*h` may, whose
// factors can be taken together either way. All other spacing, and where lines are broken, is decided here.
#pragma once

#include "format/format.h"
#include "syntax/words.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>

namespace oocc {

inline bool oneOf(std::string_view text, std::initializer_list<std::string_view> list) {
    return std::ranges::find(list, text) != list.end();
}

class Layout {
  public:
    Layout(const Source &source, Pieces &pieces) : source_(source), words_(pieces.words) {}

    /// Columns that the piece takes on one line; kNever when a comment in it ends a line.
    static constexpr int kNever = 1 << 28;
    int width(const Piece &piece) { return measured(piece).width; }
    /// The piece on one line.
    std::string flat(const Piece &piece);

    /// A statement, an update or a face that is too long for a line, whose first line is indented as given.
    std::string broken(const Piece &piece, int indent);

    const Piece &firstWord(const Piece &piece) const;
    /// To be called after comments in front of the piece have been taken out of its first word.
    void forget(const Piece &piece);
    void forgetAll() { known_.clear(); }
    std::string_view text(const Piece &word) const { return source_.slice(words_[word.word].range); }
    bool is(const Piece &piece, std::string_view spelling) const {
        return piece.kind == Piece::Kind::Word && text(piece) == spelling;
    }
    /// Whether a blank stands between two neighbours among the parts of a piece.
    bool spaced(const Piece &parent, size_t left);

  private:
    // -- spacing.cpp -----------------------------------------------------------------------------------------------
    struct Measure {
        int width;
        bool tight; ///< of an operator: without spaces
        bool solid; ///< and without any within
    };
    Measure measured(const Piece &piece);
    Measure measure(const Piece &piece);
    bool isSolid(const Piece &piece);
    bool isTight(const Piece &binary);
    bool adjoin(const Piece &left, const Piece &right) const;
    const Piece &lastWord(const Piece &piece) const;
    int commentsWidth(const PlacedWord &word) const;

    // -- layout.cpp ------------------------------------------------------------------------------------------------
    void put(std::string_view text);
    void putWord(size_t word);
    void putFlat(const Piece &piece);
    void newLine(int column);
    bool fits(int more) const { return column_ + more <= kLineWidth; }

    void lay(const Piece &piece, int reserve);
    void layStatement(const Piece &piece, int indent);
    void layList(const Piece &piece, int reserve);
    void layParts(const Piece &piece, int reserve);
    void layChain(const Piece &piece, int reserve, bool afterEquals);
    void layIf(const Piece &piece, int reserve);

    const Source &source_;
    std::vector<PlacedWord> &words_;
    std::unordered_map<const Piece *, Measure> known_;
    bool inIndices_ = false;
    std::string out_;
    int column_ = 0;
    int anchor_ = 0; ///< where a line goes on that a comment has ended
};

} // namespace oocc
