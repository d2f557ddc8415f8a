#include "runtime_planned.h"

#include <gtest/gtest.h>

namespace {

TEST(Plan, OverlapWeighsDepthAgainstHalos) {
    TestProgram test;
    test.program.wedge = {false, 1, 1, 0, 0};
    ASSERT_EQ(test.layOut({1024, 1024, 1024}), 0);
    test.options_.schedule = SCHEDULE_OVERLAP;
    test.options_.engine = "mmap";
    test.options_.memory_bytes = 2 * GiB;
    const Planned r = make(test, 1000);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.p.schedule, SCHEDULE_OVERLAP);
    EXPECT_FALSE(r.p.in_place);
    expectFits(test, r.p);
    EXPECT_GT(r.p.bt, 1);
    EXPECT_LT(r.p.bt, r.p.bz) << "halos are not wider than what they surround";
    EXPECT_GT(r.p.ct, 1) << "two levels";
    EXPECT_GT(r.p.read_bytes, r.p.write_bytes);
    EXPECT_NE(std::string(r.p.why).find("halos"), std::string::npos) << r.p.why;
    const double seconds = r.p.seconds;
    for (const int64_t bt : {int64_t{1}, r.p.bt / 2, r.p.bt * 2}) {
        test.options_.bt = bt;
        const Planned other = make(test, 1000);
        if (other.status == 0) {
            EXPECT_GT(other.p.seconds, seconds * 0.99) << bt;
        }
    }
    test.options_.bt = 500;
    test.options_.bz = 0;
    const Planned deep = make(test, 1000);
    EXPECT_EQ(deep.status, OOCC_NO_MEMORY);
    EXPECT_NE(deep.err.find("a block with its halo (bt 500, bz 1)"), std::string::npos) << deep.err;
}

TEST(Plan, KeepsAGridThatFitsInMemory) {
    TestProgram test;
    ASSERT_EQ(test.layOut({256, 256, 256}), 0);
    const Planned r = make(test, 100);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.p.schedule, SCHEDULE_RESIDENT);
    EXPECT_STREQ(r.p.engine, "memory");
    EXPECT_TRUE(r.p.in_place);
    EXPECT_EQ(r.p.bt, 100);
    EXPECT_EQ(r.p.passes, 1);
    EXPECT_EQ(r.p.read_bytes + r.p.write_bytes + r.p.store_bytes, 0);
    expectFits(test, r.p);
}

TEST(Plan, StreamsAGridThatDoesNotFit) {
    TestProgram test;
    ASSERT_EQ(test.layOut({1024, 1024, 1024}), 0);
    test.options_.memory_bytes = GiB;
    const Planned r = make(test, 320);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.p.schedule, SCHEDULE_STREAM);
    EXPECT_FALSE(r.p.in_place);
    EXPECT_EQ(r.p.read_ahead, 1);
    EXPECT_EQ(r.p.write_behind, 1);
    EXPECT_GT(r.p.bt, 8);
    expectFits(test, r.p);
    const int64_t state = grid_state_bytes(&test.program, &test.grid);
    EXPECT_GE(r.p.read_bytes, r.p.passes * state);
    EXPECT_LE(r.p.read_bytes, r.p.passes * state * 5 / 4) << "columns read little twice";
    EXPECT_EQ(r.p.write_bytes, r.p.passes * state);
    EXPECT_EQ(r.p.store_bytes, 2 * state);
    EXPECT_NE(std::string(r.p.why).find("bt "), std::string::npos);
}

TEST(Plan, GoesDeeperWithMoreMemory) {
    TestProgram test;
    ASSERT_EQ(test.layOut({1024, 1024, 1024}), 0);
    int64_t before = 0;
    for (const int64_t budget : {128 * MiB, 256 * MiB, 512 * MiB}) {
        test.options_.memory_bytes = budget;
        const Planned r = make(test, 1000);
        ASSERT_EQ(r.status, 0) << r.err;
        EXPECT_GT(r.p.bt, before);
        before = r.p.bt;
        expectFits(test, r.p);
    }
}

