#include "analysis/solver.h"

#include <algorithm>

namespace oocc {

namespace {

struct LongestPaths {
    std::vector<int64_t> distance;
    std::vector<size_t> cycle; ///< constraints of a cycle of positive weight, empty when there is none
};

/// Bellman-Ford from a source that reaches every stage with weight 0.
LongestPaths longestPaths(int stages, const std::vector<Constraint> &constraints, int64_t step) {
    constexpr size_t kNone = static_cast<size_t>(-1);
    LongestPaths result{std::vector<int64_t>(stages, 0), {}};
    std::vector<size_t> last(stages, kNone); // the constraint that raised a stage last
    int raised = -1;
    for (int round = 0; round <= stages; ++round) {
        raised = -1;
        for (size_t i = 0; i < constraints.size(); ++i) {
            const Constraint &c = constraints[i];
            const int64_t least = result.distance[c.from] + c.bound - c.steps * step;
            if (least > result.distance[c.to]) {
                result.distance[c.to] = least;
                last[c.to] = i;
                raised = c.to;
            }
        }
        if (raised < 0) return result;
    }
    // Still rising after as many rounds as there are stages: walking back that often ends inside a cycle.
    int node = raised;
    for (int i = 0; i < stages; ++i)
        node = constraints[last[node]].from;
    int at = node;
    do {
        result.cycle.push_back(last[at]);
        at = constraints[last[at]].from;
    } while (at != node);
    return result;
}

} // namespace

std::vector<size_t> whatRulesOut(int stages, const std::vector<Constraint> &constraints, int64_t step) {
    return longestPaths(stages, constraints, step).cycle;
}

Solution solveDelays(int stages, const std::vector<Constraint> &constraints) {
    int64_t high =
        1; // a cycle that gives at least one step is satisfied by the sum of everything that is asked for
    for (const Constraint &c : constraints)
        high += std::max<int64_t>(c.bound, 0);
    Solution solution;
    const LongestPaths paths = longestPaths(stages, constraints, high);
    if (!paths.cycle.empty()) {
        solution.cycle = paths.cycle;
        return solution;
    }
    int64_t low = 0;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const bool feasible = longestPaths(stages, constraints, middle).cycle.empty();
        if (feasible)
            high = middle;
        else
            low = middle + 1;
    }
    solution.feasible = true;
    solution.delays = {high, longestPaths(stages, constraints, high).distance};
    return solution;
}

} // namespace oocc
