// What runs find out on their way is kept with the figures of the program's loops: how tiles compare, and the pace of all.
#include "runtime_cache.h"

#include <array>
#include <cmath>

extern "C" {
#include "tuning/climb.h"
}

namespace {

// What a run finds out about tiles: a run that ended with some that are half as fast again as the planned ones.
class Learning : public CacheFolder {
  protected:
    Learning() {
        test.layOut({64, 512, 512});
        measured = figures_nominal;
        strcpy(measured.machine.date, "2026-01-31");
        test.host.figures = &measured;
        run.program = &test.program;
        run.options = test.options_;
        run.machine = test.host;
        run.grid = test.grid;
        run.plan.engine = "memory";
        run.plan.in_place = true;
        run.plan.threads = 4;
        run.plan.bt = 32;
        run.plan.bz = 64;
        run.plan.ct = 4;
        run.plan.tiles = 8;
        run.plan.pieces = run.plan.cut.columns = 1;
        const climb_space space = {&test.program, 32, true, 512, 4, false};
        climb_begin(&found, &space, {4, 8, true});
        found.at[found.tried++] = {{8, 16, true}, 1.5, 1};
        cache_make_keys(&run_keys, run.program, &run.options, &run.grid, &run.machine, &run.plan);
        cache_tie_kernel(&run_keys, &measured.machine);
    }
    double expected(int64_t ct, int64_t tiles) const {
        const shape s = {32, 64, ct, tiles, 1, {1, false}};
        return probe_untimed_seconds(&run, &s, 1e9);
    }
    void learn() { probe_learn(&run, &found, 2e-10, 1e9); }

