// The words of a text and how they nest, with the comments between them: for what lays text out or colours it.
#pragma once

#include "support/diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace oocc {

struct Word {
    /// Keyword: reserved, or one that begins or joins a statement; it may be a name where it stands.
    enum class Kind { Name, Keyword, Number, String, Sign, Comment, End };
    Kind kind;
    Range range;
};

/// Everything but blanks, in order and with comments, and End last; whatever the text is.
std::vector<Word> words(const Source &source);

/// What stands in the text between two words: a comment.
struct Comment {
    Range range;
    int newLines; ///< between it and what is before it
};

/// A word of a program without errors, and the comments before it.
struct PlacedWord {
    Range range;
    std::vector<Comment> comments;
    int newLines; ///< between it and what is before it, a comment or a word
};

/// A part of a program as the grammar has it: a word, or parts in order. Where a rule has one part, that part stands for it.
struct Piece {
    enum class Kind {
        Word,
        Program,
        Statement,
        Block, ///< `{` updates `}`
        Update,
        FaceList, ///< `{` faces `}`
        Face,
        Edge,
        GridDim,
        Names,
        Indices,
        Place,
        PointSet,
        Point,
        Argument,
        Parentheses,
        Call,
        Index,
        Member,
        Binary, ///< left, operator, right
        Negation,
        Not,
        Reduction,
        If
    };
    Kind kind = Kind::Word;
    size_t word = 0; ///< of a Word
    std::vector<Piece> parts;
};

struct Pieces {
    std::vector<PlacedWord> words; ///< the last one is the end of the file, and has no text
    Piece program;
};

/// Nothing when there was an error, which is reported.
std::optional<Pieces> pieces(const Source &source, Diagnostics &diagnostics);

/// The words that begin a statement, what such a statement looks like, and all other keywords.
struct KeywordInfo {
    std::string word;
    std::string example; ///< empty: it begins no statement
    bool reserved;       ///< no name
};
const std::vector<KeywordInfo> &keywordList();

/// A name that can be declared, as far as its letters go: not reserved, and one word.
bool canBeName(const std::string &text);

} // namespace oocc
