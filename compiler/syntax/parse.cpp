#include "syntax/parse.h"

#include "StnParser.h"
#include "syntax/builder.h"
#include "syntax/error_strategy.h"
#include "syntax/tokens.h"

namespace oocc {

std::optional<ast::Program> parse(const Source &source, Diagnostics &diagnostics) {
    antlr4::ANTLRInputStream input(oneCharacterPerByte(source));
    grammar::StnLexer lexer(&input);
    lexer.removeErrorListeners();
    Tokens tokens = tokenize(lexer, source, diagnostics);
    if (!balance(tokens, source, diagnostics)) return std::nullopt;

    antlr4::ListTokenSource list(std::move(tokens));
    antlr4::CommonTokenStream stream(&list);
    grammar::StnParser parser(&stream);
    parser.removeErrorListeners();
    parser.setErrorHandler(std::make_shared<ErrorStrategy>(source, diagnostics));
    // The grammar needs no more than SLL prediction decides, which is the quicker one.
    parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
        antlr4::atn::PredictionMode::SLL);

    grammar::StnParser::ProgramContext *tree = parser.program();
    if (diagnostics.hasErrors()) return std::nullopt;
    ast::Program program = Builder(source, diagnostics).build(*tree);
    if (diagnostics.hasErrors()) return std::nullopt;
    return program;
}

} // namespace oocc
