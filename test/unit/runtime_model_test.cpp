#include "runtime_planned.h"

#include <gtest/gtest.h>

namespace {

void expectFits(const TestProgram &test, const plan &p) {
    EXPECT_LE(p.fixed_bytes + p.window_bytes, p.budget_bytes);
    EXPECT_EQ(p.window_bytes,
              window_bytes(&test.program, &test.grid, p.bt, p.bz, p.cut, p.read_ahead, p.write_behind,
                           plan_window(&p)));
    EXPECT_GE(p.ct, 1);
    EXPECT_LE(p.ct, p.bt);
    EXPECT_EQ(p.passes, (p.steps + p.bt - 1) / p.bt);
}

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

TEST(Plan, TilesAResidentGridForTheCache) {
    TestProgram test;
    ASSERT_EQ(test.layOut({1024, 1024, 1024}), 0);
    test.host.memory_available_bytes = 64 * GiB;
    const Planned r = make(test, 320);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_GE(r.p.ct, 8);
    EXPECT_LE(r.p.ct, 32);
    EXPECT_GE(r.p.yt, 8);
    EXPECT_LE(r.p.yt, 128);
    EXPECT_EQ(r.p.tiles % 4, 0);
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

TEST(Plan, RefusesWhatMemoryAndSwapCannotHold) {
    TestProgram test;
    ASSERT_EQ(test.layOut({256, 256, 256}), 0);
    test.options_.engine = "swap";
    test.host.swappable_bytes = 200 * MiB;
    for (const schedule s : {SCHEDULE_STREAM, SCHEDULE_SWEEP}) {
        test.options_.schedule = s;
        const Planned r = make(test, 100);
        EXPECT_EQ(r.status, OOCC_NO_MEMORY);
        EXPECT_NE(r.err.find("memory and swap hold 200.0 MiB"), std::string::npos) << r.err;
        EXPECT_NE(r.err.find("help: "), std::string::npos) << r.err;
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

TEST(Plan, NamesTheSmallestMemoryThatWorks) {
    TestProgram test;
    ASSERT_EQ(test.layOut({512, 512, 512}), 0);
    test.options_.memory_bytes = MiB;
    Planned r = make(test, 10);
    EXPECT_EQ(r.status, OOCC_NO_MEMORY);
    const size_t at = r.err.find("--memory ");
    ASSERT_NE(at, std::string::npos) << r.err;
    ASSERT_TRUE(parse_bytes(r.err.substr(at + 9, r.err.find(' ', at + 9) - at - 9).c_str(),
                            &test.options_.memory_bytes));
    test.options_.memory_bytes += MiB; // this process grows a little
    r = make(test, 10);
    EXPECT_EQ(r.status, 0) << r.err;
    expectFits(test, r.p);
}

// Planes of 2 GiB: in one column a window would have six of them, in many it has room for one at least, which import and export go through.
TEST(Plan, RefusalsCountOnColumns) {
    TestProgram test;
    ASSERT_EQ(test.layOut({64, 16384, 16384}), 0);
    test.options_.memory_bytes = 64 * MiB;
    Planned r = make(test, 10);
    EXPECT_EQ(r.status, OOCC_NO_MEMORY);
    const size_t at = r.err.find("--memory ");
    ASSERT_NE(at, std::string::npos) << r.err;
    ASSERT_TRUE(parse_bytes(r.err.substr(at + 9, r.err.find(' ', at + 9) - at - 9).c_str(), &test.options_.memory_bytes));
    EXPECT_LT(test.options_.memory_bytes, 3 * GiB);
    test.options_.memory_bytes += MiB; // this process grows a little
    r = make(test, 10);
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_LE(r.p.window_bytes + r.p.fixed_bytes, test.options_.memory_bytes);
    EXPECT_GT(r.p.cut.columns, 1);
    test.options_.memory_bytes -= 5 * MiB;
    EXPECT_EQ(make(test, 10).status, OOCC_NO_MEMORY) << "no less works";
}

TEST(Plan, RefusesADepthThatDoesNotFit) {
    TestProgram test;
    ASSERT_EQ(test.layOut({1024, 1024, 1024}), 0);
    test.options_.memory_bytes = 256 * MiB;
    test.options_.bt = 100;
    const Planned r = make(test, 200);
    EXPECT_EQ(r.status, OOCC_NO_MEMORY);
    EXPECT_NE(r.err.find("bt 100 with bz 1 needs a window of"), std::string::npos) << r.err;
}

TEST(Plan, RefusesMoreTilesThanSlopesLeaveRowsFor) {
    TestProgram test;
    ASSERT_EQ(test.layOut({256, 256, 256}), 0);
    test.options_.ct = 8;
    test.options_.yt = 1;
    Planned r = make(test, 20);
    EXPECT_EQ(r.status, OOCC_USAGE);
    EXPECT_NE(r.err.find("at least 5 rows"), std::string::npos) << r.err;
    test.options_.yt = 5;
    r = make(test, 20);
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.p.ct, 8);
    EXPECT_LE(r.p.chains * chain_least(&test.program, 8), 256);
}

TEST(Plan, RefusesContradictions) {
    TestProgram test;
    ASSERT_EQ(test.layOut({64, 64, 64}), 0);
    test.options_.bt = 2;
    test.options_.ct = 4;
    EXPECT_EQ(make(test, 20).status, OOCC_USAGE);
    test.options_.ct = 0;
    test.options_.schedule = SCHEDULE_SWEEP;
    EXPECT_EQ(make(test, 20).status, OOCC_USAGE);
}

TEST(Plan, NotesMoreMemoryThanThereIs) {
    TestProgram test;
    ASSERT_EQ(test.layOut({64, 64, 64}), 0);
    test.options_.memory_bytes = 32 * GiB;
    const Planned r = make(test, 20);
    EXPECT_EQ(r.status, 0);
    EXPECT_NE(r.err.find("note: --memory 32.0 GiB is more than the 16.0 GiB available"), std::string::npos)
        << r.err;
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

TEST(Plan, CutsTwoDimensionsAlongXAndOneNotAtAll) {
    TestProgram flat(2);
    ASSERT_EQ(flat.layOut({8192, 8192}), 0);
    flat.options_.memory_bytes = 64 * MiB;
    Planned r = make(flat, 1000);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_GT(r.p.tiles, 1);
    EXPECT_GE(r.p.yt * r.p.tiles, 8192);
    expectFits(flat, r.p);

    TestProgram line(1);
    ASSERT_EQ(line.layOut({100000000}), 0);
    line.options_.memory_bytes = 64 * MiB;
    r = make(line, 1000);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.p.tiles, 1);
    expectFits(line, r.p);
    line.options_.yt = 8;
    EXPECT_EQ(make(line, 1000).status, OOCC_USAGE);
    line.options_.yt = 0;
    line.options_.xt = 8;
    EXPECT_EQ(make(line, 1000).status, OOCC_USAGE);
}

TEST(Plan, CutsFourDimensionsAlongTheSecond) {
    TestProgram test(4);
    ASSERT_EQ(test.layOut({64, 64, 32, 128}), 0);
    test.options_.memory_bytes = 64 * MiB;
    const Planned r = make(test, 100);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_GE(r.p.yt * r.p.tiles * r.p.cut.columns, 64);
    EXPECT_LE(r.p.yt, 64);
    EXPECT_EQ(r.p.pieces, 1);
    expectFits(test, r.p);
    test.options_.xt = 64;
    EXPECT_EQ(make(test, 100).status, OOCC_USAGE);
}

TEST(Plan, CutsLongRows) {
    const auto planned = [](oocc_type type, int64_t cells, int64_t xt = 0, bool whole = false) {
        TestProgram test(3, type);
        EXPECT_EQ(test.layOut({64, 64, cells}), 0);
        test.host.memory_available_bytes = 64 * GiB;
        test.program.tiling.whole_rows = whole;
        test.options_.xt = xt;
        return make(test, 100).p;
    };
    EXPECT_EQ(planned(OOCC_F64, 1536).pieces, 1) << "12 KiB";
    EXPECT_EQ(planned(OOCC_F64, 2048).pieces, 4) << "of 4 KiB";
    EXPECT_EQ(planned(OOCC_F64, 2048).xt, 512);
    EXPECT_EQ(planned(OOCC_F64, 2600).pieces, 5);
    EXPECT_EQ(planned(OOCC_F64, 2600).xt, 552) << "the last one has what whole lines leave";
    EXPECT_EQ(planned(OOCC_F32, 3072).pieces, 1);
    EXPECT_EQ(planned(OOCC_F32, 8192).pieces, 8);
    EXPECT_EQ(planned(OOCC_F64, 4096, 1024).pieces, 4) << "as asked for";
    EXPECT_EQ(planned(OOCC_F64, 4096, 4096).pieces, 1);
    EXPECT_TRUE(planned(OOCC_F64, 1536).fetch);
    EXPECT_FALSE(planned(OOCC_F64, 2048).fetch) << "it would be the whole rows for each piece of them";
    EXPECT_EQ(planned(OOCC_F64, 4096, 0, true).pieces, 1) << "a periodic row";
}

TEST(Plan, NeverCutsWholeRows) {
    TestProgram test;
    ASSERT_EQ(test.layOut({64, 64, 64}), 0);
    test.program.tiling.whole_rows = true;
    test.program.xt = 16; // wanted when compiling, where the rows were to be cut if they can
    EXPECT_EQ(make(test, 100).p.pieces, 1);
    test.options_.xt = 16;
    const Planned r = make(test, 100);
    EXPECT_EQ(r.status, OOCC_USAGE);
    EXPECT_NE(r.err.find("not cut into pieces"), std::string::npos) << r.err;
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

TEST(Plan, CountsThePlanesThatAPeriodicPassReadsTwice) {
    TestProgram test;
    test.program.wedge = {true, 1, 2, 0, 3};
    ASSERT_EQ(test.layOut({1024, 1024, 1024}), 0);
    test.options_.memory_bytes = GiB;
    test.options_.bt = 8;
    const Planned r = make(test, 20);
    ASSERT_EQ(r.status, 0) << r.err;
    expectFits(test, r.p);
    const int64_t plane = test.grid.layout[0].plane_bytes;
    EXPECT_EQ(r.p.read_bytes, plane * (2 * (1024 + 8 + 16 + 3) + (1024 + 4 + 8 + 3)));
    EXPECT_EQ(r.p.write_bytes, 3 * 1024 * plane);
}

TEST(Plan, WeighsDepthAgainstTheWedgeOfAPeriodicGrid) {
    TestProgram test, open;
    test.program.wedge = {true, 1, 1, 0, 0};
    for (TestProgram *t : {&test, &open})
        ASSERT_EQ(t->layOut({128, 512, 512}), 0);
    Planned r = make(test, 10000);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_TRUE(r.p.in_place);
    EXPECT_GT(r.p.bt, 4) << "temporal blocking pays";
    EXPECT_LT(r.p.bt, 64) << "but not when most is computed twice";
    EXPECT_NE(std::string(r.p.why).find("; with bt above " + std::to_string(r.p.bt) +
                                        " more would be computed twice"),
              std::string::npos)
        << r.p.why;
    expectFits(test, r.p);
    EXPECT_GT(r.p.seconds, make(open, 10000).p.seconds);
    for (TestProgram *t : {&test, &open})
        t->options_.memory_bytes = machine_resident_bytes() + 300 * MiB;
    r = make(test, 10000);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_FALSE(r.p.in_place);
    EXPECT_LE(r.p.bt, 128);
    expectFits(test, r.p);
}

TEST(Plan, NeverUnrollsMoreThanTheGrid) {
    TestProgram test;
    test.program.wedge = {true, 2, 1, 1, 0};
    ASSERT_EQ(test.layOut({21, 64, 64}), 0);
    for (const schedule s : {SCHEDULE_RESIDENT, SCHEDULE_STREAM})
        for (const char *engine : {"memory", "mmap"}) {
            test.options_.schedule = s;
            test.options_.engine = engine;
            test.options_.bt = 0;
            EXPECT_LE(make(test, 100).p.bt, 10);
            test.options_.bt = 10;
            EXPECT_EQ(make(test, 100).status, 0);
            test.options_.bt = 11;
            const Planned r = make(test, 100);
            EXPECT_EQ(r.status, OOCC_USAGE);
            EXPECT_NE(r.err.find("help: bt is at most 10 on this grid"), std::string::npos) << r.err;
        }
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

TEST(Plan, RingOfTilesHoldsEveryTileWide) {
    TestProgram test;
    test.program.tiling.ring = true;
    ASSERT_EQ(test.layOut({64, 40, 64}), 0);
    test.options_.ct = 9; // a tile has at least 19 rows, and two of them 20
    test.options_.yt = 20;
    const Planned r = make(test, 90);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.p.tiles, 2);
    test.options_.ct = 10; // 21 rows
    EXPECT_EQ(make(test, 90).status, OOCC_USAGE);
    test.options_.yt = 0;
    EXPECT_EQ(make(test, 90).p.tiles, 1);
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
