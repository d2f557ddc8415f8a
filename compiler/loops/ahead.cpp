#include "loops/ahead.h"

#include <algorithm>
#include <map>

namespace oocc::loops {

namespace {

/// Planes [first, end), counted from the wave position w less the steps' delay.
struct Planes {
    int64_t first, end;

    void include(int64_t plane) {
        first = std::min(first, plane);
        end = std::max(end, plane + 1);
    }
};

/// A field's level, counted from the step's own: 0 is what the step makes.
using FieldLevel = std::pair<int, int>;

bool updates(const Context &context, int stage) {
    return context.stencil.stages[stage].kind == Stage::Kind::Update;
}

int64_t planeOf(const Context &context, const Access &access) {
    return access.offset[context.plan.streamed] - context.plan.wave.stage[access.stage];
}

Stmt fetch(const char *what, const Context &context, const FieldLevel &level, const char *step, E first, int64_t planes) {
    return run(call(what, {addressOf(var("ahead")), context.fieldId(level.first), var(step) + lit(level.second), std::move(first), lit(planes)}));
}

/// What the first step at a position meets there for the first time: of every level that it reads the furthest plane, and those it writes.
std::map<FieldLevel, int64_t> newPlanes(const Context &context) {
    std::map<FieldLevel, int64_t> met;
    std::map<FieldLevel, FieldLevel> bySlot; // levels that share a slot are met once
    const auto meet = [&](int field, int level, int64_t plane) {
        const int slots = context.plan.fields[field].slots;
        const FieldLevel &known = bySlot.insert({{field, (level % slots + slots) % slots}, {field, level}}).first->second;
        const auto [place, isNew] = met.insert({known, plane});
        if (!isNew) place->second = std::max(place->second, plane);
    };
    for (const Access &access : context.facts.accesses)
        if (access.maker < 0 || access.time < 1) meet(access.field, access.maker < 0 ? -1 : access.time - 1, planeOf(context, access));
    for (size_t k = 0; k < context.stencil.stages.size(); ++k)
        if (context.stencil.stages[k].writes() && !context.plan.fields[context.stencil.stages[k].field].local)
            meet(context.stencil.stages[k].field, 0, -context.plan.wave.stage[k]);
    return met;
}

/// What the first step at a tile's first position reads besides: planes that it met, or made, at positions before.
std::map<FieldLevel, Planes> oldPlanes(const Context &context) {
    std::map<FieldLevel, Planes> old;
    const std::map<FieldLevel, int64_t> met = newPlanes(context);
    for (const Access &access : context.facts.accesses) {
        if (!updates(context, access.stage) || context.plan.fields[access.field].local) continue;
        const FieldLevel level{access.field, access.maker < 0 ? -1 : access.time - 1};
        const int64_t plane = planeOf(context, access);
        const bool sameStep = access.maker >= 0 && access.time == 1;
        const int64_t end = sameStep ? -context.plan.wave.stage[access.maker] : met.at(level);
        if (plane < end) old.insert({level, {plane, end}}).first->second.include(plane);
    }
    return old;
}

/// What group `g` reads in the next step that this position has neither made nor read: planes behind it. Levels are counted from this step.
std::map<FieldLevel, Planes> planesBehind(const Context &context, size_t g, int64_t positions) {
    const int64_t delay = context.plan.wave.step;
    const std::vector<int> &stages = context.plan.groups[g];
    std::map<FieldLevel, Planes> read;
    for (const Access &access : context.facts.accesses) {
        if (!updates(context, access.stage) || context.plan.fields[access.field].local ||
            std::find(stages.begin(), stages.end(), access.stage) == stages.end())
            continue;
        const int64_t plane = planeOf(context, access) - delay;
        Planes &planes = read.insert({{access.field, access.maker < 0 ? 0 : access.time}, {plane, plane + 1}}).first->second;
        planes.include(plane);
        planes.include(plane + positions - 1);
    }
    for (const Access &access : context.facts.accesses)
        for (auto &[level, planes] : read) {
            if (access.field != level.first) continue;
            // Made by this position (but for levels older than the group, which only its first steps read).
            if (access.maker >= 0)
                planes.end = std::min(planes.end, -level.second * delay - context.plan.wave.stage[access.maker]);
            // Read by it, in this step or an earlier one, or in the next one by a group before this one.
            const int64_t stepsAgo = access.maker < 0 ? 1 : access.time - level.second;
            if (updates(context, access.stage) && (stepsAgo > 0 || (stepsAgo == 0 && access.stage < stages.front())))
                planes.end = std::min(planes.end, planeOf(context, access) + (stepsAgo - 1) * delay);
        }
    return read;
}

} // namespace

int64_t rowsBeside(const Context &context, int side) {
    const Plan &plan = context.plan;
    const Delays &slopes = side < 0 ? plan.high : plan.low;
    int64_t rows = slopes.step;
    for (const Access &access : context.facts.accesses)
        if (access.maker >= 0) rows = std::max(rows, rowsAcross(access, slopes, plan.tiled, side));
    return rows;
}

Body declareAhead(const Context &context, int64_t positions) {
    if (!context.fetchesAhead()) return {};
    const E steps = (var("s_hi") - var("s_lo") + lit(1)) * lit(positions) * lit(static_cast<int64_t>(context.plan.groups.size()));
    const E lam = (var("s_hi") - var("s_lo")) * var("SLOPE_LO") + var("SHIFT_LO");
    const E rho = (var("s_hi") - var("s_lo")) * var("SLOPE_HI") + var("SHIFT_HI");
    const E lo = var("lo.at"), hi = var("hi.at"), loThen = var("lo_then"), hiThen = var("hi_then");
    const E border = lit(0) < var("hi.lam");
    return {declare("const int64_t", "lo_then", call("side_at", {var("lo"), lam, rho})),
            declare("const int64_t", "hi_then", call("side_at", {var("hi"), lam, rho})),
            declare("const int64_t", "first", cond(border, loThen, lo)),
            declare("const int64_t", "last", cond(border, hiThen, hi)),
            declare("const int64_t", "rows", steps * call("oocc_mean_rows", {lo, loThen, hi, hiThen})),
            declare("const int64_t", "below", cond(var("lo.rho") < lit(0), var("BESIDE_LO"), lit(0))),
            declare("const int64_t", "above", cond(border, var("BESIDE_HI"), lit(0)))};
}

Body fetchForPosition(const Context &context, int64_t positions) {
    if (!context.fetchesAhead()) return {};
    const E next = var("w") + lit(positions), ends = var("ends"), then = var("then");
    Body body{declare("const bool", "ends", next >= var("to")),
              declare("const int64_t", "then", cond(ends, var("from"), next) - var("s_lo") * var("STEP_DELAY")),
              declare("struct oocc_ahead", "ahead",
                      call("oocc_look_ahead", {var("p"), var("rows"), cond(ends, var("hi.at"), var("first")),
                                               cond(ends, var("next"), var("last")), var("below"), var("above")}))};
    for (const auto &[level, plane] : newPlanes(context))
        body.push_back(fetch("oocc_planes_ahead", context, level, "s_lo", then + lit(plane), positions));
    Body old;
    for (const auto &[level, planes] : oldPlanes(context))
        old.push_back(fetch("oocc_planes_ahead", context, level, "s_lo", then + lit(planes.first), planes.end - planes.first));
    if (!old.empty()) body.push_back(when(ends, old));
    return body;
}

Body fetchForStep(const Context &context, size_t g, int64_t positions) {
    if (!context.fetchesAhead()) return {};
    const E planes = context.plan.jams[g].planes > 1 ? var("planes") : lit(1);
    Body fetches{run(call("oocc_next_step", {addressOf(var("ahead")), planes, var("low"), var("high")}))}, behind;
    for (int k : context.plan.groups[g]) {
        const Stage &stage = context.stencil.stages[k];
        if (updates(context, k) && !context.plan.fields[stage.field].local)
            fetches.push_back(run(call("oocc_beside", {addressOf(var("ahead")), context.fieldId(stage.field), var("s"),
                                                       var(context.waveName()), planes})));
    }
    const E w = var("w") - var("s") * var("STEP_DELAY");
    for (const auto &[level, old] : planesBehind(context, g, positions))
        if (old.first < old.end) behind.push_back(fetch("oocc_behind", context, level, "s", w + lit(old.first), old.end - old.first));
    if (!behind.empty()) fetches.push_back(when(var("w") == var("from"), behind));
    if (fetches.size() == 1) return {};
    return {when(var("s") < var("s_hi"), fetches)};
}

} // namespace oocc::loops
