#include "analysis/linear.h"

#include "stencil/printer.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace oocc {

namespace {

constexpr int64_t kUnknown = std::numeric_limits<int64_t>::min();

/// constant + sum of factor * unknown; unknowns are told apart by their text.
struct Form {
    int64_t constant = 0;
    std::map<std::string, int64_t> factors;
};

std::optional<Form> combine(const Form &a, const Form &b, int64_t sign) {
    Form sum = a;
    int64_t part;
    if (__builtin_mul_overflow(sign, b.constant, &part) ||
        __builtin_add_overflow(sum.constant, part, &sum.constant))
        return std::nullopt;
    for (const auto &[name, factor] : b.factors) {
        int64_t &mine = sum.factors[name];
        if (__builtin_mul_overflow(sign, factor, &part) || __builtin_add_overflow(mine, part, &mine))
            return std::nullopt;
        if (mine == 0) sum.factors.erase(name);
    }
    return sum;
}

std::optional<Form> formOf(const Stencil &stencil, const ExprPtr &expr) {
    const Form unknown{0, {{toString(stencil, expr), 1}}};
    if (const Literal *literal = std::get_if<Literal>(&expr->node))
        if (const int64_t *value = std::get_if<int64_t>(&literal->value)) return Form{*value, {}};
    if (const ScalarRef *ref = std::get_if<ScalarRef>(&expr->node)) {
        const Scalar &scalar = stencil.scalars[ref->scalar];
        const bool known = scalar.kind == Scalar::Kind::Let || scalar.given;
        return known && scalar.value ? formOf(stencil, scalar.value) : unknown;
    }
    if (const Unary *unary = std::get_if<Unary>(&expr->node)) {
        const auto a = formOf(stencil, unary->a);
        return a ? combine({}, *a, -1) : a;
    }
    if (const Binary *binary = std::get_if<Binary>(&expr->node)) {
        const auto a = formOf(stencil, binary->a), b = formOf(stencil, binary->b);
        if (!a || !b) return std::nullopt;
        if (binary->op == BinaryOp::Add) return combine(*a, *b, 1);
        if (binary->op == BinaryOp::Sub) return combine(*a, *b, -1);
        if (binary->op == BinaryOp::Mul && a->factors.empty()) return combine({}, *b, a->constant);
        if (binary->op == BinaryOp::Mul && b->factors.empty()) return combine({}, *a, b->constant);
    }
    return unknown;
}

const Call *minMax(const ExprPtr &expr, MathFn fn) {
    const Call *call = expr ? std::get_if<Call>(&expr->node) : nullptr;
    return call && call->fn == fn ? call : nullptr;
}

} // namespace

int64_t surelyAtLeast(const Stencil &stencil, const ExprPtr &a, const ExprPtr &b) {
    // max(p, q) - b is at least what either is; a - min(p, q) as well.
    if (const Call *most = minMax(a, MathFn::Max))
        return std::max(surelyAtLeast(stencil, most->args[0], b), surelyAtLeast(stencil, most->args[1], b));
    if (const Call *least = minMax(b, MathFn::Min))
        return std::max(surelyAtLeast(stencil, a, least->args[0]), surelyAtLeast(stencil, a, least->args[1]));
    const auto left = formOf(stencil, a), right = b ? formOf(stencil, b) : Form{};
    if (!left || !right) return kUnknown;
    const auto difference = combine(*left, *right, -1);
    return difference && difference->factors.empty() ? difference->constant : kUnknown;
}

} // namespace oocc
