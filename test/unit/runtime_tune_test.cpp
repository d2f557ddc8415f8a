// Runs that measure and tune before they compute: the results are the same, and the winner is used again.
#include "runtime_observed.h"
#include "runtime_waves.h"

#include <gtest/gtest.h>

extern "C" {
#include "tuning/mover.h"
#include "tuning/probe.h"
#include "tuning/probe_device.h"
}

#include <fstream>
#include <sstream>
#include <unistd.h>

namespace {

using waves::Trial;

const char *const ways[] = {
    "--engine memory --schedule resident",
    "--engine memory --schedule stream --memory 64M",
    "--engine mmap --schedule stream --memory 64M",
    "--engine aio --schedule stream --memory 64M",
    "--engine mmap --schedule resident",
};

std::vector<std::string> cached(const Trial &run) {
    std::vector<std::string> names;
    if (std::filesystem::exists(run.directory / "cache"))
        for (const auto &entry : std::filesystem::directory_iterator(run.directory / "cache"))
            names.push_back(entry.path().filename());
    return names;
}

int kept(const Trial &run, const std::string &kind) {
    int count = 0;
    for (const std::string &name : cached(run))
        count += name.rfind(kind, 0) == 0;
    return count;
}

// As if what is kept of the loops had not been probed.
bool onlyTriedByRuns(const Trial &run) {
    for (const std::string &name : cached(run)) {
        if (name.rfind("kernel", 0) != 0) continue;
        const auto path = run.directory / "cache" / name;
        std::stringstream text;
        text << std::ifstream(path).rdbuf();
        std::string all = text.str();
        const std::string probed = "\"probed\": 1";
        const size_t at = all.find(probed);
        if (at == std::string::npos) return false;
        std::ofstream(path) << all.replace(at, probed.size(), "\"probed\": 0");
        return true;
    }
    return false;
}

TEST(Probe, ChangesNoBits) {
    for (const char *way : ways) {
        if (!trial::works(way)) continue;
        SCOPED_TRACE(way);
        Trial run;
        ASSERT_EQ(run(std::string(way) + " --probe now --steps 9 --memory 300M"), 0) << run.errors();
        EXPECT_TRUE(run.matches(9));
        EXPECT_FALSE(std::filesystem::exists(run.scratch()));
        EXPECT_NE(run.errors().find("measuring"), std::string::npos) << run.errors();
    }
}

TEST(Probe, IsLeftOutOfShortRuns) {
    Trial run;
    ASSERT_EQ(run("--engine mmap --schedule stream"), 0) << run.errors();
    EXPECT_EQ(run.errors(), "");
    EXPECT_TRUE(cached(run).empty());
}

// `now` measures all of it anew, and what was found of other programs' loops goes by figures that are no more.
TEST(Probe, OnceMeasuresWhatIsMissing) {
    Trial run;
    const std::string options = "--engine mmap --schedule stream --memory 1200M --plan ";
    ASSERT_EQ(run(options + "--probe once"), 0) << run.errors();
    EXPECT_NE(run.errors().find("measuring"), std::string::npos) << run.errors();
    if (kept(run, "machine") == 0 || kept(run, "device") == 0 || kept(run, "kernel") == 0)
        GTEST_SKIP() << "the machine is too busy for measurements that can be kept";
    ASSERT_EQ(run(options + "--probe once"), 0) << run.errors();
    EXPECT_EQ(run.errors(), "") << "all of it is there";
    ASSERT_TRUE(onlyTriedByRuns(run));
    ASSERT_EQ(run(options + "--probe once"), 0) << run.errors();
    EXPECT_NE(run.errors().find("measuring the program's loops:"), std::string::npos) << run.errors();
    ASSERT_EQ(run(options + "--probe now"), 0) << run.errors();
    EXPECT_NE(run.errors().find("measuring"), std::string::npos) << run.errors();
}

TEST(Probe, KeepsTheBudget) {
    Trial run;
    ASSERT_EQ(run("--engine mmap --schedule stream --probe now --memory 48M --report r.json"), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
    EXPECT_LE(trial::numbersOf(run.output("r.json"), "peak_bytes").at(0), 48 << 20);
}

// Even so small a budget has room for arrays that a core's own cache does not hold: they tell what this run will see of memory, and
// nothing of runs with more. (One core: where own caches are large, all of them together may be more than the budget.)
TEST(Probe, MeasuresMemoryInTheRoomThereIs) {
    Trial run;
    const std::string options = "--engine mmap --schedule stream --threads 1 --plan --probe once ";
    for (int i = 0; i < 3 && (kept(run, "machine") == 0 || kept(run, "kernel") == 0); i++) { // a machine may be busy for a while
        ASSERT_EQ(run(options + "--memory 80M"), 0) << run.errors();
        ASSERT_EQ(run.errors().find("measuring them takes"), std::string::npos) << "there is room: " << run.errors();
        ASSERT_NE(run.errors().find("memory and caches"), std::string::npos) << run.errors();
    }
    if (kept(run, "machine") == 0 || kept(run, "kernel") == 0)
        GTEST_SKIP() << "the machine is too busy for measurements that can be kept";
    ASSERT_EQ(run(options + "--memory 81M"), 0) << run.errors();
    EXPECT_EQ(run.errors(), "") << "as much, of a power of two";
    ASSERT_EQ(run(options + "--memory 1200M"), 0) << run.errors();
    EXPECT_NE(run.errors().find("memory and caches"), std::string::npos) << run.errors();
    if (kept(run, "machine") < 2) GTEST_SKIP() << "the machine is too busy for measurements that can be kept";
    ASSERT_EQ(run(options + "--memory 160M"), 0) << run.errors();
    EXPECT_EQ(run.errors().find("memory and caches"), std::string::npos) << "the better ones are there: " << run.errors();
}

TEST(Probe, FindsRoomForArraysThatAreSeveralTimesTheCaches) {
    constexpr int64_t mebibyte = 1 << 20;
    machine host{};
    host.cores = 2;
    host.l2_bytes = 2 * mebibyte;
    host.l3_bytes = 130 * mebibyte;
    const auto bytes = [&](int64_t room) { return probe_memory_bytes(&host, 2, room * mebibyte) / mebibyte; };
    EXPECT_EQ(bytes(100000), 1024);
    EXPECT_EQ(bytes(1023), 512);
    EXPECT_EQ(bytes(128), 128);
    EXPECT_EQ(bytes(127), 64);
    EXPECT_EQ(bytes(16), 16) << "several times the cores' own caches";
    EXPECT_EQ(bytes(15), 0);
    EXPECT_EQ(bytes(-5), 0);
    host.l3_bytes = 16 * mebibyte;
    EXPECT_EQ(bytes(1023), 144);
    host.l2_bytes = host.l3_bytes = 0;
    EXPECT_EQ(bytes(1023), 64);
}

// Memory takes arrays larger than such a budget; the loops of the program do not.
TEST(Probe, TimesLoopsWhereMemoryIsNotMeasured) {
    Trial run;
    const std::string options = "--engine mmap --schedule stream --memory 30M --plan --json ";
    const auto points = [&] {
        const std::string plan = run.output("out");
        return trial::numbersOf(plan.substr(plan.find("\"kernel\"")), "points").at(0);
    };
    ASSERT_EQ(run(options + "--probe off"), 0) << run.errors();
    EXPECT_EQ(points(), 0);
    ASSERT_EQ(run(options + "--probe now"), 0) << run.errors();
    EXPECT_GT(points(), 0) << run.output("out");
    EXPECT_NE(run.errors().find("nominal figures stand in"), std::string::npos) << run.errors();
    EXPECT_EQ(kept(run, "machine"), 0);
    if (kept(run, "kernel") == 0) GTEST_SKIP() << "the machine is too busy for measurements that can be kept";
    ASSERT_EQ(run(options), 0) << run.errors();
    EXPECT_GT(points(), 0) << "what was kept is read";
    EXPECT_EQ(run.errors(), "");
}

TEST(Probe, MovesLessWhereThereIsLittleRoom) {
    constexpr int64_t mebibyte = 1 << 20;
    const auto part = [](int64_t room, int64_t most = int64_t{32} << 20) {
        const Trial run;
        struct plan plan = {};
        struct probing probing;
        plan.engine = "mmap";
        plan.io_request_bytes = 4 * mebibyte;
        const bool good = probing_open(&probing, &plan, run.directory.c_str(), room, most);
        probing_close(&probing);
        return good ? probing.part : 0;
    };
    EXPECT_EQ(part(256 * mebibyte), 32 * mebibyte);
    EXPECT_EQ(part(256 * mebibyte, 8 * mebibyte), 8 * mebibyte);
    EXPECT_EQ(part(24 * mebibyte), 4 * mebibyte) << "whole requests";
    EXPECT_EQ(part(15 * mebibyte), 3 * mebibyte) << "all that there is room for";
    EXPECT_EQ(part(5 * mebibyte), 0) << "not enough to measure anything";
}

// Batches are of 8 MiB. Two each way are under way when it is stopped, and one may have been late.
TEST(Probe, MovesNoMoreThanThePace) {
    constexpr int64_t mebibyte = 1 << 20;
    constexpr double pace = 40.0 * mebibyte, ahead = 5 * 8.0 * mebibyte;
    const Trial run;
    struct plan plan = {};
    struct mover mover;
    plan.engine = "mmap";
    plan.io_request_bytes = 4 * mebibyte;
    ASSERT_TRUE(mover_open(&mover, &plan, run.directory.c_str(), 256 * mebibyte));
    const auto moved = [&](double of) {
        const double began = machine_seconds();
        EXPECT_TRUE(mover_start(&mover, of));
        usleep(300000);
        const double rate = mover_stop(&mover);
        return rate * (machine_seconds() - began);
    };
    const double began = machine_seconds(), slow = moved(pace), seconds = machine_seconds() - began;
    EXPECT_GT(slow, 0);
    EXPECT_LE(slow, pace * seconds + ahead);
    EXPECT_GT(moved(0), 0);
    mover_close(&mover);
}

TEST(Probe, OffIsNominalWhateverTheCacheHas) {
    Trial run;
    ASSERT_EQ(run("--engine mmap --schedule stream --plan --json --probe off"), 0) << run.errors();
    EXPECT_NE(run.output("out").find("\"basis\": \"nominal\""), std::string::npos);
}

TEST(Probe, KnowsTheCoreInAnyOtherCase) {
    Trial run;
    ASSERT_EQ(run("--engine mmap --schedule stream --plan --json"), 0) << run.errors();
    EXPECT_NE(run.output("out").find("\"basis\": \"partly measured\""), std::string::npos) << run.output("out");
    core_figures core{};
    probe_core(&core);
    EXPECT_TRUE(core.measured);
    EXPECT_GT(core.flops, 2 * core.cells) << "27 points are more than one operation";
    EXPECT_LT(core.flops, 60 * core.cells) << "and cost more than 7";
}

TEST(Tune, ChangesNoBitsAndIsUsedAgain) {
    for (const char *way : ways) {
        if (!trial::works(way)) continue;
        SCOPED_TRACE(way);
        Trial run;
        const std::string options = std::string(way) + " --probe off --steps 9 ";
        ASSERT_EQ(run(options + "--tune --tune-seconds 0.5 --report r.json"), 0) << run.errors();
        EXPECT_TRUE(run.matches(9));
        EXPECT_FALSE(std::filesystem::exists(run.scratch()));
        ASSERT_EQ(kept(run, "tuned-"), 1) << run.errors();
        const auto bt = trial::numbersOf(run.output("r.json"), "bt"), bz = trial::numbersOf(run.output("r.json"), "bz");

        ASSERT_EQ(run(options + "--plan --json"), 0) << run.errors();
        EXPECT_NE(run.output("out").find("\"tuned\": \"2"), std::string::npos) << run.output("out");
        EXPECT_EQ(trial::numbersOf(run.output("out"), "bt"), bt);
        EXPECT_EQ(trial::numbersOf(run.output("out"), "bz"), bz);
        ASSERT_EQ(run(options), 0) << run.errors();
        EXPECT_TRUE(run.matches(9));
        // What is asked for wins.
        ASSERT_EQ(run(options + "--plan --json --bt 2"), 0) << run.errors();
        EXPECT_NE(run.output("out").find("\"tuned\": null"), std::string::npos) << run.output("out");
    }
}

TEST(Tune, GoesOnFromAnInterruptedRun) {
    Trial run;
    const std::string options = "--engine mmap --schedule stream --probe off --steps 9 ";
    trial::signalNumber = SIGTERM;
    trial::signalLevel = 4;
    EXPECT_EQ(run(options + "--bt 2 --bz 2"), OOCC_STOPPED) << run.errors();
    trial::signalNumber = 0;
    ASSERT_EQ(run(options + "--resume --tune --tune-seconds 0.3"), 0) << run.errors();
    EXPECT_TRUE(run.matches(9));
}

TEST(Tune, LeavesAPlanThatDoesNotFitOutOfAccount) {
    Trial run;
    const std::string options = "--engine mmap --schedule stream --probe off --steps 9 --memory 64M ";
    ASSERT_EQ(run(options + "--tune --tune-seconds 0.3"), 0) << run.errors();
    for (const auto &entry : std::filesystem::directory_iterator(run.directory / "cache")) {
        std::string text = trial::readFile(entry.path());
        const size_t at = text.find("\"tiles\": 1"); // the grid is not tiled
        ASSERT_NE(at, std::string::npos);
        std::ofstream(entry.path()) << text.replace(at, 10, "\"tiles\": 7");
    }
    ASSERT_EQ(run(options), 0) << run.errors();
    EXPECT_NE(run.errors().find("does not fit this run"), std::string::npos) << run.errors();
    EXPECT_TRUE(run.matches(9));
}

TEST(Tune, RefusesWhatContradictsIt) {
    Trial run;
    EXPECT_EQ(run("--tune --bt 3"), OOCC_USAGE);
    EXPECT_NE(run.errors().find("--tune chooses the plan"), std::string::npos) << run.errors();
    EXPECT_EQ(run("--tune --schedule sweep"), OOCC_USAGE);
    EXPECT_EQ(run("--tune-seconds 0"), OOCC_USAGE);
    EXPECT_EQ(run("--probe never"), OOCC_USAGE);
    EXPECT_EQ(run("--bind 3"), OOCC_USAGE);
}

// Records, reductions and points are at work in trials, and leave nothing behind.
TEST(Tune, IsNotSeenByObservers) {
    for (const char *way : {"--engine memory --schedule resident", "--engine mmap --schedule stream"}) {
        SCOPED_TRACE(way);
        observed::reset();
        observed::Trial run;
        const observed::Naive want = run.want();
        ASSERT_EQ(run(std::string(way) + " --tune --tune-seconds 0.3 --probe now"), 0) << run.errors();
        EXPECT_TRUE(run.holds("u.raw", want.level.back().u)) << "the state";
        EXPECT_TRUE(run.holds("traces-u.npy", want.traceU, 128)) << "traces of u";
        EXPECT_EQ(run.lines(), want.lines);
    }
}

TEST(Bind, ChangesNoBits) {
    for (const char *mode : {"on", "off", "auto"}) {
        Trial run;
        ASSERT_EQ(run(std::string("--engine mmap --schedule stream --bind ") + mode), 0) << run.errors();
        EXPECT_TRUE(run.matches(7));
    }
}

} // namespace
