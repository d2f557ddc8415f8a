// Shares of a line's slabs: every position once, none narrower than allowed, and no stage before the share below has been through
// all that come before it.
#include "runtime_c.h"

#include <atomic>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <unistd.h>

namespace {

struct Line {
    oocc_program program{};
    oocc_run run{};
    oocc_pass pass{};

    Line(int64_t positions, int64_t least, int threads) {
        program.ndim = 1;
        program.share_least = least;
        run.program = &program;
        run.grid.ndim = 1;
        run.plan.threads = threads;
        pass.bt = pass.ct = pass.first_step = 1;
        pass.wave_hi = positions;
        pass.run = &run;
        pass.flow = flow_open(&run, &pass);
    }
    ~Line() { flow_close(pass.flow); }
    Line(const Line &) = delete;

    int64_t shares(int64_t positions) const { return shares_of(&program, run.plan.threads, positions); }
};

/// All shares of positions [from, to), by every thread, with pauses at random.
void play(Line &line, int64_t from, int64_t to, int threads, int stages, unsigned seed) {
    struct Began {
        int64_t lo = 0, hi = 0;
        std::atomic<int> stages{0}; // it has been through
    };
    std::vector<Began> began(size_t(line.shares(to - from)));
    std::atomic<int64_t> taken{0};
    std::atomic<bool> good{true};
    oocc_share_positions(&line.pass, from, to);
    const auto work = [&](int thread) {
        std::mt19937 random(seed + unsigned(thread));
        oocc_share share = oocc_no_share();
        while (oocc_next_share(&line.pass, &share)) {
            const size_t i = size_t(share.index);
            began[i].lo = share.lo;
            began[i].hi = share.hi;
            taken++;
            for (int q = 0; q < stages; q++) {
                oocc_follow(&line.pass, &share);
                if (i > 0 && began[i - 1].stages < q) good = false;
                if (random() % 8 == 0) usleep(random() % 200);
                began[i].stages = q + 1;
            }
        }
        for (const Began &each : began) // nobody leaves before all is done
            if (from < to && each.stages < stages) good = false;
    };
    std::vector<std::thread> team;
    for (int i = 0; i < threads; i++)
        team.emplace_back(work, i);
    for (std::thread &thread : team)
        thread.join();
    EXPECT_TRUE(good) << to - from << " positions, " << began.size() << " shares, " << threads << " threads, " << stages << " stages";
    EXPECT_EQ(taken, from < to ? int64_t(began.size()) : 0);
    int64_t at = from;
    for (const Began &each : began) {
        if (from >= to) break;
        EXPECT_EQ(each.lo, at);
        at = each.hi;
        if (began.size() > 1) {
            EXPECT_GE(each.hi - each.lo, line.program.share_least);
        }
    }
    EXPECT_EQ(at, from < to ? to : from);
}

TEST(Shares, FollowTheOneBelow) {
    std::mt19937 random(1);
    const auto draw = [&](int lo, int hi) { return lo + int(random() % unsigned(hi - lo + 1)); };
    for (unsigned trial = 0; trial < 150; trial++) {
        const int threads = draw(1, 6);
        Line line(300, draw(1, 5), threads);
        ASSERT_NE(line.pass.flow, nullptr);
        for (int slab = 0; slab < 3; slab++) { // also none at all, and fewer than a share has at least
            const int64_t from = draw(-5, 5);
            play(line, from, from + draw(-1, draw(0, 1) ? 300 : 8), threads, draw(1, 12), 10 * trial);
        }
        if (HasFailure()) return;
    }
}

TEST(Shares, AreSeveralForEveryThreadAsFarAsTheProgramAllows) {
    EXPECT_EQ(Line(1000, 2, 2).shares(1000), 8);
    EXPECT_EQ(Line(1000, 30, 64).shares(1000), 33);
    EXPECT_EQ(Line(1000, 2000, 4).shares(1000), 1);
    EXPECT_EQ(Line(int64_t(1) << 40, 1, 4).shares(int64_t(1) << 40), 16);
}

} // namespace
