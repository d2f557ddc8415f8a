#include "analysis/row_decisions.h"

#include "analysis/common_subexpressions.h"
#include "analysis/cuts.h"
#include "analysis/invariance.h"

#include <algorithm>

namespace oocc {

namespace {

constexpr int kOfAFunction = 16; ///< operations
constexpr int kWorthALoop = 4;   ///< operations, where gcc does not make two loops by itself
constexpr size_t kMostCuts = 8;  ///< of a row: each costs as much as some cells

bool isLogical(const Binary &e) {
    return e.op == BinaryOp::And || e.op == BinaryOp::Or;
}

/// The first part of a condition that is a decision; what is known already is none.
std::optional<Decision> decisionIn(const Stencil &stencil, const ExprPtr &condition, int x, bool mayBeCut) {
    if (std::holds_alternative<Literal>(condition->node)) return std::nullopt;
    std::optional<std::vector<ExprPtr>> cuts = cutsOf(stencil, condition, x);
    const bool fewEnough = cuts && cuts->size() <= (mayBeCut ? kMostCuts : 0);
    if (fewEnough && (mayBeCut || isInvariant(condition, x))) return Decision{condition, std::move(*cuts)};
    if (const Unary *no = std::get_if<Unary>(&condition->node)) return decisionIn(stencil, no->a, x, mayBeCut);
    const Binary *both = std::get_if<Binary>(&condition->node);
    if (!both || !isLogical(*both)) return std::nullopt;
    std::optional<Decision> first = decisionIn(stencil, both->a, x, mayBeCut);
    return first ? first : decisionIn(stencil, both->b, x, mayBeCut);
}

/// Operations of a cell, a function counted as many; what is used twice counts twice.
int operationsOf(const ExprPtr &expr, int x) {
    if (isInvariant(expr, x)) return 0;
    const Call *call = std::get_if<Call>(&expr->node);
    int operations = call && isLong(call->fn) ? kOfAFunction : call || std::holds_alternative<Binary>(expr->node) ? 1 : 0;
    eachOperand(*expr, [&](const ExprPtr &operand) { operations += operationsOf(operand, x); });
    return operations;
}

const bool *known(const ExprPtr &condition) {
    const Literal *literal = std::get_if<Literal>(&condition->node);
    return literal ? std::get_if<bool>(&literal->value) : nullptr;
}

/// Rebuilds an expression around a decision. What none of it is in stays the same object.
struct Decided {
    const CommonSubexpressions &all;
    const ExprPtr &decision;
    bool is;

    ExprPtr made(const Expr &like, decltype(Expr::node) node) const {
        return std::make_shared<const Expr>(Expr{like.type, like.range, std::move(node)});
    }

    ExprPtr operator()(const ExprPtr &expr) const {
        if (expr->type == Type::Bool && all.areEqual(expr, decision)) return made(*expr, Literal{is});
        return std::visit([&](const auto &node) { return of(expr, node); }, expr->node);
    }

    ExprPtr of(const ExprPtr &expr, const Unary &e) const {
        const ExprPtr a = (*this)(e.a);
        if (const bool *value = known(a); value && e.op == UnaryOp::Not) return made(*expr, Literal{!*value});
        return a == e.a ? expr : made(*expr, Unary{e.op, a});
    }
    ExprPtr of(const ExprPtr &expr, const Binary &e) const {
        const ExprPtr a = (*this)(e.a), b = (*this)(e.b);
        if (a == e.a && b == e.b) return expr;
        if (isLogical(e)) {
            const bool absorbing = e.op == BinaryOp::Or;
            if (const bool *value = known(a)) return *value == absorbing ? a : b;
            if (const bool *value = known(b); value && *value != absorbing) return a;
            if (known(b) && neverFails(a)) return b;
        }
        return made(*expr, Binary{e.op, a, b});
    }
    ExprPtr of(const ExprPtr &expr, const Select &e) const {
        const ExprPtr condition = (*this)(e.condition);
        if (const bool *value = known(condition)) return (*this)(*value ? e.a : e.b);
        const ExprPtr a = (*this)(e.a), b = (*this)(e.b);
        return condition == e.condition && a == e.a && b == e.b ? expr : made(*expr, Select{condition, a, b});
    }
    ExprPtr of(const ExprPtr &expr, const Call &e) const {
        std::vector<ExprPtr> args;
        for (const ExprPtr &arg : e.args)
            args.push_back((*this)(arg));
        return args == e.args ? expr : made(*expr, Call{e.fn, args});
    }
    ExprPtr of(const ExprPtr &expr, const Cast &e) const {
        const ExprPtr a = (*this)(e.a);
        return a == e.a ? expr : made(*expr, Cast{a});
    }
    template <typename Leaf> ExprPtr of(const ExprPtr &expr, const Leaf &) const { return expr; }
};

} // namespace

std::optional<Decision> firstDecision(const Stencil &stencil, const std::vector<ExprPtr> &values, int x, Rows rows) {
    std::optional<Decision> found;
    for (const ExprPtr &value : values)
        walk(value, [&](const Expr &e) {
            const Select *choice = std::get_if<Select>(&e.node);
            if (found || !choice) return;
            std::optional<Decision> decision = decisionIn(stencil, choice->condition, x, rows.mayBeCut);
            if (!decision) return;
            const int least = rows.several || !isInvariant(decision->condition, x) ? kWorthALoop : kOfAFunction;
            if (std::max(operationsOf(choice->a, x), operationsOf(choice->b, x)) >= least) found = std::move(decision);
        });
    return found;
}

std::vector<ExprPtr> decided(const std::vector<ExprPtr> &values, const ExprPtr &decision, bool is, int x) {
    const CommonSubexpressions all(values, x);
    std::vector<ExprPtr> out;
    for (const ExprPtr &value : values)
        out.push_back(Decided{all, decision, is}(value));
    return out;
}

} // namespace oocc
