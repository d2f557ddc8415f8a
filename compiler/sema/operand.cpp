#include "sema/operand.h"

#include <cmath>
#include <limits>

namespace oocc {

namespace {

/// What a literal becomes among values of type `to`; null, and reported, when it does not fit.
ExprPtr convertLiteral(const Literal &literal, Range range, Type to, Diagnostics &diagnostics) {
    const auto *integer = std::get_if<int64_t>(&literal.value);
    if (isFloat(to)) {
        double value = integer ? static_cast<double>(*integer) : std::get<double>(literal.value);
        if (to == Type::F32) value = integer ? static_cast<float>(*integer) : static_cast<float>(value);
        if (!std::isinf(value)) return makeExpr(to, range, Literal{value});
        diagnostics.error(range, "this number is too large for f32")
            .withHelp("the largest f32 is about 3.4e38; f64 reaches 1.8e308");
        return nullptr;
    }
    const int64_t least = to == Type::U8 ? 0 : std::numeric_limits<int32_t>::min();
    const int64_t most = to == Type::U8 ? 255 : std::numeric_limits<int32_t>::max();
    if (to == Type::Int || (*integer >= least && *integer <= most))
        return makeExpr(valueType(to), range, Literal{*integer});
    diagnostics.error(range, "this number does not fit " + std::string(elementName(to)) +
                                 ", which reaches from " + std::to_string(least) + " to " +
                                 std::to_string(most));
    return nullptr;
}

bool variesOverCells(const ExprPtr &expr) {
    bool varies = false;
    walk(expr, [&](const Expr &e) {
        varies = varies || std::holds_alternative<Coord>(e.node) || std::holds_alternative<TimeLevel>(e.node) ||
                 std::holds_alternative<Read>(e.node);
    });
    return varies;
}

/// The first division in a sum or product of whole numbers that drops a remainder for some cells and not for others; null: none.
/// n/2 of a parameter is the usual middle of a grid, and what % or a comparison makes of a quotient is meant to be whole.
const Expr *truncatingDivision(const ExprPtr &expr) {
    const auto *unary = std::get_if<Unary>(&expr->node);
    if (unary) return truncatingDivision(unary->a);
    const auto *binary = std::get_if<Binary>(&expr->node);
    if (!binary || !isInteger(expr->type) || binary->op == BinaryOp::Mod) return nullptr;
    if (binary->op == BinaryOp::Div && variesOverCells(binary->a)) return expr.get();
    const Expr *found = truncatingDivision(binary->a);
    return found ? found : truncatingDivision(binary->b);
}

} // namespace

ExprPtr makeExpr(Type type, Range range, decltype(Expr::node) node) {
    return std::make_shared<const Expr>(Expr{type, range, std::move(node)});
}

const Literal *literalOf(const ExprPtr &expr) {
    return std::get_if<Literal>(&expr->node);
}

ExprPtr convert(const ExprPtr &expr, Type to, Diagnostics &diagnostics) {
    if (!expr || expr->type == to) return expr;
    if (const Literal *literal = literalOf(expr))
        return convertLiteral(*literal, expr->range, to, diagnostics);
    if (const auto *select = std::get_if<Select>(&expr->node)) {
        ExprPtr a = convert(select->a, to, diagnostics), b = convert(select->b, to, diagnostics);
        if (!a || !b) return nullptr;
        return makeExpr(valueType(to), expr->range, Select{select->condition, std::move(a), std::move(b)});
    }
    if (expr->type == valueType(to)) return expr;
    if (isFloat(to))
        if (const Expr *division = truncatingDivision(expr))
            diagnostics.warning(division->range, "integer division truncates, before this becomes a floating number")
                .withHelp("with a point in it nothing is lost: a / (1.0*b); where whole numbers are meant, write floor(a / (1.0*b))")
                .of("integer-division");
    return makeExpr(valueType(to), expr->range, Cast{expr});
}

Operand convert(const Operand &operand, Type to, Diagnostics &diagnostics) {
    return {convert(operand.expr, to, diagnostics), operand.data, operand.nodes + 1};
}

Type commonType(const Operand &a, const Operand &b) {
    const Type ta = a.type(), tb = b.type();
    if (ta == tb) return ta;
    if (isFloat(ta) != isFloat(tb)) return isFloat(ta) ? ta : tb;
    if (a.data != b.data) return a.data ? ta : tb;
    if (!isFloat(ta)) return Type::Int;
    const bool literalA = literalOf(a.expr), literalB = literalOf(b.expr);
    if (literalA != literalB) return literalA ? tb : ta;
    return Type::F64;
}

bool isData(const Operand &a, const Operand &b, Type common) {
    return (a.data && a.type() == common) || (b.data && b.type() == common);
}

ExprPtr assign(const Operand &value, Type to, const std::string &what, Diagnostics &diagnostics,
               const char *(*spelled)(Type)) {
    if (!value) return nullptr;
    const Type from = value.type();
    const bool truth = to == Type::Bool;
    if (truth && from == Type::Bool) return value.expr;
    if (!truth && from != Type::Bool && (isFloat(to) || isInteger(from)))
        return convert(value.expr, to, diagnostics);
    Diagnostic &error = diagnostics.error(value.expr->range, what + " is " + spelled(to) +
                                                                 ", and this value is " + typeName(from));
    if (from == Type::Bool)
        error.withHelp("a number from a condition is written: if ... then 1 else 0");
    else if (truth)
        error.withHelp("a condition from a number is written: ... != 0");
    else if (literalOf(value.expr))
        error.withHelp("a whole number has neither point nor exponent");
    else
        error.withHelp("nothing is rounded by itself; a whole number from a condition is written: "
                       "if ... > 0.5 then 1 else 0");
    return nullptr;
}

} // namespace oocc
