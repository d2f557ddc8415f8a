#include "syntax/error_phrases.h"

#include "StnParser.h"
#include "support/spelling.h"
#include "syntax/keywords.h"
#include "syntax/tokens.h"

#include <algorithm>

namespace oocc {

using antlr4::Token;
using antlr4::misc::IntervalSet;
using grammar::StnParser;

std::string describeStatement(antlr4::RuleContext *context, const Source &source) {
    const auto named = [&](const char *what, antlr4::ParserRuleContext *name) {
        if (!name || !name->start || !name->stop) return std::string(what);
        return std::string(what) + " '" + std::string(source.slice(rangeOf(*name->start, *name->stop))) + "'";
    };
    for (auto *node = context; node; node = dynamic_cast<antlr4::RuleContext *>(node->parent)) {
        if (auto *c = dynamic_cast<StnParser::UpdateContext *>(node))
            return named("the update of", c->name());
        if (auto *c = dynamic_cast<StnParser::FaceEdgeContext *>(node))
            return named("the edge of", c->faceNames());
        if (auto *c = dynamic_cast<StnParser::ParamStatementContext *>(node))
            return named("the parameter", c->name());
        if (auto *c = dynamic_cast<StnParser::LetStatementContext *>(node))
            return named("the definition of", c->name());
        if (auto *c = dynamic_cast<StnParser::FieldStatementContext *>(node))
            return named("the field", c->names());
        if (auto *c = dynamic_cast<StnParser::CoefStatementContext *>(node))
            return named("the coefficient", c->name());
        if (auto *c = dynamic_cast<StnParser::InitStatementContext *>(node))
            return named("the initial value of", c->name());
        if (auto *c = dynamic_cast<StnParser::BoundaryStatementContext *>(node))
            return named("the boundary of", c->names());
        if (auto *c = dynamic_cast<StnParser::OutputStatementContext *>(node))
            return named("the output of", c->name());
        if (auto *c = dynamic_cast<StnParser::TempStatementContext *>(node))
            return named("the temp", c->names());
        if (auto *c = dynamic_cast<StnParser::InjectStatementContext *>(node))
            return named("the injection into", c->name());
        if (auto *c = dynamic_cast<StnParser::RecordStatementContext *>(node))
            return named("the record of", c->name());
        if (auto *c = dynamic_cast<StnParser::ScalarStatementContext *>(node))
            return named("the scalar", c->name());
        if (auto *c = dynamic_cast<StnParser::SeriesStatementContext *>(node))
            return named("the series", c->name());
        if (auto *c = dynamic_cast<StnParser::MonitorStatementContext *>(node))
            return named("the monitor", c->name());
        if (auto *c = dynamic_cast<StnParser::StencilStatementContext *>(node))
            return named("the stencil", c->name());
        if (auto *c = dynamic_cast<StnParser::FnStatementContext *>(node))
            return named("the function", c->name());
        if (auto *c = dynamic_cast<StnParser::ShapeStatementContext *>(node))
            return named("the shape", c->name());
        if (dynamic_cast<StnParser::GridStatementContext *>(node)) return "the grid";
        if (dynamic_cast<StnParser::StepsStatementContext *>(node)) return "the number of steps";
        if (dynamic_cast<StnParser::StopStatementContext *>(node)) return "the stop condition";
        if (auto *c = dynamic_cast<StnParser::StatementContext *>(node))
            return "'" + (c->start ? std::string(source.slice(rangeOf(*c->start))) : "") + "'";
    }
    return "the statement";
}

std::string describe(const IntervalSet &expected) {
    const auto has = [&](size_t type) { return expected.contains(type); };
    std::vector<std::string> parts;
    if (has(StnParser::INTEGER))
        parts.push_back("an expression");
    else if (has(StnParser::NAME))
        parts.push_back("a name");
    if (has(StnParser::STRING)) parts.push_back("a file name in double quotes");
    for (const auto &[type, spelling] : {std::pair<size_t, const char *>{StnParser::THEN, "'then'"},
                                         {StnParser::ELSE, "'else'"},
                                         {StnParser::FROM, "'from'"},
                                         {StnParser::TO, "'to'"},
                                         {StnParser::AT, "'at'"},
                                         {StnParser::WHEN, "'when'"},
                                         {StnParser::ON, "'on'"},
                                         {StnParser::POINTS, "'points'"},
                                         {StnParser::LPAREN, "'('"},
                                         {StnParser::LBRACE, "'{'"},
                                         {StnParser::ASSIGN, "'='"},
                                         {StnParser::PLUS_ASSIGN, "'+='"},
                                         {StnParser::COLON, "':'"},
                                         {StnParser::COMMA, "','"},
                                         {StnParser::RPAREN, "')'"},
                                         {StnParser::RBRACKET, "']'"},
                                         {StnParser::RBRACE, "'}'"},
                                         {StnParser::SEMICOLON, "';'"}}) {
        const bool startsExpression = type == StnParser::LPAREN && has(StnParser::INTEGER);
        const bool isName = has(StnParser::NAME) && isWord(type);
        if (has(type) && !startsExpression && !isName) parts.push_back(spelling);
    }
    std::string out;
    for (size_t i = 0; i < parts.size(); ++i)
        out += (i == 0 ? "" : i + 1 == parts.size() ? " or " : ", ") + parts[i];
    return out.empty() ? "the end of the file" : out;
}

namespace {

bool isOne(const Token &token, std::initializer_list<size_t> types) {
    return std::ranges::find(types, token.getType()) != types.end();
}

/// A token that stands between two values.
bool isOperator(const Token &token) {
    return isOne(token, {StnParser::PLUS, StnParser::MINUS, StnParser::STAR, StnParser::SLASH, StnParser::PERCENT, StnParser::CARET,
                         StnParser::EQ, StnParser::NE, StnParser::LE, StnParser::LT, StnParser::GE, StnParser::GT, StnParser::AND,
                         StnParser::OR});
}

/// A file's name that lacks its quotes.
bool isBareFileName(const Token &found, const IntervalSet &expected) {
    return isWord(found.getType()) && expected.contains(size_t{StnParser::STRING}) && !expected.contains(size_t{StnParser::NAME});
}

void suggestQuotes(Diagnostic &error, const Source &source, uint32_t begin) {
    const std::string_view rest = source.text().substr(begin);
    const std::string name(rest.substr(0, rest.find_first_of(" \t\r\n;,\"")));
    error.withHelp("names of files stand in double quotes").withFix({begin, begin + static_cast<uint32_t>(name.size())}, '"' + name + '"');
}

/// sqrt of math.sqrt(u).
bool isOfModule(const Token *function, const Token &found, const Source &source) {
    return function && function->getType() == StnParser::NAME && found.getType() == StnParser::LPAREN &&
           source.text().substr(0, rangeOf(*function).begin).ends_with('.');
}

} // namespace

bool isElseIf(const Token &found, const IntervalSet &expected) {
    const std::string word = found.getText();
    return expected.contains(size_t{StnParser::ELSE}) && (word == "elif" || word == "elsif" || word == "elseif");
}

void suggestWithin(Diagnostic &error, const Token &found) {
    if (found.getType() == StnParser::WHERE)
        error.withHelp("bounds of coordinates stand behind it, sum(u) where x > 5; any other condition is a choice, sum(if ... then u else 0)");
}

void suggest(Diagnostic &error, const Source &source, const Token *previous, const Token &found, const IntervalSet &expected) {
    const Range range = rangeOf(found);
    if (isBareFileName(found, expected))
        suggestQuotes(error, source, range.begin);
    else if (isOfModule(previous, found, source))
        error.withHelp("functions are in no module: " + previous->getText() + "(...)");
    else if (found.getType() == StnParser::ASSIGN && expected.contains(size_t{StnParser::PLUS_ASSIGN}))
        error.withHelp("an injection adds to the field").withFix(range, "+=");
    else if (found.getType() == StnParser::ASSIGN && !expected.contains(size_t{StnParser::NAME}) &&
             !expected.contains(size_t{StnParser::COLON}))
        error.withHelp("'==' compares").withFix(range, "==");
    else if (found.getType() == StnParser::STAR && previous && previous->getType() == StnParser::STAR)
        error.withHelp("a power is written x^2");
    else if (found.getType() == StnParser::GT && previous && previous->getType() == StnParser::LT)
        error.withHelp("write '!='");
    else if (isElseIf(found, expected))
        error.withHelp("write 'else if'").withFix(range, "else if");
    else if (expected.contains(size_t{StnParser::ELSE}) && isOne(found, {StnParser::SEMICOLON, StnParser::RPAREN, StnParser::COMMA}))
        error.withHelp("a choice has a value either way: if ... then ... else ...");
    else if (found.getType() == StnParser::IF && expected.contains(size_t{StnParser::SEMICOLON}))
        error.withHelp("write 'if ... then ... else ...'");
    else if (expected.contains(size_t{StnParser::RPAREN}) && found.getType() == StnParser::WHERE)
        suggestWithin(error, found);
    else if (found.getType() == StnParser::COMMA && previous && previous->getType() == StnParser::INTEGER &&
             expected.contains(size_t{StnParser::SEMICOLON}))
        error.withHelp("a number has a decimal point: 0.5").withFix(range, ".");
    else if (found.getType() == StnParser::PLUS_ASSIGN)
        error.withHelp("an update gives the whole next value: u[t+1] = u + ...");
    else if (found.getType() == StnParser::PLUS && expected.contains(size_t{StnParser::INTEGER}))
        error.withHelp("there is no sign '+'; leave it out");
    else if (previous && isOperator(*previous) && expected.contains(size_t{StnParser::INTEGER}))
        error.withHelp(isOperator(found) ? "leave out one of the two, or write a value between them"
                                         : "write a value after '" + previous->getText() + "', or leave it out");
    else if (const auto word = found.getType() == StnParser::NAME && found.getText().size() > 1
                                   ? closest(found.getText(), clauseKeywords())
                                   : std::nullopt)
        error.withHelp("did you mean '" + *word + "'?").withFix(range, *word);
}

namespace {

/// Two values side by side, as in mathematics, where a value may have ended.
bool looksLikeProduct(const Token &previous, const Token &found, const IntervalSet &expected) {
    return expected.contains(size_t{StnParser::SEMICOLON}) &&
           isOne(previous, {StnParser::NAME, StnParser::INTEGER, StnParser::REAL, StnParser::RPAREN, StnParser::RBRACKET}) &&
           isOne(found, {StnParser::NAME, StnParser::INTEGER, StnParser::REAL, StnParser::LPAREN});
}

/// Words of other languages before what ends a loop.
bool isCondition(const std::string &word) {
    return word == "until" || word == "while" || word == "when" || word == "if";
}

/// Whether the statement has a place, which is one point or a file of them.
bool isAtPoints(antlr4::RuleContext *context) {
    return dynamic_cast<StnParser::RecordStatementContext *>(context) || dynamic_cast<StnParser::InjectStatementContext *>(context);
}

/// Whether the statement is of one field, where others, such as declarations, take several.
bool isOfOneField(antlr4::RuleContext *context) {
    return isAtPoints(context) || dynamic_cast<StnParser::OutputStatementContext *>(context) ||
           dynamic_cast<StnParser::InitStatementContext *>(context);
}

} // namespace

void suggestInPlace(Diagnostic &error, antlr4::RuleContext *context, const Token *previous, const Token &found, const IntervalSet &expected) {
    if (!previous) return;
    const bool isUpdate = dynamic_cast<StnParser::UpdateContext *>(context);
    const std::string before = previous->getText();
    const Range gap{rangeOf(found).begin, rangeOf(found).begin};
    if (dynamic_cast<StnParser::StepsStatementContext *>(context) && (isCondition(before) || isCondition(found.getText())))
        error.withHelp("a run that ends early has a statement of its own: stop when change < 1e-6;");
    else if (previous->getType() == StnParser::STEPS && found.getType() == StnParser::ASSIGN)
        error.withHelp("the number stands there by itself: steps 1000;");
    else if (previous->getType() == StnParser::SPACING)
        error.withHelp("the distance between cells stands there by itself: x: 100 spacing 0.01");
    else if (found.getType() == StnParser::LBRACKET && dynamic_cast<StnParser::FieldStatementContext *>(context))
        error.withHelp("each component is a field of its own: field " + before + "x, " + before + "y : f64;");
    else if (isUpdate && (before == "for" || before == "while" || before == "do"))
        error.withHelp("there are no loops: an update is made for every cell");
    else if (found.getType() == StnParser::LBRACKET && previous->getType() == StnParser::RBRACKET)
        error.withHelp("all offsets stand in one pair of brackets: u[y-1, x+1]");
    else if (found.getType() == StnParser::ASSIGN && dynamic_cast<StnParser::FieldStatementContext *>(context))
        error.withHelp("initial values are a statement of their own: init u = ...;");
    else if (found.getType() == StnParser::ASSIGN && dynamic_cast<StnParser::TempStatementContext *>(context))
        error.withHelp("every step gives a temp its values: step { w = ...; }");
    else if (found.getType() == StnParser::COMMA && previous->getType() == StnParser::RPAREN && isAtPoints(context))
        error.withHelp("one point stands in brackets; more of them are lines of a file: at points \"places.csv\"");
    else if (found.getType() == StnParser::COLON && dynamic_cast<StnParser::FnStatementContext *>(context))
        error.withHelp("the arguments of a function have no types: fn f(a, b) = ...;");
    else if (found.getType() == StnParser::COMMA && isOfOneField(context))
        error.withHelp("such a statement is of one field: write another one for the next");
    else if (found.getType() == StnParser::ASSIGN && dynamic_cast<StnParser::ParamStatementContext *>(context))
        error.withHelp("a parameter has a type, int, f32, f64 or bool: param " + before + " : f64 = ...;");
    else if ((isUpdate || dynamic_cast<StnParser::LetStatementContext *>(context)) && looksLikeProduct(*previous, found, expected))
        error.withHelp("a product is written a * b").withFix(gap, "* ");
}

void showExample(Diagnostic &error, antlr4::RuleContext *context) {
    for (; context; context = dynamic_cast<antlr4::RuleContext *>(context->parent)) {
        const auto *statement = dynamic_cast<StnParser::StatementContext *>(context);
        const char *const example = statement && statement->start ? statementExample(statement->start->getType()) : nullptr;
        if (example) error.withHelp("for example: " + std::string(example));
    }
}

} // namespace oocc
