#include "plan/plan.h"

#include <algorithm>
#include <cstdlib>

namespace oocc {

Plan makePlan(const Stencil &stencil, const Facts &facts, const Knobs &knobs) {
    const Schedule &schedule = facts.schedule;
    Plan plan;
    plan.tiled = tiledDim(stencil);
    plan.row = static_cast<int>(stencil.dims.size()) - 1;
    for (size_t f = 0; f < stencil.fields.size(); ++f) {
        const FieldFacts &field = facts.fields[f];
        plan.fields.push_back({stencil.fields[f].levels, schedule.slots[f], field.delay, field.keep,
                               field.ghostLo, field.ghostHi});
    }
    plan.wave = schedule.wave;
    const auto [least, most] = std::minmax_element(plan.wave.stage.begin(), plan.wave.stage.end());
    plan.delayMin = *least;
    plan.delayMax = *most;
    plan.piece = schedule.piece;
    plan.low = schedule.low;
    plan.high = schedule.high;
    plan.tileReach = schedule.tileReach;
    if (stencil.dims.size() == 1)
        for (const Access &access : facts.accesses)
            plan.blockMin = std::max<int64_t>(plan.blockMin, std::abs(access.offset[0]));
    plan.knobs = knobs;
    return plan;
}

} // namespace oocc
