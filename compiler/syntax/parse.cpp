#include "syntax/parse.h"

#include "syntax/builder.h"
#include "syntax/error_strategy.h"
#include "syntax/parsing.h"
#include "syntax/tokens.h"

namespace oocc {

Parsing::Parsing(const Source &source, Diagnostics &diagnostics)
    : input_(oneCharacterPerByte(source)), lexer_(&input_) {
    lexer_.removeErrorListeners();
    const bool isText = !reportNoText(lexer_, source, diagnostics);
    Tokens tokens = tokenize(lexer_, source, diagnostics, comments_);
    const bool few = tokens.size() <= kMostWords + 1; // with the end of the file
    const bool shallow = !tooMany(diagnostics) && balance(tokens, source, diagnostics) && few && isText;

    list_ = std::make_unique<antlr4::ListTokenSource>(std::move(tokens));
    stream_ = std::make_unique<antlr4::CommonTokenStream>(list_.get());
    if (!shallow) return;
    parser_ = std::make_unique<grammar::StnParser>(stream_.get());
    parser_->removeErrorListeners();
    parser_->setErrorHandler(std::make_shared<ErrorStrategy>(source, diagnostics));
    // The grammar needs no more than SLL prediction decides, which is the quicker one.
    parser_->getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
        antlr4::atn::PredictionMode::SLL);
    try {
        tree_ = parser_->program();
    } catch (const antlr4::ParseCancellationException &) { // too many errors, which are reported
    }
}

std::optional<ast::Program> Parsing::program(const Source &source, Diagnostics &diagnostics) {
    if (diagnostics.hasErrors()) return std::nullopt;
    ast::Program program = Builder(source, diagnostics).build(*tree_);
    if (diagnostics.hasErrors()) return std::nullopt;
    return program;
}

std::optional<ast::Program> parse(const Source &source, Diagnostics &diagnostics) {
    return Parsing(source, diagnostics).program(source, diagnostics);
}

ast::Program parseWhatIsWhole(const Source &source, Diagnostics &diagnostics) {
    Parsing parsing(source, diagnostics);
    if (!parsing.tree()) return {};
    return Builder(source, diagnostics).build(*parsing.tree());
}

} // namespace oocc
