#include "syntax/builder.h"
#include "syntax/tokens.h"

namespace oocc {

namespace {

/// An exception on its way out to the statement has marked every rule that it left.
bool isWhole(const antlr4::ParserRuleContext &tree) {
    return !tree.exception && tree.start && tree.stop;
}

} // namespace

Range Builder::range(const antlr4::ParserRuleContext &tree) const {
    return rangeOf(*tree.start, *tree.stop);
}

Range Builder::range(antlr4::tree::TerminalNode &node) const {
    return rangeOf(*node.getSymbol());
}

ast::Name Builder::name(antlr4::ParserRuleContext &tree) const {
    return {slice(range(tree)), range(tree)};
}

std::vector<ast::Name> Builder::names(Parser::NamesContext &tree) const {
    std::vector<ast::Name> list;
    for (Parser::NameContext *each : tree.name())
        list.push_back(name(*each));
    return list;
}

ast::Text Builder::text(antlr4::tree::TerminalNode &node) const {
    const Range quoted = range(node);
    return {slice({quoted.begin + 1, quoted.end - 1}), quoted};
}

ast::Program Builder::build(Parser::ProgramContext &tree) {
    ast::Program program;
    for (Parser::StatementContext *each : tree.statement())
        if (isWhole(*each)) program.statements.push_back(statement(*each));
    return program;
}

ast::Grid Builder::grid(Parser::GridStatementContext &tree) {
    ast::Grid grid;
    for (Parser::GridDimContext *each : tree.gridDim()) {
        grid.dims.push_back({name(*each->name()), expr(*each->expr(0)), exprOrNull(each->expr(1))});
    }
    return grid;
}

ast::EdgeValue Builder::edge(Parser::EdgeContext &tree) {
    return {name(*tree.name()), exprOrNull(tree.expr())};
}

ast::Boundary Builder::boundary(Parser::BoundaryStatementContext &tree) {
    ast::Boundary boundary;
    boundary.fields = names(*tree.names());
    if (tree.edge()) boundary.all = edge(*tree.edge());
    if (Parser::FaceListContext *list = tree.faceList())
        for (Parser::FaceEdgeContext *each : list->faceEdge()) {
            if (!isWhole(*each)) continue;
            ast::FaceEdge out{{}, edge(*each->edge())};
            for (Parser::FaceContext *face : each->faceNames()->face())
                out.faces.push_back({name(*face->name(0)), face->DOT() ? std::optional(name(*face->name(1))) : std::nullopt});
            boundary.faces.push_back(std::move(out));
        }
    return boundary;
}

ast::Update Builder::update(Parser::UpdateContext &tree) {
    ast::Update update;
    update.target = name(*tree.name());
    update.targetRange = update.target.range;
    if (tree.indices()) {
        update.indices = indices(*tree.indices());
        update.targetRange.end = range(*tree.indices()).end;
    }
    update.value = expr(*tree.expr(0));
    update.where = exprAfter(tree.WHERE(), tree.expr());
    update.range = range(tree);
    return update;
}

ast::Step Builder::step(Parser::BlockContext &tree) {
    ast::Step step;
    for (Parser::UpdateContext *each : tree.update())
        if (isWhole(*each)) step.updates.push_back(update(*each));
    return step;
}

ast::Statement Builder::statement(Parser::StatementContext &tree) {
    ast::Statement out{range(tree), rangeOf(*tree.start), ast::StencilName{}};
    antlr4::ParserRuleContext *node = &tree;
    if (auto *c = dynamic_cast<Parser::StencilStatementContext *>(node)) {
        out.node = ast::StencilName{name(*c->name())};
    } else if (auto *c = dynamic_cast<Parser::ParamStatementContext *>(node)) {
        out.node = ast::Param{name(*c->name()), name(*c->typeName()), exprOrNull(c->expr())};
    } else if (auto *c = dynamic_cast<Parser::LetStatementContext *>(node)) {
        out.node = ast::Let{name(*c->name()), expr(*c->expr())};
    } else if (auto *c = dynamic_cast<Parser::GridStatementContext *>(node)) {
        out.node = grid(*c);
    } else if (auto *c = dynamic_cast<Parser::FieldStatementContext *>(node)) {
        out.node = ast::Field{names(*c->names()), name(*c->typeName())};
    } else if (auto *c = dynamic_cast<Parser::CoefStatementContext *>(node)) {
        ast::Coef coef{name(*c->name()), name(*c->typeName()), exprOrNull(c->expr()), std::nullopt};
        if (c->STRING()) coef.file = text(*c->STRING());
        out.node = std::move(coef);
    } else if (auto *c = dynamic_cast<Parser::InitStatementContext *>(node)) {
        ast::Init init{name(*c->name()), {}, exprOrNull(c->expr()), std::nullopt};
        if (c->indices()) init.indices = indices(*c->indices());
        if (c->STRING()) init.file = text(*c->STRING());
        out.node = std::move(init);
    } else if (auto *c = dynamic_cast<Parser::BoundaryStatementContext *>(node)) {
        out.node = boundary(*c);
    } else if (auto *c = dynamic_cast<Parser::StepStatementContext *>(node)) {
        out.node = step(*c->block());
    } else if (auto *c = dynamic_cast<Parser::StepsStatementContext *>(node)) {
        out.node = ast::Steps{expr(*c->expr())};
    } else if (auto *c = dynamic_cast<Parser::OutputStatementContext *>(node)) {
        out.node = ast::Output{name(*c->name()), text(*c->STRING()), exprOrNull(c->expr())};
    } else if (auto *c = dynamic_cast<Parser::TempStatementContext *>(node)) {
        out.node = ast::Temp{names(*c->names()), name(*c->typeName())};
    } else if (auto *c = dynamic_cast<Parser::FnStatementContext *>(node)) {
        ast::Fn fn{name(*c->name()), {}, expr(*c->expr())};
        if (c->names()) fn.params = names(*c->names());
        out.node = std::move(fn);
    } else if (auto *c = dynamic_cast<Parser::ShapeStatementContext *>(node)) {
        out.node = ast::Shape{name(*c->name()), shape(*c->shape()), exprOrNull(c->expr())};
    } else if (auto *c = dynamic_cast<Parser::ScalarStatementContext *>(node)) {
        out.node = scalar(*c);
    } else if (auto *c = dynamic_cast<Parser::InjectStatementContext *>(node)) {
        out.node = inject(*c);
    } else if (auto *c = dynamic_cast<Parser::RecordStatementContext *>(node)) {
        out.node = record(*c);
    } else if (auto *c = dynamic_cast<Parser::MonitorStatementContext *>(node)) {
        out.node = monitor(*c);
    } else if (auto *c = dynamic_cast<Parser::SeriesStatementContext *>(node)) {
        out.node = ast::Series{name(*c->name()), name(*c->typeName()), text(*c->STRING())};
    } else {
        out.node = stop(dynamic_cast<Parser::StopStatementContext &>(tree));
    }
    return out;
}

} // namespace oocc
