#include "sema/operand.h"

#include <cmath>

namespace oocc {

ExprPtr makeExpr(Type type, Range range, decltype(Expr::node) node) {
    return std::make_shared<const Expr>(Expr{type, range, std::move(node)});
}

const Literal *literalOf(const ExprPtr &expr) {
    return std::get_if<Literal>(&expr->node);
}

ExprPtr convert(const ExprPtr &expr, Type to, Diagnostics &diagnostics) {
    if (!expr || expr->type == to) return expr;
    if (const Literal *literal = literalOf(expr)) {
        const auto *integer = std::get_if<int64_t>(&literal->value);
        double value = integer ? static_cast<double>(*integer) : std::get<double>(literal->value);
        if (to == Type::F32) value = integer ? static_cast<float>(*integer) : static_cast<float>(value);
        if (std::isinf(value)) {
            diagnostics.error(expr->range, "this number is too large for f32")
                .withHelp("the largest f32 is about 3.4e38; f64 reaches 1.8e308");
            return nullptr;
        }
        return makeExpr(to, expr->range, Literal{value});
    }
    if (const auto *select = std::get_if<Select>(&expr->node)) {
        ExprPtr a = convert(select->a, to, diagnostics), b = convert(select->b, to, diagnostics);
        if (!a || !b) return nullptr;
        return makeExpr(to, expr->range, Select{select->condition, std::move(a), std::move(b)});
    }
    return makeExpr(to, expr->range, Cast{expr});
}

Operand convert(const Operand &operand, Type to, Diagnostics &diagnostics) {
    return {convert(operand.expr, to, diagnostics), operand.data, operand.nodes + 1};
}

Type commonType(const Operand &a, const Operand &b) {
    const Type ta = a.type(), tb = b.type();
    if (ta == tb) return ta;
    if (a.data != b.data) return a.data ? ta : tb;
    if (!isFloat(ta)) return tb;
    if (!isFloat(tb)) return ta;
    const bool literalA = literalOf(a.expr), literalB = literalOf(b.expr);
    if (literalA != literalB) return literalA ? tb : ta;
    return Type::F64;
}

ExprPtr assign(const Operand &value, Type to, const std::string &what, Diagnostics &diagnostics) {
    if (!value) return nullptr;
    const Type from = value.type();
    if (from == to) return value.expr;
    if (from != Type::Bool && isFloat(to)) return convert(value.expr, to, diagnostics);
    Diagnostic &error = diagnostics.error(value.expr->range, what + " is " + typeName(to) +
                                                                 ", and this value is " + typeName(from));
    if (from == Type::Bool)
        error.withHelp("a number from a condition is written: if ... then 1 else 0");
    else if (to == Type::Bool)
        error.withHelp("a condition from a number is written: ... != 0");
    else
        error.withHelp("a whole number has neither point nor exponent");
    return nullptr;
}

} // namespace oocc