    figures measured{};
    oocc_run run{};
    climb found{};
    cache_keys run_keys{};
    kernel_figures kernel{};
};

TEST_F(Learning, KeepsWhatTilesTook) {
    learn();
    ASSERT_TRUE(cache_read_kernel(&run_keys, &kernel));
    ASSERT_EQ(kernel.points, 2);
    EXPECT_EQ(kernel.point[1].ct, 8);
    EXPECT_EQ(kernel.point[1].rows, 32);
    EXPECT_NEAR(kernel.point[0].factor, 0.2 / expected(4, 8), 1e-9);
    EXPECT_NEAR(kernel.point[1].factor, 0.2 / 1.5 / expected(8, 16), 1e-9);
}

TEST_F(Learning, TheFasterOfTilesThatFetchAheadAndDoNotStandsForThem) {
    found.at[found.tried++] = {{4, 8, false}, 1.25, 1};
    found.at[found.tried++] = {{8, 16, false}, 1.2, 1};
    learn();
    ASSERT_TRUE(cache_read_kernel(&run_keys, &kernel));
    ASSERT_EQ(kernel.points, 2);
    EXPECT_NEAR(kernel.point[0].factor, 0.2 / 1.5 / expected(8, 16), 1e-9);
    EXPECT_NEAR(kernel.point[1].factor, 0.2 / 1.25 / expected(4, 8), 1e-9);
}

TEST_F(Learning, AddsToWhatWasMeasuredOnItsScale) {
    kernel_figures before = {};
    strcpy(before.date, "2026-01-31");
    figures_add_point(&before, {4, 64, 64, 3.0});
    figures_add_point(&before, {1, 128, 64, 7.0});
    before.probed = true;
    cache_write_kernel(&run_keys, &before);
    learn();
    ASSERT_TRUE(cache_read_kernel(&run_keys, &kernel));
    ASSERT_EQ(kernel.points, 3);
    EXPECT_TRUE(kernel.probed);
    EXPECT_EQ(kernel.point[1].factor, 7.0) << "not tried";
    const double ratio = expected(4, 8) / expected(8, 16) / 1.5;
    EXPECT_NEAR(kernel.point[0].factor, 3.0, 1e-2) << "on the whole they are what they were, of those that were known";
    EXPECT_NEAR(kernel.point[2].factor / kernel.point[0].factor, ratio, 1e-3) << "a guess counts for nothing";

    figures_add_point(&before, {8, 32, 64, 5.0});
    cache_write_kernel(&run_keys, &before);
    learn();
    ASSERT_TRUE(cache_read_kernel(&run_keys, &kernel));
    EXPECT_NEAR(kernel.point[2].factor / kernel.point[0].factor, std::sqrt(ratio * 5.0 / 3.0), 1e-2) << "what was known counts for half";
    EXPECT_NEAR(kernel.point[0].factor * kernel.point[2].factor, 3.0 * 5.0, 1e-1) << "on the whole they are what they were";
}

TEST_F(Learning, RemembersWhoFetches) {
    found.best.fetch = false;
    learn();
    ASSERT_TRUE(cache_read_kernel(&run_keys, &kernel));
    EXPECT_FALSE(kernel.processor_fetches) << "the run was told to fetch ahead";
    found.space.choose_fetch = true;
    for (const bool fetch : {false, true}) {
        found.best.fetch = fetch;
        learn();
        ASSERT_TRUE(cache_read_kernel(&run_keys, &kernel));
        EXPECT_EQ(kernel.processor_fetches, !fetch);
    }
}

// Of a program that was timed elsewhere: what was expected of these shapes is a guess, but it is the scale on which others are known.
TEST_F(Learning, TakesTheScaleFromGuessesWhereNothingElseIsThere) {
    kernel_figures before = {};
    strcpy(before.date, "2026-01-31");
    figures_add_point(&before, {1, 128, 64, 7.0});
    cache_write_kernel(&run_keys, &before);
    learn();
    ASSERT_TRUE(cache_read_kernel(&run_keys, &kernel));
    ASSERT_EQ(kernel.points, 3);
    EXPECT_NEAR(kernel.point[1].factor * kernel.point[2].factor, 7.0 * 7.0, 1e-6);
}

TEST_F(Learning, BelievesWhatRunsFindAgainAndAgain) {
    kernel_figures before = {};
    strcpy(before.date, "2026-01-31");
    figures_add_point(&before, {4, 64, 64, 3.0});
    figures_add_point(&before, {8, 32, 64, 3.0});
    cache_write_kernel(&run_keys, &before);
    for (int i = 0; i < 12; i++)
        learn();
    ASSERT_TRUE(cache_read_kernel(&run_keys, &kernel));
    EXPECT_NEAR(kernel.point[1].factor / kernel.point[0].factor, expected(4, 8) / expected(8, 16) / 1.5, 1e-2);
}

// Tiles that are all alike, measured with errors: each run plans what is best by then, and what it tries has been lucky or not.
TEST_F(Learning, LuckDoesNotAddUp) {
    const std::array<tiles, 3> all = {{{4, 8, true}, {8, 16, true}, {16, 32, true}}};
    const auto model = [&](size_t i) { return expected(all.at(i).ct, all.at(i).count); };
    kernel_figures before = {};
    strcpy(before.date, "2026-01-31");
    for (size_t i = 0; i < 3; i++)
        figures_add_point(&before, {static_cast<double>(all.at(i).ct), 512. / static_cast<double>(all.at(i).count), 64, 1 / model(i)});
    cache_write_kernel(&run_keys, &before);
    uint64_t random = 1;
    for (int turn = 0; turn < 200; turn++) {
        ASSERT_TRUE(cache_read_kernel(&run_keys, &kernel));
        size_t best = 0;
        for (size_t i = 1; i < 3; i++)
            if (kernel.point[i].factor * model(i) < kernel.point[best].factor * model(best)) best = i;
        found.tried = 0;
        for (size_t k = 0; k < 3; k++) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            const double luck = 0.9 + 0.2 * static_cast<double>(random >> 40) / (1 << 24);
            found.at[found.tried++] = {all.at((best + k) % 3), k == 0 ? 1 : luck, 1};
        }
        learn();
    }
    ASSERT_TRUE(cache_read_kernel(&run_keys, &kernel));
    for (size_t i = 0; i < 3; i++)
        EXPECT_NEAR(kernel.point[i].factor / before.point[i].factor, 1, 0.2) << i;
}

// Of a run that took half as long again as it was planned for.
// What it waited besides is no part of that.
class Pace : public Learning {
  protected:
    Pace() {
        figures_add_point(&before, {4, 64, 64, 3.0});
        strcpy(before.date, "2026-01-31");
        before.pace = 1.2;
        measured.kernel = before;
        run.plan.bound = "cores";
        run.plan.steps = run.stats.steps_done = 32;
        run.plan.compute_seconds = 20;
        run.stats.compute_seconds = 30;
        run.stats.pass_seconds = 32;
    }
    double learnt() {
        cache_write_kernel(&run_keys, &before);
        probe_learn_pace(&run);
        return cache_read_kernel(&run_keys, &kernel) ? kernel.pace : 0;
    }
    kernel_figures before{};
};

TEST_F(Pace, GoesMostOfTheWayToWhatTheLatestRunTook) {
    EXPECT_NEAR(learnt(), 1.2 * std::pow(1.5, 2. / 3), 1e-6);
    EXPECT_EQ(kernel.points, 1) << "points are kept";
    run.stats.adapted = {true, 3, 8, 8, 16, true, 1.25}; // what tiles have won is in their points
    EXPECT_NEAR(learnt(), 1.2 * std::pow(1.5 * 1.25, 2. / 3), 1e-6);
    run.stats.adapted = {};
    run.plan.compute_seconds = 150; // data for which next to nothing is computed
    EXPECT_NEAR(learnt(), 1.2 * std::pow(0.2, 2. / 3), 1e-6);
    run.plan.compute_seconds = 20;
    run.stats.compute_seconds = 3000;
    EXPECT_NEAR(learnt(), 1.2, 1e-9) << "that was not the pace";
}

