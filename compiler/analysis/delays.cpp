#include "analysis/delays.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

namespace oocc {

int tiledDim(const Stencil &stencil) {
    return stencil.dims.size() == 1 ? -1 : 1;
}

int pieceDim(const Stencil &stencil) {
    return stencil.dims.size() == 3 && !isPeriodic(stencil, 2) ? 2 : -1;
}

bool isPeriodic(const Stencil &stencil, int dim) {
    return std::ranges::any_of(stencil.fields,
                               [&](const Field &f) { return f.edge[dim][0].kind == EdgeKind::Periodic; });
}

std::vector<int64_t> streamedOffsets(const Stencil &stencil, const Access &access) {
    const int64_t offset = access.offset[0];
    if (stencil.dims.size() > 1) return offsetsAlong(stencil, access, 0);
    if (offset == 0) return {0};
    // A block is longer than any offset.
    if (offsetsAlong(stencil, access, 0).size() > 1) return {-1, 0, 1};
    return offset < 0 ? std::vector<int64_t>{-1, 0} : std::vector<int64_t>{0, 1};
}

std::vector<int64_t> pieceOffsets(const Stencil &stencil, const Access &access) {
    const int x = pieceDim(stencil);
    std::vector<int64_t> offsets = offsetsAlong(stencil, access, x);
    const Field &field = stencil.fields[access.field];
    if (access.offset[x] != 0 && field.edge[x][access.offset[x] < 0 ? 0 : 1].kind == EdgeKind::Dirichlet)
        offsets.push_back(0);
    return offsets;
}

namespace {

void addPair(std::vector<Constraint> &list, const std::vector<Access> &accesses, size_t index,
             const std::vector<int> &slots, int64_t offset) {
    const Access &a = accesses[index];
    const int id = static_cast<int>(index);
    list.push_back({a.stage, a.maker, 1 - a.time, offset, id, false});
    list.push_back({a.overwriter, a.stage, a.stepsToOverwriter(slots[a.field]), -offset, id, true});
}

/// The fewest slots with which every read of the field finds its level: as many as are alive, and one more where a
/// stage would overwrite in one step what it, or a later stage of the same step, still reads.
std::vector<int> fewestSlots(const Stencil &stencil, const std::vector<Access> &accesses) {
    std::vector<int> slots(stencil.fields.size(), 1);
    for (size_t f = 0; f < stencil.fields.size(); ++f)
        slots[f] = std::max(slots[f], stencil.fields[f].levels);
    for (const Access &a : accesses) {
        if (a.maker < 0 || a.time > 0) continue;
        const bool overwrittenAfter = a.overwriter > a.stage || (a.overwriter == a.stage && a.atPoint());
        slots[a.field] = std::max(slots[a.field], 1 - a.time + (overwrittenAfter ? 0 : 1));
    }
    return slots;
}

std::vector<std::vector<Constraint>>
allConstraints(const Stencil &stencil, const std::vector<Access> &accesses, const std::vector<int> &slots) {
    std::vector<std::vector<Constraint>> systems{waveConstraints(stencil, accesses, slots)};
    if (const int tiled = tiledDim(stencil); tiled >= 0) {
        systems.push_back(constraintsAlong(stencil, tiled, -1, accesses, slots));
        systems.push_back(constraintsAlong(stencil, tiled, +1, accesses, slots));
    }
    if (const int piece = pieceDim(stencil); piece >= 0)
        systems.push_back(constraintsAlong(stencil, piece, +1, accesses, slots));
    return systems;
}

/// A field on the cycle whose slots can be raised to break it.
int fieldToGrow(const std::vector<Access> &accesses, const std::vector<Constraint> &constraints,
                const std::vector<size_t> &cycle) {
    int best = -1;
    for (size_t index : cycle)
        if (const Access &access = accesses[constraints[index].access];
            constraints[index].anti && !access.sameStep && (best < 0 || access.field < best))
            best = access.field;
    if (best < 0)
        throw std::logic_error("a cycle of flow dependences within one step passed the checks on f[t+1]");
    return best;
}

/// Tiles that run at once stay apart: what one reads beyond its side the other must not have overwritten yet.
void keepApart(const Stencil &stencil, const std::vector<Access> &accesses, int tiled,
               const std::vector<int> &slots, Delays &low, Delays &high) {
    int64_t missing = 0;
    for (const Access &a : accesses) {
        if (a.maker < 0) continue;
        const int64_t steps = a.stepsToOverwriter(slots[a.field]);
        for (int64_t o : offsetsAlong(stencil, a, tiled)) {
            missing =
                std::max(missing, -o - (low.stage[a.stage] + high.stage[a.overwriter] + steps * high.step));
            missing =
                std::max(missing, o - (high.stage[a.stage] + low.stage[a.overwriter] + steps * low.step));
        }
    }
    for (int64_t &shift : high.stage)
        shift += missing;
}

std::optional<Schedule> solveFor(const Stencil &stencil, const std::vector<Access> &accesses,
                                 const std::vector<int> &slots, const std::vector<int> &group, int *grow) {
    const int stages = static_cast<int>(stencil.stages.size());
    const auto solve = [&](std::vector<Constraint> system) {
        addEqual(system, group);
        return solveDelays(stages, system);
    };
    std::vector<Delays> delays;
    for (const auto &system : allConstraints(stencil, accesses, slots)) {
        const Solution solution = solve(system);
        if (!solution.feasible) {
            if (grow) *grow = fieldToGrow(accesses, system, solution.cycle);
            return std::nullopt;
        }
        delays.push_back(solution.delays);
    }
    Schedule schedule;
    schedule.slots = slots;
    schedule.group = group;
    schedule.wave = delays[0];
    if (const int tiled = tiledDim(stencil); tiled >= 0) {
        schedule.tiled = true;
        schedule.low = delays[1];
        schedule.high = delays[2];
        keepApart(stencil, accesses, tiled, slots, schedule.low, schedule.high);
        for (const Access &a : accesses)
            schedule.tileReach = std::max<int64_t>(schedule.tileReach, std::abs(a.offset[tiled]));
    }
    if (pieceDim(stencil) >= 0) schedule.piece = delays[3];
    const Solution low = solve(wedgeConstraints(stencil, accesses, -1));
    const Solution high = solve(wedgeConstraints(stencil, accesses, +1));
    if (!low.feasible || !high.feasible) return std::nullopt;
    schedule.wedgeLow = low.delays;
    schedule.wedgeHigh = high.delays;
    return schedule;
}

/// One slot more can shorten the lag of every step; it is taken where the window of a deep pass becomes smaller. A cycle of
/// constraints that keeps the lag as long as it is does so whatever slots fields have that have no part in it, and most have
/// none: these need no trial.
class MoreSlots {
  public:
    MoreSlots(const Stencil &stencil, const std::vector<Access> &accesses, Schedule first)
        : stencil_(stencil), accesses_(accesses), best_(std::move(first)), bytes_(planeBytes(stencil, best_.slots)),
          onCycle_(stencil.fields.size(), true) {}

