#include "analysis/fusion.h"

#include "analysis/invariance.h"
#include "stencil/printer.h"

#include <algorithm>

namespace oocc {

namespace {

bool sameBound(const Stencil &stencil, const ExprPtr &a, const ExprPtr &b) {
    return a && b ? toString(stencil, a) == toString(stencil, b) : a == b;
}

bool sameCells(const Stencil &stencil, const std::vector<Rims> &rims, int a, int b) {
    if (rims[a] != rims[b]) return false;
    for (size_t dim = 0; dim < stencil.dims.size(); ++dim)
        for (int side : {0, 1})
            if (!sameBound(stencil, stencil.stages[a].region[dim][side], stencil.stages[b].region[dim][side]))
                return false;
    return true;
}

/// Each cell of a loop is computed by all stages before the next cell is: what one of them reads of the others' results
/// is there, and what it reads of the values that they replace is still there, at this cell alone.
bool keepsOrder(const Access &access, const std::vector<int> &slots, int first, int last) {
    const auto within = [&](int stage) { return stage >= first && stage <= last; };
    if (access.maker < 0 || access.atPoint()) return true;
    const bool made = access.time > 0 && within(access.maker);
    const bool replaced = access.stepsToOverwriter(slots[access.field]) == 0 && within(access.overwriter);
    return !made && !replaced;
}

/// Wider halos of blocks would be no reason: a grid that is not periodic has none in any other schedule.
bool noWorse(const Stencil &stencil, const Schedule &a, const Schedule &b) {
    const bool wedges = !isPeriodic(stencil, 0) ||
                        (a.wedgeLow.step <= b.wedgeLow.step && a.wedgeHigh.step <= b.wedgeHigh.step);
    return a.wave.step <= b.wave.step && a.low.step <= b.low.step && a.high.step <= b.high.step &&
           a.piece.step <= b.piece.step && wedges;
}

/// The same schedule with stages grouped as far as that makes no step lag further behind the one before, and no tile shrink
/// faster.
Schedule fuseStages(const Stencil &stencil, const std::vector<Access> &accesses,
                    const std::vector<Rims> &rims, const Schedule &apart) {
    const auto allowed = [&](const std::vector<int> &group) {
        std::optional<Schedule> fused = scheduleGroups(stencil, accesses, apart.slots, group);
        if (fused && !noWorse(stencil, *fused, apart)) fused.reset();
        return fused;
    };
    const int stages = static_cast<int>(stencil.stages.size());
    std::vector<int> most = apart.group;
    for (int k = 1; k < stages; ++k)
        if (mayJoin(stencil, accesses, rims, apart.slots, most[k - 1], k)) most[k] = most[k - 1];
    std::optional<Schedule> fused = allowed(most);
    if (!fused) { // too much: stage by stage, then
        std::vector<int> group = apart.group;
        fused = apart;
        for (int k = 1; k < stages; ++k) {
            if (!mayJoin(stencil, accesses, rims, apart.slots, group[k - 1], k)) continue;
            group[k] = group[k - 1];
            if (const std::optional<Schedule> more = allowed(group))
                fused = more;
            else
                group[k] = k;
        }
    }
    fused->reasons = apart.reasons;
    return *fused;
}

/// With so many slots; nothing where no schedule is legal.
std::optional<Schedule> scheduleWith(const Stencil &stencil, const std::vector<Access> &accesses, const std::vector<Rims> &rims,
                                     const std::vector<int> &slots) {
    std::optional<Schedule> apart = scheduleGroups(stencil, accesses, slots, eachAlone(stencil));
    if (apart) apart = fuseStages(stencil, accesses, rims, *apart);
    return apart;
}

bool storesTemps(const Stencil &stencil, const std::vector<Access> &accesses, const Schedule &schedule) {
    for (int f = 0; f < static_cast<int>(stencil.fields.size()); ++f)
        if (stencil.fields[f].temp && !isLocal(stencil, accesses, schedule, f)) return true;
    return false;
}

/// What one step more of a deep pass takes of the window, per cell; where steps do not lag, what the window takes in any case.
int64_t depthBytes(const Stencil &stencil, const std::vector<Access> &accesses, const Schedule &schedule) {
    std::vector<int> stored = schedule.slots;
    for (int f = 0; f < static_cast<int>(stencil.fields.size()); ++f)
        if (isLocal(stencil, accesses, schedule, f)) stored[f] = 0;
    return planeBytes(stencil, stored) * std::max<int64_t>(schedule.wave.step, 1);
}

/// The fields that have no slot but those of their live levels, so that new values replace old ones which are still read.
std::vector<int> replacedInPlace(const Stencil &stencil, const std::vector<int> &slots) {
    std::vector<int> fields;
    for (int f = 0; f < static_cast<int>(stencil.fields.size()); ++f)
        if (stencil.fields[f].levels > 0 && !stencil.fields[f].coef && slots[f] == stencil.fields[f].levels && slots[f] < kMaxSlots)
            fields.push_back(f);
    return fields;
}

} // namespace

bool mayJoin(const Stencil &stencil, const std::vector<Access> &accesses, const std::vector<Rims> &rims,
             const std::vector<int> &slots, int first, int k) {
    const Stage &stage = stencil.stages[k], &leader = stencil.stages[first];
    const int x = static_cast<int>(stencil.dims.size()) - 1;
    if (stage.kind != Stage::Kind::Update || leader.kind != Stage::Kind::Update ||
        !sameCells(stencil, rims, first, k) ||
        isVectorisable(stage.value, x) != isVectorisable(leader.value, x))
        return false;
    return std::ranges::all_of(accessesOf(accesses, first, k),
                               [&](const Access &access) { return keepsOrder(access, slots, first, k); });
}

bool isLocal(const Stencil &stencil, const std::vector<Access> &accesses, const Schedule &schedule,
             int field) {
    const std::vector<int> writers = stencil.writersOf(field);
    if (!stencil.fields[field].temp || writers.size() != 1) return false;
    const int group = schedule.group[writers.front()];
    bool read = false, elsewhere = false;
    for (const Access &access : accesses)
        if (access.field == field) (schedule.group[access.stage] == group ? read : elsewhere) = true;
    return read && !elsewhere;
}

Schedule chooseSchedule(const Stencil &stencil, const std::vector<Access> &accesses, const std::vector<Rims> &rims) {
    constexpr size_t kFew = 12; // each is a trial
    const Schedule fewest = fuseStages(stencil, accesses, rims, computeSchedule(stencil, accesses));
    const std::vector<int> inPlace = replacedInPlace(stencil, fewest.slots);
    if (inPlace.empty() || !storesTemps(stencil, accesses, fewest)) return fewest;
    std::vector<int> slots = fewest.slots;
    for (int f : inPlace)
        ++slots[f];
    std::optional<Schedule> best = scheduleWith(stencil, accesses, rims, slots);
    if (!best) return fewest;
    for (int f : inPlace) { // those that have no part in it go without
        if (inPlace.size() > kFew) break;
        --slots[f];
        std::optional<Schedule> fewer = scheduleWith(stencil, accesses, rims, slots);
        if (fewer && depthBytes(stencil, accesses, *fewer) < depthBytes(stencil, accesses, *best))
            best = std::move(fewer);
        else
            ++slots[f];
    }
    if (depthBytes(stencil, accesses, *best) > depthBytes(stencil, accesses, fewest)) return fewest;
    best->reasons = fewest.reasons;
    for (int f : inPlace)
        if (slots[f] > fewest.slots[f])
            best->reasons.push_back(keepsMore(stencil, f, slots[f], fewest.slots[f],
                                              "its new values need not wait in temps until the old ones can be overwritten"));
    return *best;
}

} // namespace oocc
