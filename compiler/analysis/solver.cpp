#include "analysis/solver.h"

#include <algorithm>
#include <deque>
#include <numeric>

namespace oocc {

namespace {

constexpr size_t kNone = static_cast<size_t>(-1);

struct LongestPaths {
    std::vector<int64_t> distance;
    std::vector<size_t> cycle; ///< constraints of a cycle of positive weight, empty when there is none
};

/// The constraints that go out from every stage: those of stage k are list[first[k]] to before list[first[k + 1]].
struct Outgoing {
    std::vector<size_t> first, list;

    Outgoing(int stages, const std::vector<Constraint> &constraints) : first(stages + 1, 0), list(constraints.size()) {
        for (const Constraint &c : constraints)
            ++first[c.from + 1];
        std::partial_sum(first.begin(), first.end(), first.begin());
        std::vector<size_t> at(first.begin(), first.end() - 1);
        for (size_t i = 0; i < constraints.size(); ++i)
            list[at[constraints[i].from]++] = i;
    }
};

/// The cycle that the constraints form which raised stages last, if they form one.
std::vector<size_t> cycleOf(const std::vector<Constraint> &constraints, const std::vector<size_t> &last) {
    const int stages = static_cast<int>(last.size());
    std::vector<int> walk(last.size(), -1); // which walk has come by
    for (int begin = 0; begin < stages; ++begin) {
        int at = begin;
        for (; walk[at] < 0 && last[at] != kNone; at = constraints[last[at]].from)
            walk[at] = begin;
        if (walk[at] != begin || last[at] == kNone) continue;
        std::vector<size_t> cycle;
        const int node = at;
        do {
            cycle.push_back(last[at]);
            at = constraints[last[at]].from;
        } while (at != node);
        return cycle;
    }
    return {};
}

/// Bellman-Ford from a source that reaches every stage with weight 0: what a stage that was raised asks of others is looked at
/// again, and nothing else. A cycle of positive weight raises its stages forever, and soon by nothing but each other.
LongestPaths longestPaths(int stages, const std::vector<Constraint> &constraints, const Outgoing &outgoing, int64_t step) {
    LongestPaths result{std::vector<int64_t>(stages, 0), {}};
    std::vector<size_t> last(stages, kNone); // the constraint that raised a stage last
    std::vector<bool> waits(stages, true);
    std::deque<int> waiting(stages);
    std::iota(waiting.begin(), waiting.end(), 0);
    for (int raises = 0; !waiting.empty();) {
        const int from = waiting.front();
        waiting.pop_front();
        waits[from] = false;
        for (size_t k = outgoing.first[from]; k < outgoing.first[from + 1]; ++k) {
            const Constraint &c = constraints[outgoing.list[k]];
            const int64_t least = result.distance[from] + c.bound - c.steps * step;
            if (least <= result.distance[c.to]) continue;
            result.distance[c.to] = least;
            last[c.to] = outgoing.list[k];
            ++raises;
            if (!waits[c.to]) waiting.push_back(c.to);
            waits[c.to] = true;
        }
        if (raises <= stages) continue;
        raises = 0;
        result.cycle = cycleOf(constraints, last);
        if (!result.cycle.empty()) return result;
    }
    return result;
}

} // namespace

std::vector<size_t> whatRulesOut(int stages, const std::vector<Constraint> &constraints, int64_t step) {
    std::vector<int64_t> distance(stages, 0);
    std::vector<size_t> last(stages, kNone); // the constraint that raised a stage last
    int raised = -1;
    for (int round = 0; round <= stages; ++round) {
        raised = -1;
        for (size_t i = 0; i < constraints.size(); ++i) {
            const Constraint &c = constraints[i];
            const int64_t least = distance[c.from] + c.bound - c.steps * step;
            if (least > distance[c.to]) {
                distance[c.to] = least;
                last[c.to] = i;
                raised = c.to;
            }
        }
        if (raised < 0) return {};
    }
    // Still rising after as many rounds as there are stages: walking back that often ends inside a cycle.
    std::vector<size_t> cycle;
    int node = raised;
    for (int i = 0; i < stages; ++i)
        node = constraints[last[node]].from;
    int at = node;
    do {
        cycle.push_back(last[at]);
        at = constraints[last[at]].from;
    } while (at != node);
    return cycle;
}

std::vector<size_t> aCycleAgainst(int stages, const std::vector<Constraint> &constraints, int64_t step) {
    return longestPaths(stages, constraints, Outgoing(stages, constraints), step).cycle;
}

Solution solveDelays(int stages, const std::vector<Constraint> &constraints) {
    constexpr int kTries = 8; // of steps that a cycle asks for, before the smallest is looked for by bisection
    const Outgoing outgoing(stages, constraints);
    int64_t low = 0,
            high = 1; // a cycle that gives at least one step is satisfied by the sum of everything that is asked for
    for (const Constraint &c : constraints)
        high += std::max<int64_t>(c.bound, 0);
    Solution solution;
    for (int tries = 0;; ++tries) {
        const int64_t step = tries < kTries ? low : low + (high - low) / 2;
        LongestPaths paths = longestPaths(stages, constraints, outgoing, step);
        if (paths.cycle.empty() && step > low) {
            high = step;
        } else if (paths.cycle.empty()) {
            solution.feasible = true;
            solution.delays = {step, std::move(paths.distance)};
            return solution;
        } else {
            int64_t bound = 0, steps = 0;
            for (size_t i : paths.cycle) {
                bound += constraints[i].bound;
                steps += constraints[i].steps;
            }
            if (steps == 0) {
                solution.cycle = std::move(paths.cycle);
                return solution;
            }
            low = (bound + steps - 1) / steps; // more than `step`, for which the cycle asks for more than it gives
        }
    }
}

} // namespace oocc
