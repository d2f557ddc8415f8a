#include "analysis/facts.h"

#include <algorithm>

namespace oocc {

namespace {

/// Additions, multiplications, comparisons and calls, each counted once, on field data.
double countFlops(const ExprPtr &expr) {
    double flops = 0;
    walk(expr, [&](const Expr &e) {
        const Unary *unary = std::get_if<Unary>(&e.node);
        if (unary && isFloat(e.type))
            flops += 1;
        else if (const Binary *binary = std::get_if<Binary>(&e.node); binary && isFloat(binary->a->type))
            flops += 1;
        else if (std::holds_alternative<Call>(e.node) && isFloat(e.type))
            flops += 1;
    });
    return flops;
}

std::vector<StageFacts> stageFacts(const Stencil &stencil, const std::vector<Access> &accesses,
                                   const std::vector<Rims> &rims) {
    std::vector<StageFacts> stages(stencil.stages.size());
    for (size_t k = 0; k < stages.size(); ++k) {
        stages[k].rim = rims[k];
        stages[k].flops = countFlops(stencil.stages[k].value);
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
void countGhosts(const Stencil &stencil, const std::vector<Access> &accesses,
                 std::vector<FieldFacts> &fields) {
    const size_t x = stencil.dims.size() - 1;
    for (const Access &a : accesses) {
        FieldFacts &field = fields[a.field];
        const auto reach = [&](size_t dim, int side) {
            const bool value = stencil.fields[a.field].edge[dim][side].kind == EdgeKind::Dirichlet;
            return value ? reachTowards(a.offset[dim], side) : 0;
        };
        if (x > 0) {
            field.ghostLo = std::max(field.ghostLo, reach(x, 0));
            field.ghostHi = std::max(field.ghostHi, reach(x, 1));
        }
        for (size_t dim = 0; dim < x; ++dim)
            field.readBeyondRows |= reach(dim, 0) > 0 || reach(dim, 1) > 0;
    }
}

/// When a plane of a field is first needed and when last, relative to the wave.
void placeInWindow(const Stencil &stencil, const std::vector<Access> &accesses, const Schedule &schedule,
                   std::vector<FieldFacts> &fields) {
    const Delays &wave = schedule.wave;
    std::vector<bool> seen(fields.size(), false);
    for (size_t k = 0; k < stencil.stages.size(); ++k) {
        FieldFacts &field = fields[stencil.stages[k].field];
        field.delay = field.keep = wave.stage[k];
        seen[stencil.stages[k].field] = true;
    }
    for (const Access &a : accesses)
        for (int64_t offset : streamedOffsets(stencil, a)) {
            FieldFacts &field = fields[a.field];
            const int64_t last = wave.stage[a.stage] - offset;
            const int64_t first = last + wave.step;
            if (a.writer < 0) field.delay = seen[a.field] ? std::min(field.delay, first) : first;
            field.keep = seen[a.field] ? std::max(field.keep, last) : last;
            seen[a.field] = true;
        }
    // The first planes of a coefficient that is read only further ahead are wanted by nobody; they stay all the same
    // until they have been checked.
    const int64_t least = *std::min_element(wave.stage.begin(), wave.stage.end());
    for (FieldFacts &field : fields)
        field.keep = std::max(field.keep, least);
}

} // namespace

std::optional<Facts> analyze(const Stencil &stencil, Diagnostics &diagnostics) {
    Facts facts;
    facts.accesses = collectAccesses(stencil);
    const std::vector<Rims> rims = computeRims(stencil, facts.accesses);
    checkEdges(stencil, facts.accesses, rims, diagnostics);
    if (diagnostics.hasErrors()) return std::nullopt;
    facts.stages = stageFacts(stencil, facts.accesses, rims);
    facts.schedule = computeSchedule(stencil, facts.accesses);
    facts.fields.resize(stencil.fields.size());
    countGhosts(stencil, facts.accesses, facts.fields);
    placeInWindow(stencil, facts.accesses, facts.schedule, facts.fields);
    for (const StageFacts &stage : facts.stages)
        facts.flopsPerCell += stage.flops;
    for (const Field &field : stencil.fields)
        (field.coef ? facts.coefBytesPerCell : facts.stateBytesPerCell) +=
            typeBytes(field.type) * field.levels;
    return facts;
}

} // namespace oocc
