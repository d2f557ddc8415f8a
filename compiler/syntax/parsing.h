// Private to syntax/: the lexer, the tokens and ANTLR's tree of one text, which point at each other.
#pragma once

#include "StnLexer.h"
#include "StnParser.h"
#include "ast/ast.h"
#include "support/diagnostics.h"

#include <antlr4-runtime.h>

#include <memory>
#include <optional>
#include <vector>

namespace oocc {

class Parsing {
  public:
    /// Reports every syntax error that it can find in one go.
    Parsing(const Source &source, Diagnostics &diagnostics);

    /// Null when the text is nested so deeply that no recursive parser must see it, or has too many words or errors. With errors
    /// the tree has holes.
    grammar::StnParser::ProgramContext *tree() const { return tree_; }
    /// None after an error.
    std::optional<ast::Program> program(const Source &source, Diagnostics &diagnostics);
    antlr4::CommonTokenStream &tokens() { return *stream_; }
    const std::vector<Range> &comments() const { return comments_; }

  private:
    antlr4::ANTLRInputStream input_;
    grammar::StnLexer lexer_;
    std::vector<Range> comments_;
    std::unique_ptr<antlr4::ListTokenSource> list_;
    std::unique_ptr<antlr4::CommonTokenStream> stream_;
    std::unique_ptr<grammar::StnParser> parser_;
    grammar::StnParser::ProgramContext *tree_ = nullptr;
};

} // namespace oocc
