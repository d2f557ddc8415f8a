#include "sema/constants.h"

#include "sema/expressions.h"

#include <algorithm>
#include <utility>

namespace oocc {

namespace {

bool isLiteral(const ExprPtr &e) {
    return literalOf(e) != nullptr;
}

/// The truth of a literal condition.
const bool *truthOf(const ExprPtr &e) {
    const Literal *literal = literalOf(e);
    return literal ? std::get_if<bool>(&literal->value) : nullptr;
}

bool ofLiterals(const Expr &e) {
    if (const auto *unary = std::get_if<Unary>(&e.node)) return isLiteral(unary->a);
    if (const auto *binary = std::get_if<Binary>(&e.node))
        return isLiteral(binary->a) && isLiteral(binary->b);
    if (const auto *call = std::get_if<Call>(&e.node)) return std::ranges::all_of(call->args, isLiteral);
    return false;
}

/// The values of the scalars that are constants; none of the others.
std::vector<std::optional<Value>> constantScalars(const Stencil &stencil) {
    std::vector<std::optional<Value>> known;
    std::vector<Value> values;
    for (const Scalar &scalar : stencil.scalars) {
        bool fixed = scalar.kind == Scalar::Kind::Let || (scalar.kind == Scalar::Kind::Param && scalar.given);
        walk(scalar.value, [&](const Expr &e) {
            if (const auto *ref = std::get_if<ScalarRef>(&e.node))
                fixed = fixed && known[static_cast<size_t>(ref->scalar)];
        });
        known.push_back(fixed ? std::optional(evaluate(scalar.value, values)) : std::nullopt);
        values.push_back(known.back().value_or(false));
    }
    return known;
}

} // namespace

ExprPtr folded(const ExprPtr &expr) {
    if (!expr || (expr->type != Type::Int && expr->type != Type::Bool)) return expr;
    if (const auto *binary = std::get_if<Binary>(&expr->node);
        binary && (binary->op == BinaryOp::And || binary->op == BinaryOp::Or)) {
        const bool neutral = binary->op == BinaryOp::And;
        if (const bool *a = truthOf(binary->a)) return *a == neutral ? binary->b : binary->a;
        if (const bool *b = truthOf(binary->b); b && *b == neutral) return binary->a;
        return expr;
    }
    if (!ofLiterals(*expr)) return expr;
    try {
        return std::visit([&](auto value) { return makeExpr(expr->type, expr->range, Literal{value}); },
                          evaluate(expr, {}));
    } catch (const EvaluationError &) {
        return expr; // reported where the value is needed
    }
}

std::optional<Value> constantValue(const Stencil &stencil, const ExprPtr &expr) {
    bool fixed = true;
    std::vector<size_t> scalars;
    walk(expr, [&](const Expr &e) {
        if (const auto *ref = std::get_if<ScalarRef>(&e.node))
            scalars.push_back(static_cast<size_t>(ref->scalar));
        fixed = fixed && !std::holds_alternative<Coord>(e.node) &&
                !std::holds_alternative<TimeLevel>(e.node) && !std::holds_alternative<Sample>(e.node) &&
                !std::holds_alternative<Read>(e.node);
    });
    if (!fixed) return std::nullopt;
    if (scalars.empty()) return evaluate(expr, {});
    const std::vector<std::optional<Value>> known = constantScalars(stencil);
    if (!std::ranges::all_of(scalars, [&](size_t i) { return known[i].has_value(); })) return std::nullopt;
    std::vector<Value> values;
    for (const std::optional<Value> &value : known)
        values.push_back(value.value_or(false));
    return evaluate(expr, values);
}

/// The value of what was written as `e`; none after an error.
std::optional<Value> ExpressionResolver::constant(const Operand &operand, const ast::Expr &e,
                                                  const std::string &what) {
    try {
        const std::optional<Value> value = constantValue(stencil_, operand.expr);
        if (!value)
            diagnostics_.error(e.range, what + " must be known when compiling")
                .withHelp("a parameter is a constant once it is given with -D when compiling");
        return value;
    } catch (const EvaluationError &error) {
        diagnostics_.error(error.range, error.message);
        return std::nullopt;
    }
}

/// `what` names it in messages: "an offset".
std::optional<int64_t> ExpressionResolver::constantInteger(const ast::Expr &e, const std::string &what) {
    const Place place = std::exchange(place_, Place{.name = what, .whole = true});
    const Operand operand = child(e);
    place_ = place;
    if (!operand) return std::nullopt;
    if (operand.type() != Type::Int) {
        diagnostics_.error(e.range, what + " must be int, and this is " + typeName(operand.type()));
        return std::nullopt;
    }
    const std::optional<Value> value = constant(operand, e, what);
    return value ? std::optional(std::get<int64_t>(*value)) : std::nullopt;
}

} // namespace oocc
