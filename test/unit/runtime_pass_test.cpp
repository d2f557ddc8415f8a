#include "runtime_waves.h"

#include <gtest/gtest.h>

using waves::Trial;

namespace {

struct Way {
    const char *name, *options;
};

const Way ways[] = {
    {"InPlaceResident", "--engine memory --schedule resident"},
    {"InPlaceResidentShortPasses", "--engine memory --schedule resident --bt 3 --bz 5 --ct 2"},
    {"InPlaceSweep", "--engine memory --schedule sweep"},
    {"MemoryStream", "--engine memory --schedule stream --bt 3 --bz 2 --ct 1"},
    {"MmapSweep", "--engine mmap --schedule sweep"},
    {"MmapStream", "--engine mmap --schedule stream --bt 4 --bz 1 --ct 2"},
    {"MmapResident", "--engine mmap --schedule resident"},
    {"UringSweep", "--engine uring --schedule sweep"},
    {"UringStream", "--engine uring --schedule stream --bt 3 --bz 2 --io-request 4K"},
    {"UringResident", "--engine uring --schedule resident"},
    {"ThreadsStream", "--engine threads --schedule stream --bt 4 --bz 3 --io-depth 3"},
    {"SwapSweep", "--engine swap --schedule sweep"},
    {"SwapStream", "--engine swap --schedule stream --bt 3 --bz 2"},
    {"SwapResident", "--engine swap --schedule resident"},
    {"AioSweep", "--engine aio --schedule sweep"},
    {"AioStream", "--engine aio --schedule stream --bt 3 --bz 3"},
    {"AioStreamOneSlab", "--engine aio --schedule stream --bt 2 --bz 40"},
    {"MemoryOverlap", "--engine memory --schedule overlap --bt 3 --bz 4 --ct 2"},
    {"MmapOverlapThinBlocks", "--engine mmap --schedule overlap --bt 4 --bz 1"},
    {"AioOverlap", "--engine aio --schedule overlap --bt 3 --bz 5 --ct 1"},
    {"AioOverlapTwoBlocks", "--engine aio --schedule overlap --bt 5 --bz 6"},
    {"AioOverlapChosen", "--engine aio --schedule overlap"},
    {"AioResident", "--engine aio --schedule resident"},
    {"AioResidentManyCommits", "--engine aio --schedule resident --commit-every 0.000000001"},
};

void PrintTo(const Way &way, std::ostream *out) {
    *out << way.options;
}

class EveryWay : public testing::TestWithParam<Way> {
  protected:
    void SetUp() override {
        if (!waves::works(GetParam().options)) GTEST_SKIP() << "no direct I/O here";
    }
};

TEST_P(EveryWay, GivesTheBitsOfTheNaiveLoop) {
    for (const int64_t size : {12, 29}) {
        waves::n = size;
        Trial run;
        ASSERT_EQ(run(GetParam().options + std::string(" --steps 7 -D n=") + std::to_string(size)), 0)
            << run.errors();
        EXPECT_TRUE(run.matches(7));
        EXPECT_FALSE(std::filesystem::exists(run.scratch())) << "the scratch is removed";
    }
    waves::n = 12;
}

TEST_P(EveryWay, ZeroStepsGiveTheInitialValues) {
    Trial run;
    ASSERT_EQ(run(GetParam().options + std::string(" --steps 0")), 0) << run.errors();
    EXPECT_TRUE(run.matches(0));
}

INSTANTIATE_TEST_SUITE_P(Ways, EveryWay, testing::ValuesIn(ways),
                         [](const testing::TestParamInfo<Way> &info) { return info.param.name; });

TEST(Coefficients, AreReadOncePerPassAndNeverWritten) {
    Trial run;
    ASSERT_EQ(run("--engine mmap --schedule stream --bt 2 --bz 3 --steps 7 --report report.json"), 0) << run.errors();
    const std::string report = run.output("report.json");
    const auto one = [&](const char *member) { return trial::numbersOf(report, member).back(); };
    ASSERT_EQ(one("passes"), 4);
    ASSERT_GT(one("coef_bytes"), 0);
    EXPECT_EQ(one("read_bytes"), 4 * (one("state_bytes") + one("coef_bytes")));
    EXPECT_EQ(one("write_bytes"), 4 * one("state_bytes"));
    EXPECT_EQ(one("import_write_bytes"), one("state_bytes") + one("coef_bytes"));
}

TEST(Report, SaysHowRequestsWereMade) {
    Trial run;
    ASSERT_EQ(run("--engine threads --schedule stream --io-depth 2 --io-request 8K --report report.json"), 0)
        << run.errors();
    const std::string report = run.output("report.json");
    EXPECT_EQ(trial::numbersOf(report, "io_request_bytes"), std::vector<int64_t>{8192});
    const std::vector<int64_t> depth = trial::numbersOf(report, "io_depth"); // asked for, then used
    ASSERT_EQ(depth.size(), 2U);
    EXPECT_EQ(depth[0], 2);
    EXPECT_GE(depth[1], 1);
    EXPECT_LE(depth[1], 2);
    EXPECT_NE(run.output("out").find("of up to 8.0 KiB, up to "), std::string::npos) << run.output("out");
}

std::string hashOf(const std::string &report) {
    const size_t at = report.find("result_hash");
    return at == std::string::npos ? "" : report.substr(at, 40);
}

TEST(ResultHash, IsTheSameForEveryWay) {
    std::string first;
    for (const Way &way : ways) {
        if (!waves::works(way.options)) continue;
        Trial run;
        ASSERT_EQ(run(way.options + std::string(" --report report.json")), 0) << run.errors();
        const std::string hash = hashOf(run.output("report.json"));
        ASSERT_FALSE(hash.empty());
        if (first.empty()) first = hash;
        EXPECT_EQ(hash, first) << way.name;
    }
}

class Interrupted : public testing::Test {
  protected:
    ~Interrupted() override { waves::signalNumber = 0; }
    // A pass that is so slow that it is given up, not finished.
    void signalSlowlyAt(int number, int64_t level, int64_t slab) {
        signalAt(number, level, slab);
        trial::slabMicroseconds = 1800000;
    }
    void signalAt(int number, int64_t level, int64_t slab) {
        trial::slabMicroseconds = 0;
        waves::signalNumber = number;
        waves::signalLevel = level;
        waves::signalSlab = slab;
    }
};

TEST_F(Interrupted, KilledRunGoesOnFromItsLastCommit) {
    for (const std::string &engine : waves::engines())
        for (const int64_t slab : {0, 2, 5}) {
            Trial run;
            const std::string options = "--engine " + engine + " --schedule stream --bt 2 --bz 2 --commit-every 0";
            signalAt(SIGKILL, 2, slab);
            ASSERT_EQ(run(options), 128 + SIGKILL);
            waves::signalNumber = 0;
            EXPECT_EQ(run(options), OOCC_NO_SPACE) << "neither --resume nor --restart";
            EXPECT_NE(run.errors().find("--resume"), std::string::npos);
            ASSERT_EQ(run(options + " --resume"), 0) << run.errors();
            EXPECT_TRUE(run.matches(7));
            EXPECT_FALSE(std::filesystem::exists(run.scratch()));
        }
}

TEST_F(Interrupted, AnotherEngineAndScheduleMayGoOn) {
    Trial run;
    signalAt(SIGKILL, 3, 1);
    ASSERT_EQ(run("--engine " + waves::engines().front() + " --schedule stream --bt 3 --bz 2 --commit-every 0"),
              128 + SIGKILL);
    waves::signalNumber = 0;
    ASSERT_EQ(run("--engine mmap --schedule sweep --resume"), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
}

TEST_F(Interrupted, OverlapAndStreamGoOnWithEachOther) {
    const std::string stream = "--schedule stream --bt 3 --bz 2 --commit-every 0", overlap = "--schedule overlap --bt 2 --bz 4 --commit-every 0";
    for (const auto &[first, second] : {std::pair{stream, overlap}, std::pair{overlap, stream}}) {
        Trial run;
        signalAt(SIGKILL, 3, 0);
        ASSERT_EQ(run("--engine mmap " + first), 128 + SIGKILL);
        waves::signalNumber = 0;
        ASSERT_EQ(run("--engine " + waves::engines().front() + " " + second + " --resume"), 0) << run.errors();
        EXPECT_TRUE(run.matches(7)) << first;
    }
}

TEST_F(Interrupted, OverlapStopsAtTheNextBlock) {
    Trial run;
    signalSlowlyAt(SIGINT, 2, 0);
    ASSERT_EQ(run("--engine mmap --schedule overlap --bt 2 --bz 4"), OOCC_STOPPED);
    EXPECT_NE(run.errors().find("level 2 of 7 is safe"), std::string::npos) << run.errors();
    waves::signalNumber = 0;
    ASSERT_EQ(run("--resume"), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
}

TEST_F(Interrupted, StopsAtTheNextSlabAndSaysHowToGoOn) {
    Trial run;
    signalSlowlyAt(SIGINT, 2, 1);
    ASSERT_EQ(run("--engine " + waves::engines().front() + " --schedule stream --bt 2 --bz 2"), OOCC_STOPPED);
    EXPECT_NE(run.errors().find("level 2 of 7 is safe"), std::string::npos) << run.errors();
    EXPECT_NE(run.errors().find("level 2 to 4 was under way"), std::string::npos) << run.errors();
    EXPECT_EQ(run.errors().find("error"), std::string::npos) << run.errors();
    EXPECT_FALSE(std::filesystem::exists(run.directory / "u.raw"));
    waves::signalNumber = 0;
    ASSERT_EQ(run("--resume"), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
}

TEST_F(Interrupted, PassThatIsSoonDoneIsFinished) {
    Trial run;
    signalAt(SIGTERM, 2, 1);
    ASSERT_EQ(run("--engine mmap --schedule stream --bt 2 --bz 2"), OOCC_STOPPED);
    EXPECT_NE(run.errors().find("level 4 of 7 is safe"), std::string::npos) << run.errors();
    waves::signalNumber = 0;
    ASSERT_EQ(run("--resume"), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
}

TEST_F(Interrupted, RestartDiscards) {
    Trial run;
    signalAt(SIGKILL, 2, 1);
    ASSERT_EQ(run("--engine " + waves::engines().front() + " --schedule stream --bt 2 --bz 2"),
              128 + SIGKILL);
    waves::signalNumber = 0;
    ASSERT_EQ(
        run("--engine " + waves::engines().front() + " --schedule stream --bt 2 --bz 2 --steps 3 --restart"),
        0)
        << run.errors();
    EXPECT_TRUE(run.matches(3));
}

TEST(Keep, LaterRunAddsSteps) {
    Trial run;
    ASSERT_EQ(
        run("--engine " + waves::engines().front() + " --schedule stream --bt 2 --bz 2 --steps 4 --keep"), 0)
        << run.errors();
    EXPECT_TRUE(run.matches(4));
    EXPECT_EQ(run("--resume --steps 3"), OOCC_BAD_INPUT);
    ASSERT_EQ(run("--resume --steps 9"), 0) << run.errors();
    EXPECT_TRUE(run.matches(9));
}

TEST(Report, CountsTheBytesOfThePasses) {
    Trial run;
    ASSERT_EQ(run("--engine " + waves::engines().front() +
                  " --schedule stream --bt 3 --bz 2 --steps 6 --report report.json"),
              0)
        << run.errors();
    // 12 planes of u (12 KiB: rows of 192 bytes), v at two levels, c; two passes.
    const std::string report = run.output("report.json");
    EXPECT_NE(report.find("\"passes\": 2"), std::string::npos) << report;
    EXPECT_EQ(report.find("\"read_bytes\": 0"), std::string::npos) << report;
}

} // namespace
