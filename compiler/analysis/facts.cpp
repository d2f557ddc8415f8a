#include "analysis/facts.h"

#include "analysis/common_subexpressions.h"
#include "analysis/fusion.h"
#include "analysis/invariance.h"
#include "analysis/missing_edges.h"
#include "analysis/pieces.h"

#include <algorithm>

namespace oocc {

namespace {

/// Additions, multiplications, comparisons and calls, each counted once, on field data.
double flopsOf(const Expr &e) {
    const Unary *unary = std::get_if<Unary>(&e.node);
    const Binary *binary = std::get_if<Binary>(&e.node);
    const Call *call = std::get_if<Call>(&e.node);
    if (call && isFloat(e.type)) return call->fn == MathFn::Fma ? 2 : 1;
    return (unary && isFloat(e.type)) || (binary && isFloat(binary->a->type)) ? 1 : 0;
}

/// How many additions of the same type take as long as a function of oocc/functions.h, all in vectors.
double inAdditions(MathFn fn, bool single) {
    switch (fn) {
    case MathFn::Exp:
    case MathFn::Log:
        return single ? 30 : 45;
    case MathFn::Tanh:
        return single ? 35 : 50;
    case MathFn::Sin:
    case MathFn::Cos:
    case MathFn::Tan:
        return single ? 95 : 85; // the angle is a double
    case MathFn::Atan2:
        return single ? 50 : 75;
    case MathFn::Pow:
        return single ? 180 : 280; // and so is the logarithm
    default:
        return 1;
    }
}

/// What a call takes besides the one operation that it was counted as; what is computed before the loop left out.
double flopsInCall(const Expr &e, int x) {
    const Call *call = std::get_if<Call>(&e.node);
    if (!call || std::ranges::all_of(call->args, [&](const ExprPtr &arg) { return isInvariant(arg, x); })) return 0;
    return inAdditions(call->fn, e.type == Type::F32) - 1;
}

std::vector<StageFacts> stageFacts(const Stencil &stencil, const std::vector<Access> &accesses,
                                   const std::vector<Rims> &rims) {
    const int x = static_cast<int>(stencil.dims.size()) - 1;
    std::vector<StageFacts> stages(stencil.stages.size());
    for (size_t k = 0; k < stages.size(); ++k) {
        stages[k].rim = rims[k];
        const CommonSubexpressions values({stencil.stages[k].value}, x);
        for (const Expr *e : values.distinct()) {
            stages[k].flops += flopsOf(*e);
            stages[k].flopsInCalls += flopsInCall(*e, x);
        }
    }
    for (const Access &a : accesses)
        for (size_t dim = 0; dim < stencil.dims.size(); ++dim)
            for (int side : {0, 1}) {
                int64_t &reach = stages[a.stage].reach[dim][side];
                reach = std::max(reach, reachTowards(a.offset[dim], side));
            }
    return stages;
}

/// Ghost cells are needed where a read leaves the row through a face that gives a value. In 1-D a row is a block, and
/// cells beyond it are gathered when they are read.
void countGhosts(const Stencil &stencil, const std::vector<Access> &accesses, const std::vector<Rims> &rims,
                 std::vector<FieldFacts> &fields) {
    const size_t x = stencil.dims.size() - 1;
    for (const Access &a : accesses) {
        FieldFacts &field = fields[a.field];
        const auto reach = [&](size_t dim, int side) { // 0 where the reader's rim keeps the read inside
            const int64_t cells = reachTowards(a.offset[dim], side);
            return cells > rims[a.stage][dim][side] ? cells : 0;
        };
        const auto kind = [&](size_t dim, int side) { return stencil.fields[a.field].edge[dim][side].kind; };
        for (int side : {0, 1}) {
            int64_t &ghost = side == 0 ? field.ghostLo : field.ghostHi;
            if (x > 0 && (kind(x, side) == EdgeKind::Dirichlet || movesReads(kind(x, side))))
                ghost = std::max(ghost, reach(x, side));
            for (size_t dim = 0; dim < x; ++dim)
                field.readBeyondRows |= kind(dim, side) == EdgeKind::Dirichlet && reach(dim, side) > 0;
        }
    }
}

/// When a plane of a field is first needed and when last, relative to the wave.
void placeInWindow(const Stencil &stencil, const std::vector<Access> &accesses, const Schedule &schedule,
                   std::vector<FieldFacts> &fields) {
    const Delays &wave = schedule.wave;
    std::vector<bool> seen(fields.size(), false);
    for (size_t k = stencil.stages.size();
         k-- > 0;) { // backwards: the first writer has the last word on `made`
        const Stage &stage = stencil.stages[k];
        if (!stage.writes()) continue;
        FieldFacts &field = fields[stage.field];
        if (!seen[stage.field]) field.delay = field.keep = wave.stage[k];
        field.made = wave.stage[k];
        seen[stage.field] = true;
    }
    for (const Access &a : accesses)
        for (int64_t offset : streamedOffsets(stencil, a)) {
            FieldFacts &field = fields[a.field];
            field.read = true;
            const int64_t last = wave.stage[a.stage] - offset;
            // Reductions that feed the first step look at the planes one step before it.
            const bool atStepZero = stencil.stages[a.stage].kind == Stage::Kind::Reduce;
            const int64_t first = last + (atStepZero ? 0 : wave.step);
            if (a.maker < 0) field.delay = field.made = seen[a.field] ? std::min(field.delay, first) : first;
            field.keep = seen[a.field] ? std::max(field.keep, last) : last;
            seen[a.field] = true;
        }
    // The first planes of a coefficient that is read only further ahead are wanted by nobody; they stay all the same
    // until they have been checked.
    const int64_t least = *std::min_element(wave.stage.begin(), wave.stage.end());
    for (FieldFacts &field : fields)
        field.keep = std::max(field.keep, least);
}

/// By how many planes a pass begins further out than bt times the slope: what its first step computes, what it reads of
/// earlier levels and coefficients, and what reductions look at before it.
int64_t wedgeMore(const Stencil &stencil, const std::vector<Access> &accesses, const Delays &wedge,
                  int direction) {
    int64_t more = 0;
    for (size_t k = 0; k < stencil.stages.size(); ++k)
        if (stencil.stages[k].writes()) more = std::max(more, wedge.stage[k] - wedge.step);
    for (const Access &a : accesses) {
        const bool atStepZero = stencil.stages[a.stage].kind == Stage::Kind::Reduce;
        if (a.maker >= 0 && a.time > 0 && !atStepZero) continue; // made in the pass
        for (int64_t offset : streamedOffsets(stencil, a))
            more = std::max(more,
                            wedge.stage[a.stage] - (atStepZero ? 0 : wedge.step) + direction * offset);
    }
    return more;
}

int feedingStage(const Stencil &stencil) {
    for (size_t k = 0; k < stencil.stages.size(); ++k)
        if (stencil.stages[k].kind == Stage::Kind::Reduce) return static_cast<int>(k);
    return -1;
}

} // namespace

std::optional<Facts> analyze(const Stencil &stencil, Diagnostics &diagnostics) {
    Facts facts;
    facts.accesses = collectAccesses(stencil);
    const std::vector<Rims> rims = computeRims(stencil, facts.accesses);
    checkEdges(stencil, facts.accesses, rims, diagnostics);
    if (diagnostics.hasErrors()) return std::nullopt;
    facts.stages = stageFacts(stencil, facts.accesses, rims);
    facts.schedule = chooseSchedule(stencil, facts.accesses, rims);
    facts.piece = alignPieces(stencil, facts.accesses, rims, facts.schedule);
    facts.fields.resize(stencil.fields.size());
    for (size_t f = 0; f < stencil.fields.size(); ++f)
        facts.fields[f].local = isLocal(stencil, facts.accesses, facts.schedule, static_cast<int>(f));
    countGhosts(stencil, facts.accesses, rims, facts.fields);
    placeInWindow(stencil, facts.accesses, facts.schedule, facts.fields);
    facts.wedgeMoreLow = wedgeMore(stencil, facts.accesses, facts.schedule.wedgeLow, -1);
    facts.wedgeMoreHigh = wedgeMore(stencil, facts.accesses, facts.schedule.wedgeHigh, +1);
    for (size_t dim = 0; dim < stencil.dims.size(); ++dim)
        facts.leastExtent[dim] = leastExtent(stencil, facts.accesses, rims, dim);
    facts.feeding = feedingStage(stencil);
    for (size_t k = 0; k < facts.stages.size(); ++k)
        if (stencil.stages[k].kind == Stage::Kind::Update) {
            facts.flopsPerCell += facts.stages[k].flops;
            facts.flopsInCallsPerCell += facts.stages[k].flopsInCalls;
        }
    for (const Field &field : stencil.fields)
        (field.coef ? facts.coefBytesPerCell : facts.stateBytesPerCell) +=
            typeBytes(field.type) * field.levels;
    return facts;
}

} // namespace oocc
