#include "analysis/pieces.h"

#include <algorithm>

namespace oocc {

namespace {

constexpr int64_t kLineBytes = 64;

/// Cells of a cache line. Cells of less than four bytes are computed as integers of four.
int64_t cellsOfLine(const Stencil &stencil) {
    int64_t least = 8;
    for (const Field &field : stencil.fields)
        if (!field.coef) least = std::min<int64_t>(least, std::max<int64_t>(4, typeBytes(field.type)));
    return kLineBytes / least;
}

int64_t roundUp(int64_t cells, int64_t line) {
    return (cells > 0 ? cells + line - 1 : cells) / line;
}

} // namespace

Delays alignPieces(const Stencil &stencil, const std::vector<Access> &accesses, const std::vector<Rims> &rims, const Schedule &schedule) {
    const int x = pieceDim(stencil), stages = static_cast<int>(stencil.stages.size());
    if (x < 0) return schedule.piece;
    const int64_t line = cellsOfLine(stencil);
    const auto first = [&](int stage) { return rims[stage][x][0]; }; // the cell of a row where its vectors begin
    // With d = line * lines - first, a constraint on d is one on lines.
    std::vector<Constraint> system = constraintsAlong(stencil, x, +1, accesses, schedule.slots);
    addEqual(system, schedule.group);
    for (Constraint &constraint : system)
        constraint.bound = roundUp(constraint.bound + first(constraint.to) - first(constraint.from), line);
    const Solution solution = solveDelays(stages, system);
    if (!solution.feasible) return schedule.piece;
    int64_t most = 0;
    for (int k = 0; k < stages; ++k)
        most = std::max(most, first(k));
    Delays aligned{.step = solution.delays.step * line, .stage = {}};
    for (int k = 0; k < stages; ++k)
        aligned.stage.push_back((solution.delays.stage[k] + roundUp(most, line)) * line - first(k));
    return aligned;
}

} // namespace oocc
