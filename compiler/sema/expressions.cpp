#include "sema/expressions.h"

#include "sema/constants.h"

#include <charconv>
#include <cmath>

namespace oocc {

namespace {

std::string quoted(const std::string &text) {
    return "'" + text + "'";
}

BinaryOp translate(ast::BinaryOp op) {
    switch (op) {
    case ast::BinaryOp::Or:
        return BinaryOp::Or;
    case ast::BinaryOp::And:
        return BinaryOp::And;
    case ast::BinaryOp::Eq:
        return BinaryOp::Eq;
    case ast::BinaryOp::Ne:
        return BinaryOp::Ne;
    case ast::BinaryOp::Lt:
        return BinaryOp::Lt;
    case ast::BinaryOp::Le:
        return BinaryOp::Le;
    case ast::BinaryOp::Gt:
        return BinaryOp::Gt;
    case ast::BinaryOp::Ge:
        return BinaryOp::Ge;
    case ast::BinaryOp::Add:
        return BinaryOp::Add;
    case ast::BinaryOp::Sub:
        return BinaryOp::Sub;
    case ast::BinaryOp::Mul:
    case ast::BinaryOp::Pow:
        return BinaryOp::Mul;
    case ast::BinaryOp::Div:
        return BinaryOp::Div;
    case ast::BinaryOp::Mod:
        return BinaryOp::Mod;
    }
    return BinaryOp::Add;
}

bool isComparison(const ast::ExprPtr &e) {
    const auto *binary = std::get_if<ast::Binary>(&e->node);
    return binary && binary->op >= ast::BinaryOp::Eq && binary->op <= ast::BinaryOp::Ge;
}

} // namespace

Operand ExpressionResolver::resolve(const ast::Expr &expr, const Place &place) {
    place_ = place;
    return child(expr);
}

Operand ExpressionResolver::child(const ast::Expr &e) {
    Operand out;
    if (enter(e.range)) out = std::visit([&](const auto &each) { return node(each, e.range); }, e.node);
    --depth_;
    if (!locals_.empty()) out.expr = folded(out.expr); // what is written out; what was written stays
    return out;
}

Operand ExpressionResolver::node(const ast::Integer &e, Range range, bool negative) {
    const std::string text = (negative ? "-" : "") + e.digits;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) {
        diagnostics_.error(range, "this integer does not fit 64 bits")
            .withHelp("a floating number has a point: 1.0e20");
        return {};
    }
    return {makeExpr(Type::Int, range, Literal{value})};
}

Operand ExpressionResolver::node(const ast::Real &e, Range range) {
    double value = 0;
    const auto [end, error] = std::from_chars(e.text.data(), e.text.data() + e.text.size(), value);
    if (error != std::errc()) {
        diagnostics_.error(range, "this number is out of the range of f64")
            .withHelp("it reaches from 4.9e-324 to 1.8e308");
        return {};
    }
    return {makeExpr(Type::F64, range, Literal{value})};
}

Operand ExpressionResolver::node(const ast::Boolean &e, Range range) {
    return {makeExpr(Type::Bool, range, Literal{e.value})};
}

Operand ExpressionResolver::node(const ast::Unary &e, Range range) {
    if (e.op == ast::UnaryOp::Neg)
        if (const auto *integer = std::get_if<ast::Integer>(&e.a->node)) return node(*integer, range, true);
    const Operand a = child(e.a);
    if (!a) return {};
    const bool wantsBool = e.op == ast::UnaryOp::Not;
    if (wantsBool != (a.type() == Type::Bool)) {
        diagnostics_.error(range, quoted(ast::spelling(e.op)) + " takes " +
                                      (wantsBool ? "bool" : "a number") + ", and this is " +
                                      typeName(a.type()));
        return {};
    }
    // The sign of a literal is part of it; this rounds nothing.
    if (const Literal *literal = literalOf(a.expr); literal && std::holds_alternative<double>(literal->value))
        return {makeExpr(a.type(), range, Literal{-std::get<double>(literal->value)})};
    return {makeExpr(a.type(), range, Unary{wantsBool ? UnaryOp::Not : UnaryOp::Neg, a.expr}), a.data,
            a.nodes + 1};
}

