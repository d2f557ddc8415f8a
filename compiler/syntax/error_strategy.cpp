// The parser throws at the first token that fits nothing. The exception is passed on outwards to the rule of
// a statement, an update or a face, which skips to its end: no guesses about missing or surplus tokens inside
// an expression, and so no errors that follow from errors.
#include "syntax/error_strategy.h"

#include "StnParser.h"
#include "support/spelling.h"
#include "syntax/error_phrases.h"
#include "syntax/keywords.h"
#include "syntax/tokens.h"

namespace oocc {

using antlr4::Parser;
using antlr4::Token;
using antlr4::misc::IntervalSet;
using grammar::StnParser;

namespace {

size_t ruleOf(Parser &parser) {
    return parser.getContext()->getRuleIndex();
}

bool isListOfStatements(size_t rule) {
    return rule == StnParser::RuleProgram || rule == StnParser::RuleBlock || rule == StnParser::RuleFaceList;
}

bool onNewLine(const Token *previous, const Token &token) {
    return !previous || previous->getLine() != token.getLine();
}

} // namespace

void ErrorStrategy::sync(Parser *parser) {
    const size_t rule = ruleOf(*parser);
    if (!isListOfStatements(rule)) return;
    if (tooMany(diagnostics_)) throw antlr4::ParseCancellationException("too many errors");
    for (;;) {
        Token &found = *parser->getCurrentToken();
        const size_t type = found.getType();
        if (type == Token::EOF) return;
        if (rule == StnParser::RuleProgram ? isStatementKeyword(type)
                                           : isWord(type) || type == StnParser::RBRACE)
            return;
        if (rule == StnParser::RuleProgram)
            reportUnknownStatement(*parser, found);
        else if (!hasError(*parser, found))
            diagnostics_.error(rangeOf(found), std::string("expected ") +
                                                   (rule == StnParser::RuleBlock ? "an update" : "a face") +
                                                   " or '}', found '" +
                                                   std::string(source_.slice(rangeOf(found))) + "'");
        skipStatement(*parser);
    }
}

void ErrorStrategy::reportError(Parser *parser, const antlr4::RecognitionException &error) {
    if (inErrorRecoveryMode(parser)) return; // passed on from an inner rule, where it was reported
    beginErrorCondition(parser);
    Token &found = *error.getOffendingToken();
    if (&found == parser->getCurrentToken())
        report(*parser, found, parser->getExpectedTokens());
    else if (!hasError(*parser, found)) // a choice of several tokens: nothing single was expected
        suggestWithin(diagnostics_.error(rangeOf(found), "unexpected '" + std::string(source_.slice(rangeOf(found))) + "'"), found);
}

void ErrorStrategy::recover(Parser *parser, std::exception_ptr error) {
    const size_t rule = ruleOf(*parser);
    if (rule != StnParser::RuleStatement && rule != StnParser::RuleUpdate &&
        rule != StnParser::RuleFaceEdge) {
        // A whole program that ends too early has no rule left to go on in.
        if (rule != StnParser::RuleProgram) std::rethrow_exception(error);
        return;
    }
    skipStatement(*parser);
    endErrorCondition(parser);
}

Token *ErrorStrategy::recoverInline(Parser *parser) {
    Token &found = *parser->getCurrentToken();
    const IntervalSet expected = parser->getExpectedTokens();
    const Token *previous = parser->getTokenStream()->LT(-1);
    const bool endOfLine = onNewLine(previous, found) || found.getType() == StnParser::RBRACE;
    if (!expected.contains(size_t{StnParser::SEMICOLON}) || !endOfLine)
        throw antlr4::InputMismatchException(parser);
    report(*parser, found, expected);
    const auto at = static_cast<size_t>(found.getStartIndex());
    auto semicolon = std::make_unique<antlr4::CommonToken>(StnParser::SEMICOLON);
    semicolon->setStartIndex(at);
    semicolon->setStopIndex(at - 1);
    return inserted_.emplace_back(std::move(semicolon)).get();
}

/// Whether the statement has an error already, from its characters or brackets: what follows may only follow
/// from that.
bool ErrorStrategy::hasError(Parser &parser, const Token &found) {
    const antlr4::ParserRuleContext *statement = nullptr;
    for (auto *node = parser.getContext(); node;
         node = dynamic_cast<antlr4::ParserRuleContext *>(node->parent)) {
        if (isListOfStatements(node->getRuleIndex())) break;
        statement = node;
    }
    Range range = rangeOf(found);
    range.begin =
        statement && statement->start ? rangeOf(*statement->start).begin : source_.lineStart(range.begin);
    const auto &all = diagnostics_.all();
    for (; looked_ < all.size(); ++looked_)
        begins_.insert(all[looked_].range.begin);
    const auto next = begins_.lower_bound(range.begin);
    return next != begins_.end() && *next <= range.end;
}

void ErrorStrategy::report(Parser &parser, Token &found, const IntervalSet &expected) {
    if (hasError(parser, found)) return;
    const Token *previous = parser.getTokenStream()->LT(-1);
    const bool end = found.getType() == Token::EOF;
    const bool newLine = onNewLine(previous, found);
    const Range after = previous ? Range{rangeOf(*previous).end, rangeOf(*previous).end} : rangeOf(found);

    if (expected.contains(size_t{StnParser::SEMICOLON}) && !expected.contains(size_t{StnParser::INTEGER}) &&
        (newLine || end || found.getType() == StnParser::RBRACE)) {
        diagnostics_.error(after, "expected ';' after " + describeStatement(parser.getContext(), source_))
            .withFix(after, ";");
        return;
    }
    if (found.getType() == StnParser::COLON && ruleOf(parser) == StnParser::RuleFaceEdge &&
        reportMissingEnd(parser))
        return;
    const std::string found_ =
        end ? "the end of the file" : "'" + std::string(source_.slice(rangeOf(found))) + "'";
    const bool reserved = found.getType() >= StnParser::IF && found.getType() <= StnParser::FALSE;
    if (reserved && expected.contains(size_t{StnParser::NAME}) &&
        !expected.contains(size_t{StnParser::INTEGER})) {
        diagnostics_.error(rangeOf(found), found_ + " is a reserved word and cannot be a name");
        return;
    }
    std::string message = "expected " + describe(expected);
    if (previous) message += " after '" + std::string(source_.slice(rangeOf(*previous))) + "'";
    if (newLine && previous && !isElseIf(found, expected)) {
        diagnostics_.error(after, message);
        return;
    }
    Diagnostic &error = diagnostics_.error(rangeOf(found), message + ", found " + found_);
    suggestInPlace(error, parser.getContext(), previous, found, expected);
    if (!error.help) suggest(error, source_, previous, found, expected);
    if (!error.help && ruleOf(parser) != StnParser::RuleExpr) showExample(error, parser.getContext());
}

/// x.lo: fixed y.lo: ... looks like an edge with a value up to the second ':'. True when that is what
/// happened.
bool ErrorStrategy::reportMissingEnd(Parser &parser) {
    antlr4::TokenStream &tokens = *parser.getTokenStream();
    const Token *last = tokens.LT(tokens.LA(-2) == StnParser::DOT ? -4 : -2);
    if (!last || last->getType() == StnParser::COLON) return false;
    const Range after{rangeOf(*last).end, rangeOf(*last).end};
    diagnostics_.error(after, "expected ';' after " + describeStatement(parser.getContext(), source_))
        .withFix(after, ";");
    return true;
}

void ErrorStrategy::reportUnknownStatement(Parser &parser, Token &found) {
    const Range range = rangeOf(found);
    if (hasError(parser, found)) return;
    const std::string text(source_.slice(range));
    const size_t next = parser.getTokenStream()->LA(2);
    if (isWord(found.getType()) && (next == StnParser::LBRACKET || next == StnParser::ASSIGN)) {
        diagnostics_.error(range, "an update of '" + text + "' outside of the step")
            .withHelp("updates stand in a block: step { ... }");
        return;
    }
    Diagnostic &error = diagnostics_.error(range, "no statement starts with '" + text + "'");
    if (found.getType() == StnParser::SEMICOLON)
        error.withHelp("leave it out: what ends with '}' needs none").withFix(range, "");
    else if (const char *const example = statementElsewhere(text))
        error.withHelp("for example: " + std::string(example));
    else if (const auto word = closest(text, statementKeywords()))
        error.withHelp("did you mean '" + *word + "'?").withFix(range, *word);
    else
        error.withHelp("statements: " + joined(statementKeywords()));
}

/// Consumes up to and with the ';' or '}' that ends the statement, or up to what must be the next one.
void ErrorStrategy::skipStatement(Parser &parser) {
    const bool inBlock =
        ruleOf(parser) != StnParser::RuleProgram && ruleOf(parser) != StnParser::RuleStatement;
    int depth = 0;
    for (;;) {
        const Token &token = *parser.getCurrentToken();
        switch (token.getType()) {
        case Token::EOF:
            return;
        case StnParser::LBRACE:
            ++depth;
            break;
        case StnParser::RBRACE:
            if (depth == 0 && inBlock) return;
            parser.consume();
            if (--depth <= 0) return;
            continue;
        case StnParser::SEMICOLON:
            parser.consume();
            if (depth == 0) return;
            continue;
        default:
            if (depth == 0 && !inBlock && isStatementKeyword(token.getType())) return;
        }
        parser.consume();
    }
}

} // namespace oocc
