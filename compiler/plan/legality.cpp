// The legality check walks a small piece of the schedule instead of repeating the solver's inequalities: for every read
// it names the wave position (or the tile side) at which the value is made, read and overwritten, and compares those.
#include "plan/plan.h"
#include "stencil/printer.h"

#include <stdexcept>
#include <tuple>

namespace oocc {

namespace {

[[noreturn]] void broken(const Stencil &stencil, const Access &access, const std::string &what) {
    throw std::logic_error("the plan breaks the read of '" + stencil.fields[access.field].name +
                           "' by stage " + std::to_string(access.stage) + " at time " +
                           std::to_string(access.time) + ": " + what);
}

/// When stage k of step s treats plane z (or cell x of a row that is cut into pieces): wave position first, then the
/// order within one position.
using Instant = std::tuple<int64_t, int64_t, int>;

Instant instant(const Delays &delays, int stage, int64_t step, int64_t z) {
    return {z + step * delays.step + delays.stage[stage], step, stage};
}

/// When a value is made, read, and overwritten that is found at this offset.
struct Life {
    Instant made, read, overwritten;
};

Life lifeOf(const Plan &plan, const Delays &delays, const Access &access, int64_t offset) {
    const int64_t step = 100, z = 1000;
    const int64_t level = step - 1 + access.time; // the level that is read
    const int64_t over = access.sameStep ? step : level + plan.fields[access.field].slots;
    return {instant(delays, access.maker, level, z + offset), instant(delays, access.stage, step, z),
            instant(delays, access.overwriter, over, z + offset)};
}

void checkOrder(const Stencil &stencil, const Plan &plan, const Delays &delays, const Access &access,
                int64_t offset) {
    const Life life = lifeOf(plan, delays, access, offset);
    if (!(life.made < life.read)) broken(stencil, access, "it comes before the value is there");
    const bool samePoint = life.overwritten == life.read && access.atPoint();
    if (!(life.read < life.overwritten) && !samePoint) broken(stencil, access, "the value is overwritten before");
}

/// In 1-D a share of a slab's positions follows the share below, stage by stage, and no other: what it reads must be its own or that
/// one's, and only the share above may overwrite what it has read.
void checkShares(const Stencil &stencil, const Plan &plan, const Access &access, int64_t offset) {
    const Life life = lifeOf(plan, plan.wave, access, offset);
    const auto position = [](const Instant &when) { return std::get<0>(when); };
    if (position(life.read) - position(life.made) > plan.shareLeast)
        broken(stencil, access, "it would be made beyond the share below");
    if (position(life.overwritten) - position(life.read) > plan.shareLeast)
        broken(stencil, access, "a share that does not follow would overwrite the value");
}

/// Step s computes so many planes beyond both ends of a periodic grid, or of a block of schedule overlap; what it reads
/// must be among those that the steps before have computed, or that were read.
void checkWedge(const Stencil &stencil, const Plan &plan, const Access &access, int64_t offset) {
    const int64_t steps = 100;
    const bool watches = !stencil.stages[access.stage].writes(); // on the planes of the range only
    for (int64_t step : {int64_t{1}, int64_t{50}, steps}) {
        const auto beyond = [&](const Delays &wedge, int stage, int64_t s) {
            return (steps - s) * wedge.step + wedge.stage[stage];
        };
        const auto check = [&](const Delays &wedge, int64_t reach) {
            const int64_t own = watches ? 0 : beyond(wedge, access.stage, step);
            if (beyond(wedge, access.maker, step - 1 + access.time) < own + reach)
                broken(stencil, access, "the wedge beyond the end of a grid or block is too small");
        };
        check(plan.wedgeLow, -offset);
        check(plan.wedgeHigh, offset);
    }
}

/// A column is a tile whose outer sides nobody fills: what it reads must have been made by a step before, in rows that the
/// side has not left out yet, or be among the rows that are read from the disk.
void checkColumn(const Stencil &stencil, const Plan &plan, const Access &access) {
    const int64_t offset = access.offset[plan.tiled];
    for (int64_t step : {1, 2, 3, 50})
        for (int direction : {-1, 1}) {
            const Delays &side = direction < 0 ? plan.low : plan.high;
            const int64_t there = direction < 0 ? plan.moreLow : plan.moreHigh;
            const auto from = [&](int stage, int64_t s) { return (s - 1) * side.step + side.stage[stage]; };
            const int64_t read = from(access.stage, step) - direction * offset;
            const int64_t level = step - 1 + access.time;
            const bool stored = access.maker < 0 || level < 1;
            if (stored ? read < -there : read < from(access.maker, level))
                broken(stencil, access, "a column would read rows that it does not have");
        }
}

/// A column that leans finds rows below the line between it and the one before where that one has made them: as many of every
/// level as are handed on, or read from the disk. That they have not been overwritten there is what checkSides() is about.
void checkLean(const Stencil &stencil, const Plan &plan, const Access &access) {
    const int64_t step = 50, level = step - 1 + access.time;
    const auto line = [&](int stage, int64_t s) { return -(s * plan.high.step + plan.high.stage[stage]); };
    if (line(access.stage, step) + access.offset[plan.tiled] < line(access.maker, level) - plan.fields[access.field].leanRows)
        broken(stencil, access, "a column that leans would read rows that it is not given");
}

/// Rows of a tile [0, ...) that a stage treats in phase 1 begin at low(step, stage); phase 2 treats the rows below.
void checkSides(const Stencil &stencil, const Plan &plan, const Access &access) {
    const int64_t step = 100, offset = access.offset[plan.tiled];
    const int64_t level = step - 1 + access.time,
                  over = (access.sameStep ? step : level + plan.fields[access.field].slots);
    const auto low = [&](int stage, int64_t s) { return s * plan.low.step + plan.low.stage[stage]; };
    const auto high = [&](int stage, int64_t s) { return s * plan.high.step + plan.high.stage[stage]; };
    if (low(access.stage, step) + offset < low(access.maker, level))
        broken(stencil, access, "phase 1 would read below its tile's low side");
    if (high(access.stage, step) - offset < high(access.maker, level))
        broken(stencil, access, "phase 1 would read above its tile's high side");
    if (low(access.overwriter, over) < low(access.stage, step) + offset)
        broken(stencil, access, "phase 1 overwrites what phase 2 reads at a low side");
    if (high(access.overwriter, over) < high(access.stage, step) - offset)
        broken(stencil, access, "phase 1 overwrites what phase 2 reads at a high side");
    // Neighbouring tiles run at once, so the group's first step of one may meet the last of the other.
    const int64_t later = over - step;
    if (plan.low.stage[access.stage] + offset < -high(access.overwriter, later) ||
        plan.high.stage[access.stage] - offset < -low(access.overwriter, later))
        broken(stencil, access, "a neighbouring tile may overwrite the value first");
}

bool sameCells(const Stencil &stencil, const Facts &facts, int a, int b) {
    bool same = facts.stages[a].rim == facts.stages[b].rim;
    for (size_t dim = 0; dim < stencil.dims.size(); ++dim)
        for (int side : {0, 1}) {
            const ExprPtr &one = stencil.stages[a].region[dim][side],
                          &other = stencil.stages[b].region[dim][side];
            same = same && (one && other ? toString(stencil, one) == toString(stencil, other) : one == other);
        }
    return same;
}

/// The loop of a group takes cell after cell, and at each its stages in order: of what a stage of it writes, the others
/// may read the new value after that and the old one before, at the same cell.
void checkOneLoop(const Stencil &stencil, const Plan &plan, const std::vector<int> &group,
                  const Access &access) {
    const int64_t slots = plan.fields[access.field].slots;
    const bool isNew = access.time == 1;
    for (int other : group) {
        const bool sameSlot = (access.time - 1) % slots == 0; // as what the group's own step writes
        if (stencil.stages[other].field != access.field || !sameSlot) continue;
        if (other == access.stage && access.atPoint()) continue;
        if (!access.atPoint() || (isNew ? other > access.stage : other < access.stage))
            broken(stencil, access, "a loop of several stages would mix old and new values");
    }
}

/// Stages of one loop are updates of the same cells at the same place of the schedule.
void checkGroup(const Stencil &stencil, const Facts &facts, const Plan &plan, const std::vector<int> &group) {
    const int first = group.front();
    for (int k : group) {
        if (k == first) continue;
        if (stencil.stages[first].kind != Stage::Kind::Update ||
            stencil.stages[k].kind != Stage::Kind::Update || !sameCells(stencil, facts, first, k))
            throw std::logic_error("stages " + std::to_string(first) + " and " + std::to_string(k) +
                                   " share a loop and apply to different cells");
        for (const Delays *delays :
             {&plan.wave, &plan.low, &plan.high, &plan.piece, &plan.wedgeLow, &plan.wedgeHigh})
            if (!delays->stage.empty() && delays->stage[k] != delays->stage[first])
                throw std::logic_error("stages " + std::to_string(first) + " and " + std::to_string(k) +
                                       " share a loop and lag differently");
    }
}

/// Of several planes and rows at once none may depend on another.
void checkJam(const Stencil &stencil, const Facts &facts, const Plan &plan, size_t group) {
    const Jam jam = plan.jams[group];
    if (!jam.any()) return;
    if (plan.groups[group].size() > 1)
        throw std::logic_error("planes or rows are taken at once in a loop of several stages");
    const int stage = plan.groups[group].front();
    for (const Access &access : accessesOf(facts.accesses, stage, stage)) {
        if (access.maker < 0) continue;
        const int64_t slots = plan.fields[access.field].slots;
        if (access.time > 0 && access.maker == access.stage)
            broken(stencil, access, "rows that are taken at once would depend on each other");
        if (access.overwriter == access.stage && access.stepsToOverwriter(slots) < (access.atPoint() ? 0 : 1))
            broken(stencil, access, "rows that are taken at once would overwrite what the others read");
    }
}

} // namespace

void verify(const Stencil &stencil, const Facts &facts, const Plan &plan) {
    std::vector<const std::vector<int> *> groupOf;
    for (const std::vector<int> &group : plan.groups) {
        checkGroup(stencil, facts, plan, group);
        groupOf.insert(groupOf.end(), group.size(), &group);
    }
    for (size_t group = 0; group < plan.groups.size(); ++group)
        checkJam(stencil, facts, plan, group);
    for (const Access &access : facts.accesses) {
        if (plan.tiled >= 0 && !plan.ring) checkColumn(stencil, plan, access);
        if (access.maker < 0) continue;
        if (plan.leans && !plan.fields[access.field].local) checkLean(stencil, plan, access);
        if (groupOf[access.stage]->size() > 1) checkOneLoop(stencil, plan, *groupOf[access.stage], access);
        for (int64_t offset : streamedOffsets(stencil, access)) {
            checkOrder(stencil, plan, plan.wave, access, offset);
            checkWedge(stencil, plan, access, offset);
            if (plan.tiled < 0) checkShares(stencil, plan, access, offset);
        }
        if (plan.tiled >= 0) checkSides(stencil, plan, access);
        if (!plan.piece.stage.empty())
            for (int64_t offset : pieceOffsets(stencil, access))
                checkOrder(stencil, plan, plan.piece, access, offset);
        const FieldStorage &field = plan.fields[access.field];
        if (field.local && groupOf[access.maker] != groupOf[access.stage])
            broken(stencil, access, "the value lives in the registers of another loop");
        if (field.keep < field.delay)
            broken(stencil, access, "its planes leave the window before they are finished");
    }
}

} // namespace oocc
