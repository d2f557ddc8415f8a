// Tiles are looked for on the way, as far as that pays off in what is left of the run.
#include "runtime_test_program.h"

#include <cmath>

extern "C" {
#include "tuning/adapt.h"
}

#include <gtest/gtest.h>

namespace {

// A run of so many steps on a machine with a clock of its own: cells take as long as tiles say.
class Adapting : public testing::Test {
  protected:
    static constexpr double cellSeconds = 2e-10;

    Adapting() {
        layOut(512);
        run.program = &test.program;
        run.options = test.options_;
        run.machine = test.host;
        run.plan.engine = "memory";
        run.plan.threads = 4;
        run.plan.ct = 8;
        run.plan.tiles = 32;
        run.plan.pieces = run.plan.cut.columns = 1;
    }
    ~Adapting() override { adapt_close(&run, OOCC_STOPPED); }

    // As many cells, whatever the number of planes.
    void layOut(int64_t planes) {
        test.layOut({planes, 512, 512 * 512 / planes});
        run.grid = test.grid;
    }
    double stepSeconds() const { return cellSeconds * 512 * 512 * 512; }
    int64_t planes() const { return run.grid.planes; }
    void plan(bool inPlace, int64_t bt, int64_t bz, int64_t steps) {
        run.plan.in_place = inPlace;
        run.plan.schedule = inPlace ? SCHEDULE_RESIDENT : SCHEDULE_STREAM;
        run.plan.bt = bt;
        run.plan.bz = bz;
        run.plan.steps = run.steps = steps;
        run.plan.seconds = stepSeconds() * static_cast<double>(steps);
        ASSERT_EQ(adapt_open(&run), 0);
        ASSERT_NE(run.adapt, nullptr);
    }
    oocc_pass passOf(int64_t bt) const {
        oocc_pass pass{};
        pass.grid = &run.grid;
        pass.run = const_cast<oocc_run *>(&run);
        pass.bt = bt;
        pass.ct = run.plan.ct;
        pass.tiles = run.plan.tiles;
        pass.bz = adapt_planes(&run, run.plan.bz);
        pass.hi = pass.end = planes();
        pass.first_step = 1;
        pass.wave_lo = 1;
        pass.wave_hi = planes() + bt;
        pass.outer_hi = 512;
        pass.slabs = (pass.wave_hi - pass.wave_lo - 1) / pass.bz + 1;
        return pass;
    }
    // All of the run, where every other choice of tiles takes twice as long; outputs may cut passes short.
    void go(int64_t most = INT64_MAX) {
        while (run.level < run.steps) {
            const int64_t bt = adapt_steps(&run, std::min({run.plan.bt, run.steps - run.level, most}));
            const double left = stepSeconds() * static_cast<double>(run.steps - run.level);
            oocc_pass pass = passOf(bt);
            for (int64_t slab = 0; slab < pass.slabs; slab++) {
                ASSERT_EQ(adapt_cut(&run, &pass, slab), 0);
                const bool planned = pass.ct == run.plan.ct && pass.tiles == run.plan.tiles;
                const int64_t made = std::min({pass.bz, pass.wave_hi - pass.wave_lo - slab * pass.bz, planes()});
                const double atBest = stepSeconds() * static_cast<double>(made * bt) / static_cast<double>(planes());
                if (!planned) {
                    looks++;
                    // The last pass cuts the best tiles' groups to its length.
                    if (run.level + bt < run.steps) longest = std::max(longest, atBest / left);
                }
                adapt_learn(&run, planned ? atBest : 2 * atBest);
            }
            passes++;
            slabs += pass.slabs;
            run.level += bt;
        }
    }

    TestProgram test;
    oocc_run run{};
    int64_t looks = 0, passes = 0, slabs = 0;
    double longest = 0; // look, of what is left
};

TEST_F(Adapting, ShortRunsInPlaceLookAtSlabs) {
    plan(true, 128, 512 + 128, 512); // 14 seconds; eight steps take 0.2, 16 steps of 48 planes 0.04
    go();
    EXPECT_GT(looks, 6);
    EXPECT_LE(longest, 0.01);
    EXPECT_LT(passes, 16) << "nor are passes short when tiles have been found";
    EXPECT_GT(slabs, passes + 15) << "what is looked at are slabs of passes";
    EXPECT_LT(slabs, 16 * passes) << "but not for ever";
}

TEST_F(Adapting, PassesTooShortForSlabsThatCompareAreLookedAtAsTheyAre) {
    plan(true, 128, 512 + 128, 8000);
    go(24); // whole groups of the planned eight
    EXPECT_GT(looks, 6);
    EXPECT_LE(longest, 0.01);
    EXPECT_EQ(slabs, passes);
}

TEST_F(Adapting, UnlessPlanesAreFew) {
    layOut(256);
    plan(true, 128, 256 + 128, 512);
    go();
    EXPECT_EQ(looks, 0);
    EXPECT_LT(passes, 12) << "nor cut into short passes";
    EXPECT_EQ(slabs, passes);
}

TEST_F(Adapting, LongRunsLookAtPassesThen) {
    layOut(256);
    plan(true, 128, 256 + 128, 8000);
    go();
    EXPECT_GT(looks, 6);
    EXPECT_LE(longest, 0.01);
    EXPECT_EQ(slabs, passes);
}

TEST_F(Adapting, NotInTheLastSteps) {
    plan(true, 128, 512 + 128, 64); // two seconds
    go();
    EXPECT_EQ(looks, 0);
    EXPECT_EQ(slabs, passes);
}

TEST_F(Adapting, SlabsAreShort) {
    plan(false, 32, 16, 256); // 7 seconds; a slab takes 27 ms
    go();
    EXPECT_GT(looks, 6);
    EXPECT_LE(longest, 0.01);
}

TEST_F(Adapting, UnlessTheRunIsAsShort) {
    plan(false, 32, 128, 32); // a second; a slab takes a fifth of it
    go();
    EXPECT_EQ(looks, 0);
}

} // namespace
