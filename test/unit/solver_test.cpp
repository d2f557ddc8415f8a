#include "analysis/solver.h"

#include <gtest/gtest.h>
#include <random>

namespace oocc {

namespace {

bool holds(const std::vector<Constraint> &constraints, const Delays &delays) {
    for (const Constraint &c : constraints)
        if (delays.stage[c.to] - delays.stage[c.from] + c.steps * delays.step < c.bound) return false;
    return true;
}

/// Whether any delays in [0, limit] satisfy the constraints for this step: by trying them all.
bool feasibleByTrial(int stages, const std::vector<Constraint> &constraints, int64_t step, int64_t limit) {
    Delays delays{step, std::vector<int64_t>(static_cast<size_t>(stages), 0)};
    for (;;) {
        if (holds(constraints, delays)) return true;
        size_t k = 0;
        while (k < delays.stage.size() && ++delays.stage[k] > limit)
            delays.stage[k++] = 0;
        if (k == delays.stage.size()) return false;
    }
}

std::vector<Constraint> randomConstraints(int stages, std::mt19937 &random) {
    std::uniform_int_distribution<int> stage(0, stages - 1), steps(0, 2), bound(-2, 2), count(1, 5);
    std::vector<Constraint> list;
    for (int i = count(random); i > 0; --i)
        list.push_back({stage(random), stage(random), steps(random), bound(random), 0, false});
    return list;
}

} // namespace

TEST(Solver, FindsTheSmallestStepAndNeverBreaksAConstraint) {
    std::mt19937 random(7);
    for (int i = 0; i < 500; ++i) {
        const int stages = 1 + i % 3;
        const std::vector<Constraint> constraints = randomConstraints(stages, random);
        const Solution solution = solveDelays(stages, constraints);
        int64_t smallest = -1;
        for (int64_t step = 0; step <= 6 && smallest < 0; ++step)
            if (feasibleByTrial(stages, constraints, step, 12)) smallest = step;
        ASSERT_EQ(smallest >= 0, solution.feasible) << "system " << i;
        if (!solution.feasible) continue;
        EXPECT_EQ(smallest, solution.delays.step) << "system " << i;
        EXPECT_TRUE(holds(constraints, solution.delays)) << "system " << i;
    }
}

TEST(Solver, NamesACycleThatNoStepCanSatisfy) {
    const std::vector<Constraint> constraints{{0, 1, 0, 1, 0, false}, {1, 0, 0, 0, 1, true}};
    const Solution solution = solveDelays(2, constraints);
    ASSERT_FALSE(solution.feasible);
    EXPECT_EQ(2u, solution.cycle.size());
}

namespace {

/// Whether the constraints, in this order, form a cycle that asks for more than it gives.
bool isCycleAgainst(const std::vector<Constraint> &constraints, const std::vector<size_t> &cycle, int64_t step) {
    int64_t more = 0;
    for (size_t i = 0; i < cycle.size(); ++i) {
        const Constraint &c = constraints[cycle[i]], &before = constraints[cycle[(i + 1) % cycle.size()]];
        if (c.from != before.to) return false;
        more += c.bound - c.steps * step;
    }
    return !cycle.empty() && more > 0;
}

} // namespace

TEST(Solver, NamesCyclesThatRuleAStepOutAndOnlyThose) {
    std::mt19937 random(11);
    std::uniform_int_distribution<int> steps(0, 2), bound(-4, 6), farther(-40, 500);
    for (int i = 0; i < 300; ++i) {
        const int stages = 2 + i % 40;
        std::uniform_int_distribution<int> stage(0, stages - 1);
        std::vector<Constraint> constraints;
        for (int k = 0; k < 3 * stages; ++k) {
            const int to = stage(random), from = stage(random);
            // What is of the same step asks of earlier stages only: most systems have a solution.
            constraints.push_back({to, from, to > from ? steps(random) : 1 + steps(random) / 2,
                                   i % 3 == 0 ? farther(random) : bound(random), 0, false});
        }
        const Solution solution = solveDelays(stages, constraints);
        ASSERT_TRUE(solution.feasible) << "system " << i;
        ASSERT_TRUE(holds(constraints, solution.delays)) << "system " << i;
        const int64_t step = solution.delays.step;
        EXPECT_TRUE(whatRulesOut(stages, constraints, step).empty()) << "system " << i;
        EXPECT_TRUE(aCycleAgainst(stages, constraints, step).empty()) << "system " << i;
        if (step == 0) continue;
        EXPECT_TRUE(isCycleAgainst(constraints, whatRulesOut(stages, constraints, step - 1), step - 1)) << "system " << i;
        EXPECT_TRUE(isCycleAgainst(constraints, aCycleAgainst(stages, constraints, step - 1), step - 1)) << "system " << i;
    }
}

TEST(Solver, WithoutConstraintsNothingLags) {
    const Solution solution = solveDelays(3, {});
    ASSERT_TRUE(solution.feasible);
    EXPECT_EQ(0, solution.delays.step);
    EXPECT_EQ((std::vector<int64_t>{0, 0, 0}), solution.delays.stage);
}

} // namespace oocc