// Even depths read into the ring that they write from, and take less than odd ones.
TEST(Plan, FindsTheDeepestThatFitsWhereDepthsInBetweenDoNot) {
    TestProgram test;
    ASSERT_EQ(test.layOut({300, 64, 64}), 0);
    test.options_.schedule = SCHEDULE_STREAM;
    test.options_.engine = "mmap";
    plan unused{};
    planner p{};
    int between = 0;
    for (const int slots : {2, 3})
        for (const int levels : {1, 2})
            for (const int64_t steps : {60, 61, 97})
                for (const int64_t bz : {1, 7, 16, 40}) {
                    test.fields[0].slots = slots;
                    test.fields[0].levels = levels;
                    ASSERT_EQ(planner_open(&p, &test.program, &test.options_, &test.host, &test.grid, steps, &unused), 0);
                    for (int64_t planes = 8; planes < 400; planes += 9) {
                        p.search.room_bytes = planes * test.grid.layout[0].stride_bytes;
                        int64_t deepest = 0;
                        bool gap = false;
                        for (int64_t bt = 1; bt <= steps; bt++) {
                            const bool fits = search_fits(&p.search, bt, bz);
                            between += fits && gap;
                            gap |= !fits;
                            if (fits) deepest = bt;
                        }
                        EXPECT_EQ(search_deepest(&p.search, bz, steps), deepest)
                            << "slots " << slots << " levels " << levels << " steps " << steps << " bz " << bz << " planes " << planes;
                    }
                }
    EXPECT_GT(between, 1000);
}

TEST(Plan, StreamsDeeperAtDepthsThatWriteWhatTheyRead) {
    TestProgram test;
    ASSERT_EQ(test.layOut({1024, 1024, 1024}), 0);
    test.options_.memory_bytes = GiB;
    test.options_.bz = 16;
    test.options_.columns = 1;
    const Planned r = make(test, 320);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.p.bt % 2, 0);
    expectFits(test, r.p);
    test.options_.bt = r.p.bt - 1;
    const Planned odd = make(test, 320);
    EXPECT_EQ(odd.status, OOCC_NO_MEMORY) << "a step less, and 16 planes more";
}

TEST(Plan, TakesNoDepthThatDoesNotFit) {
    TestProgram test;
    ASSERT_EQ(test.layOut({512, 512, 512}), 0);
    test.options_.schedule = SCHEDULE_STREAM;
    test.options_.engine = "mmap";
    test.options_.columns = 1;
    test.options_.bz = 32;
    const int64_t least = machine_resident_bytes() + 300 * MiB; /* this process has more where it is sanitized */
    for (const int64_t steps : {37, 41, 61, 93})
        for (int64_t budget = least; budget < least + 300 * MiB; budget += 23 * MiB) {
            test.options_.memory_bytes = budget;
            const Planned r = make(test, steps);
            ASSERT_EQ(r.status, 0) << r.err;
            EXPECT_LE(r.p.fixed_bytes + r.p.window_bytes, budget) << "steps " << steps << " bt " << r.p.bt;
        }
}

TEST(Plan, HonoursWhatWasAskedFor) {
    TestProgram test;
    ASSERT_EQ(test.layOut({256, 256, 256}), 0);
    test.options_.schedule = SCHEDULE_STREAM;
    test.options_.engine = "memory";
    test.options_.bt = 6;
    test.options_.bz = 5;
    test.options_.ct = 3;
    test.options_.yt = 64;
    const Planned r = make(test, 20);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.p.bt, 6);
    EXPECT_EQ(r.p.bz, 5);
    EXPECT_EQ(r.p.ct, 3);
    EXPECT_EQ(r.p.tiles, 4);
    EXPECT_EQ(r.p.yt, 64);
    EXPECT_EQ(r.p.passes, 4);
    EXPECT_FALSE(r.p.in_place);
    EXPECT_GT(r.p.fixed_bytes, r.p.store_bytes);
}

