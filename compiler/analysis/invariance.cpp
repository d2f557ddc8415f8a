#include "analysis/invariance.h"

#include <algorithm>
#include <cmath>

namespace oocc {

namespace {

const int64_t *positiveLiteral(const ExprPtr &expr) {
    const Literal *value = std::get_if<Literal>(&expr->node);
    const int64_t *i = value ? std::get_if<int64_t>(&value->value) : nullptr;
    return i && *i > 0 ? i : nullptr;
}

} // namespace

bool isSafeDivisor(const ExprPtr &expr) {
    return positiveLiteral(expr) != nullptr;
}

bool mayFail(const Expr &expr) {
    const Binary *binary = std::get_if<Binary>(&expr.node);
    return binary && (binary->op == BinaryOp::Div || binary->op == BinaryOp::Mod) && isInteger(expr.type) && !isSafeDivisor(binary->b);
}

bool neverFails(const ExprPtr &expr) {
    bool safe = true;
    walk(expr, [&](const Expr &e) { safe = safe && !mayFail(e); });
    return safe;
}

bool isInvariant(const ExprPtr &expr, int dim) {
    bool invariant = true;
    walk(expr, [&](const Expr &e) {
        const Coord *coord = std::get_if<Coord>(&e.node);
        if (std::holds_alternative<Read>(e.node) || (coord && coord->dim == dim) || mayFail(e)) invariant = false;
    });
    return invariant;
}

bool dividesAlike(const Expr &expr, int x) {
    const Binary *quotient = std::get_if<Binary>(&expr.node);
    if (!quotient || quotient->op != BinaryOp::Div || !isFloat(expr.type) || isInvariant(quotient->a, x)) return false;
    const Literal *literal = std::get_if<Literal>(&quotient->b->node);
    const double *value = literal ? std::get_if<double>(&literal->value) : nullptr;
    int exponent = 0;
    return value ? *value > 0 && std::frexp(*value, &exponent) != 0.5 : isInvariant(quotient->b, x);
}

bool dividesAlike(const ExprPtr &expr, int x) {
    bool found = false;
    walk(expr, [&](const Expr &e) { found = found || dividesAlike(e, x); });
    return found;
}

bool choosesAlong(const ExprPtr &expr, int x) {
    bool found = false;
    walk(expr, [&](const Expr &e) {
        const Select *choice = std::get_if<Select>(&e.node);
        found = found || (choice && !(isInvariant(choice->condition, x) && isInvariant(choice->a, x) && isInvariant(choice->b, x)));
    });
    return found;
}

bool planesDiffer(const Stencil &stencil) {
    bool found = false;
    for (const Stage &stage : stencil.stages)
        if (stage.value)
            walk(stage.value, [&](const Expr &e) {
                const Select *choice = std::get_if<Select>(&e.node);
                if (!choice) return;
                walk(choice->condition, [&](const Expr &part) {
                    const Coord *coord = std::get_if<Coord>(&part.node);
                    found = found || (coord && coord->dim == 0);
                });
            });
    return found;
}

namespace {

bool isPowerOfTwo(const ExprPtr &expr) {
    const int64_t *i = positiveLiteral(expr);
    return i && (*i & (*i - 1)) == 0;
}

struct PartsVectorisable {
    int x;
    bool operator()(const Unary &e) { return isVectorisable(e.a, x); }
    bool operator()(const Binary &e) {
        const bool division = (e.op == BinaryOp::Div || e.op == BinaryOp::Mod) && isInteger(e.a->type);
        const bool hasVectors = e.a->type == Type::Int ? isPowerOfTwo(e.b) : isSafeDivisor(e.b);
        return (!division || hasVectors) && isVectorisable(e.a, x) && isVectorisable(e.b, x);
    }
    bool operator()(const Select &e) {
        return isVectorisable(e.condition, x) && isVectorisable(e.a, x) && isVectorisable(e.b, x);
    }
    bool operator()(const Call &e) {
        return std::all_of(e.args.begin(), e.args.end(), [&](const ExprPtr &arg) { return isVectorisable(arg, x); });
    }
    bool operator()(const Cast &e) { return isVectorisable(e.a, x); }
    template <typename Leaf> bool operator()(const Leaf &) { return true; }
};

} // namespace

bool isVectorisable(const ExprPtr &value, int x) {
    return !value || isInvariant(value, x) || std::visit(PartsVectorisable{x}, value->node);
}

} // namespace oocc
