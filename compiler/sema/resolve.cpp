#include "sema/resolve.h"

#include "sema/evaluate.h"
#include "sema/resolver.h"

namespace oocc {

template <typename Node> void Resolver::each(Handler<Node> handler) {
    for (const ast::Statement &statement : program_.statements)
        if (const auto *node = std::get_if<Node>(&statement.node)) (this->*handler)(*node, statement);
}

template <typename Node> void Resolver::only(const char *what, const char *remedy, Handler<Node> handler) {
    const ast::Statement *first = nullptr;
    for (const ast::Statement &statement : program_.statements) {
        const auto *node = std::get_if<Node>(&statement.node);
        if (!node) continue;
        if (first) {
            diagnostics_.error(statement.keyword, std::string("a second ") + what)
                .note(first->keyword, "the first is here");
            continue;
        }
        first = &statement;
        (this->*handler)(*node, statement);
    }
    if (!first) diagnostics_.error(stencil_.nameRange, remedy);
}

Operand Resolver::resolve(const ast::Expr &expr, const Place &place) {
    return ExpressionResolver(stencil_, scope_, updates_, diagnostics_).resolve(expr, place);
}

/// Whether the grid and the steps make sense for the values known now; the program checks again when it runs.
void Resolver::checkSizes() {
    try {
        const std::vector<Value> values = evaluateScalars(stencil_);
        const std::vector<int64_t> extents = evaluateExtents(stencil_, values);
        checkSpacings(stencil_, values);
        evaluateSteps(stencil_, values);
        evaluateIntervals(stencil_, values);
        evaluateRegions(stencil_, values);
        evaluatePoints(stencil_, values, extents);
    } catch (const EvaluationError &error) {
        diagnostics_.error(error.range, error.message).of("sizes");
    }
}

std::optional<Stencil> Resolver::run() {
    declareAll();
    only<ast::StencilName>("'stencil' statement", "the program has no name; add 'stencil NAME;'",
                           &Resolver::name);
    scalars();
    watchedScalars();
    only<ast::Grid>("grid", "there is no grid; add 'grid (y: 512, x: 512);'", &Resolver::grid);
    each<ast::Fn>(&Resolver::function);
    each<ast::Shape>(&Resolver::shape);
    fields();
    each<ast::Coef>(&Resolver::coefValue);
    each<ast::Series>(&Resolver::series);
    each<ast::Init>(&Resolver::init);
    each<ast::Boundary>(&Resolver::boundary);
    checkPeriodic();
    only<ast::Step>("step", "there is no step; add 'step { u[t+1] = ...; }'", &Resolver::step);
    each<ast::Inject>(&Resolver::inject);
    each<ast::Scalar>(&Resolver::scalar);
    each<ast::Monitor>(&Resolver::monitor);
    each<ast::Record>(&Resolver::record);
    each<ast::Stop>(&Resolver::stop);
    only<ast::Steps>("number of steps", "how many steps? add 'steps 100;'", &Resolver::steps);
    each<ast::Output>(&Resolver::output);
    if (diagnostics_.hasErrors()) return std::nullopt;
    each<ast::Fn>(&Resolver::checkUsed);
    countLevels();
    checkInits();
    checkCarried();
    checkScalarsUsed();
    checkSizes();
    if (diagnostics_.hasErrors()) return std::nullopt;
    return std::move(stencil_);
}

std::optional<Stencil> resolve(const ast::Program &program, const std::vector<Define> &defines,
                               Diagnostics &diagnostics) {
    return Resolver(program, defines, diagnostics).run();
}

} // namespace oocc
