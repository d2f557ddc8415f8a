// Whole runs of a program that observes: every engine and schedule must see the same.
#include "runtime_observed.h"

#include <gtest/gtest.h>

using observed::Naive;
using observed::Trial;

namespace {

const char *const streams[] = {
    "--engine memory --schedule stream --bt 1 --bz 1", "--engine memory --schedule stream --bt 5 --bz 3",
    "--engine mmap --schedule stream --bt 4 --bz 2",   "--engine mmap --schedule sweep",
    "--engine aio --schedule stream --bt 3 --bz 5",    "--engine mmap --schedule resident",
    "--engine memory --schedule overlap --bt 5 --bz 4", "--engine aio --schedule overlap --bt 4 --bz 2",
    "--engine mmap --schedule overlap --bt 1 --bz 3",
};
const char *const inPlace[] = {
    "--engine memory --schedule resident",
    "--engine memory --schedule resident --bt 3 --bz 4 --ct 2",
    "--engine memory --schedule sweep",
};

std::vector<std::string> ways() {
    std::vector<std::string> all(std::begin(inPlace), std::end(inPlace));
    for (const char *way : streams)
        if (trial::works(way)) all.emplace_back(way);
    return all;
}

class Observed : public testing::Test {
  protected:
    Observed() { observed::reset(); }
    ~Observed() override {
        observed::reset();
        observed::steps = 13;
        trial::signalNumber = 0;
    }
};

void expectResults(const Trial &run, const Naive &want) {
    EXPECT_TRUE(run.holds("u.raw", want.level.back().u)) << "the state";
    EXPECT_TRUE(run.holds("traces-u.npy", want.traceU, 128)) << "traces of u";
    EXPECT_TRUE(run.holds("traces-v.npy", want.traceV, 128)) << "traces of v";
    for (size_t t = 4; t < want.level.size(); t += 4)
        EXPECT_TRUE(run.holds("v-" + std::to_string(t) + ".raw", want.level[t].v)) << "the output at " << t;
    EXPECT_EQ(run.files("v-").size(), (want.level.size() - 1) / 4);
    EXPECT_TRUE(run.files(".tmp").empty());
}

TEST_F(Observed, SeesTheSameEveryWay) {
    for (const std::string &way : ways()) {
        SCOPED_TRACE(way);
        Trial run;
        const Naive want = run.want();
        ASSERT_EQ(run(way), 0) << run.errors();
        expectResults(run, want);
        EXPECT_EQ(run.lines(), want.lines);
        EXPECT_FALSE(std::filesystem::exists(run.scratch()));
    }
}

TEST_F(Observed, TracesSayTheirShape) {
    Trial run;
    ASSERT_EQ(run("--engine memory --schedule resident"), 0) << run.errors();
    EXPECT_NE(run.output("traces-u.npy").find("'<f8', 'fortran_order': False, 'shape': (6, 5)"),
              std::string::npos);
    EXPECT_NE(run.output("traces-v.npy").find("'<f4', 'fortran_order': False, 'shape': (13, 5)"),
              std::string::npos);
}

TEST_F(Observed, ShowsWhatItWatchesInPlanAndReport) {
    Trial run;
    ASSERT_EQ(run("--engine mmap --schedule stream --plan"), 0) << run.errors();
    const std::string plan = run.output("out");
    EXPECT_NE(plan.find("5 at 15 cells, from receivers.csv"), std::string::npos) << plan;
    EXPECT_NE(plan.find("u every 2 steps at 5 points to traces-u.npy"), std::string::npos) << plan;
    EXPECT_NE(plan.find("total (sum) every 3 steps"), std::string::npos) << plan;
    EXPECT_NE(plan.find("outputs every 4 steps end a pass"), std::string::npos) << plan;
    const Naive want = run.want();
    ASSERT_EQ(run("--engine memory --schedule resident --report report.json"), 0) << run.errors();
    const std::string report = run.output("report.json");
    char total[64];
    snprintf(total, sizeof total, "\"total\": %.17g", want.level[12].total);
    EXPECT_NE(report.find("\"stopped\": null"), std::string::npos) << report;
    EXPECT_NE(report.find("\"op\": \"max\""), std::string::npos) << report;
    EXPECT_NE(report.find("\"file\": \"receivers.csv\""), std::string::npos) << report;
    const size_t at = report.find("\"total\": ");
    ASSERT_NE(at, std::string::npos) << report;
    EXPECT_EQ(strtod(report.c_str() + at + 9, nullptr), want.level[12].total);
}

// -- stop conditions -----------------------------------------------------------------------------------------

TEST_F(Observed, StopsAfterTheVeryStep) {
    observed::program.stop = observed::stop;
    for (const int64_t every : {1, 2, 5})
        for (const std::string &way : ways()) {
            SCOPED_TRACE(way + " every " + std::to_string(every));
            observed::set.everyChange = every;
            observed::set.changeBelow = -1;
            Trial run;
            // Driven until level 9, it calms down after that: the limit lies between the values at 10 and 11.
            const Naive whole = run.want();
            observed::set.changeBelow = whole.level[10].change * 1.0000001;
            const Naive want = run.want();
            ASSERT_LT(want.level.size(), whole.level.size());
            ASSERT_EQ(run(way + " --report report.json"), 0) << run.errors();
            expectResults(run, want);
            EXPECT_EQ(run.lines(), want.lines);
            const std::string last = std::to_string(want.level.size() - 1);
            EXPECT_NE(run.output("out").find("at t=" + last + ": change < limit"), std::string::npos);
            EXPECT_NE(run.output("report.json").find("\"level\": " + last), std::string::npos);
        }
}

TEST_F(Observed, StoppedRunStaysStoppedWhenItIsResumed) {
    observed::program.stop = observed::stop;
    Trial run;
    observed::set.changeBelow = run.want().level[10].change * 1.0000001;
    const Naive want = run.want();
    ASSERT_EQ(run("--engine mmap --schedule stream --bt 4 --keep"), 0) << run.errors();
    ASSERT_EQ(run("--engine mmap --schedule stream --bt 4 --resume --steps 20"), 0) << run.errors();
    expectResults(run, want);
    EXPECT_EQ(run.lines(), "");
}

// -- nan -------------------------------------------------------------------------------------------------------

TEST_F(Observed, NamesTheFirstNan) {
    for (const std::string &way : ways()) {
        SCOPED_TRACE(way);
        observed::reset();
        observed::set.nanLevel = 7;
        Trial run;
        ASSERT_EQ(run(way), OOCC_BAD_INPUT) << run.errors();
        EXPECT_NE(run.errors().find("field u is nan at t=7, cell (z 5, y 4, x 3)"), std::string::npos)
            << run.errors();
        EXPECT_NE(run.errors().find("time step"), std::string::npos);
        const Naive want = run.want();
        EXPECT_EQ(run.lines(), want.lines.substr(0, want.lines.find("t=7")))
            << "all steps before, none twice";
        EXPECT_TRUE(run.holds("v-4.raw", want.level[4].v));
        EXPECT_EQ(run.files("traces").size(), 0u);
    }
}

TEST_F(Observed, NamesInfinityAndItsSign) {
    observed::set.nanLevel = 3;
    observed::set.nanValue = -std::numeric_limits<double>::infinity();
    Trial run;
    ASSERT_EQ(run("--engine mmap --schedule stream --bt 2"), OOCC_BAD_INPUT);
    EXPECT_NE(run.errors().find("field u is -inf at t=3"), std::string::npos) << run.errors();
}

TEST_F(Observed, NamesTheFieldThatIsNan) {
    observed::set.nanLevel = 7;
    observed::set.nanInV = true;
    for (const std::string &way : ways()) {
        Trial run;
        ASSERT_EQ(run(way), OOCC_BAD_INPUT) << way;
        EXPECT_NE(run.errors().find("field v is nan at t=7, cell (z 5, y 4, x 3)"), std::string::npos)
            << run.errors();
    }
}

TEST_F(Observed, NanInTheInitialValuesIsFoundBeforeAnythingIsComputed) {
    for (const std::string &way : ways()) {
        observed::set.nanLevel = 0;
        Trial run;
        ASSERT_EQ(run(way), OOCC_BAD_INPUT) << way;
        EXPECT_NE(run.errors().find("field u is nan at t=0, cell (z 5, y 4, x 3)"), std::string::npos)
            << run.errors();
        EXPECT_EQ(run.lines(), "");
        EXPECT_FALSE(std::filesystem::exists(run.scratch()));
    }
}

TEST_F(Observed, NanIsLetAloneWhenTheProgramSaysSo) {
    observed::set.nanLevel = 7;
    observed::program.stop_on_nan = false;
    Trial run;
    ASSERT_EQ(run("--engine mmap --schedule stream --bt 4"), 0) << run.errors();
    EXPECT_NE(run.lines().find("t=7  change = nan"), std::string::npos) << run.lines();
}

TEST_F(Observed, StateBeforeNanCanBeResumed) {
    observed::set.nanLevel = 7;
    Trial run;
    ASSERT_EQ(run("--engine mmap --schedule stream --bt 5"), OOCC_BAD_INPUT);
    EXPECT_NE(run.errors().find("level 6 of 13 is safe"), std::string::npos) << run.errors();
    observed::set.nanLevel = -1;
    ASSERT_EQ(run("--resume"), 0) << run.errors();
    expectResults(run, run.want());
}

TEST_F(Observed, StopConditionWinsOverNanAfterIt) {
    observed::program.stop = observed::stop;
    for (const std::string &way : ways()) {
        SCOPED_TRACE(way);
        Trial run;
        observed::set.nanLevel = -1;
        observed::set.changeBelow = -1;
        observed::set.changeBelow = run.want().level[10].change * 1.0000001;
        observed::set.nanLevel = int64_t(run.want().level.size()); // one step later
        if (observed::set.nanLevel > observed::steps) GTEST_SKIP() << "it stops at the end";
        const Naive want = run.want();
        ASSERT_EQ(run(way), 0) << run.errors();
        expectResults(run, want);
    }
}

// -- reductions that feed updates ---------------------------------------------------------------------------------

TEST_F(Observed, ReductionFeedsTheNextStep) {
    observed::program.watches = 3;
    observed::set.coupling = 0.25;
    for (const char *way : {"--engine memory --schedule resident", "--engine memory --schedule sweep",
                            "--engine memory --schedule stream --bz 2", "--engine mmap --schedule stream"}) {
        SCOPED_TRACE(way);
        Trial run;
        const Naive want = run.want();
        ASSERT_EQ(run(way), 0) << run.errors();
        expectResults(run, want);
        EXPECT_EQ(run.lines(), want.lines) << "what feeds is not printed";
    }
}

TEST_F(Observed, FeedingRunIsResumed) {
    observed::program.watches = 3;
    observed::set.coupling = 0.25;
    Trial run;
    ASSERT_EQ(run("--engine mmap --schedule stream --steps 5 --keep"), 0) << run.errors();
    ASSERT_EQ(run("--resume --steps 13"), 0) << run.errors();
    expectResults(run, run.want());
}

// -- traces and outputs of runs that are resumed --------------------------------------------------------------------

TEST_F(Observed, TracesGoOnAfterAKill) {
    for (const std::string &engine : trial::engines())
        for (const int64_t level : {0, 3, 8}) {
            SCOPED_TRACE(engine + " " + std::to_string(level));
            Trial run;
            trial::signalNumber = SIGKILL;
            trial::signalLevel = level;
            trial::signalSlab = 3;
            ASSERT_EQ(run("--engine " + engine + " --schedule stream --bt 3 --bz 2 --commit-every 0"), 128 + SIGKILL);
            trial::signalNumber = 0;
            ASSERT_EQ(run("--engine " + engine + " --schedule stream --bt 5 --bz 2 --resume"), 0)
                << run.errors();
            expectResults(run, run.want());
            EXPECT_FALSE(std::filesystem::exists(run.scratch()));
        }
}

TEST_F(Observed, TracesGoOnWhenStepsAreAdded) {
    Trial run;
    ASSERT_EQ(run("--engine mmap --schedule stream --bt 3 --steps 5 --keep"), 0) << run.errors();
    EXPECT_NE(run.output("traces-v.npy").find("(5, 5)"), std::string::npos);
    ASSERT_EQ(run("--resume --steps 13"), 0) << run.errors();
    expectResults(run, run.want());
}

TEST_F(Observed, MonitorValuesOutliveAKill) {
    // The condition looks at a value that is only known every 5 steps.
    observed::program.stop = observed::stop;
    observed::set.everyChange = 5;
    observed::set.everyTotal = 1;
    Trial run;
    observed::set.changeBelow = run.want().level[10].change * 1.0000001;
    ASSERT_EQ(run("--engine mmap --schedule stream --bt 3 --steps 9 --keep"), 0) << run.errors();
    ASSERT_EQ(run("--engine mmap --schedule stream --bt 3 --resume --steps 13 --report r.json"), 0)
        << run.errors();
    EXPECT_NE(run.output("out").find("at t=10: change < limit"), std::string::npos) << run.output("out");
    expectResults(run, run.want());
}

TEST_F(Observed, OtherPointsAreAnotherRun) {
    Trial run;
    ASSERT_EQ(run("--engine mmap --schedule stream --steps 5 --keep"), 0) << run.errors();
    run.write("receivers.csv", "5 4 3\n6.5 2.25 7.125\n0 0 0\n11 8 16\n3.5 4 9.5\n");
    EXPECT_EQ(run("--resume --steps 13"), OOCC_BAD_INPUT);
    EXPECT_NE(run.errors().find("belongs to another run: it has 'points 0 5"), std::string::npos)
        << run.errors();
}

TEST_F(Observed, LostTracesAreNoticed) {
    Trial run;
    ASSERT_EQ(run("--engine mmap --schedule stream --steps 5 --keep"), 0) << run.errors();
    std::filesystem::resize_file(run.scratch() / "trace1", 40);
    EXPECT_EQ(run("--resume --steps 13"), OOCC_CORRUPT);
    EXPECT_NE(run.errors().find("trace1 is damaged"), std::string::npos) << run.errors();
}

TEST_F(Observed, FewerStepsThanASampleGiveAnEmptyTrace) {
    observed::set.everyU = 100;
    Trial run;
    ASSERT_EQ(run("--engine memory --schedule resident"), 0) << run.errors();
    EXPECT_NE(run.output("traces-u.npy").find("(0, 5)"), std::string::npos);
    EXPECT_EQ(run.output("traces-u.npy").size(), 128u);
}

// -- names and numbers that cannot be ----------------------------------------------------------------------------------

TEST_F(Observed, RefusesTwoOutputsOfOneName) {
    const int64_t every = 4;
    struct {
        const char *first, *second;
        const int64_t *everyFirst;
        const char *named;
    } const cases[] = {{"u.raw", "u.raw", nullptr, "u.raw"},
                       {"u.raw", "u-{t}.raw", &every, "u.raw"},
                       {"u-8.raw", "u-{t}.raw", nullptr, "u-8.raw"},
                       {"u-{t}.raw", "u-{t}.raw", &every, "u-12.raw"}};
    for (const auto &one : cases) {
        const oocc_output outputs[] = {{observed::U, one.first, one.everyFirst},
                                       {observed::V, one.second, &every}};
        observed::program.output = outputs;
        Trial run;
        EXPECT_EQ(run("--engine memory --schedule resident"), OOCC_BAD_INPUT)
            << one.first << " " << one.second;
        EXPECT_NE(run.errors().find(std::string(one.named) + " would be written twice"), std::string::npos)
            << run.errors();
    }
}

TEST_F(Observed, RefusesEveryZero) {
    observed::set.everyTotal = 0;
    Trial run;
    EXPECT_EQ(run("--plan"), OOCC_BAD_INPUT);
    EXPECT_NE(run.errors().find("monitor total: every is 0"), std::string::npos) << run.errors();
}

TEST_F(Observed, RefusesATraceThatCannotBeCreated) {
    observed::records[1].path = "nowhere/traces-v.npy";
    Trial run;
    EXPECT_EQ(run("--engine memory --schedule resident"), OOCC_NO_SPACE);
    EXPECT_NE(run.errors().find("cannot create the record nowhere/traces-v.npy"), std::string::npos)
        << run.errors();
    observed::records[1].path = "traces-v.npy";
}

} // namespace
