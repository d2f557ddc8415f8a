#include "plan/plan.h"

#include <algorithm>
#include <cstdlib>

namespace oocc {

namespace {

/// Where the vector loop of the stage that writes the field begins; of a coefficient, of the first stage that reads it.
int64_t firstCell(const Stencil &stencil, const Facts &facts, int field) {
    const size_t x = stencil.dims.size() - 1;
    int stage = stencil.stageOf(field);
    for (const Access &access : facts.accesses)
        if (stage < 0 && access.field == field && stencil.stages[access.stage].kind == Stage::Kind::Update)
            stage = access.stage;
    if (stage < 0) return 0;
    return x == 0 ? facts.stages[stage].reach[0][0] : facts.stages[stage].rim[x][0];
}

/// What a column reads at the pass's beginning, beyond the side that its first step starts from: levels that are there
/// already, and coefficients. Later steps start further inside. A row keeps its own old value where it is left out.
int64_t readBeyondSide(const Stencil &stencil, const Facts &facts, const Delays &side, int direction) {
    int64_t rows = 0;
    for (const Access &access : facts.accesses)
        if (access.time < 1)
            rows = std::max(rows, direction * access.offset[tiledDim(stencil)] - side.stage[access.stage]);
    return rows;
}

/// Along a line that leans as tiles do, the tile beyond it reads so many rows of a field that were made on this side; and rows of
/// levels that are stored may lie there, up to where the line ends. Whatever writes the field is to lag alike, so that a row of
/// a level is made on one side only.
bool leanField(const Stencil &stencil, const Facts &facts, const Delays &high, int field, FieldStorage &storage) {
    std::optional<int64_t> shift;
    for (size_t k = 0; k < stencil.stages.size(); ++k) {
        if (!stencil.stages[k].writes() || stencil.stages[k].field != field) continue;
        if (shift && *shift != high.stage[k]) return false;
        shift = high.stage[k];
    }
    if (!shift) return false;
    const int64_t most = *std::max_element(high.stage.begin(), high.stage.end());
    int64_t rows = std::max<int64_t>(high.step, 1); // a row keeps its own old value where it is left out
    if (storage.levels > 0) rows = std::max(rows, (storage.levels - 1) * high.step + most - *shift);
    for (const Access &access : facts.accesses)
        if (access.field == field)
            rows = std::max(rows, rowsAcross(access, high, tiledDim(stencil), -1));
    storage.leanRows = rows;
    storage.leanShift = *shift;
    return true;
}

/// As many wave positions as lie, at most, between any value's making and reading, or its reading and being overwritten.
int64_t positionsApart(const Stencil &stencil, const Facts &facts, const Plan &plan) {
    int64_t apart = 1;
    for (const Access &access : facts.accesses) {
        if (access.maker < 0) continue;
        const int64_t made = access.time - 1; // steps from that of the reader
        const int64_t over = access.sameStep ? 0 : made + plan.fields[access.field].slots;
        const auto lag = [&](int from, int64_t steps, int to) { return steps * plan.wave.step + plan.wave.stage[to] - plan.wave.stage[from]; };
        for (int64_t offset : streamedOffsets(stencil, access)) {
            apart = std::max(apart, -lag(access.stage, made, access.maker) - offset);
            apart = std::max(apart, lag(access.stage, over, access.overwriter) + offset);
        }
    }
    return apart;
}

bool leanFields(const Stencil &stencil, const Facts &facts, Plan &plan) {
    if (stencil.dims.size() < 3 || plan.ring) return false;
    for (size_t f = 0; f < stencil.fields.size(); ++f)
        if (!stencil.fields[f].coef && !plan.fields[f].local &&
            !leanField(stencil, facts, plan.high, static_cast<int>(f), plan.fields[f]))
            return false;
    return true;
}

} // namespace

int64_t rowsAcross(const Access &access, const Delays &slopes, int tiled, int side) {
    return (1 - access.time) * slopes.step + slopes.stage[access.stage] - slopes.stage[access.maker] + side * access.offset[tiled];
}

Plan makePlan(const Stencil &stencil, const Facts &facts, const Knobs &knobs) {
    const Schedule &schedule = facts.schedule;
    Plan plan;
    plan.tiled = tiledDim(stencil);
    plan.row = static_cast<int>(stencil.dims.size()) - 1;
    for (size_t f = 0; f < stencil.fields.size(); ++f) {
        const FieldFacts &field = facts.fields[f];
        plan.fields.push_back({stencil.fields[f].levels, schedule.slots[f], field.delay, field.keep,
                               field.made, field.ghostLo, field.ghostHi,
                               firstCell(stencil, facts, static_cast<int>(f)), field.local});
    }
    for (int k = 0; k < static_cast<int>(stencil.stages.size()); ++k) {
        if (schedule.group[k] == k) plan.groups.emplace_back();
        plan.groups.back().push_back(k);
    }
    plan.wave = schedule.wave;
    const auto [least, most] = std::minmax_element(plan.wave.stage.begin(), plan.wave.stage.end());
    plan.delayMin = *least;
    plan.delayMax = *most;
    plan.piece = facts.piece;
    plan.low = schedule.low;
    plan.high = schedule.high;
    plan.tileReach = schedule.tileReach;
    if (plan.tiled >= 0) {
        plan.moreLow = readBeyondSide(stencil, facts, plan.low, -1);
        plan.moreHigh = readBeyondSide(stencil, facts, plan.high, +1);
    }
    plan.ring = plan.tiled >= 0 && isPeriodic(stencil, plan.tiled);
    plan.leans = leanFields(stencil, facts, plan);
    plan.unrolled = isPeriodic(stencil, 0);
    plan.wedgeLow = schedule.wedgeLow;
    plan.wedgeHigh = schedule.wedgeHigh;
    plan.wedgeMoreLow = facts.wedgeMoreLow;
    plan.wedgeMoreHigh = facts.wedgeMoreHigh;
    plan.leastExtent = facts.leastExtent;
    if (stencil.dims.size() == 1)
        for (const Access &access : facts.accesses) {
            const bool moved =
                offsetsAlong(stencil, access, 0).size() > 1; // to a cell up to one further away
            plan.blockMin = std::max<int64_t>(plan.blockMin, std::abs(access.offset[0]) + (moved ? 1 : 0));
        }
    if (plan.tiled < 0) plan.shareLeast = positionsApart(stencil, facts, plan);
    plan.knobs = knobs;
    plan.jams = chooseJams(stencil, facts, plan);
    return plan;
}

} // namespace oocc