TEST(Plan, PrefersOptionsToWhatWasCompiledIn) {
    TestProgram test;
    ASSERT_EQ(test.layOut({256, 256, 256}), 0);
    test.options_.schedule = SCHEDULE_STREAM;
    test.program.bt = 4;
    EXPECT_EQ(make(test, 20).p.bt, 4);
    test.options_.bt = 5;
    EXPECT_EQ(make(test, 20).p.bt, 5);
}

TEST(Plan, SweepsOneStepPerPass) {
    TestProgram test;
    ASSERT_EQ(test.layOut({256, 256, 256}), 0);
    test.options_.schedule = SCHEDULE_SWEEP;
    Planned r = make(test, 9);
    EXPECT_TRUE(r.p.in_place);
    EXPECT_EQ(r.p.passes, 9);
    test.options_.memory_bytes = 64 * MiB;
    r = make(test, 9);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_FALSE(r.p.in_place);
    EXPECT_EQ(r.p.bt, 1);
    EXPECT_EQ(r.p.ct, 1);
    EXPECT_EQ(r.p.write_bytes, 9 * grid_state_bytes(&test.program, &test.grid));
}

TEST(Plan, HoldsTheWholeGridInTheWindowOfAResidentRunOnDisk) {
    TestProgram test;
    ASSERT_EQ(test.layOut({64, 64, 64}), 0);
    test.options_.schedule = SCHEDULE_RESIDENT;
    test.options_.engine = "mmap";
    Planned r = make(test, 50);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_FALSE(r.p.in_place);
    EXPECT_EQ(r.p.bt, 50);
    EXPECT_EQ(r.p.passes, 1);
    EXPECT_EQ(r.p.read_bytes, grid_state_bytes(&test.program, &test.grid));
    test.options_.memory_bytes = machine_resident_bytes() + 10 * MiB;
    r = make(test, 50);
    EXPECT_EQ(r.status, OOCC_NO_MEMORY);
    EXPECT_NE(r.err.find("--schedule stream"), std::string::npos) << r.err;
}

TEST(Plan, LeavesWhatMayBeSwappedOutOfTheBudget) {
    TestProgram test;
    ASSERT_EQ(test.layOut({256, 256, 256}), 0);
    test.options_.engine = "swap";
    test.options_.memory_bytes = machine_resident_bytes() + 60 * MiB;
    Planned r = make(test, 100);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.p.schedule, SCHEDULE_STREAM);
    EXPECT_FALSE(r.p.in_place);
    EXPECT_EQ(r.p.swapped_bytes, r.p.store_bytes);
    EXPECT_GT(r.p.store_bytes, r.p.budget_bytes);
    expectFits(test, r.p);
    for (const schedule s : {SCHEDULE_SWEEP, SCHEDULE_RESIDENT}) {
        test.options_.schedule = s;
        r = make(test, 100);
        ASSERT_EQ(r.status, 0) << r.err;
        EXPECT_TRUE(r.p.in_place);
        EXPECT_EQ(r.p.swapped_bytes, r.p.window_bytes);
        EXPECT_GT(r.p.window_bytes, r.p.budget_bytes);
        EXPECT_EQ(r.p.store_bytes, 0);
    }
}

TEST(Plan, CountsListsOfSmallRequests) {
    TestProgram test;
    ASSERT_EQ(test.layOut({512, 512, 512}), 0);
    test.options_.schedule = SCHEDULE_STREAM;
    test.options_.engine = "mmap";
    test.options_.memory_bytes = 512 * MiB;
    const Planned large = make(test, 100);
    test.options_.io_request_bytes = 4096;
    const Planned small = make(test, 100);
    ASSERT_EQ(large.status + small.status, 0) << large.err << small.err;
    EXPECT_EQ(small.p.io_request_bytes, 4096);
    EXPECT_GT(small.p.fixed_bytes, large.p.fixed_bytes);
    expectFits(test, small.p);
}

