// Private to syntax/: ANTLR's tree as our own. Statements, updates and faces that have an error are left out; where there is
// none, the tree is complete.
#pragma once

#include "StnParser.h"
#include "ast/ast.h"
#include "support/diagnostics.h"

namespace oocc {

class Builder {
  public:
    Builder(const Source &source, Diagnostics &diagnostics) : source_(source), diagnostics_(diagnostics) {}

    ast::Program build(grammar::StnParser::ProgramContext &tree);

  private:
    using Parser = grammar::StnParser;

    // build_statements.cpp
    ast::Statement statement(Parser::StatementContext &tree);
    ast::Step step(Parser::BlockContext &tree);
    ast::Update update(Parser::UpdateContext &tree);
    ast::Boundary boundary(Parser::BoundaryStatementContext &tree);
    ast::EdgeValue edge(Parser::EdgeContext &tree);
    ast::Place place(Parser::PlaceContext &tree);
    ast::Inject inject(Parser::InjectStatementContext &tree);
    ast::Record record(Parser::RecordStatementContext &tree);
    ast::Scalar scalar(Parser::ScalarStatementContext &tree);
    ast::Monitor monitor(Parser::MonitorStatementContext &tree);
    ast::Stop stop(Parser::StopStatementContext &tree);
    ast::Grid grid(Parser::GridStatementContext &tree);

    // build_expressions.cpp
    ast::ExprPtr expr(Parser::ExprContext &tree);
    ast::ExprPtr operand(Parser::ExprContext &tree);
    ast::ExprPtr binary(Parser::BinaryContext &tree);
    ast::ExprPtr call(Parser::CallContext &tree);
    ast::ExprPtr shape(Parser::ShapeContext &tree);
    ast::ExprPtr reduction(Parser::ReductionContext &tree);
    std::vector<ast::ExprPtr> indices(Parser::IndicesContext &tree);
    template <typename Node> ast::ExprPtr make(Range range, Node node, int depth);

    /// The expression behind a keyword that may be missing, in a statement of several.
    ast::ExprPtr exprAfter(antlr4::tree::TerminalNode *keyword,
                           const std::vector<Parser::ExprContext *> &exprs);
    ast::ExprPtr exprOrNull(Parser::ExprContext *tree) { return tree ? expr(*tree) : nullptr; }
    ast::Name name(antlr4::ParserRuleContext &tree) const;
    std::vector<ast::Name> names(Parser::NamesContext &tree) const;
    ast::Text text(antlr4::tree::TerminalNode &node) const;
    Range range(const antlr4::ParserRuleContext &tree) const;
    Range range(antlr4::tree::TerminalNode &node) const;
    std::string slice(Range range) const { return std::string(source_.slice(range)); }

    const Source &source_;
    Diagnostics &diagnostics_;
    int depth_ = 0; ///< of the expression built last
};

} // namespace oocc
