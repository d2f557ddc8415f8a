// Derivative operators, written out as differences: d and d2 of any even order of accuracy, laplace, and dp and dm half a
// cell forward and backward. Terms go from the centre outwards, and along the fastest dimension first; a formula is
// multiplied by 1/h or 1/(h*h) once, as a scalar that does not change during a run.
#include "sema/expressions.h"
#include "sema/fornberg.h"
#include "sema/shift.h"
#include "stencil/printer.h"

#include <algorithm>

namespace oocc {

namespace {

constexpr const char *kDerivatives[] = {"d", "d2", "dp", "dm", "laplace"};

/// Whether two dimensions have one spacing: expressions that read alike are alike.
bool sameSpacing(const Stencil &stencil, const Dim &a, const Dim &b) {
    return toString(stencil, a.spacing) == toString(stencil, b.spacing);
}

bool isOne(const ExprPtr &spacing) {
    const Literal *literal = spacing ? literalOf(spacing) : nullptr;
    return !spacing || (literal && std::get<double>(literal->value) == 1.0);
}

Difference differenceOf(const std::string &name, int order) {
    if (name == "dp" || name == "dm") return staggeredDifference(name == "dp", order);
    return centralDifference(name == "d" ? 1 : 2, order);
}

} // namespace

bool isDerivative(const std::string &name) {
    return std::ranges::find(kDerivatives, name) != std::end(kDerivatives);
}

/// An operation on two numbers.
Operand ExpressionResolver::combine(BinaryOp op, Operand a, Operand b, Range range) {
    if (!unify(a, b, range, "this")) return {};
    return {makeExpr(a.type(), range, Binary{op, a.expr, b.expr}), a.data || b.data, a.nodes + b.nodes + 1};
}

/// The operand at another cell.
Operand ExpressionResolver::shifted(const Operand &f, const Offsets &by, Range range) {
    int furthest = 0;
    Operand out{oocc::shifted(f.expr, by, furthest), f.data, f.nodes};
    if (furthest <= kMaxOffset) return out;
    diagnostics_.error(range, "this reads " + std::to_string(furthest) +
                                  " cells away; an offset is at most " + std::to_string(kMaxOffset));
    return {};
}

namespace {

Operand number(double value, Range range) {
    return {makeExpr(Type::F64, range, Literal{value})};
}

} // namespace

/// sum + weight * group; the first term of a sum that is none yet. A weight of 1 is left out.
Operand ExpressionResolver::addTerm(const Operand &sum, const Rational &weight, const Operand &group,
                                    Range range) {
    if (!group) return {};
    const bool subtract = sum && weight.negative();
    const Rational factor = subtract ? Rational(-1) * weight : weight;
    const Operand term =
        factor == Rational(1) ? group : combine(BinaryOp::Mul, number(factor.nearest(), range), group, range);
    return sum ? combine(subtract ? BinaryOp::Sub : BinaryOp::Add, sum, term, range) : term;
}

/// One formula along each of these dimensions, added up and grouped by weight.
Operand ExpressionResolver::difference(const Difference &formula, const Operand &f,
                                       const std::vector<size_t> &dims, Range range) {
    Operand sum;
    if (formula.even)
        sum = addTerm({}, formula.centre * Rational(static_cast<Int128>(dims.size())), f, range);
    for (const DifferencePair &pair : formula.pairs) {
        Operand group;
        for (const size_t d : dims) {
            Offsets plus{}, minus{};
            plus[d] = pair.plus;
            minus[d] = pair.minus;
            const Operand after = shifted(f, plus, range), before = shifted(f, minus, range);
            if (!after || !before) return {};
            if (!formula.even)
                group = combine(BinaryOp::Sub, after, before, range);
            else
                group = combine(BinaryOp::Add, addTerm(group, 1, before, range), after, range);
        }
        sum = addTerm(sum, pair.weight, group, range);
        if (!sum) return {};
    }
    const ExprPtr &spacing = stencil_.dims[dims[0]].spacing;
    if (isOne(spacing)) return sum;
    const Operand h{spacing};
    const Operand divisor = formula.even ? combine(BinaryOp::Mul, h, h, range) : h;
    return combine(BinaryOp::Mul, sum, combine(BinaryOp::Div, number(1, range), divisor, range), range);
}

Operand ExpressionResolver::derivative(const ast::Call &e, Range range) {
    const std::string &name = e.function.text;
    const bool laplace = name == "laplace";
    const auto positional = static_cast<size_t>(
        std::ranges::count_if(e.labels, [](const auto &label) { return !label.has_value(); }));
    const std::optional<int> order = derivativeOrder(e);
    if (positional != (laplace ? 1 : 2) || (!e.labels.empty() && e.labels[0]) ||
        (!laplace && e.labels.size() > 1 && e.labels[1])) {
        diagnostics_
            .error(e.function.range,
                   "'" + name + "' takes " + (laplace ? "an expression" : "an expression and a dimension"))
            .withHelp(laplace ? "for example: laplace(u) or laplace(u, order: 4)"
                              : "for example: " + name + "(u, x) or " + name + "(u, x, order: 4)");
        return {};
    }
    std::vector<size_t> dims;
    if (laplace)
        for (size_t d = stencil_.dims.size(); d-- > 0;)
            dims.push_back(d);
    else if (const std::optional<size_t> dim = dimension(*e.args[1]))
        dims.push_back(*dim);
    const Operand f = derivativeOperand(e);
    if (!f || !order || dims.empty()) return {};

    const Difference formula = differenceOf(name, *order);
    Operand sum;
    while (!dims.empty()) {
        const Dim &first = stencil_.dims[dims[0]];
        const auto rest = std::stable_partition(dims.begin(), dims.end(), [&](size_t d) {
            return sameSpacing(stencil_, first, stencil_.dims[d]);
        });
        const Operand part = difference(formula, f, {dims.begin(), rest}, range);
        sum = addTerm(sum, 1, part, range);
        if (!sum) return {};
        dims.erase(dims.begin(), rest);
    }
    return bounded(sum, range, "this '" + name + "'");
}

/// The expression that is differentiated; it is a floating number and differs from cell to cell.
Operand ExpressionResolver::derivativeOperand(const ast::Call &e) {
    const Operand f = child(e.args[0]);
    if (!f) return {};
    if (f.type() == Type::Bool) {
        diagnostics_.error(e.args[0]->range, "'" + e.function.text + "' takes a number, and this is bool");
        return {};
    }
    if (!varies(f.expr)) {
        diagnostics_.error(e.args[0]->range, "this is the same at every point; its derivative is 0");
        return {};
    }
    return isFloat(f.type()) ? f : convert(f, Type::F64, diagnostics_);
}

/// The order of accuracy, 2 when none is given.
std::optional<int> ExpressionResolver::derivativeOrder(const ast::Call &e) {
    std::optional<int> order = 2;
    bool seen = false;
    for (size_t i = 0; i < e.labels.size(); ++i) {
        if (!e.labels[i]) continue;
        const ast::Name &label = *e.labels[i];
        if (label.text != "order" || seen) {
            Diagnostic &error = diagnostics_.error(
                label.range, label.text == "order"
                                 ? "'order' is given twice"
                                 : "'" + e.function.text + "' has no named argument '" + label.text + "'");
            if (label.text != "order") suggestName(error, label, {"order"});
            order.reset();
            continue;
        }
        seen = true;
        const std::optional<int64_t> value = constantInteger(*e.args[i], "the order of a derivative");
        if (value && *value >= 2 && *value <= kMaxOrder && *value % 2 == 0) {
            if (order) order = static_cast<int>(*value);
            continue;
        }
        if (value)
            diagnostics_.error(e.args[i]->range, "the order of a derivative is even, from 2 to " +
                                                     std::to_string(kMaxOrder) + ", and this is " +
                                                     std::to_string(*value));
        order.reset();
    }
    return order;
}

} // namespace oocc
