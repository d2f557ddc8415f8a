// Private to syntax/: the text as tokens, repaired so that the parser sees only what it can recover from.
#pragma once

#include "StnLexer.h"
#include "support/diagnostics.h"

#include <antlr4-runtime.h>

#include <memory>
#include <vector>

namespace oocc {

/// No program is longer: the lexer takes four bytes for each.
constexpr size_t kMostBytes = size_t{16} << 20;
/// What a parser is given at most: its tree takes some hundred bytes for each.
constexpr size_t kMostWords = 1'000'000;
/// After so many errors nothing more is looked for: nobody reads them, and a text that is no program has one at every byte.
inline bool tooMany(const Diagnostics &diagnostics) { return diagnostics.all().size() >= 1000; }

using Tokens = std::vector<std::unique_ptr<antlr4::Token>>;

Range rangeOf(const antlr4::Token &token);
/// From the first byte of `first` to the last of `last`.
Range rangeOf(const antlr4::Token &first, const antlr4::Token &last);

/// The text for the lexer: one character per byte, so that positions are bytes. Nothing of a text that is too long.
std::string oneCharacterPerByte(const Source &source);

/// One error for what is no text (a compiled program, UTF-16) or too long, so that nothing is said of its bytes. True: it is, and the
/// lexer is at its end; otherwise at its beginning.
bool reportNoText(grammar::StnLexer &lexer, const Source &source, Diagnostics &diagnostics);

/// Every token up to and with the end of file. What is no word of the language is reported and left out. Comments are
/// no tokens; where they are is added to `comments`. A text of more than kMostWords, or with too many errors, ends early.
Tokens tokenize(grammar::StnLexer &lexer, const Source &source, Diagnostics &diagnostics,
                std::vector<Range> &comments);

/// Closes what is left open and drops what closes nothing, each with one error that shows where it was
/// opened. False when something is nested so deeply that a recursive parser must not see it; that is reported
/// too.
bool balance(Tokens &tokens, const Source &source, Diagnostics &diagnostics);

} // namespace oocc
