// What knobs may ask for, whatever the machine and the sizes: a run would refuse the rest (runtime/src/plan/wanted.c, columns.c), or
// leave it out where it was compiled in.
#include "plan/plan.h"

#include <algorithm>
#include <stdexcept>

namespace oocc {

namespace {

std::string named(const char *knob, int64_t value) {
    return std::string(knob) + ' ' + std::to_string(value);
}

std::optional<std::string> depthRefusal(const Stencil &stencil, const Facts &facts, const Knobs &knobs) {
    if (knobs.bt > 0 && knobs.ct > knobs.bt)
        return named("ct", knobs.ct) + " is more than " + named("bt", knobs.bt) + ", of which it is a part";
    if (facts.feeding >= 0 && (knobs.bt > 1 || knobs.ct > 1))
        return (knobs.bt > 1 ? named("bt", knobs.bt) : named("ct", knobs.ct)) + " is not possible: a reduction ('" +
               stencil.scalars[static_cast<size_t>(stencil.stages[static_cast<size_t>(facts.feeding)].scalar)].name +
               "') is used by the step: every step waits for it, so a pass is one step";
    return std::nullopt;
}

std::optional<std::string> tileRefusal(const Stencil &stencil, const Plan &plan) {
    const size_t ndim = stencil.dims.size();
    if (plan.knobs.yt > 0 && plan.tiled < 0) return named("yt", plan.knobs.yt) + ": a 1-D grid is not cut into tiles";
    if (plan.knobs.xt == 0) return std::nullopt;
    if (ndim != 3) return named("xt", plan.knobs.xt) + ": rows are cut into pieces on 3-D grids only";
    if (plan.piece.stage.empty())
        return named("xt", plan.knobs.xt) + ": rows are not cut into pieces where " + stencil.dims[ndim - 1].name +
               " is periodic";
    return std::nullopt;
}

std::optional<std::string> columnRefusal(const Stencil &stencil, const Plan &plan) {
    if (plan.knobs.columns <= 1) return std::nullopt;
    const std::string columns = std::to_string(plan.knobs.columns) + " columns are not possible: ";
    if (stencil.dims.size() < 3) return columns + "they are cut out of planes, which 3-D and 4-D grids have";
    if (plan.ring) return columns + stencil.dims[1].name + " is periodic: its first and its last row are neighbours";
    for (const Stage &stage : stencil.stages) {
        if (stage.kind != Stage::Kind::Reduce && stage.kind != Stage::Kind::Monitor) continue;
        const std::string reduction = columns + "the reduction '" + stencil.scalars[static_cast<size_t>(stage.scalar)].name;
        if (stage.kind == Stage::Kind::Reduce) return reduction + "' is used by the step, which would need it of all columns";
        if (!plan.leans) return reduction + "' looks at every cell once, and columns with halos compute some twice";
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string> refusal(const Stencil &stencil, const Facts &facts, const Plan &plan) {
    if (auto reason = depthRefusal(stencil, facts, plan.knobs)) return reason;
    if (auto reason = tileRefusal(stencil, plan)) return reason;
    if (auto reason = columnRefusal(stencil, plan)) return reason;
    try {
        verify(stencil, facts, plan);
    } catch (const std::logic_error &broken) {
        return broken.what();
    }
    return std::nullopt;
}

} // namespace oocc
