#include "loops/regions.h"

#include "loops/expressions.h"
#include "loops/stages.h"
#include "stencil/printer.h"

namespace oocc::loops {

namespace {

bool isComputed(const Context &context, int stage, int dim, int side) {
    return context.stencil.stages[stage].region[dim][side] != nullptr;
}

/// lo_u_x. Of a dimension x_y the number stands, or else the bounds of u along x_y and those of u_x along y were one.
std::string boundName(const Context &context, int stage, int dim, int side) {
    const std::string &name = context.dimName(dim);
    const bool clear = name.find('_') == std::string::npos;
    return (side == 0 ? "lo_" : "hi_") + stageId(context, stage) + "_" + (clear ? name : std::to_string(dim));
}

template <typename Visit> void eachComputed(const Context &context, Visit &&visit) {
    for (const std::vector<int> &group : context.plan.groups)
        for (int stage = group.front(), dim = 0; dim < context.ndim(); ++dim)
            for (int side : {0, 1})
                if (isComputed(context, stage, dim, side)) visit(stage, dim, side);
}

} // namespace

E boundOf(const Context &context, int stage, int dim, int side) {
    if (isComputed(context, stage, dim, side)) return var("bound." + boundName(context, stage, dim, side));
    const int64_t rim = context.facts.stages[stage].rim[dim][side];
    if (rim == 0) return nullptr;
    return side == 0 ? lit(rim) : context.extent(dim) - lit(rim);
}

bool isRestricted(const Context &context, int stage) {
    for (int dim = 0; dim < context.ndim(); ++dim)
        for (int side : {0, 1})
            if (boundOf(context, stage, dim, side)) return true;
    return false;
}

Variables buildBounds(const Context &context) {
    Variables bounds{
        "Where updates and reductions with a region begin and end; use_grid() computes it.", "bound", {}};
    eachComputed(context, [&](int stage, int dim, int side) {
        const ExprPtr &bound = context.stencil.stages[stage].region[dim][side];
        bounds.members.push_back(
            {"int64_t", boundName(context, stage, dim, side), nullptr,
             context.dimName(dim) + (side == 0 ? " >= " : " < ") + toString(context.stencil, bound)});
    });
    return bounds;
}

Body fillBounds(const Context &context) {
    Body body;
    eachComputed(context, [&](int stage, int dim, int side) {
        const int64_t rim = context.facts.stages[stage].rim[dim][side];
        const E n = context.extent(dim);
        Translator translator(context);
        translator.checked = true;
        translator.what = "a bound of 'where'";
        const E wanted = translator.translate(context.stencil.stages[stage].region[dim][side]);
        body.push_back(assign(boundOf(context, stage, dim, side),
                              side == 0 ? maxOf(lit(rim), minOf(wanted, n))
                                        : minOf(n - lit(rim), maxOf(wanted, lit(0)))));
    });
    return body;
}

} // namespace oocc::loops
