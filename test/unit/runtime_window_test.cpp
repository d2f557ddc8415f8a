#include "runtime_c.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace {

// One field alone; every test says what it changes.
struct OneField {
    oocc_field field{};
    oocc_program program{};
    oocc_layout layout{8, 8, 0, 4096, 4096};
    oocc_grid grid{};
    OneField(int levels, int slots, int64_t lag, int64_t delay, int64_t keep, int64_t planes) {
        field.name = "u";
        field.levels = levels;
        field.slots = slots;
        field.delay_planes = delay;
        field.keep_planes = keep;
        field.made_planes = delay;
        program.fields = 1;
        program.field = &field;
        program.step_delay = lag;
        grid.planes = planes;
        grid.layout = &layout;
    }
    int64_t ring(int slot, int64_t bt, int64_t bz, int64_t ahead = 1, int64_t behind = 1,
                 window_kind kind = WINDOW_STREAM) const {
        return window_ring_planes(&program, &grid, 0, slot, bt, bz, ahead, behind, kind);
    }
};

TEST(RingPlanes, JacobiKeepsBothSlots) {
    const OneField jacobi(1, 2, 1, 0, 1, 1000);
    // bt even: slot 0 is filled and drained, by reads that follow the writes; slot 1 first holds level 1.
    EXPECT_EQ(jacobi.ring(0, 4, 10), 10 + 10 + 4 + 1);
    EXPECT_EQ(jacobi.ring(1, 4, 10), 10 + 4 - 1 + 1);
    // bt odd: slot 0 is filled, slot 1 is drained.
    EXPECT_EQ(jacobi.ring(0, 5, 10), 10 + 10 + 5 + 1);
    EXPECT_EQ(jacobi.ring(1, 5, 10), 10 + 10 + 5 - 1);
}

TEST(RingPlanes, WhatIsReadFollowsWhatIsWritten) {
    const OneField jacobi(1, 2, 1, 0, 1, 1000);
    EXPECT_EQ(jacobi.ring(0, 4, 10, 3, 1), 10 + 30 + 4 + 1) << "the larger of both: what is read ahead";
    EXPECT_EQ(jacobi.ring(0, 4, 10, 1, 3), 10 + 30 + 4) << "what is written behind";
    EXPECT_EQ(jacobi.ring(0, 4, 10, 0, 0), 10 + 4 + 1) << "neither";
    const OneField wave(2, 2, 4, 0, 4, 1000); // both slots hold a level that is read and one that is written, for every bt
    for (const int64_t bt : {3, 4}) {
        EXPECT_EQ(wave.ring(0, bt, 10), 10 + 10 + bt * 4 + 4);
        EXPECT_EQ(wave.ring(1, bt, 10), 10 + 10 + bt * 4 + 4 + 4);
    }
}

TEST(RingPlanes, CoefficientIsReadAheadAndNeverWritten) {
    OneField coef(1, 1, 1, 0, 1, 1000);
    coef.field.coef = true;
    EXPECT_EQ(coef.ring(0, 4, 10), 10 + 10 + 4 + 1);
    coef.field.delay_planes = -2;
    EXPECT_EQ(coef.ring(0, 4, 10), 10 + 10 + 2 + 4 + 1);
}

TEST(RingPlanes, OlderLevelsAreReadFurtherAhead) {
    const OneField wave(2, 2, 4, 0, 4, 1000);
    EXPECT_EQ(wave.ring(1, 1, 10) - wave.ring(0, 1, 10), 4) << "slot 1 holds level -1";
}

TEST(RingPlanes, NeverMoreThanTheGridNorLessThanOne) {
    const OneField small(1, 3, 1, 0, 1, 7);
    EXPECT_EQ(small.ring(0, 100, 100), 7);
    EXPECT_EQ(small.ring(0, INT64_MAX / 2, INT64_MAX / 2), 7);
    EXPECT_EQ(small.ring(2, 1, 2), 1) << "level 2 is never made in a pass of one step";
    EXPECT_EQ(small.ring(1, 1, 1, 0, 0, WINDOW_IN_PLACE), 7) << "in place";
}

