// What goes wrong in an application: statuses and messages instead of text on stderr, and nothing that ends the process.
#include "stencils.h"

#include <cmath>
#include <csignal>
#include <limits>

namespace {

/// Nothing may be printed while a test runs.
class EmbedQuietly : public Embed {
  protected:
    void SetUp() override {
        Embed::SetUp();
        ::testing::internal::CaptureStderr();
        ::testing::internal::CaptureStdout();
    }
    void TearDown() override {
        EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
        EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
        Embed::TearDown();
    }
};

TEST_F(EmbedQuietly, OneInstanceAtATime) {
    Driven<Heat> run;
    heat3d_handle *second = run();
    EXPECT_EQ(heat3d_create(&second), OOCC_DENIED);
    EXPECT_EQ(second, nullptr);
    EXPECT_STREQ(heat3d_error(nullptr), "one instance of the stencil is open already; destroy it first");
    heat3d_destroy(nullptr);
}

TEST_F(EmbedQuietly, OptionsAreChecked) {
    Driven<Heat> run(Way{});
    run.fails(heat3d_option(run(), "memroy", "4G"), OOCC_USAGE, "did you mean '--memory'?");
    run.fails(heat3d_option(run(), "memory", "4X"), OOCC_USAGE, "--memory: '4X' is not a size; write for example");
    run.fails(heat3d_option(run(), "memory", nullptr), OOCC_USAGE, "option 'memory' needs a value: SIZE");
    run.fails(heat3d_option(run(), "keep", "yes"), OOCC_USAGE, "option 'keep' takes no value");
    run.fails(heat3d_option(run(), "plan", nullptr), OOCC_USAGE, "option 'plan' prints");
    run.fails(heat3d_option(run(), "kill-at", "pass:begin"), OOCC_USAGE, "option 'kill-at' is for tests of programs on their own");
    run.ok(heat3d_option(run(), "keep", nullptr));
    run.fails(heat3d_set_alpha(run(), std::nan("")), OOCC_USAGE, "is not an f64 value that fits");
    run.ok(heat3d_run(run(), 1)); // and what was refused has left nothing behind
    run.fails(heat3d_option(run(), "memory", "4G"), OOCC_USAGE, "options are set before the first run");
    run.fails(heat3d_set_n(run(), 3), OOCC_USAGE, "parameters are set before the first run");
    run.fails(heat3d_run(run(), -1), OOCC_USAGE, "negative");
}

TEST_F(EmbedQuietly, ContradictoryOptionsCanBeMended) {
    Driven<Heat> run;
    run.ok(heat3d_option(run(), "resume", nullptr));
    run.ok(heat3d_option(run(), "restart", nullptr));
    run.fails(heat3d_run(run(), 1), OOCC_USAGE, "contradict");
    heat3d_destroy(nullptr);
}

TEST_F(EmbedQuietly, SizesThatDoNotFitDoNotEndTheProcess) {
    Driven<Heat> run;
    int64_t extent[3] = {0, 0, 0};
    run.ok(heat3d_set_n(run(), std::numeric_limits<int64_t>::max()));
    run.fails(heat3d_extent(run(), extent), OOCC_BAD_INPUT, "the extent of y does not fit a 64-bit integer");
    run.fails(heat3d_run(run(), 1), OOCC_BAD_INPUT, "does not fit a 64-bit integer");
    run.fails(heat3d_run(run(), 1), OOCC_USAGE, "an earlier call failed");
}

TEST_F(EmbedQuietly, ABudgetThatIsTooSmallIsAnError) {
    Driven<Heat> run({{"engine", "aio"}, {"memory", "1M"}});
    EXPECT_EQ(heat3d_run(run(), 1), OOCC_NO_MEMORY);
    EXPECT_STRNE(heat3d_error(run()), "");
}

TEST_F(EmbedQuietly, PlanesThatAreNotThere) {
    Driven<Wave> run;
    std::vector<float> cells(Wave::cells);
    run.fails(wave2d_read_p(run(), 0, 50, 1, cells.data()), OOCC_USAGE, "the grid has 50");
    run.fails(wave2d_read_p(run(), 0, -1, 1, cells.data()), OOCC_USAGE, "the grid has 50");
    run.fails(wave2d_write_p(run(), 0, 49, 2, cells.data()), OOCC_USAGE, "planes 49 to 50 of field p: the grid has 50");
    run.fails(wave2d_read_p(run(), 2, 0, 1, cells.data()), OOCC_USAGE, "field p keeps 2 levels: there is none 2 steps ago");
    run.ok(wave2d_read_p(run(), 0, 50, 0, cells.data()));
    run.ok(wave2d_read_p(run(), 0, 49, 1, cells.data()));
}

TEST_F(EmbedQuietly, NanEndsTheRun) {
    for (const Way &way : ways()) {
        SCOPED_TRACE(text(way));
        Driven<Heat> run(way);
        run.ok(heat3d_run(run(), 3));
        std::vector<double> plane(Heat::cells, std::nan(""));
        run.ok(heat3d_write_u(run(), 6, 1, plane.data()));
        run.fails(heat3d_run(run(), 5), OOCC_BAD_INPUT, "field u is nan at t=");
        run.fails(heat3d_run(run(), 1), OOCC_USAGE, "an earlier call failed");
        const bool stored = std::filesystem::remove_all("heat3d.scratch") > 0; // kept, as a program keeps it
        EXPECT_EQ(stored, way[1].second != std::string("memory") && way[1].second != std::string("swap"));
    }
}

TEST_F(EmbedQuietly, AnApplicationWithoutInitialValues) {
    for (const Way &way : ways()) {
        SCOPED_TRACE(text(way));
        {
            Driven<Heat> run(way);
            run.ok(heat3d_init_u(run(), [](void *, int64_t, int64_t first, int64_t, void *) { return int(first == 4); }, nullptr));
            run.fails(heat3d_run(run(), 1), OOCC_STOPPED, "the application has no initial values of field u, plane 4");
        }
        EXPECT_FALSE(std::filesystem::exists("heat3d.scratch"));
    }
}

TEST_F(EmbedQuietly, CallbacksMakeNoCalls) {
    Driven<Heat> run;
    Driven<Line> other;
    struct Both {
        heat3d_handle *heat;
        line_handle *line;
        int heatStatus = 0, lineStatus = 0;
        int64_t level = -1;
    } both{run(), other()};
    heat3d_on_progress(run(),
                       [](void *data, const char *, double) {
                           auto *b = static_cast<Both *>(data);
                           b->heatStatus = heat3d_run(b->heat, 1);
                           b->lineStatus = line_run(b->line, 1);
                           b->level = heat3d_level(b->heat);
                           return 0;
                       },
                       &both);
    run.ok(heat3d_run(run(), 2));
    EXPECT_EQ(both.heatStatus, OOCC_DENIED);
    EXPECT_EQ(both.lineStatus, OOCC_DENIED);
    EXPECT_GE(both.level, 0);
    other.ok(line_run(other(), 1));
}

TEST_F(EmbedQuietly, NothingFollowsFinishButReading) {
    Driven<Heat> run;
    run.ok(heat3d_finish(run(), nullptr));
    EXPECT_EQ(run.all().size(), size_t(Heat::planes * Heat::cells));
    run.fails(heat3d_run(run(), 1), OOCC_USAGE, "the run is finished");
    run.fails(heat3d_finish(run(), nullptr), OOCC_USAGE, "the run is finished");
}

TEST_F(EmbedQuietly, ADirectoryThatIsNotThere) {
    Driven<Heat> run({{"schedule", "stream"}, {"engine", "aio"}, {"scratch", "not/there"}});
    EXPECT_EQ(heat3d_run(run(), 1), OOCC_NO_SPACE);
    EXPECT_NE(std::string(heat3d_error(run())).find("not/there"), std::string::npos) << heat3d_error(run());
}

volatile std::sig_atomic_t mine = 0;

int raiseOnce(void *data, const char *phase, double) {
    bool *raised = static_cast<bool *>(data);
    if (std::string_view(phase).starts_with("pass") && !*raised) {
        *raised = true;
        std::raise(SIGINT);
    }
    return 0;
}

TEST_F(EmbedQuietly, SignalsAreTheApplicationsUnlessItSaysOtherwise) {
    std::signal(SIGINT, [](int) { mine = mine + 1; });
    for (bool caught : {false, true}) {
        Driven<Heat> run({{"schedule", "stream"}, {"engine", "aio"}, {"bt", "2"}, {"bz", "2"}});
        bool raised = false;
        mine = 0;
        heat3d_catch_signals(run(), caught);
        heat3d_on_progress(run(), raiseOnce, &raised);
        const int status = heat3d_run(run(), 8);
        EXPECT_EQ(status, caught ? OOCC_STOPPED : OOCC_OK) << heat3d_error(run());
        EXPECT_EQ(mine, caught ? 0 : 1);
        std::raise(SIGINT);
        EXPECT_EQ(mine, caught ? 1 : 2); // it is the application's again
        run.ok(heat3d_run(run(), 8 - heat3d_level(run())));
    }
    std::signal(SIGINT, SIG_DFL);
}

TEST_F(EmbedQuietly, AKeptRunIsGoneOnWithInAnother) {
    const Way way{{"schedule", "stream"}, {"engine", "aio"}, {"bt", "2"}, {"threads", "2"}};
    Way again = way;
    again.emplace_back("resume", nullptr);
    std::vector<double> want, changed(Heat::cells, 0.25);
    {
        Driven<Heat> run(way);
        run.ok(heat3d_run(run(), 3));
        run.ok(heat3d_write_u(run(), 7, 1, changed.data()));
        run.ok(heat3d_run(run(), 4));
        want = run.all();
    }
    EXPECT_FALSE(std::filesystem::exists("heat3d.scratch"));
    {
        Way kept = way;
        kept.emplace_back("keep", nullptr);
        Driven<Heat> run(kept);
        run.ok(heat3d_run(run(), 3));
        run.ok(heat3d_write_u(run(), 7, 1, changed.data()));
    }
    EXPECT_TRUE(std::filesystem::exists("heat3d.scratch"));
    Driven<Heat> run(again);
    run.ok(heat3d_prepare(run()));
    EXPECT_EQ(heat3d_level(run()), 3);
    run.ok(heat3d_run(run(), 4));
    EXPECT_EQ(run.all(), want);
}

} // namespace
