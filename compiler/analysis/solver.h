// The constraint solver of temporal blocking, used three times: for delays along the streamed dimension and for the
// slopes of both sides of a tile.
//
// Every stage k has a delay d[k], and step s of stage k lags by s*step + d[k]. A dependence between two stages then reads
//
//     d[to] - d[from] + steps * step  >=  bound
//
// a system of difference constraints for any given `step` (Cormen et al., Introduction to Algorithms, "Difference
// constraints and shortest paths"): it has a solution exactly when no cycle of constraints asks for more than it gives,
// and the longest paths are the smallest solution. More lag per step never hurts, since `steps` is never negative, and a
// cycle that asks for too much says how much lag it needs at least: so the smallest feasible step is found in few tries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace oocc {

struct Constraint {
    int to, from;
    int64_t steps; ///< >= 0
    int64_t bound;
    int access; ///< index of the access it comes from
    bool anti;  ///< keeps a value from being overwritten too early (otherwise: has it written early enough)
};

struct Delays {
    int64_t step = 0;           ///< lag of a step behind the one before
    std::vector<int64_t> stage; ///< per stage, the smallest is 0
};

struct Solution {
    bool feasible = false;
    Delays delays;             ///< when feasible: the smallest step, and the smallest delays for it
    std::vector<size_t> cycle; ///< otherwise: indices of constraints that no step can satisfy together
};

/// Constraints (indices) that together rule a step out that is smaller than needed; empty when it is feasible. Where several
/// cycles do, whatRulesOut names the one that rounds over all constraints in their order come to, for people to read;
/// aCycleAgainst names any, and is quick.
std::vector<size_t> whatRulesOut(int stages, const std::vector<Constraint> &constraints, int64_t step);
std::vector<size_t> aCycleAgainst(int stages, const std::vector<Constraint> &constraints, int64_t step);

Solution solveDelays(int stages, const std::vector<Constraint> &constraints);

} // namespace oocc
