#include "runtime_planned.h"

#include <gtest/gtest.h>

namespace {

TEST(PlanRefusal, RefusesWhatMemoryAndSwapCannotHold) {
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

TEST(PlanRefusal, NamesTheSmallestMemoryThatWorks) {
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
TEST(PlanRefusal, RefusalsCountOnColumns) {
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

TEST(PlanRefusal, RefusesADepthThatDoesNotFit) {
    TestProgram test;
    ASSERT_EQ(test.layOut({1024, 1024, 1024}), 0);
    test.options_.memory_bytes = 256 * MiB;
    test.options_.bt = 100;
    const Planned r = make(test, 200);
    EXPECT_EQ(r.status, OOCC_NO_MEMORY);
    EXPECT_NE(r.err.find("bt 100 with bz 1 needs a window of"), std::string::npos) << r.err;
}

TEST(PlanRefusal, RefusesMoreTilesThanSlopesLeaveRowsFor) {
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

TEST(PlanRefusal, RefusesContradictions) {
    TestProgram test;
    ASSERT_EQ(test.layOut({64, 64, 64}), 0);
    test.options_.bt = 2;
    test.options_.ct = 4;
    EXPECT_EQ(make(test, 20).status, OOCC_USAGE);
    test.options_.ct = 0;
    test.options_.schedule = SCHEDULE_SWEEP;
    EXPECT_EQ(make(test, 20).status, OOCC_USAGE);
}

TEST(PlanRefusal, NotesMoreMemoryThanThereIs) {
    TestProgram test;
    ASSERT_EQ(test.layOut({64, 64, 64}), 0);
    test.options_.memory_bytes = 32 * GiB;
    const Planned r = make(test, 20);
    EXPECT_EQ(r.status, 0);
    EXPECT_NE(r.err.find("note: --memory 32.0 GiB is more than the 16.0 GiB available"), std::string::npos)
        << r.err;
}

} // namespace
