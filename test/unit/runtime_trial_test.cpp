// Trials, which time some slabs in memory of their own, keep within the room that is left of the budget.
#include "runtime_test_program.h"

#include <gtest/gtest.h>

extern "C" {
#include "tuning/trial.h"
}

namespace {

constexpr int64_t MiB = int64_t{1} << 20;

// The wave's positions of every pass, as the program is given them.
std::vector<std::pair<int64_t, int64_t>> passes;

void spend(double seconds) {
    const double until = machine_seconds() + seconds;
    while (machine_seconds() < until) {}
}

// Time passes, or there would be no speed.
int computeNothing(oocc_pass *p) {
    passes.emplace_back(p->wave_lo, p->wave_hi);
    spend(1e-4);
    return 0;
}

// As if the planes of a quarter of the grid, at its low face, took nine times as long.
int computeLayer(oocc_pass *p) {
    passes.emplace_back(p->wave_lo, p->wave_hi);
    spend(p->wave_hi <= 8 + 48 ? 9e-4 : 1e-4);
    return 0;
}

struct Loops : TestProgram {
    oocc_run run{};
    Loops() {
        program.pass = computeNothing;
        layOut({200, 200, 200});
        host.l3_bytes = 64 * MiB; // rings are to be longer than any cache: as long as the room allows
        run.program = &program;
        run.options = options_;
        run.machine = host;
        run.grid = grid;
        run.steps = 100;
        run.plan.threads = 2;
        run.plan.budget_bytes = 1024 * MiB;
    }
    // Bytes that were taken of so much room; -1: it was not enough.
    int64_t bytesIn(int64_t roomBytes, int64_t depth) {
        const shape timed = {depth, 4, depth, 2, 1, {1, false}};
        trial_memory memory{};
        memory.room_bytes = roomBytes;
        trial_result result{};
        const bool done = trial_compute(&run, &timed, &memory, 0.001, &result);
        const int64_t bytes = memory.bytes;
        trial_memory_close(&memory);
        EXPECT_TRUE(!done || result.updates > 0);
        return done ? bytes : -1;
    }
};

// What the slabs of the pass before have left in a cache is not what a pass finds there.
TEST(TrialCompute, GoesOnWhereItHasEnded) {
    Loops loops;
    passes.clear();
    // Where the machine pauses in the first pass, that has filled the time, and is the only one: once more then.
    for (int attempt = 0; attempt < 100 && passes.size() < 3; attempt++) {
        passes.clear();
        ASSERT_GT(loops.bytesIn(64 * MiB, 8), 0);
    }
    ASSERT_GE(passes.size(), 3U);
    for (size_t i = 0; i < passes.size(); i++) {
        const auto [from, to] = passes[i];
        EXPECT_GE(from, 8) << "all steps are at work from here";
        EXPECT_LE(to, 200) << "to here";
        EXPECT_EQ(from, i == 0 ? passes[0].first : passes[i - 1].second);
    }
}

// A layer at a face, which may take longer, or nothing at all, does not stand for all of the grid.
TEST(TrialCompute, BeginsInTheMiddle) {
    Loops loops;
    passes.clear();
    ASSERT_GT(loops.bytesIn(64 * MiB, 8), 0);
    EXPECT_NEAR(passes.at(0).first, (8 + 196) / 2, 1);
}

// What it takes there is not lost sight of either.
TEST(TrialAllOver, CountsALayerAsOftenAsItIsThere) {
    Loops loops;
    loops.program.pass = computeLayer;
    const shape timed = {8, 4, 8, 2, 1, {1, false}};
    double ratio = 0;
    for (int attempt = 0; attempt < 20 && !(ratio > 2.7 && ratio < 3.3); attempt++) { // the machine may pause
        passes.clear();
        trial_memory memory{};
        memory.room_bytes = 64 * MiB;
        ratio = trial_all_over(&loops.run, &timed, &memory, 8);
        trial_memory_close(&memory);
        ASSERT_GT(ratio, 0);
    }
    EXPECT_NEAR(ratio, 3, 0.3) << "a quarter of nine times as long, and three of as long";
    ASSERT_EQ(passes.size(), 16U);
    for (size_t i = 0; i < passes.size(); i += 2) {
        EXPECT_NEAR(passes[i].first, (8 + 196) / 2, 1) << "each is compared with one in the middle";
        const double share = (static_cast<double>(i / 2) + 0.5) / 8;
        EXPECT_NEAR(passes[i + 1].first, 8 + share * (196 - 8), 1);
    }
}

// The mapping has a huge page more than the rings, of which only the part that they do not reach is never touched.
TEST(TrialCompute, KeepsWithinItsRoom) {
    for (const bool stops : {false, true}) // then there are passes of one step, and rings for those
        for (const int64_t depth : {8, 7, 1}) {
            Loops loops;
            loops.program.stop_on_nan = stops;
            int64_t most = -1;
            for (int64_t room = 1 * MiB; room <= 128 * MiB; room += 3 * MiB) {
                const int64_t bytes = loops.bytesIn(room, depth);
                EXPECT_LE(bytes, room + 2 * MiB) << depth << " steps in " << room / MiB << " MiB";
                most = std::max(most, bytes);
            }
            EXPECT_GT(most, 64 * MiB) << "of much room much is used";
            EXPECT_EQ(loops.bytesIn(1 * MiB, depth), -1);
        }
}

} // namespace
