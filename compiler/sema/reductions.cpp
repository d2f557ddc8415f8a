// Sums over shapes. They are written out here: one term per point, added from the first on.
#include "sema/constants.h"
#include "sema/expressions.h"

namespace oocc {

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
    const Locals outer = locals_;
    Operand out;
    // How deep it has become is looked for from time to time: a look goes over all terms so far, and each adds a level or two.
    constexpr size_t kBetweenLooks = 64;
    size_t terms = 0;
    for (const Offsets &offset : *shape) {
        locals_[e.variable.text] = {{}, offset};
        const Operand term = body(e.body);
        if (term && term.type() == Type::Bool)
            diagnostics_.error(e.body->range, "'" + op + "' takes numbers, and this is bool")
                .withHelp("a number from a condition is written: if ... then 1 else 0");
        if (!term || term.type() == Type::Bool)
            out = {};
        else if (!out)
            out = term;
        else if (op == "min" || op == "max")
            out = call(op == "min" ? MathFn::Min : MathFn::Max, {out, term}, range);
        else
            out = combine(op == "sum" ? BinaryOp::Add : BinaryOp::Mul, out, term, range);
        out.expr = folded(out.expr);
        ++terms;
        const bool look = terms % kBetweenLooks == 0 || terms == shape->size() || out.nodes > kMaxNodes;
        if (out && look) out = bounded(out, range, "this '" + op + "'");
        if (!out) break;
    }
    locals_ = outer;
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