TEST(RingPlanes, TempIsKeptOnlyWhereItIsMade) {
    OneField temp(0, 1, 2, 1, 3, 1000);
    // Step 1 has made planes below hi - 2 - 1, step 4 still wants lo - 4*2 - 3.
    EXPECT_EQ(temp.ring(0, 4, 10), 10 + 8 + 3 - 2 - 1);
    EXPECT_EQ(temp.ring(0, 4, 10, 0, 0, WINDOW_IN_PLACE), 10 + 8 + 3 - 2 - 1) << "in place, too";
    EXPECT_EQ(temp.ring(0, 4, 2000, 0, 0, WINDOW_IN_PLACE), 1000) << "a slab that is the whole grid";
    const OneField two(0, 2, 2, 0, 1, 1000);
    EXPECT_EQ(two.ring(1, 3, 10), 10 + 6 + 1 - 2);
    EXPECT_EQ(two.ring(0, 3, 10), 10 + 6 + 1 - 4) << "the slot of level 2";
    EXPECT_EQ(two.ring(0, 1, 10), 1) << "one step makes one level";
}

TEST(RingPlanes, LevelThatBeginsEarlyTakesMoreRoom) {
    OneField late(0, 1, 3, 4, 4, 1000);
    const int64_t planes = late.ring(0, 2, 5);
    late.field.made_planes = 1;
    EXPECT_EQ(late.ring(0, 2, 5), planes + 3);
}

TEST(RingPlanes, HoldAllUnrolledPlanesAtMost) {
    OneField ring(1, 2, 1, 0, 1, 20);
    ring.program.wedge = {true, 1, 2, 0, 3};
    EXPECT_EQ(ring.ring(0, 4, 1000), 4 + 20 + 2 * 4 + 3);
    EXPECT_EQ(ring.ring(1, 4, 1, 0, 0, WINDOW_IN_PLACE), 4 + 20 + 2 * 4 + 3) << "in place";
    EXPECT_EQ(ring.ring(1, 4, 2), 2 + 2 + 4 - 1 + 1 - 2) << "no more than a grid that is not periodic";
}

TEST(Blocks, AreKeptOnceForEachThingThatHappensToASlot) {
    OneField jacobi(1, 2, 1, 0, 1, 1000);
    jacobi.program.wedge = {false, 1, 2, 0, 3};
    const int64_t odd = 10 + 5 * 1 + 5 * 2 + 3, even = 10 + 4 * 1 + 4 * 2 + 3;
    EXPECT_EQ(jacobi.ring(0, 5, 10, 1, 1, WINDOW_BLOCKS), 2 * odd) << "computed in, and read into";
    EXPECT_EQ(jacobi.ring(1, 5, 10, 1, 1, WINDOW_BLOCKS), 2 * odd) << "computed in, and written from";
    EXPECT_EQ(jacobi.ring(0, 4, 10, 1, 1, WINDOW_BLOCKS), 3 * even);
    EXPECT_EQ(jacobi.ring(1, 4, 10, 1, 1, WINDOW_BLOCKS), even) << "levels on the way only";
    EXPECT_EQ(jacobi.ring(0, 4, 500, 1, 1, WINDOW_BLOCKS), 2 * (500 + 4 + 8 + 3)) << "there are no three blocks";
    EXPECT_EQ(jacobi.ring(0, 4, 1000, 1, 1, WINDOW_BLOCKS), 1000) << "the grid is one block";
    jacobi.field.coef = true;
    EXPECT_EQ(jacobi.ring(0, 4, 10, 1, 1, WINDOW_BLOCKS), 2 * even) << "never written";
}

TEST(Blocks, CoverTheGridAndEndWhereItEnds) {
    OneField f(1, 2, 1, 0, 1, 23);
    for (const bool periodic : {false, true}) {
        f.program.wedge = {periodic, 2, 1, 1, 0};
        for (int64_t bt : {0, 1, 4})
            for (int64_t bz = 1; bz <= 24; bz++) {
                const int64_t head = periodic ? 2 * bt + 1 : 0, all = head + 23 + (periodic ? bt : 0);
                int64_t at = head, read = 0;
                for (int64_t i = 0; i < overlap_blocks(&f.grid, bz); i++) {
                    const block b = overlap_block(&f.program, &f.grid, bt, bz, i);
                    EXPECT_EQ(b.lo, at);
                    EXPECT_GT(b.hi, b.lo);
                    EXPECT_EQ(b.first, oocc_max(0, b.lo - (2 * bt + 1)));
                    EXPECT_EQ(b.end, oocc_min(all, b.hi + bt));
                    EXPECT_LE(b.end - b.first, overlap_most_planes(&f.program, &f.grid, bt, bz));
                    at = b.hi;
                    read += b.end - b.first;
                }
                EXPECT_EQ(at, head + 23);
                EXPECT_EQ(overlap_read_planes(&f.program, &f.grid, bt, bz), read) << bt << " " << bz;
            }
    }
}