TEST_F(Pace, IsOfWholeRunsThatComputedAllTheTime) {
    const auto unknown = [&](const char *why) { EXPECT_NEAR(learnt(), 1.2, 1e-9) << why; };
    run.stats.steps_done = 31;
    unknown("stopped before its end");
    run.stats.steps_done = 32;
    run.stats.read_wait_seconds = 9;
    unknown("it waited");
    run.stats.read_wait_seconds = 0;
    run.plan.bound = "disk";
    unknown("the disk was the bound");
    run.plan.bound = "cores";
    run.plan.engine = "swap";
    unknown("loops waited for their pages");
    run.plan.engine = "uring";
    strcpy(run.plan.tuned, "2026-01-31");
    unknown("its prediction is from tuning");
    run.plan.tuned[0] = '\0';
    run.plan.compute_seconds = 2;
    run.stats.compute_seconds = 3;
    unknown("too short to tell");
    run.plan.compute_seconds = 20;
    run.stats.compute_seconds = 30;
    run.options.probe = PROBE_OFF;
    unknown("nothing is to be kept");
    run.options.probe = PROBE_AUTO;
    EXPECT_GT(learnt(), 1.5);
}

// Of a program that was never probed, what the core lets expect is all that the plan has, at first.
TEST_F(Pace, IsOfTheCoreWhereNothingWasTimed) {
    before.points = measured.kernel.points = 0;
    EXPECT_NEAR(learnt(), 1.2 * std::pow(1.5, 2. / 3), 1e-6);
    EXPECT_EQ(kernel.points, 0);
    measured.machine.core.flops /= 3;
    measured.machine.core.cells /= 3;
    EXPECT_NEAR(learnt(), 1.2 * std::pow(1.5, 2. / 3), 1e-6) << "which counts no more";
    before.pace = measured.kernel.pace = 0;
    EXPECT_NEAR(learnt(), 3 * 1.5, 1e-6);
    run.stats.compute_seconds = 70; // more than 4 times as long as on a nominal core
    EXPECT_NEAR(learnt(), 3 * 3.5, 1e-6);
    run.stats.compute_seconds = 30;
    run.stats.adapted = {true, 3, 8, 8, 16, true, 1.25};
    EXPECT_NEAR(learnt(), 3 * 1.5 * 1.25, 1e-6);
    measured.machine.date[0] = '\0';
    EXPECT_NEAR(learnt(), 3 * 1.5, 1e-6) << "tiles are not kept, so the next run has it to win again";
    strcpy(measured.machine.date, "2026-01-31");
    run.stats.adapted = {};
    learn(); // what tiles took
    ASSERT_TRUE(cache_read_kernel(&run_keys, &kernel));
    EXPECT_EQ(kernel.points, 2);
    EXPECT_EQ(kernel.pace, 0) << "of nominal cores no more";
    EXPECT_FALSE(kernel.probed);
    probe_learn_pace(&run);
    ASSERT_TRUE(cache_read_kernel(&run_keys, &kernel));
    EXPECT_EQ(kernel.pace, 0) << "the plan knew nothing of them";
    measured.kernel = kernel;
    probe_learn_pace(&run);
    ASSERT_TRUE(cache_read_kernel(&run_keys, &kernel));
    EXPECT_NEAR(kernel.pace, std::pow(1.5, 2. / 3), 1e-6);
}

TEST_F(Learning, IsOfOneMachinesFiguresOnly) {
    run.options.probe = PROBE_OFF;
    learn();
    run.options.probe = PROBE_AUTO;
    run.machine.figures = nullptr;
    learn();
    struct figures nominal = figures_nominal; /* by which tiles do not compare */
    run.machine.figures = &nominal;
    learn();
    measured.machine.unsteady = true; /* relative to nothing that would be found again */
    run.machine.figures = &measured;
    learn();
    measured.machine.unsteady = false;
    EXPECT_TRUE(files().empty());
    run.machine.figures = &nominal;
    nominal.kernel.pace = 1.5; /* of a run before */
    figures_stamp(nominal.kernel.date);
    learn();
    EXPECT_TRUE(files().empty());
    figures_add_point(&nominal.kernel, {4, 64, 64, 3.0}); /* where the budget has no room to measure memory */
    learn();
    EXPECT_FALSE(files().empty());
    run.machine.figures = &measured;
    learn();
    measured.machine.memory_bandwidth *= 2;
    cache_make_keys(&run_keys, run.program, &run.options, &run.grid, &run.machine, &run.plan);
    cache_tie_kernel(&run_keys, &measured.machine);
    EXPECT_FALSE(cache_read_kernel(&run_keys, &kernel)) << "another machine's";
}

} // namespace
