// The search for the fastest tiles, on machines that are made up: speeds that depend on the shape, that drift, and that
// others disturb.
#include "runtime_c.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace {

using Speed = std::function<double(tiles)>;

struct Climb {
    oocc_program program{};
    climb_space space{};
    climb state{};
    double clock = 0, updates = 1e7;
    int64_t slabs = 0;
    double worst = 1; // the slowest slab over the first one's tiles

    Climb(int64_t steps, int64_t rows, int threads, bool equal = true) {
        program.tiled = true;
        program.tiling = {1, 1, 0, 1, 1, 1, 1, 1, false, false, false};
        space = {&program, steps, equal, rows, threads, false};
    }
    bool legal(tiles t) const {
        return t.ct >= 1 && t.ct <= space.steps && t.count >= 1 && t.count <= tiles_most(&program, space.rows, t.ct);
    }
    /// Slabs until it rests, each legal; the machine's speed at every moment is `speed` times what `noise` says.
    tiles run(tiles first, const Speed &speed, const std::function<double(double)> &noise = [](double) { return 1.0; }) {
        climb_begin(&state, &space, first);
        for (slabs = 0; slabs < 2000 && !climb_rests(&state); slabs++)
            slab(speed, noise);
        return state.best;
    }
    void slab(const Speed &speed, const std::function<double(double)> &noise = [](double) { return 1.0; }) {
        const tiles t = climb_next(&state);
        EXPECT_TRUE(legal(t)) << "ct " << t.ct << ", " << t.count << " tiles";
        const double seconds = updates / (speed(t) * noise(clock));
        clock += seconds;
        climb_take(&state, updates, seconds);
    }
};

/// Deep tiles are fast until they are too large for the cache; what counts most is how much a tile has there.
double hill(tiles t, double bestCt, double bestCount) {
    const double a = std::log2(double(t.ct) / bestCt), b = std::log2(double(t.count) / bestCount);
    return 1e9 * std::exp(-0.2 * (a * a + b * b - 0.8 * a * b));
}

TEST(Climb, FindsTheTopFromAnywhere) {
    for (const tiles first : {tiles{1, 4, true}, tiles{64, 4, true}, tiles{1, 128, true}, tiles{12, 40, true}, tiles{8, 16, true}, tiles{3, 1, true}})
        for (const tiles top : {tiles{8, 16, true}, tiles{1, 4, true}, tiles{4, 64, true}, tiles{24, 8, true}}) {
            SCOPED_TRACE(testing::Message() << first.ct << "x" << first.count << " to " << top.ct << "x" << top.count);
            const Speed speed = [&](tiles t) { return hill(t, double(top.ct), double(top.count)); };
            Climb climb(960, 1024, 4);
            ASSERT_TRUE(climb.legal(first));
            const tiles found = climb.run(first, speed);
            EXPECT_GE(speed(found), 0.95 * speed(top)) << found.ct << "x" << found.count;
            EXPECT_LT(climb.slabs, 175);
            EXPECT_NEAR(climb_gain(&climb.state), speed(found) / speed(first), 0.02 * climb_gain(&climb.state));
        }
}

// Whether tiles fetch planes ahead is a neighbour like any other, where it may be chosen.
TEST(Climb, TilesFetchWhereThatIsFaster) {
    for (const double fetching : {0.92, 0.99, 1.0, 1.08})
        for (const bool begins : {true, false})
            for (const bool may : {true, false}) {
                SCOPED_TRACE(testing::Message() << fetching << " times as fast, begins with " << begins << ", may choose " << may);
                const Speed speed = [&](tiles t) { return hill(t, 8, 16) * (t.fetch ? fetching : 1); };
                Climb climb(960, 1024, 4);
                climb.space.choose_fetch = may;
                const bool fetches = climb.run({8, 16, begins}, speed).fetch, matters = std::abs(fetching - 1) > 0.02;
                EXPECT_EQ(fetches, may && matters ? fetching > 1 : begins);
            }
}

// Others take up to a fifth of the machine, for longer than a slab and shorter than the search.
TEST(Climb, StandsNoiseAndDrift) {
    for (unsigned seed = 1; seed <= 40; seed++) {
        std::mt19937 random(seed);
        std::normal_distribution<double> each(0, 0.02);
        const auto noise = [&](double clock) { return (1 - 0.1 * (1 + std::sin(clock * 7 + seed))) * (1 + each(random)); };
        const Speed speed = [](tiles t) { return hill(t, 8, 16); };
        Climb climb(960, 1024, 4);
        const tiles found = climb.run({2, 64, true}, speed, noise);
        EXPECT_GE(speed(found), 0.9 * speed({8, 16, true})) << "seed " << seed << ": " << found.ct << "x" << found.count;
    }
}

// Where all are alike, what is measured differs by chance only, and the planned tiles have not to be left for long.
TEST(Climb, IsNotLedAstray) {
    int left = 0;
    for (unsigned seed = 1; seed <= 100; seed++) {
        std::mt19937 random(seed);
        std::normal_distribution<double> each(0, 0.01);
        Climb climb(960, 1024, 4);
        const tiles found = climb.run({8, 16, true}, [](tiles) { return 1e9; }, [&](double) { return 1 + each(random); });
        left += found.ct != 8 || found.count != 16;
    }
    EXPECT_LE(left, 25);
}