TEST(Wedge, IsCutWhereTheGridWrapsAround) {
    oocc_grid grid{};
    grid.planes = 10;
    int64_t first = 0;
    EXPECT_EQ(wedge_run_end(&grid, 3, 0, 23, &first), 3); // v 0 to 2 are planes 7 to 9
    EXPECT_EQ(first, -7);
    EXPECT_EQ(wedge_run_end(&grid, 3, 3, 23, &first), 13);
    EXPECT_EQ(first, 3);
    EXPECT_EQ(wedge_run_end(&grid, 3, 5, 8, &first), 8);
    EXPECT_EQ(first, 3);
    EXPECT_EQ(wedge_run_end(&grid, 3, 13, 23, &first), 23);
    EXPECT_EQ(first, 13);
    EXPECT_EQ(wedge_run_end(&grid, 0, 0, 4, &first), 4);
    EXPECT_EQ(first, 0);
}

TEST(Wedge, IsNoLongerThanTheGrid) {
    OneField ring(1, 2, 1, 0, 1, 20);
    EXPECT_EQ(wedge_deepest(&ring.program, &ring.grid), INT64_MAX);
    ring.program.wedge = {true, 1, 2, 0, 3};
    EXPECT_EQ(wedge_deepest(&ring.program, &ring.grid), 8);
    EXPECT_EQ(wedge_of(&ring.program, 8).tail, 19);
    ring.program.wedge = {true, 3, 1, 5, 0};
    EXPECT_EQ(wedge_deepest(&ring.program, &ring.grid), 5);
    ring.program.wedge.more_lo = 21;
    EXPECT_EQ(wedge_deepest(&ring.program, &ring.grid), 0);
    EXPECT_GT(wedge_planes(&ring.program, &ring.grid, INT64_MAX), 0);
}

TEST(WindowBytes, AreTheSumOfTheRings) {
    const OneField jacobi(1, 2, 1, 0, 1, 1000);
    EXPECT_EQ(window_bytes(&jacobi.program, &jacobi.grid, 4, 10, {1, false}, 1, 1, WINDOW_STREAM), (25 + 14 + 2) * 4096)
        << "a block more per ring sets it apart";
}

TEST(WindowBytes, OverflowIsMinusOne) {
    OneField huge(1, 2, 1, 0, 1, int64_t{1} << 60);
    EXPECT_EQ(window_bytes(&huge.program, &huge.grid, 1, int64_t{1} << 58, {1, false}, 1, 1, WINDOW_STREAM), -1);
}

TEST(Parts, CoverThePlanesOneAfterTheOther) {
    transfer t{};
    for (const int64_t planes : {0, 1, 3, 7, 16, 100})
        for (t.parts = 1; t.parts <= PARTS_MOST; t.parts++) {
            t.span = {5, 5 + planes};
            int64_t at = 5;
            for (int part = 0; part < t.parts; part++) {
                const span s = transfer_part(&t, part);
                EXPECT_EQ(s.lo, at);
                EXPECT_LE(s.hi - s.lo, (planes + t.parts - 1) / t.parts);
                at = s.hi;
            }
            EXPECT_EQ(at, 5 + planes);
        }
}

TEST(Parts, AreOfAFewRequestsAndAtLeastAPlane) {
    EXPECT_EQ(parts_of(0, 4096, 4096), 1);
    EXPECT_EQ(parts_of(1, 1 << 20, 4096), 1);
    EXPECT_EQ(parts_of(5, 1 << 20, 4096), 5);
    EXPECT_EQ(parts_of(100, 1 << 20, 4096), PARTS_MOST);
    EXPECT_EQ(parts_of(7, 4096, 4096), 3) << "of two requests each";
    EXPECT_EQ(parts_of(7, 4096, 4 << 20), 1);
    EXPECT_EQ(parts_of(64, 1 << 20, 4 << 20), 8);
}