TEST(Plan, HasNoPassesWhenNothingRemains) {
    TestProgram test;
    ASSERT_EQ(test.layOut({64, 64, 64}), 0);
    for (const schedule s : {SCHEDULE_RESIDENT, SCHEDULE_STREAM, SCHEDULE_SWEEP}) {
        test.options_.schedule = s;
        const Planned r = make(test, 0);
        ASSERT_EQ(r.status, 0) << r.err;
        EXPECT_EQ(r.p.passes, 0);
        EXPECT_EQ(r.p.read_bytes, 0);
        EXPECT_GE(r.p.bt, 1);
    }
}

TEST(Plan, MakesOneStepAPassWhereAReductionFeedsUpdates) {
    TestProgram test;
    const oocc_watch watches[] = {{"peak", OOCC_MAX, nullptr, nullptr, false},
                                  {"level", OOCC_MEAN, nullptr, nullptr, true}};
    test.program.watches = 2;
    test.program.watch = watches;
    ASSERT_EQ(test.layOut({64, 64, 64}), 0);
    for (const schedule s : {SCHEDULE_AUTO, SCHEDULE_RESIDENT, SCHEDULE_STREAM}) {
        test.options_.schedule = s;
        const Planned r = make(test, 20);
        ASSERT_EQ(r.status, 0) << r.err;
        EXPECT_EQ(r.p.bt, 1);
        EXPECT_EQ(r.p.ct, 1);
        EXPECT_EQ(r.p.passes, 20);
        EXPECT_STREQ(
            r.p.why,
            "a reduction ('level') is used by the step: every step waits for it, so a pass is one step");
    }
    test.options_.bt = 2;
    const Planned r = make(test, 20);
    EXPECT_EQ(r.status, OOCC_USAGE);
    EXPECT_NE(r.err.find("bt 2 is not possible: a reduction ('level') is used by the step"), std::string::npos)
        << r.err;
}

TEST(Plan, TakesThinnerSlabsInPlaceWhereTempsWouldNotFit) {
    TestProgram test;
    oocc_field temp = test.fields[0];
    temp.name = "flux";
    temp.levels = 0;
    temp.slots = 1;
    test.fields.push_back(temp);
    test.useFields();
    ASSERT_EQ(test.layOut({256, 128, 128}), 0);
    const int64_t one = 256 * test.grid.layout[0].stride_bytes + 4096; // a ring, and what sets it apart from the next
    Planned r = make(test, 100);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_TRUE(r.p.in_place);
    EXPECT_EQ(r.p.window_bytes, 3 * one) << "one slab: the temp is as long as the grid";
    test.options_.memory_bytes = r.p.fixed_bytes + 2 * one + one / 2;
    r = make(test, 100);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_TRUE(r.p.in_place);
    EXPECT_LT(r.p.window_bytes, 3 * one);
    expectFits(test, r.p);
    EXPECT_EQ(grid_state_bytes(&test.program, &test.grid), 256 * test.grid.layout[0].plane_bytes) << "a temp is not stored";
}

TEST(Plan, PlansTrillionsOfCellsAndManySteps) {
    TestProgram test;
    ASSERT_EQ(test.layOut({100000, 10000, 10000}), 0);
    const Planned r = make(test, 1000000);
    ASSERT_EQ(r.status, 0) << r.err;
    expectFits(test, r.p);
}

TEST(Plan, SaysWhyNotDeeper) {
    TestProgram test;
    ASSERT_EQ(test.layOut({1024, 1024, 1024}), 0);
    figures figures = figures_nominal;
    figures.device.read = figures.device.write = figures.device.both = figures.device.beside = 2e8; // so slow that depth is all that counts
    test.host.figures = &figures;
    test.options_.memory_bytes = 120 * MiB;
    test.options_.bz = 1;
    const Planned r = make(test, 1000);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_NE(std::string(r.p.why).find("is the deepest that fits"), std::string::npos) << r.p.why;
}

} // namespace
