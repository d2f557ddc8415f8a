// `where`: conditions on the point become index ranges, so that what they exclude costs nothing.
#include "sema/resolver.h"

#include <limits>

namespace oocc {

namespace {

/// The same at every point and in every step.
bool isConstant(const Stencil &stencil, const ExprPtr &expr) {
    bool constant = true;
    walk(expr, [&](const Expr &e) {
        if (const auto *scalar = std::get_if<ScalarRef>(&e.node)) {
            const Scalar::Kind kind = stencil.scalars[static_cast<size_t>(scalar->scalar)].kind;
            constant = constant && (kind == Scalar::Kind::Param || kind == Scalar::Kind::Let);
        }
        if (std::holds_alternative<Coord>(e.node) || std::holds_alternative<TimeLevel>(e.node) ||
            std::holds_alternative<Sample>(e.node) || std::holds_alternative<Read>(e.node))
            constant = false;
    });
    return constant;
}

ExprPtr plusOne(const ExprPtr &e) {
    const Literal *literal = literalOf(e);
    const int64_t *value = literal ? std::get_if<int64_t>(&literal->value) : nullptr;
    if (value && *value < std::numeric_limits<int64_t>::max())
        return makeExpr(Type::Int, e->range, Literal{*value + 1});
    const ExprPtr one = makeExpr(Type::Int, e->range, Literal{int64_t{1}});
    if (const auto *binary = std::get_if<Binary>(&e->node); binary && binary->op == BinaryOp::Sub) {
        const Literal *less = literalOf(binary->b);
        if (less && std::get<int64_t>(less->value) == 1) return binary->a;
    }
    return makeExpr(Type::Int, e->range, Binary{BinaryOp::Add, e, one});
}

/// a < b seen from b's side.
ast::BinaryOp mirrored(ast::BinaryOp op) {
    switch (op) {
    case ast::BinaryOp::Lt:
        return ast::BinaryOp::Gt;
    case ast::BinaryOp::Le:
        return ast::BinaryOp::Ge;
    case ast::BinaryOp::Gt:
        return ast::BinaryOp::Lt;
    case ast::BinaryOp::Ge:
        return ast::BinaryOp::Le;
    default:
        return op;
    }
}

void join(ExprPtr &bound, const ExprPtr &other, MathFn fn) {
    bound = bound ? makeExpr(Type::Int, other->range, Call{fn, {bound, other}}) : other;
}

void restrict(Region &region, int dim, ast::BinaryOp op, const ExprPtr &value) {
    auto &[lo, hi] = region[static_cast<size_t>(dim)];
    if (op == ast::BinaryOp::Ge || op == ast::BinaryOp::Eq) join(lo, value, MathFn::Max);
    if (op == ast::BinaryOp::Gt) join(lo, plusOne(value), MathFn::Max);
    if (op == ast::BinaryOp::Lt) join(hi, value, MathFn::Min);
    if (op == ast::BinaryOp::Le || op == ast::BinaryOp::Eq) join(hi, plusOne(value), MathFn::Min);
}

} // namespace

/// `otherwise` says how any other condition is written. Null means everywhere.
Region Resolver::region(const ast::ExprPtr &where, const std::string &otherwise) {
    Region region;
    std::vector<const ast::Expr *> todo;
    if (where) todo.push_back(where.get());
    while (!todo.empty()) {
        const ast::Expr &condition = *todo.back();
        todo.pop_back();
        const auto *both = std::get_if<ast::Binary>(&condition.node);
        if (both && both->op == ast::BinaryOp::And) {
            todo.push_back(both->b.get());
            todo.push_back(both->a.get());
        } else {
            bound(condition, otherwise, region);
        }
    }
    return region;
}

/// One comparison of a coordinate with what is the same at every point.
void Resolver::bound(const ast::Expr &condition, const std::string &otherwise, Region &region) {
    const auto refuse = [&] {
        diagnostics_
            .error(condition.range, "'where' takes bounds of single coordinates, like " +
                                        stencil_.dims.front().name +
                                        " >= 4, joined by 'and'; the points it leaves out are not visited")
            .withHelp(otherwise);
    };
    if (stencil_.dims.empty()) return; // reported
    const auto *e = std::get_if<ast::Binary>(&condition.node);
    const bool compares = e && e->op >= ast::BinaryOp::Eq && e->op <= ast::BinaryOp::Ge;
    if (!compares || e->op == ast::BinaryOp::Ne) return refuse();

    // Everything is let in here, so that what does not fit gets the one message that helps.
    Place place{"a bound", true, true};
    place.reads = Place::Reads::Monitor;
    const Operand a = resolve(*e->a, place), b = resolve(*e->b, place);
    if (!a || !b) return;
    const bool left = std::holds_alternative<Coord>(a.expr->node);
    const Operand &coord = left ? a : b, &value = left ? b : a;
    if (!std::holds_alternative<Coord>(coord.expr->node) || !isConstant(stencil_, value.expr))
        return refuse();
    if (value.type() != Type::Int) {
        diagnostics_.error(value.expr->range,
                           std::string("a bound of a coordinate must be int, and this is ") +
                               typeName(value.type()));
        return;
    }
    restrict(region, std::get<Coord>(coord.expr->node).dim, left ? e->op : mirrored(e->op), value.expr);
}

} // namespace oocc