TEST(Parts, MeetWhereAPlaneOfEachHasTheSamePlace) {
    for (int64_t ring = 1; ring <= 6; ring++)
        for (int64_t a = 0; a < 8; a++)
            for (int64_t n = 0; n <= ring; n++)
                for (int64_t b = 0; b < 8; b++)
                    for (int64_t m = 0; m <= ring; m++) {
                        bool same = false;
                        for (int64_t v = a; v < a + n; v++)
                            for (int64_t w = b; w < b + m; w++)
                                same |= v % ring == w % ring;
                        EXPECT_EQ(spans_meet({a, a + n}, {b, b + m}, ring), same) << a << " " << n << " " << b << " " << m;
                    }
}

// Plays a pass plane by plane and asserts that no two planes that are wanted at once share a place: what a slab needs
// and what is read for later ones; and what it needs and what is still being written.
class Player {
  public:
    Player(const OneField &f, int64_t bt, int64_t bz, int64_t ahead, int64_t behind)
        : f(f), bt(bt), bz(bz), ahead(ahead), behind(behind), lag(f.program.step_delay),
          delay(f.field.delay_planes), made(f.field.made_planes), slots(f.field.slots),
          planes(wedge_planes(&f.program, &f.grid, bt)) {}

    bool play() { return play(ahead, 0) && play(0, behind); }

  private:
    bool play(int64_t ahead, int64_t behind) {
        const int64_t lo = lag + made, end = planes + bt * lag + delay;
        const int64_t slabs = (end - lo + bz - 1) / bz;
        for (int64_t i = 0; i < slabs && good; i++) {
            const int64_t from = lo + i * bz, to = std::min(end, from + bz);
            // Wanted while slab i is computed: what is read so far (ahead included), made so far, and not yet
            // behind both the computation and the writes under way.
            for (int64_t s = 1 - f.field.levels; s <= bt; s++) {
                const bool read = s <= 0, stored = s > bt - f.field.levels;
                const int64_t top = to + (read ? ahead * bz - delay : -made) - s * lag;
                int64_t bottom = from - bt * lag - f.field.keep_planes;
                if (stored) bottom = std::min(bottom, from - behind * bz - bt * lag - delay);
                // A level is over in its slot where the next level of that slot has been made.
                const int64_t over = s + slots <= bt ? from - (s + slots) * lag - delay : INT64_MIN;
                want(s, std::max(bottom, over), top);
            }
            places.clear();
        }
        return good;
    }

    void want(int64_t s, int64_t lo, int64_t hi) {
        const int slot = int(((s % slots) + slots) % slots);
        const int64_t ring = f.ring(slot, bt, bz, ahead, behind);
        for (int64_t z = std::max<int64_t>(lo, 0); z < std::min(hi, planes); z++) {
            const auto [at, fresh] = places.try_emplace({slot, z % ring}, z);
            good &= fresh || at->second == z;
        }
    }

    const OneField &f;
    int64_t bt, bz, ahead, behind, lag, delay, made;
    int slots;
    int64_t planes;
    std::map<std::pair<int, int64_t>, int64_t> places;
    bool good = true;
};

TEST(RingPlanes, PlanesInUseNeverMeet) {
    std::mt19937 random(1);
    const auto draw = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
    for (int round = 0; round < 1000; round++) {
        const int levels = draw(0, 3), slots = draw(std::max(levels, 1), 4), delay = draw(0, 3);
        OneField f(levels, slots, draw(0, 4), delay, delay + draw(0, 4), draw(1, 60));
        // A level begins to be made when the one that it replaces is done with.
        f.field.made_planes = draw(int(std::max<int64_t>(0, delay - slots * f.program.step_delay)), delay);
        if (draw(0, 1)) f.program.wedge = {true, draw(0, 4), draw(0, 4), draw(0, 3), draw(0, 3)};
        const int64_t bt = draw(1, 7), bz = draw(1, 9), ahead = draw(0, 2), behind = draw(0, 2);
        EXPECT_TRUE(Player(f, bt, bz, ahead, behind).play())
            << "levels " << levels << " slots " << slots << " lag " << f.program.step_delay << " delay "
            << delay << " made " << f.field.made_planes << " keep " << f.field.keep_planes << " planes " << f.grid.planes << " bt " << bt
            << " bz " << bz << " ahead " << ahead << " behind " << behind;
    }
}

} // namespace
