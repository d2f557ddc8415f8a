#include "runtime_planned.h"

#include <gtest/gtest.h>

namespace {

TEST(PlanShape, TilesAResidentGridForTheCache) {
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

TEST(PlanShape, CutsTwoDimensionsAlongXAndOneNotAtAll) {
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

// The rows that one step leaves are read by the next one: half as long a time where they are still in the core's first cache.
TEST(PlanShape, KeepsWhatAStepLeavesInTheFirstCacheInTwoDimensions) {
    const auto cells = [](int64_t first, double flops, int ndim = 2) {
        TestProgram test(ndim);
        EXPECT_EQ(test.layOut(ndim == 2 ? std::vector<int64_t>{8192, 16384} : std::vector<int64_t>{256, 512, 64}), 0);
        test.host.memory_available_bytes = 64 * GiB;
        test.host.l1_bytes = first;
        test.program.flops_per_cell = flops;
        return make(test, 400).p.yt;
    };
    EXPECT_GT(cells(0, 6), 1000) << "no such cache is known";
    EXPECT_LE(cells(48 << 10, 6), 700);
    EXPECT_GE(cells(48 << 10, 6), 300) << "no narrower than that takes";
    EXPECT_GT(cells(96 << 10, 6), cells(48 << 10, 6));
    EXPECT_EQ(cells(48 << 10, 100), cells(0, 100)) << "what is computed takes longer";
    EXPECT_EQ(cells(48 << 10, 6, 3), cells(0, 6, 3));
}

TEST(PlanShape, CutsFourDimensionsAlongTheSecond) {
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

TEST(PlanShape, CutsLongRows) {
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

TEST(PlanShape, TilesFetchAheadUnlessTheProcessorIsKnownToBeFaster) {
    TestProgram test;
    ASSERT_EQ(test.layOut({64, 64, 64}), 0);
    struct figures figures = figures_nominal;
    test.host.figures = &figures;
    for (const bool processor : {false, true})
        for (const prefetch_mode mode : {PREFETCH_AUTO, PREFETCH_ON, PREFETCH_OFF}) {
            figures.kernel.processor_fetches = processor;
            test.options_.prefetch = mode;
            const plan p = make(test, 100).p;
            EXPECT_EQ(p.can_fetch, mode != PREFETCH_OFF);
            EXPECT_EQ(p.fetch, mode == PREFETCH_ON || (mode == PREFETCH_AUTO && !processor));
        }
}

TEST(PlanShape, NeverCutsWholeRows) {
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

TEST(PlanShape, CountsThePlanesThatAPeriodicPassReadsTwice) {
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

TEST(PlanShape, WeighsDepthAgainstTheWedgeOfAPeriodicGrid) {
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

TEST(PlanShape, NeverUnrollsMoreThanTheGrid) {
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

TEST(PlanShape, RingOfTilesHoldsEveryTileWide) {
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

} // namespace
