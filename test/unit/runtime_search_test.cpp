// What planning goes through to be quick: some of the depths, and one look at the scratch.
#include "runtime_planned.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <unistd.h>

namespace {

// Not every depth is looked at, but none of the others is faster: whatever bounds the run, with and without a last pass of fewer steps.
TEST(Plan, IsAsFastAsTheBestOfAllDepths) {
    for (const int64_t budget : {96 * MiB, 300 * MiB, GiB})
        for (const double rate : {3e8, 2e9, 2e10})
            for (const int64_t steps : {37, 192, 1000}) {
                TestProgram test;
                ASSERT_EQ(test.layOut({1024, 1024, 1024}), 0);
                figures figures = figures_nominal;
                figures.device.read = figures.device.write = figures.device.both = figures.device.beside = rate;
                test.host.figures = &figures;
                test.options_.memory_bytes = budget;
                const Planned chosen = make(test, steps);
                ASSERT_EQ(chosen.status, 0) << chosen.err;
                double least = chosen.p.seconds;
                test.options_.columns = chosen.p.cut.columns; // of which more must gain something
                for (test.options_.bt = 1; test.options_.bt <= steps; test.options_.bt++) {
                    const Planned other = make(test, steps);
                    if (other.status != 0) break; // does not fit, nor does what is deeper
                    least = std::min(least, other.p.seconds);
                }
                EXPECT_LT(chosen.p.seconds, 1.01 * least) << budget << " bytes, " << rate << " bytes/s, " << steps << " steps: bt " << chosen.p.bt;
            }
}

// While a probe keeps the scratch busy, to write there once more would take seconds.
TEST(Plan, TriesTheScratchOnce) {
    TestProgram test;
    char directory[] = "oocc-plan-XXXXXX";
    ASSERT_NE(mkdtemp(directory), nullptr);
    const std::string scratch = std::string(directory) + "/scratch";
    ASSERT_EQ(test.layOut({1024, 1024, 1024}), 0);
    test.options_.memory_bytes = GiB;
    test.options_.scratch = scratch.c_str();
    Planned first = make(test, 100);
    ASSERT_EQ(rmdir(directory), 0);
    ASSERT_EQ(first.status, 0) << first.err;
    const std::string answer = std::string(first.p.engine) + ": " + first.p.engine_reason;
    EXPECT_EQ(plan_make(&test.program, &test.options_, &test.host, &test.grid, 100, &first.p), 0);
    EXPECT_EQ(std::string(first.p.engine) + ": " + first.p.engine_reason, answer);
    for (const char *probed : {static_cast<const char *>(nullptr), "aio"}) { // not at all, and for another engine
        plan other = first.p;
        other.probed = probed;
        EXPECT_EQ(plan_make(&test.program, &test.options_, &test.host, &test.grid, 100, &other), OOCC_NO_SPACE)
            << "there is no such directory any more";
    }
}

} // namespace
