// Private to syntax/: what an error says of the statement, of what would have fitted, and of the remedy.
#pragma once

#include "support/diagnostics.h"

#include <antlr4-runtime.h>

namespace oocc {

/// "the update of 'u'": what stands before an expected ';'.
std::string describeStatement(antlr4::RuleContext *context, const Source &source);

/// What would have fitted, as one phrase. An operand stands for all that starts one; operators go without
/// saying.
std::string describe(const antlr4::misc::IntervalSet &expected);

/// The remedy of a word within parentheses, whatever else would have fitted there.
void suggestWithin(Diagnostic &error, const antlr4::Token &found);

/// elif, where a choice goes on.
bool isElseIf(const antlr4::Token &found, const antlr4::misc::IntervalSet &expected);

/// The remedy of a mistake that another language's habits explain, or of a misspelt word.
void suggest(Diagnostic &error, const Source &source, const antlr4::Token *previous, const antlr4::Token &found,
             const antlr4::misc::IntervalSet &expected);

/// The same for what is written otherwise elsewhere, by the statement that it stands in: products without a sign, loops, offsets in
/// brackets of their own, fields with a value.
void suggestInPlace(Diagnostic &error, antlr4::RuleContext *context, const antlr4::Token *previous, const antlr4::Token &found,
                    const antlr4::misc::IntervalSet &expected);

/// Outside of expressions, what the statement would look like.
void showExample(Diagnostic &error, antlr4::RuleContext *context);

} // namespace oocc