    void tryField(size_t f) {
        const int64_t bytes = bytes_ + typeBytes(stencil_.fields[f].type), cost = bytes_ * best_.wave.step;
        if (cost == 0) return;
        const int64_t step = (cost - 1) / bytes; // the longest lag with which one slot more would cost less
        if (!onCycle_[f] && step <= ruledOut_) return;
        std::vector<int> more = best_.slots;
        ++more[f];
        const std::vector<Constraint> system = waveConstraints(stencil_, accesses_, more);
        const std::vector<size_t> cycle = aCycleAgainst(static_cast<int>(stencil_.stages.size()), system, step);
        onCycle_.assign(stencil_.fields.size(), cycle.empty());
        ruledOut_ = cycle.empty() ? -1 : step;
        for (size_t i : cycle)
            if (system[i].anti) onCycle_[accesses_[system[i].access].field] = true;
        if (!cycle.empty()) return;
        std::optional<Schedule> other = solveFor(stencil_, accesses_, more, best_.group, nullptr);
        if (!other) throw std::logic_error("a slot more has made the schedule infeasible");
        best_ = std::move(*other);
        bytes_ = bytes;
    }

    const Schedule &best() const { return best_; }

  private:
    const Stencil &stencil_;
    const std::vector<Access> &accesses_;
    Schedule best_;
    int64_t bytes_;
    std::vector<bool> onCycle_; ///< whose slots have a part in the cycle; all while none is known
    int64_t ruledOut_ = -1;     ///< by the cycle, as every shorter lag
};

} // namespace

int64_t planeBytes(const Stencil &stencil, const std::vector<int> &slots) {
    int64_t bytes = 0;
    for (size_t f = 0; f < stencil.fields.size(); ++f)
        bytes += typeBytes(stencil.fields[f].type) * slots[f];
    return bytes;
}

std::string keepsMore(const Stencil &stencil, int field, int levels, int alive, const std::string &why) {
    return "'" + stencil.fields[field].name + "' keeps " + std::to_string(levels) + " levels where " + std::to_string(alive) +
           " are alive: " + why;
}

std::vector<int> eachAlone(const Stencil &stencil) {
    std::vector<int> group(stencil.stages.size());
    std::iota(group.begin(), group.end(), 0);
    return group;
}

std::optional<Schedule> scheduleGroups(const Stencil &stencil, const std::vector<Access> &accesses,
                                       const std::vector<int> &slots, const std::vector<int> &group) {
    return solveFor(stencil, accesses, slots, group, nullptr);
}

std::vector<Constraint> waveConstraints(const Stencil &stencil, const std::vector<Access> &accesses,
                                        const std::vector<int> &slots) {
    std::vector<Constraint> list;
    for (size_t i = 0; i < accesses.size(); ++i)
        if (accesses[i].maker >= 0)
            for (int64_t offset : streamedOffsets(stencil, accesses[i]))
                addPair(list, accesses, i, slots, offset);
    return list;
}

std::vector<Constraint> constraintsAlong(const Stencil &stencil, int dim, int direction,
                                         const std::vector<Access> &accesses, const std::vector<int> &slots) {
    // A tile at the grid's edge does not shrink there and is wider than any reach, so what a face moves stays in it; but
    // where the tiles form a ring, all of them shrink.
    const auto offsets = [&](const Access &access) {
        if (dim == pieceDim(stencil)) return pieceOffsets(stencil, access);
        return isPeriodic(stencil, dim) ? offsetsAlong(stencil, access, dim)
                                        : std::vector<int64_t>{access.offset[dim]};
    };
    std::vector<Constraint> list;
    for (size_t i = 0; i < accesses.size(); ++i)
        if (accesses[i].maker >= 0)
            for (int64_t offset : offsets(accesses[i]))
                addPair(list, accesses, i, slots, direction * offset);
    return list;
}

void addEqual(std::vector<Constraint> &list, const std::vector<int> &group) {
    for (int k = 0; k < static_cast<int>(group.size()); ++k)
        if (group[k] != k) {
            list.push_back({k, group[k], 0, 0, -1, false});
            list.push_back({group[k], k, 0, 0, -1, false});
        }
}

std::vector<Constraint> wedgeConstraints(const Stencil &stencil, const std::vector<Access> &accesses,
                                         int direction) {
    std::vector<Constraint> list;
    for (size_t i = 0; i < accesses.size(); ++i)
        if (accesses[i].maker >= 0)
            for (int64_t offset : streamedOffsets(stencil, accesses[i]))
                list.push_back({accesses[i].maker, accesses[i].stage, 1 - accesses[i].time,
                                direction * offset, static_cast<int>(i), false});
    return list;
}

Schedule computeSchedule(const Stencil &stencil, const std::vector<Access> &accesses) {
    std::vector<int> slots = fewestSlots(stencil, accesses);
    const std::vector<int> alone = eachAlone(stencil);
    std::optional<Schedule> best;
    int grow = -1;
    while (!(best = solveFor(stencil, accesses, slots, alone, &grow))) {
        ++slots[grow];
        if (slots[grow] > kMaxSlots) throw std::logic_error("no number of slots makes the schedule feasible");
    }
    MoreSlots trial(stencil, accesses, std::move(*best));
    for (size_t f = 0; f < stencil.fields.size(); ++f)
        if (stencil.stageOf(static_cast<int>(f)) >= 0 && trial.best().slots[f] < kMaxSlots) trial.tryField(f);
    best = trial.best();
    const std::vector<int> fewest = fewestSlots(stencil, accesses);
    for (size_t f = 0; f < stencil.fields.size(); ++f)
        if (best->slots[f] > fewest[f])
            best->reasons.push_back(keepsMore(stencil, static_cast<int>(f), best->slots[f], fewest[f], "it lets the steps follow each other more closely"));
    return *best;
}

} // namespace oocc
