#include "loops/run_constants.h"

#include "analysis/invariance.h"
#include "stencil/printer.h"

namespace oocc::loops {

namespace {

bool takesLong(MathFn fn) {
    return fn != MathFn::Abs && fn != MathFn::Min && fn != MathFn::Max && fn != MathFn::Floor && fn != MathFn::Fma;
}

/// Sums and products are sooner done than fetched.
bool takesLong(const Expr &expr) {
    const Binary *binary = std::get_if<Binary>(&expr.node);
    const Call *call = std::get_if<Call>(&expr.node);
    return (binary && binary->op == BinaryOp::Div && isFloat(expr.type)) || (call && takesLong(call->fn));
}

bool differsWithin(const Stencil &stencil, const Expr &expr) {
    if (const ScalarRef *ref = std::get_if<ScalarRef>(&expr.node)) {
        const Scalar::Kind kind = stencil.scalars[static_cast<size_t>(ref->scalar)].kind;
        return kind != Scalar::Kind::Param && kind != Scalar::Kind::Let;
    }
    return std::holds_alternative<Coord>(expr.node) || std::holds_alternative<TimeLevel>(expr.node) ||
           std::holds_alternative<Sample>(expr.node) || std::holds_alternative<Read>(expr.node);
}

} // namespace

RunConstants::RunConstants(const Stencil &stencil) : stencil_(stencil) {
    for (const Field &field : stencil.fields) {
        for (const ExprPtr &value : field.init)
            find(value);
        for (const auto &sides : field.edge)
            for (const Edge &edge : sides)
                find(edge.value);
    }
    for (const Stage &stage : stencil.stages)
        find(stage.value);
}

void RunConstants::find(const ExprPtr &value) {
    if (value && look(value) == Worth::Naming) name(value);
}

RunConstants::Worth RunConstants::look(const ExprPtr &expr) {
    // What fails where a loop comes to it must not end a run that never does.
    bool varies = differsWithin(stencil_, *expr) || mayFail(*expr), naming = takesLong(*expr);
    std::vector<ExprPtr> worthNaming;
    eachOperand(*expr, [&](const ExprPtr &operand) {
        const Worth worth = look(operand);
        varies = varies || worth == Worth::Varies;
        naming = naming || worth == Worth::Naming;
        if (worth == Worth::Naming) worthNaming.push_back(operand);
    });
    if (!varies) return naming ? Worth::Naming : Worth::Nothing;
    for (const ExprPtr &operand : worthNaming)
        name(operand);
    return Worth::Varies;
}

void RunConstants::name(const ExprPtr &expr) {
    const std::string key = std::string(typeName(expr->type)) + ' ' + toString(stencil_, expr);
    const auto [known, isNew] = known_.insert({key, all_.size()});
    if (isNew) all_.push_back({"k_" + std::to_string(all_.size() + 1), expr});
    at_[expr.get()] = known->second;
}

const std::string *RunConstants::nameOf(const ExprPtr &expr) const {
    const auto known = at_.find(expr.get());
    return known == at_.end() ? nullptr : &all_[known->second].name;
}

} // namespace oocc::loops
