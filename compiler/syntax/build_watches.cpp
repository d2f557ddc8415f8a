// Statements about points and about what is watched.
#include "syntax/builder.h"
#include "syntax/tokens.h"

#include <algorithm>

namespace oocc {

ast::ExprPtr Builder::exprAfter(antlr4::tree::TerminalNode *keyword,
                                const std::vector<Parser::ExprContext *> &exprs) {
    if (!keyword) return nullptr;
    const size_t at = keyword->getSymbol()->getTokenIndex();
    const auto behind = std::ranges::find_if(
        exprs, [&](const Parser::ExprContext *e) { return e->start->getTokenIndex() > at; });
    return expr(**behind);
}

ast::Place Builder::place(Parser::PlaceContext &tree) {
    ast::Place place;
    place.range = range(tree);
    for (Parser::ExprContext *each : tree.expr())
        place.at.push_back(expr(*each));
    if (tree.STRING()) place.file = text(*tree.STRING());
    return place;
}

ast::Inject Builder::inject(Parser::InjectStatementContext &tree) {
    ast::Inject inject{name(*tree.name()), place(*tree.place()), exprOrNull(tree.expr()), std::nullopt};
    if (tree.STRING()) inject.signal = text(*tree.STRING());
    return inject;
}

ast::Record Builder::record(Parser::RecordStatementContext &tree) {
    return {name(*tree.name()), place(*tree.place()), exprOrNull(tree.expr()), text(*tree.STRING())};
}

ast::Scalar Builder::scalar(Parser::ScalarStatementContext &tree) {
    return {name(*tree.name()), expr(*tree.expr(0)), exprAfter(tree.WHERE(), tree.expr())};
}

ast::Monitor Builder::monitor(Parser::MonitorStatementContext &tree) {
    return {name(*tree.name()), expr(*tree.expr(0)), exprAfter(tree.WHERE(), tree.expr()),
            exprAfter(tree.EVERY(), tree.expr())};
}

ast::Stop Builder::stop(Parser::StopStatementContext &tree) {
    ast::Stop stop{exprOrNull(tree.expr()), std::nullopt};
    if (tree.ON()) stop.on = name(*tree.name());
    return stop;
}

} // namespace oocc
