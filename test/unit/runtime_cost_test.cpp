// What transfers and loops take from each other, in the prediction.
#include "runtime_test_program.h"

#include <gtest/gtest.h>

namespace {

constexpr int64_t GiB = 1 << 30;

/* 8 GiB in 1 GiB, in slabs of 16 planes, by these figures. */
void stream(TestProgram &test, figures &measured, int64_t bt) {
    ASSERT_EQ(test.layOut({1024, 1024, 1024}), 0);
    test.options_.schedule = SCHEDULE_STREAM;
    test.options_.engine = "mmap";
    test.options_.memory_bytes = 1 * GiB;
    test.options_.bt = bt;
    test.options_.bz = 16;
    test.options_.columns = 1;
    test.host.figures = &measured;
}

/* Transfers take no time. */
void endlessDevice(figures &measured) {
    measured.device.read = measured.device.write = measured.device.both = measured.device.beside = 1e12;
}

plan make(TestProgram &test, int64_t steps) {
    plan p{};
    EXPECT_EQ(plan_make(&test.program, &test.options_, &test.host, &test.grid, steps, &p), 0);
    return p;
}

TEST(Cost, CountsWhatTransfersAndLoopsTakeFromEachOther) {
    TestProgram test;
    figures measured = figures_nominal;
    stream(test, measured, 24);
    device_figures &device = measured.device;

    /* The disk has time: the cores are held up for as long as it is at work beside them. */
    device.read = device.write = device.both = device.beside = 8e9;
    const plan alone = make(test, 240);
    device.beside = 4e9;
    device.cores_share = 0.75;
    const plan slowed = make(test, 240);
    EXPECT_NE(std::string(slowed.bound), "disk");
    EXPECT_NEAR(slowed.compute_seconds, alone.compute_seconds + 0.25 * 2 * alone.io_seconds, 1e-6 * alone.seconds);
    EXPECT_GT(slowed.seconds, alone.seconds * 1.01);

    /* The disk is what is slow: it goes on alone, at its full speed, when the cores are done. */
    device.read = device.write = device.both = 1e9;
    device.beside = 0.5e9;
    const plan bound = make(test, 240);
    EXPECT_STREQ(bound.bound, "disk");
    EXPECT_NEAR(bound.compute_seconds, alone.compute_seconds / 0.75, 1e-6 * alone.seconds);
    EXPECT_GT(bound.seconds, bound.io_seconds);
    EXPECT_LT(bound.seconds, bound.io_seconds + bound.compute_seconds);

    /* Every byte costs something: what makes fewer passes is no slower even where the cores bound both. */
    device.read = device.write = device.both = 8e9;
    device.beside = 4e9;
    device.cores_share = 0.5;
    test.options_.bt = test.options_.bz = test.options_.columns = 0;
    const plan costly = make(test, 240);
    device.beside = 8e9;
    device.cores_share = 1;
    EXPECT_GE(costly.bt, make(test, 240).bt);
}

TEST(Cost, CountsCommitsByWhatTheDeviceHasOnlyTakenIn) {
    TestProgram test;
    figures measured = figures_nominal;
    stream(test, measured, 24);
    const plan nominal = make(test, 240);
    EXPECT_GT(nominal.commit_seconds, 0) << "no device is asked for nothing";
    measured.device.sync_seconds = 0.01;
    measured.device.sync_seconds_per_byte = 0;
    const plan fixed = make(test, 240);
    ASSERT_EQ(fixed.passes, 10);
    EXPECT_NEAR(fixed.commit_seconds, 10 * 3 * 0.01, 1e-9) << "data, manifest, directory";
    measured.device.sync_seconds_per_byte = 0.5e-9;
    const plan emptied = make(test, 240);
    EXPECT_NEAR(emptied.commit_seconds - fixed.commit_seconds, 10 * 0.5e-9 * 2 * GiB, 1e-6) << "of 8 GiB, 2 at most";
    EXPECT_NEAR(emptied.seconds - fixed.seconds, emptied.commit_seconds - fixed.commit_seconds, 1e-9);
    test.options_.engine = "memory";
    test.options_.memory_bytes = 20 * GiB;
    EXPECT_EQ(make(test, 240).commit_seconds, 0) << "nothing is kept";
}

/* They take a hundredth of the time, or less where a run is shorter than what lies between two; never more than one for each pass. */
TEST(Cost, SpacesCommits) {
    TestProgram test;
    figures measured = figures_nominal;
    stream(test, measured, 24);
    measured.device.sync_seconds = 0.5;
    measured.device.sync_seconds_per_byte = 0;
    test.options_.commit_every = -1;
    const plan spaced = make(test, 240);
    EXPECT_DOUBLE_EQ(spaced.one_commit_seconds, 1.5);
    EXPECT_NEAR(spaced.commit_seconds, 0.01 * (spaced.seconds - spaced.commit_seconds), 1e-9);
    measured.device.sync_seconds = 5;
    const plan slow = make(test, 240);
    EXPECT_NEAR(slow.commit_seconds, 15 * (slow.seconds - slow.commit_seconds) / 600, 1e-9) << "ten minutes of work may be lost, no more";
    test.options_.commit_every = 1;
    const plan often = make(test, 240);
    EXPECT_NEAR(often.commit_seconds, 15.0 * double(often.passes), 1e-9) << "passes take longer than a second";
}

/* Cores and disk that take the same time are late by turns: such a pass takes longer than either. */
TEST(Cost, OfWhatIsBalancedIsMoreThanOfTheSlowerOne) {
    TestProgram test;
    figures measured = figures_nominal;
    stream(test, measured, 16);
    device_figures &device = measured.device;
    const auto over = [&](double share) { /* the whole run over what the cores take, where the disk takes that share of it */
        device.read = device.write = device.both = device.beside = 8e9;
        device.slab_seconds = 0;
        const plan fast = make(test, 1600);
        device.read = device.write = device.both = device.beside = 8e9 * fast.io_seconds / (share * fast.compute_seconds);
        const plan p = make(test, 1600);
        EXPECT_NEAR(p.io_seconds, share * p.compute_seconds, 1e-6 * p.io_seconds);
        return p.seconds / p.compute_seconds;
    };
    const double least = over(0.1), most = over(0.999);
    EXPECT_GT(most / least, 1.12);
    EXPECT_LT(most / least, 1.25);
    EXPECT_LT(over(0.5) / least, 1.05);
    EXPECT_GT(over(0.8), over(0.6) * 1.02);
}

TEST(Cost, OfTilesAboutAsFastTheOneThatLeavesCacheToOthersIsTaken) {
    TestProgram test;
    figures measured = figures_nominal;
    stream(test, measured, 32);
    test.options_.threads = 4;
    test.options_.ct = 16;
    measured.machine.shared_bytes = 32 << 20;
    measured.machine.memory_bandwidth = measured.machine.core_bandwidth = measured.machine.shared_cache = 1e13;
    endlessDevice(measured);
    const kernel_point narrow{16, 8, 16, 1};
    const auto rows = [&](double factor) { /* of the plan's tiles, where wide ones were timed as so much of the time of narrow ones */
        measured.kernel.points = 2;
        measured.kernel.point[0] = narrow;
        measured.kernel.point[1] = {16, 32, 16, factor};
        return make(test, 320).yt;
    };
    EXPECT_GE(rows(0.5), 20);
    EXPECT_LE(rows(0.98), 12);
}

// Deep tiles live in it, and were timed there: memory sees as little of them as where the probe did see it.
TEST(Cost, ASharedCacheThatIsNoFasterThanMemoryIsThere) {
    TestProgram test;
    figures measured = figures_nominal;
    stream(test, measured, 32);
    test.options_.threads = 2;
    measured.machine.memory_bandwidth = 56e9;
    measured.machine.core_bandwidth = 28e9;
    endlessDevice(measured);
    measured.kernel.points = 2;
    measured.kernel.point[0] = {4, 6, 16, 0.8};
    measured.kernel.point[1] = {12, 17, 12, 0.5};
    const int64_t own = test.host.l2_bytes * 2, all = own + test.host.l3_bytes * 2;
    const auto ct = [&](double shared, double memory) { /* of a curve that falls from the one rate to the other */
        cache_curve curve{};
        for (double bytes = 1.5 * static_cast<double>(own); bytes < 4.0 * static_cast<double>(all); bytes *= 1.25) {
            curve.size[curve.sizes] = static_cast<int64_t>(bytes);
            curve.rate[curve.sizes++] = bytes < static_cast<double>(all) ? shared : memory;
        }
        probe_shared_cache(&curve, own, all, 2, &measured.machine);
        return make(test, 320).ct;
    };
    EXPECT_GE(ct(112e9, 56e9), 8);
    EXPECT_GT(measured.machine.shared_bytes, static_cast<double>(own));
    EXPECT_GE(ct(60e9, 56e9), 8);
    EXPECT_EQ(measured.machine.shared_bytes, 0);
    EXPECT_DOUBLE_EQ(measured.machine.shared_cache, 28e9);
}

// The budget has no room to measure memory: its nominal figures may be half of what it does.
TEST(Cost, OfAThinSlabThatWasTimedIsWhatItTookWhateverIsSaidOfMemory) {
    TestProgram test;
    figures measured = figures_nominal;
    stream(test, measured, 32);
    test.options_.bt = 16;
    test.options_.bz = test.options_.ct = 8;
    test.options_.yt = 16;
    measured.machine.memory_bandwidth = measured.machine.core_bandwidth = 4e9;
    const auto loops = [&](double planes) { /* where so thick a slab took half of what was predicted; 0: none was timed */
        measured.kernel.points = 0;
        if (planes > 0) figures_add_point(&measured.kernel, {8, 16, planes, 0.5});
        const plan p = make(test, 320);
        return p.compute_seconds - p.check_seconds;
    };
    const double predicted = loops(0);
    EXPECT_GT(loops(64), 0.9 * predicted) << "thick ones ask memory for little";
    EXPECT_NEAR(loops(8), 0.5 * predicted, 0.02 * predicted);
}

TEST(Cost, GoesByThePaceOfWholeRuns) {
    TestProgram test;
    figures measured = figures_nominal;
    stream(test, measured, 32);
    test.options_.bt = 16; // the same plan whatever loops take
    const plan best = make(test, 320);
    measured.kernel.pace = 1.25;
    const plan usual = make(test, 320);
    const auto loops = [](const plan &p) { return p.compute_seconds - p.check_seconds; };
    EXPECT_GT(loops(usual), 1.2 * loops(best));
    EXPECT_LT(loops(usual), 1.26 * loops(best));
    EXPECT_EQ(usual.ct, best.ct);
    EXPECT_EQ(usual.yt, best.yt);
}

// Two threads hardly wait for each other, so nothing hides checks: all that is read and written goes through the cores once more.
TEST(Cost, OfChecksIsThatOfAllBytesThatAreMoved) {
    TestProgram test;
    figures measured = figures_nominal;
    stream(test, measured, 32);
    measured.machine.memory_bandwidth = measured.machine.core_bandwidth = 50e9;
    const plan made = make(test, 320);
    const double moved = static_cast<double>(made.read_bytes + made.write_bytes);
    EXPECT_NEAR(made.check_seconds, moved / 50e9, 1e-3);
}

TEST(Chains, AreTwoToFourForEveryThreadAsLongAsBordersAreHalfOfThem) {
    TestProgram test;
    const auto chains = [&](int64_t rows, int64_t ct, int threads) {
        return chains_of(&test.program, rows, ct, 1000, threads, 0);
    };
    EXPECT_EQ(chains(1536, 12, 4), 16); // borders of 24 rows are a quarter of a chain
    EXPECT_EQ(chains(4096, 12, 4), 16); // more would not wait any less
    EXPECT_EQ(chains(512, 12, 4), 8);
    EXPECT_EQ(chains(341, 12, 4), 7);
    EXPECT_EQ(chains(128, 12, 4), 4); // one for every thread in any case
    EXPECT_EQ(chains(512, 12, 1), 4); // one thread waits for nobody
}

// Narrow tiles lean over more rows; in thick slabs these have left the shared cache, and memory is waited for, however fast it is.
TEST(Cost, OfRowsThatTilesLeanOverIsCountedInThickSlabs) {
    TestProgram test;
    figures measured = figures_nominal;
    stream(test, measured, 44);
    endlessDevice(measured);
    measured.machine.memory_bandwidth = measured.machine.core_bandwidth = 1e13;
    measured.machine.shared_bytes = 32 << 20;
    test.options_.memory_bytes = test.host.memory_available_bytes = 64 * GiB;
    test.options_.ct = 11;
    const auto narrowOverWide = [&](int64_t bz) {
        test.options_.bz = bz;
        test.options_.yt = 8;
        const double narrow = make(test, 440).compute_seconds;
        test.options_.yt = 16;
        return narrow / make(test, 440).compute_seconds;
    };
    EXPECT_LT(narrowOverWide(8), 1);
    EXPECT_GT(narrowOverWide(512), 1.03);
}

// The second of its two groups would find there what the first has left, which no group of a thick slab does.
TEST(Trial, HasASlabThatTheSharedCacheDoesNotHold) {
    constexpr int64_t MiB = 1 << 20;
    TestProgram test;
    figures measured = figures_nominal;
    measured.machine.shared_bytes = 32 * MiB;
    test.host.figures = &measured;
    oocc_run run{};
    run.program = &test.program;
    run.plan.engine = "aio";
    run.plan.threads = 4;
    run.plan.steps = run.plan.bt = 120;
    run.plan.ct = 2;
    run.plan.tiles = 8;
    run.plan.pieces = run.plan.cut.columns = 1;
    const auto planes = [&](int64_t bz, int64_t side) {
        EXPECT_EQ(test.layOut({2048, side, side}), 0);
        run.machine = test.host;
        run.grid = test.grid;
        run.plan.bz = bz;
        return probe_planned_shape(&run).bz;
    };
    EXPECT_GT(planes(192, 256) * MiB, 40 * MiB) << "1 MiB in two slots";
    EXPECT_LT(planes(192, 256), 64) << "more would only take longer";
    EXPECT_EQ(planes(12, 256), 12) << "no pass has thicker ones";
    EXPECT_EQ(planes(192, 1024), 16) << "eight for a step";
}

TEST(Cost, OfChainsThatWaitForEachOtherIsCounted) {
    TestProgram test;
    figures measured = figures_nominal;
    stream(test, measured, 32);
    test.options_.threads = 4;
    measured.machine.memory_bandwidth = measured.machine.core_bandwidth = measured.machine.shared_cache = 1e13;
    endlessDevice(measured);
    measured.machine.row_start_seconds = measured.machine.barrier_seconds = 0;
    test.options_.ct = 12; // 16 chains, or 4: one for every thread
    test.options_.yt = 8;
    const auto seconds = [&](int64_t rows) {
        EXPECT_EQ(test.layOut({1024, rows, 256}), 0);
        return make(test, 320).compute_seconds / static_cast<double>(rows);
    };
    EXPECT_GT(seconds(128), 1.15 * seconds(4096)); // 1.04 of it for borders that are wide beside their chains
}

// Loops that were never timed take as much longer as the core does, and are cut as they would be; timed ones take what they took.
TEST(Cost, OfLoopsThatWereNeverTimedFollowsTheCore) {
    TestProgram test;
    figures measured = figures_nominal;
    ASSERT_EQ(test.layOut({256, 512, 512}), 0);
    test.options_.schedule = SCHEDULE_RESIDENT;
    test.host.figures = &measured;
    core_figures &core = measured.machine.core;
    const core_figures nominal = core;
    const plan usual = make(test, 64);
    core = {true, nominal.flops / 2, nominal.cells / 2};
    const plan slow = make(test, 64);
    EXPECT_NEAR(slow.compute_seconds - slow.check_seconds, 2 * (usual.compute_seconds - usual.check_seconds), 1e-4 * slow.compute_seconds) << "but for meetings";
    EXPECT_EQ(slow.ct, usual.ct);
    EXPECT_EQ(slow.yt, usual.yt);
    EXPECT_STREQ(slow.basis, "partly measured");
    core = {true, 2 * nominal.flops, 2 * nominal.cells};
    EXPECT_EQ(make(test, 64).compute_seconds, usual.compute_seconds) << "memory and caches are not faster for that";

    figures_add_point(&measured.kernel, {8, 32, 256, 1.5});
    core = nominal;
    const plan timed = make(test, 64);
    core = {true, nominal.flops / 2, nominal.cells / 2};
    EXPECT_EQ(make(test, 64).compute_seconds, timed.compute_seconds);
}

// On a system that lets a process have any addresses, a trial that is too large would not be refused but killed.
TEST(Probe, HasNoMoreRoomThanThereIsMemory) {
    oocc_run run{};
    run.plan.budget_bytes = 1000 * GiB;
    run.machine.memory_available_bytes = 2 * GiB;
    EXPECT_LT(probe_room(&run), 2 * GiB);
    EXPECT_GT(probe_room(&run), 1 * GiB);
    run.plan.budget_bytes = 1 * GiB;
    EXPECT_LT(probe_room(&run), 1 * GiB);
}

} // namespace