// Somebody else takes half of the machine for some slabs at a time. What is fastest from the beginning is kept, or something next to it, and
// no more is said to be won than is.
TEST(Climb, ClaimsNothingThatMoodsHaveShown) {
    std::vector<double> kept, claims, found;
    for (unsigned seed = 1; seed <= 400; seed++)
        for (const int64_t ct : {8, 24}) {
            std::mt19937 random(seed);
            std::normal_distribution<double> each(0, 0.05);
            std::exponential_distribution<double> length(1);
            double until = 0;
            bool halved = false;
            const auto noise = [&](double clock) {
                for (; clock >= until; until = clock + (halved ? 0.15 : 0.5) * length(random))
                    halved = !halved;
                return (halved ? 0.5 : 1) * (1 + each(random));
            };
            const Speed speed = [](tiles t) { return hill(t, 8, 16); };
            Climb climb(960, 1024, 2);
            climb.updates = 6e7; // 60 ms
            const tiles first{ct, 16, true}, best = climb.run(first, speed, noise);
            const double won = speed(best) / speed(first);
            (ct == 8 ? kept : found).push_back(ct == 8 ? won : speed(best) / speed({8, 16, true}));
            claims.push_back(climb_gain(&climb.state) / won);
        }
    for (auto *all : {&kept, &claims, &found})
        std::sort(all->begin(), all->end());
    EXPECT_GE(kept[20], 0.98) << "in 19 of 20 runs";
    EXPECT_GE(found[20], 0.75);
    EXPECT_GE(found[200], 0.9);
    EXPECT_LE(claims[760], 1.3);
}

TEST(Climb, TriesNothingTwiceInARound) {
    Climb climb(960, 1024, 4);
    climb.space.choose_fetch = true;
    std::multiset<std::tuple<int64_t, int64_t, bool>> looked;
    climb_begin(&climb.state, &climb.space, {8, 16, true});
    while (!climb_rests(&climb.state)) {
        if (climb.state.stage == CLIMB_LOOK)
            looked.insert({climb_next(&climb.state).ct, climb_next(&climb.state).count, climb_next(&climb.state).fetch});
        climb.slab([](tiles t) { return hill(t, 8, 16) * (t.fetch ? 1 : 0.5); });
    }
    EXPECT_EQ(looked.size(), size_t(CLIMB_DIRECTIONS));
    for (const auto &shape : looked)
        EXPECT_EQ(looked.count(shape), 1U);
}

TEST(Climb, LooksAgainAfterARest) {
    Climb climb(960, 1024, 4);
    climb.run({8, 16, true}, [](tiles t) { return hill(t, 8, 16); });
    const int64_t before = climb.slabs;
    int64_t more = 0;
    for (; more < 3000 && climb_rests(&climb.state); more++)
        climb.slab([](tiles t) { return hill(t, 4, 64); });
    EXPECT_LT(before, 50);
    EXPECT_GE(more, 200);
    EXPECT_LT(more, 3000) << "the machine is another one now";
    while (!climb_rests(&climb.state))
        climb.slab([](tiles t) { return hill(t, 4, 64); });
    EXPECT_EQ(climb.state.best.ct, 4);
}

// A candidate that is much slower costs one slab, besides one with the best, and slabs that are over at once are taken together.
TEST(Climb, MeasuresForLongEnough) {
    Climb climb(960, 1024, 4);
    climb.updates = 1e5; // 0.1 ms
    climb.run({8, 16, true}, [](tiles t) { return hill(t, 8, 16); });
    EXPECT_GE(climb.clock, 5e-3 * (2 + CLIMB_DIRECTIONS) * 0.25);
    EXPECT_GE(climb.slabs, 100);
    Climb slow(960, 1024, 4);
    slow.updates = 1e9; // a second
    slow.run({8, 16, true}, [](tiles t) { return t.ct == 8 && t.count == 16 ? 1e9 : 1e8; });
    EXPECT_LE(slow.slabs, 2 + 2 * CLIMB_DIRECTIONS);
}

TEST(ClimbNeighbours, AreLegalWhateverTheGrid) {
    for (const bool equal : {true, false})
        for (const int64_t steps : {1, 2, 7, 20, 961})
            for (const int64_t rows : {5, 17, 60, 1000})
                for (const int threads : {1, 3, 4, 64}) {
                    Climb climb(steps, rows, threads, equal);
                    for (int64_t ct = 1; ct <= std::min<int64_t>(steps, 64); ct++)
                        for (int64_t count = 1; count <= tiles_most(&climb.program, rows, ct); count += 1 + count / 9)
                            for (int d = 0; d < CLIMB_DIRECTIONS; d++) {
                                tiles to{};
                                if (!climb_neighbour(&climb.space, {ct, count, true}, d, &to)) continue;
                                EXPECT_TRUE(climb.legal(to)) << ct << "x" << count << " " << d << ": " << to.ct << "x" << to.count;
                                EXPECT_TRUE(to.ct != ct || to.count != count);
                                const int64_t most = tiles_most(&climb.program, rows, to.ct);
                                if (d > 2 && d < 5) { EXPECT_GE(to.count, std::min<int64_t>(threads, most)); }
                            }
                }
}

TEST(ClimbNeighbours, HaveGroupsThatShareTheStepsEvenly) {
    Climb climb(20, 1000, 4);
    tiles to{};
    ASSERT_TRUE(climb_neighbour(&climb.space, {10, 4, true}, 2, &to));
    EXPECT_EQ(to.ct, 7) << "20 steps are 7 + 7 + 6";
    ASSERT_TRUE(climb_neighbour(&climb.space, {10, 4, true}, 1, &to));
    EXPECT_EQ(to.ct, 20);
    EXPECT_FALSE(climb_neighbour(&climb.space, {20, 4, true}, 1, &to));
    EXPECT_FALSE(climb_neighbour(&climb.space, {1, 4, true}, 2, &to));
}

} // namespace
