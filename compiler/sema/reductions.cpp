// Sums over shapes. They are written out here: one term per point, added in an order that lets neighbours share what they add.
#include "sema/constants.h"
#include "sema/expressions.h"
#include "sema/sum_order.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace oocc {

namespace {

/// Terms of a sum that are products with the same number; or those that are no such products.
struct Alike {
    ExprPtr factor; ///< as the first of them has it; null: none
    std::vector<size_t> points;
};

/// Whether an expression has nothing in it but numbers and lets of these. Parameters are none, whether given or not.
bool isOfNumbers(const Stencil &stencil, const ExprPtr &expr) {
    bool ofNumbers = true;
    walk(expr, [&](const Expr &e) {
        if (const auto *ref = std::get_if<ScalarRef>(&e.node)) {
            const Scalar &scalar = stencil.scalars[static_cast<size_t>(ref->scalar)];
            ofNumbers = ofNumbers && scalar.kind == Scalar::Kind::Let && isOfNumbers(stencil, scalar.value);
        }
        ofNumbers = ofNumbers && !std::holds_alternative<Coord>(e.node) && !std::holds_alternative<TimeLevel>(e.node) &&
                    !std::holds_alternative<Sample>(e.node) && !std::holds_alternative<Read>(e.node);
    });
    return ofNumbers;
}

/// The value of a floating expression of numbers alone.
std::optional<double> numberOf(const Stencil &stencil, const ExprPtr &expr) {
    if (!isOfNumbers(stencil, expr)) return std::nullopt;
    try {
        const std::optional<Value> value = constantValue(stencil, expr);
        return value && !std::isnan(std::get<double>(*value)) ? std::optional(std::get<double>(*value)) : std::nullopt;
    } catch (const EvaluationError &) {
        return std::nullopt; // reported where the value is needed
    }
}

/// A product of a number and something else, or the term as it is.
struct Split {
    std::optional<double> number;
    ExprPtr factor;
    Operand rest;
};

Split splitOf(const Stencil &stencil, const Operand &term) {
    const auto *product = std::get_if<Binary>(&term.expr->node);
    if (!product || product->op != BinaryOp::Mul || !isFloat(term.type())) return {{}, nullptr, term};
    const std::optional<double> a = numberOf(stencil, product->a), b = numberOf(stencil, product->b);
    if (a.has_value() == b.has_value()) return {{}, nullptr, term};
    return a ? Split{a, product->a, {product->b, term.data, term.nodes}} : Split{b, product->b, {product->a, term.data, term.nodes}};
}

/// In the order of their first points. Takes the numbers out of the terms.
std::vector<Alike> takeNumbers(const Stencil &stencil, std::vector<Operand> &terms, const std::vector<Offsets> &shape) {
    std::vector<Alike> all;
    std::map<std::optional<double>, size_t> known;
    for (size_t i = 0; i < terms.size(); ++i) {
        Split split = splitOf(stencil, terms[i]);
        const auto [found, isNew] = known.insert({split.number, all.size()});
        if (isNew) all.push_back({split.factor, {}});
        all[found->second].points.push_back(i);
        terms[i] = std::move(split.rest);
    }
    const auto first = [&](const Alike &alike) {
        return shape[*std::ranges::min_element(alike.points, {}, [&](size_t i) { return shape[i]; })];
    };
    std::ranges::sort(all, {}, first);
    return all;
}

} // namespace

const ExpressionResolver::Local *ExpressionResolver::local(const std::string &name) const {
    const auto at = locals_.find(name);
    return at == locals_.end() ? nullptr : &at->second;
}

/// The offset that an expression names, or null.
const Offsets *ExpressionResolver::localOffset(const ast::Expr &e) const {
    const auto *name = std::get_if<ast::Reference>(&e.node);
    const Local *found = name ? local(name->name) : nullptr;
    return found && found->offset ? &*found->offset : nullptr;
}

