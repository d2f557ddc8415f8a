// Whole runs of programs that are periodic in the streamed dimension, have temps, four dimensions or integer
// fields; the naive loop has the last word.
#include "runtime_circle.h"
#include "runtime_layers.h"
#include "runtime_ring.h"

#include <gtest/gtest.h>

namespace {

struct Way {
    const char *name, *options;
};
const Way ways[] = {
    {"InPlaceResident", "--engine memory --schedule resident"},
    {"InPlaceOneStep", "--engine memory --schedule resident --bt 1"},
    {"InPlaceShortPasses", "--engine memory --schedule resident --bt 3 --bz 5 --ct 2"},
    {"InPlaceThinSlabs", "--engine memory --schedule resident --bt 3 --bz 1"},
    {"InPlaceSweep", "--engine memory --schedule sweep"},
    {"MemoryStream", "--engine memory --schedule stream --bt 3 --bz 2 --ct 1"},
    {"MemoryStreamChosen", "--engine memory --schedule stream"},
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
    {"AioStreamDeep", "--engine aio --schedule stream --bt 5 --bz 2"},
    {"AioStreamOneSlab", "--engine aio --schedule stream --bt 2 --bz 60"},
    {"MemoryOverlap", "--engine memory --schedule overlap --bt 3 --bz 4 --ct 2"},
    {"MmapOverlapThinBlocks", "--engine mmap --schedule overlap --bt 4 --bz 1"},
    {"AioOverlap", "--engine aio --schedule overlap --bt 3 --bz 5 --ct 1"},
    {"AioOverlapTwoBlocks", "--engine aio --schedule overlap --bt 5 --bz 6"},
    {"AioOverlapChosen", "--engine aio --schedule overlap"},
    {"AioResident", "--engine aio --schedule resident"},
};

void PrintTo(const Way &way, std::ostream *out) {
    *out << way.options;
}

class EveryWay : public testing::TestWithParam<Way> {
  protected:
    void SetUp() override {
        if (!trial::works(GetParam().options)) GTEST_SKIP() << "no direct I/O here";
    }
    // What the plan says will be moved is what the engine counts.
    static void expectPredicted(const std::string &report) {
        for (const char *member :
             {"read_bytes", "write_bytes", "import_write_bytes", "export_read_bytes", "passes"}) {
            const std::vector<int64_t> numbers = trial::numbersOf(report, member);
            ASSERT_EQ(numbers.size(), 2U) << member;
            EXPECT_EQ(numbers[0], numbers[1]) << member;
        }
    }
};

TEST_P(EveryWay, RingGivesTheBitsOfTheNaiveLoop) {
    for (const int64_t size : {11, 12, 29})
        for (const int steps : {0, 1, 7}) {
            ring::n = size;
            ring::Trial run;
            ASSERT_EQ(run(GetParam().options + std::string(" --report report.json --steps ") +
                          std::to_string(steps) + " -D n=" + std::to_string(size)),
                      0)
                << run.errors();
            EXPECT_TRUE(run.matches(steps)) << size << " planes, " << steps << " steps";
            expectPredicted(run.output("report.json"));
        }
    ring::n = 12;
}

TEST_P(EveryWay, CircleGivesTheBitsOfTheNaiveLoop) {
    for (const int64_t size : {5000, 3000}) { // 10 and 6 blocks, the last ones shorter
        circle::n = size;
        trial::Trial run(circle::description);
        ASSERT_EQ(run(GetParam().options + std::string(" --report report.json -D n=") + std::to_string(size)),
                  0)
            << run.errors();
        EXPECT_TRUE(trial::holds(run.output("u.raw"), circle::naive(11))) << size;
        expectPredicted(run.output("report.json"));
    }
}

TEST_P(EveryWay, LayersGiveTheBitsOfTheNaiveLoop) {
    for (const int steps : {0, 1, 7}) {
        layers::Trial run;
        ASSERT_EQ(
            run(GetParam().options + std::string(" --report report.json --steps ") + std::to_string(steps)),
            0)
            << run.errors();
        EXPECT_TRUE(run.matches(steps)) << steps << " steps";
        expectPredicted(run.output("report.json"));
    }
}

TEST_P(EveryWay, BytesAreThosePredictedWhereOutputsCutPasses) {
    const int64_t every = 3;
    const oocc_output outputs[] = {{ring::U, "u-{t}.raw", &every}};
    oocc_program program = ring::description;
    program.outputs = 1;
    program.output = outputs;
    trial::Trial run(program);
    ASSERT_EQ(run(GetParam().options + std::string(" --report report.json")), 0) << run.errors();
    for (const int64_t level : {3, 6})
        EXPECT_TRUE(trial::holds(run.output(("u-" + std::to_string(level) + ".raw").c_str()),
                                 ring::naive(level).uLevels.back()))
            << level;
    for (const char *member : {"read_bytes", "write_bytes", "passes"}) {
        const std::vector<int64_t> numbers = trial::numbersOf(run.output("report.json"), member);
        ASSERT_EQ(numbers.size(), 2U) << member;
        EXPECT_EQ(numbers[0], numbers[1]) << member;
    }
}

TEST(Predicted, BytesIncludeTheLookBeforeTheFirstStep) {
    double value = 0;
    const oocc_watch watch = {"level", OOCC_MAX, &value, nullptr, true};
    oocc_program program = ring::description;
    program.watches = 1;
    program.watch = &watch;
    for (const char *steps : {"0", "5"}) {
        trial::Trial run(program);
        ASSERT_EQ(run("--engine mmap --schedule stream --report report.json --steps " + std::string(steps)),
                  0)
            << run.errors();
        for (const char *member : {"read_bytes", "write_bytes", "passes"}) {
            const std::vector<int64_t> numbers = trial::numbersOf(run.output("report.json"), member);
            ASSERT_EQ(numbers.size(), 2U) << member;
            EXPECT_EQ(numbers[0], numbers[1]) << member;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Ways, EveryWay, testing::ValuesIn(ways),
                         [](const testing::TestParamInfo<Way> &info) { return info.param.name; });

std::string hashOf(const std::string &report) {
    const size_t at = report.find("result_hash");
    return at == std::string::npos ? "" : report.substr(at, 40);
}

TEST(ResultHash, IsTheSameForEveryWay) {
    std::string first;
    for (const Way &way : ways) {
        if (!trial::works(way.options)) continue;
        ring::Trial run;
        ASSERT_EQ(run(way.options + std::string(" --report report.json")), 0) << run.errors();
        const std::string hash = hashOf(run.output("report.json"));
        ASSERT_FALSE(hash.empty());
        if (first.empty()) first = hash;
        EXPECT_EQ(hash, first) << way.name;
    }
}

TEST(Resume, KilledRingGoesOnFromItsLastCommit) {
    for (const std::string &engine : trial::engines())
        for (const int64_t slab : {0, 4, 9}) {
            ring::Trial run;
            const std::string options = "--engine " + engine + " --schedule stream --bt 2 --bz 2 --commit-every 0";
            trial::signalNumber = SIGKILL;
            trial::signalLevel = 2;
            trial::signalSlab = slab;
            ASSERT_EQ(run(options), 128 + SIGKILL);
            trial::signalNumber = 0;
            ASSERT_EQ(run("--engine mmap --schedule stream --bt 3 --bz 1 --resume"), 0) << run.errors();
            EXPECT_TRUE(run.matches(7));
        }
}

TEST(Damage, IsFoundInPlanesThatAreReadAgain) {
    ring::Trial run;
    trial::signalNumber = SIGKILL;
    trial::signalLevel = 2;
    trial::signalSlab = 0;
    ASSERT_EQ(run("--engine mmap --schedule stream --bt 2 --bz 2 --commit-every 0"), 128 + SIGKILL);
    trial::signalNumber = 0;
    std::fstream file(run.scratch() / "gen1", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(11 * 4096 + 64); // u's last plane: the first pass after this reads it as unrolled plane 3
    file.put('\x55');
    file.close();
    EXPECT_EQ(run("--resume"), OOCC_CORRUPT);
    EXPECT_NE(run.errors().find("field u, plane 11, level 2"), std::string::npos) << run.errors();
}

TEST(Depth, IsLimitedByThePlanesOfARing) {
    ring::Trial run;
    EXPECT_EQ(run("--schedule stream --bt 6"), OOCC_USAGE);
    EXPECT_NE(
        run.errors().find("bt 6 is too deep for a periodic z: a pass would read 12 planes before the grid "
                          "and 13 after it, but the grid has 12"),
        std::string::npos)
        << run.errors();
    EXPECT_NE(run.errors().find("bt is at most 5"), std::string::npos) << run.errors();
    ASSERT_EQ(run("--plan --schedule stream --bt 5"), 0) << run.errors();
    EXPECT_NE(run.output("out").find("periodic along z: each pass also reads and recomputes 10 + 11 planes"),
              std::string::npos)
        << run.output("out");
}

TEST(Extent, SmallerThanAWedgeIsRefused) {
    ring::n = 2;
    ring::Trial run;
    EXPECT_EQ(run("-D n=2"), OOCC_BAD_INPUT);
    EXPECT_NE(run.errors().find("2 cells along z, which is periodic: a step needs at least 3"),
              std::string::npos)
        << run.errors();
    ASSERT_EQ(run("-D n=3"), 0) << run.errors();
    ring::n = 3;
    EXPECT_TRUE(run.matches(7));
    ring::n = 12;
}

TEST(Extent, ShortCircleIsCutIntoEnoughBlocks) {
    for (circle::n = 1; circle::n < 80; circle::n++) {
        trial::Trial run(circle::description);
        ASSERT_EQ(run("--engine memory --schedule stream -D n=" + std::to_string(circle::n)), 0)
            << run.errors();
        EXPECT_TRUE(trial::holds(run.output("u.raw"), circle::naive(11))) << circle::n;
    }
}

TEST(Bools, AreZeroOrOneInAFile) {
    layers::Trial run;
    std::vector<uint8_t> mask = layers::naive(0).mask;
    mask[40] = 2;
    run.writeMask(mask);
    for (const char *engine : {"memory", "mmap"}) {
        EXPECT_EQ(run(std::string("--engine ") + engine), OOCC_BAD_INPUT);
        EXPECT_NE(run.errors().find("w.raw: a bool is 0 or 1, but byte 40 is 2"), std::string::npos)
            << run.errors();
    }
}

TEST(Temps, AreNeitherStoredNorNamedInTheManifest) {
    layers::Trial run;
    ASSERT_EQ(run("--engine mmap --schedule stream --bt 2 --bz 2 --keep"), 0) << run.errors();
    const std::string manifest = trial::readFile(run.scratch() / "manifest");
    EXPECT_NE(manifest.find(" m u8 state"), std::string::npos) << manifest;
    EXPECT_NE(manifest.find(" k i64 state"), std::string::npos) << manifest;
    EXPECT_NE(manifest.find(" w bool coef"), std::string::npos) << manifest;
    EXPECT_EQ(manifest.find(" q "), std::string::npos) << manifest;
    EXPECT_EQ(std::filesystem::file_size(run.scratch() / "gen0"), 2 * 9 * 4096U);
}

} // namespace