Operand ExpressionResolver::node(const ast::Binary &e, Range range) {
    switch (e.op) {
    case ast::BinaryOp::Pow:
        return power(e, range);
    case ast::BinaryOp::And:
    case ast::BinaryOp::Or:
        return logic(e, translate(e.op), range);
    case ast::BinaryOp::Add:
    case ast::BinaryOp::Sub:
    case ast::BinaryOp::Mul:
    case ast::BinaryOp::Div:
    case ast::BinaryOp::Mod:
        return arithmetic(e, translate(e.op), range);
    default:
        return comparison(e, translate(e.op), range);
    }
}

/// Converts both to the type they meet in; false after an error.
bool ExpressionResolver::unify(Operand &a, Operand &b, Range range, const std::string &what) {
    if (!a || !b) return false;
    if ((a.type() == Type::Bool) != (b.type() == Type::Bool)) {
        diagnostics_.error(range, what + " cannot combine " + typeName(a.type()) + " with " + typeName(b.type()))
            .withHelp("a number from a condition is written: if ... then 1 else 0; a condition from a number: ... != 0");
        return false;
    }
    const Type common = commonType(a, b);
    const bool data = isData(a, b, common);
    a = convert(a, common, diagnostics_);
    b = convert(b, common, diagnostics_);
    a.data = b.data = data;
    return a && b;
}

Operand ExpressionResolver::logic(const ast::Binary &e, BinaryOp op, Range range) {
    const Operand a = child(e.a), b = child(e.b);
    bool fine = true;
    for (const Operand &side : {a, b}) {
        if (side && side.type() != Type::Bool)
            diagnostics_
                .error(side.expr->range, quoted(ast::spelling(e.op)) +
                                             " takes bool on both sides, and this is " +
                                             typeName(side.type()))
                .withHelp("compare it: ... != 0");
        fine = fine && side && side.type() == Type::Bool;
    }
    if (!fine) return {};
    return {makeExpr(Type::Bool, range, Binary{op, a.expr, b.expr}), false, a.nodes + b.nodes + 1};
}

/// False after an error.
bool ExpressionResolver::checkDivision(BinaryOp op, const Operand &a, const Operand &b, Range range) {
    if (op != BinaryOp::Div && op != BinaryOp::Mod) return true;
    const Literal *left = literalOf(a.expr), *right = literalOf(b.expr);
    if (!right || !isInteger(b.type())) return true;
    const int64_t divisor = std::get<int64_t>(right->value);
    if (divisor == 0) {
        diagnostics_.error(range, "this divides by zero");
        return false;
    }
    if (!left || op != BinaryOp::Div || divisor == -1) return true;
    const int64_t dividend = std::get<int64_t>(left->value);
    if (dividend % divisor != 0) {
        const std::string l = std::to_string(dividend), r = std::to_string(divisor);
        if (place_.offset) {
            diagnostics_.error(range, "offsets are integer constants, and " + l + "/" + r + " is none").withHelp(kStaggered);
            return false;
        }
        diagnostics_
            .warning(range, "integer division truncates: " + l + "/" + r + " is " + std::to_string(dividend / divisor) + "; write " + l + ".0/" + r)
            .of("integer-division");
    }
    return true;
}