Operand ExpressionResolver::node(const ast::Reduction &e, Range range) {
    const std::string &op = e.op.text;
    if (op != "sum" && op != "prod" && op != "min" && op != "max") {
        Diagnostic &error = diagnostics_.error(e.op.range, "there is no reduction '" + op + "' over a shape");
        error.withHelp("reductions over a shape are sum, prod, min and max");
        suggestName(error, e.op, {"sum", "prod", "min", "max"});
        return {};
    }
    if (e.variable.text == "t") {
        diagnostics_.error(e.variable.range, "'t' is the present time level and cannot be an offset");
        return {};
    }
    const std::optional<std::vector<Offsets>> shape = points(*e.shape);
    if (!shape) return {};
    if (shape->size() > static_cast<size_t>(kMaxDepth)) {
        diagnostics_
            .error(range, "this '" + op + "' has " + std::to_string(shape->size()) + " terms; a reduction over a shape has at most " +
                              std::to_string(kMaxDepth))
            .withHelp("a temp that holds a sum along one dimension makes few terms of it along the others");
        return {};
    }
    std::optional<std::vector<Operand>> terms = termsOf(e, *shape, range);
    if (!terms) return {};
    std::vector<size_t> every(terms->size());
    std::iota(every.begin(), every.end(), size_t{0});
    Operand out;
    for (const Alike &alike : op == "sum" ? takeNumbers(stencil_, *terms, *shape) : std::vector{Alike{nullptr, every}}) {
        const SumPart order = sumOrder(*shape, alike.points, std::min<size_t>(scope_.dims.size(), kMaxDims));
        Operand sum = joined(op, order, *terms, range);
        if (sum && alike.factor) sum = combine(BinaryOp::Mul, {alike.factor}, sum, range);
        if (sum) sum.expr = folded(sum.expr);
        out = out && sum ? join(op, out, sum, range) : sum;
        if (!out) return {};
    }
    return bounded(out, range, "this '" + op + "'");
}

/// One per point; none after an error.
std::optional<std::vector<Operand>> ExpressionResolver::termsOf(const ast::Reduction &e, const std::vector<Offsets> &shape, Range range) {
    const std::string what = "this '" + e.op.text + "'";
    const Locals outer = locals_;
    std::vector<Operand> terms;
    uint64_t nodes = 0;
    bool fine = true;
    for (const Offsets &offset : shape) {
        locals_[e.variable.text] = {{}, offset};
        Operand term = body(e.body);
        if (term && term.type() == Type::Bool) {
            diagnostics_.error(e.body->range, "'" + e.op.text + "' takes numbers, and this is bool")
                .withHelp("a number from a condition is written: if ... then 1 else 0");
            term = {};
        }
        if (term) {
            term.expr = folded(term.expr);
            nodes += term.nodes + 1;
            fine = nodes <= kMaxNodes || bounded({term.expr, term.data, nodes}, range, what);
        }
        fine = fine && term;
        if (!fine) break;
        terms.push_back(std::move(term));
    }
    locals_ = outer;
    return fine ? std::optional(std::move(terms)) : std::nullopt;
}

Operand ExpressionResolver::join(const std::string &op, const Operand &a, const Operand &b, Range range) {
    Operand out = op == "min" || op == "max" ? call(op == "min" ? MathFn::Min : MathFn::Max, {a, b}, range)
                                             : combine(op == "sum" ? BinaryOp::Add : BinaryOp::Mul, a, b, range);
    out.expr = folded(out.expr);
    return out;
}

Operand ExpressionResolver::joined(const std::string &op, const SumPart &order, const std::vector<Operand> &terms, Range range) {
    if (order.parts.empty()) return terms[order.point];
    Operand out;
    for (const SumPart &part : order.parts) {
        const Operand next = joined(op, part, terms, range);
        out = out && next ? join(op, out, next, range) : next;
        if (!out) break;
    }
    return out;
}

Operand ExpressionResolver::node(const ast::Member &e, Range range) {
    const Local *object = local(e.object.text);
    if (!object || !object->offset) {
        Diagnostic &error = diagnostics_.error(e.object.range, "'" + e.object.text + "' is not an offset");
        error.withHelp(
            "an offset is the name in a sum over a shape, and the sum takes in one product; parentheses "
            "take in more: sum(o in s) (...)");
        return {};
    }
    std::vector<std::string> members;
    for (size_t d = 0; d < scope_.dims.size() && d < kMaxDims; ++d) {
        members.push_back("d" + scope_.dims[d]);
        if (e.member.text == members.back())
            return {makeExpr(Type::Int, range, Literal{int64_t{(*object->offset)[d]}})};
    }
    std::string list;
    for (const std::string &member : members)
        list += (list.empty() ? "" : ", ") + ("'" + member + "'");
    suggestName(
        diagnostics_.error(e.member.range, "an offset has no part '" + e.member.text + "'; it has " + list),
        e.member, members);
    return {};
}

Operand ExpressionResolver::node(const ast::PointSet &, Range range) {
    diagnostics_.error(range, "a set of points is not a value").withHelp("sum over it: sum(o in {...}) u[o]");
    return {};
}

} // namespace oocc