Operand ExpressionResolver::arithmetic(const ast::Binary &e, BinaryOp op, Range range) {
    Operand a = child(e.a), b = child(e.b);
    const std::string spelling = quoted(ast::spelling(e.op));
    if (!unify(a, b, e.opRange, spelling)) return {};
    if (a.type() == Type::Bool) {
        diagnostics_.error(e.opRange, spelling + " takes numbers, and both sides are bool");
        return {};
    }
    if (op == BinaryOp::Mod && !isInteger(a.type())) {
        diagnostics_
            .error(e.opRange,
                   "'%' takes integers on both sides, and these are " + std::string(typeName(a.type())))
            .withHelp("for floating numbers write a - b*floor(a/b)");
        return {};
    }
    if (!checkDivision(op, a, b, range)) return {};
    return {makeExpr(a.type(), range, Binary{op, a.expr, b.expr}), a.data || b.data, a.nodes + b.nodes + 1};
}

Operand ExpressionResolver::comparison(const ast::Binary &e, BinaryOp op, Range range) {
    Operand a = child(e.a), b = child(e.b);
    const std::string spelling = quoted(ast::spelling(e.op));
    if (!a || !b) return {};
    if (isComparison(e.a) && b.type() != Type::Bool) {
        diagnostics_.error(e.opRange, "comparisons cannot be chained").withHelp("write a < b and b < c");
        return {};
    }
    if (!unify(a, b, e.opRange, spelling)) return {};
    if (a.type() == Type::Bool && op != BinaryOp::Eq && op != BinaryOp::Ne) {
        diagnostics_.error(e.opRange, spelling + " compares numbers, and both sides are bool");
        return {};
    }
    return {makeExpr(Type::Bool, range, Binary{op, a.expr, b.expr}), false, a.nodes + b.nodes + 1};
}

/// A small whole power is a product, x*x*x from the left, of one shared operand; any other is pow().
Operand ExpressionResolver::power(const ast::Binary &e, Range range) {
    constexpr int64_t kMaxExpanded = 16;
    Operand a = child(e.a), b = child(e.b);
    if (!a || !b) return {};
    if (a.type() == Type::Bool || b.type() == Type::Bool) {
        diagnostics_.error(e.opRange, std::string("'^' cannot combine ") + typeName(a.type()) + " with " +
                                          typeName(b.type()));
        return {};
    }
    const Literal *literal = literalOf(b.expr);
    const auto *exponent = literal ? std::get_if<int64_t>(&literal->value) : nullptr;
    if (!exponent || *exponent < 0 || *exponent > kMaxExpanded) return call(MathFn::Pow, {a, b}, range);
    if (*exponent == 0) {
        const Operand one{makeExpr(Type::Int, range, Literal{int64_t{1}})};
        Operand out = convert(one, a.type(), diagnostics_);
        out.data = a.data;
        return out;
    }
    if (a.nodes * static_cast<uint64_t>(*exponent) > kMaxNodes) {
        diagnostics_
            .error(range, "this power stands for more than " + std::to_string(kMaxNodes) + " operations")
            .withHelp("name its base with 'let', or use pow()");
        return {};
    }
    Operand product = a;
    for (int64_t i = 1; i < *exponent; ++i)
        product = {makeExpr(a.type(), range, Binary{BinaryOp::Mul, product.expr, a.expr}), a.data,
                   product.nodes + a.nodes + 1};
    return product;
}

Operand ExpressionResolver::node(const ast::If &e, Range range) {
    const Operand condition = child(e.condition);
    Operand a = child(e.a), b = child(e.b);
    if (condition && condition.type() != Type::Bool) {
        diagnostics_
            .error(condition.expr->range, std::string("the condition of 'if' must be bool, and this is ") +
                                              typeName(condition.type()))
            .withHelp("compare it: ... != 0");
        return {};
    }
    if (!unify(a, b, range, "'if'") || !condition) return {};
    if (const Literal *known =
            literalOf(condition.expr)) { // a test of an offset, as a rule: nothing is left of it
        Operand chosen = std::get<bool>(known->value) ? a : b;
        chosen.data = a.data || b.data;
        return chosen;
    }
    return {makeExpr(a.type(), range, Select{condition.expr, a.expr, b.expr}), a.data || b.data,
            condition.nodes + a.nodes + b.nodes + 1};
}

} // namespace oocc
