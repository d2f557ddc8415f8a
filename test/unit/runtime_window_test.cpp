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
    oocc_layout layout{8, 8, 0, 4096};
    oocc_grid grid{};
    OneField(int levels, int slots, int64_t lag, int64_t delay, int64_t keep, int64_t planes) {
        field.name = "u";
        field.levels = levels;
        field.slots = slots;
        field.delay_planes = delay;
        field.keep_planes = keep;
        program.fields = 1;
        program.field = &field;
        program.step_delay = lag;
        grid.planes = planes;
        grid.layout = &layout;
    }
    int64_t ring(int slot, int64_t bt, int64_t bz, int64_t ahead = 1, int64_t behind = 1,
                 bool inPlace = false) const {
        return window_ring_planes(&program, &grid, 0, slot, bt, bz, ahead, behind, inPlace);
    }
};

TEST(RingPlanes, JacobiKeepsBothSlots) {
    const OneField jacobi(1, 2, 1, 0, 1, 1000);
    // bt even: slot 0 is filled and drained, slot 1 first holds level 1.
    EXPECT_EQ(jacobi.ring(0, 4, 10), 10 + 10 + 10 + 4);
    EXPECT_EQ(jacobi.ring(1, 4, 10), 10 + 4 - 1 + 1);
    // bt odd: slot 0 is filled, slot 1 is drained.
    EXPECT_EQ(jacobi.ring(0, 5, 10), 10 + 10 + 5 + 1);
    EXPECT_EQ(jacobi.ring(1, 5, 10), 10 + 10 + 5 - 1);
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
    EXPECT_EQ(small.ring(1, 1, 1, 0, 0, true), 7) << "in place";
}

TEST(WindowBytes, AreTheSumOfTheRings) {
    const OneField jacobi(1, 2, 1, 0, 1, 1000);
    EXPECT_EQ(window_bytes(&jacobi.program, &jacobi.grid, 4, 10, 1, 1, false), (34 + 14) * 4096);
}

TEST(WindowBytes, OverflowIsMinusOne) {
    OneField huge(1, 2, 1, 0, 1, int64_t{1} << 60);
    EXPECT_EQ(window_bytes(&huge.program, &huge.grid, 1, int64_t{1} << 58, 1, 1, false), -1);
}

// Plays a pass plane by plane and asserts that no two planes that are wanted at once share a place.
class Player {
  public:
    Player(const OneField &f, int64_t bt, int64_t bz, int64_t ahead, int64_t behind)
        : f(f), bt(bt), bz(bz), ahead(ahead), behind(behind), lag(f.program.step_delay),
          delay(f.field.delay_planes), slots(f.field.slots) {}

    bool play() {
        const int64_t lo = lag + delay, end = f.grid.planes + bt * lag + delay;
        const int64_t slabs = (end - lo + bz - 1) / bz;
        for (int64_t i = 0; i < slabs && good; i++) {
            const int64_t from = lo + i * bz, to = std::min(end, from + bz);
            // Wanted while slab i is computed: what is read so far (ahead included), made so far, and not yet
            // behind both the computation and the writes under way.
            for (int64_t s = 1 - f.field.levels; s <= bt; s++) {
                const bool read = s <= 0, stored = s > bt - f.field.levels;
                const int64_t top = to + (read ? ahead * bz : 0) - s * lag - delay;
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

  private:
    void want(int64_t s, int64_t lo, int64_t hi) {
        const int slot = int(((s % slots) + slots) % slots);
        const int64_t ring = f.ring(slot, bt, bz, ahead, behind);
        for (int64_t z = std::max<int64_t>(lo, 0); z < std::min(hi, f.grid.planes); z++) {
            const auto [at, fresh] = places.try_emplace({slot, z % ring}, z);
            good &= fresh || at->second == z;
        }
    }

    const OneField &f;
    int64_t bt, bz, ahead, behind, lag, delay;
    int slots;
    std::map<std::pair<int, int64_t>, int64_t> places;
    bool good = true;
};

TEST(RingPlanes, PlanesInUseNeverMeet) {
    std::mt19937 random(1);
    const auto draw = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
    for (int round = 0; round < 400; round++) {
        const int levels = draw(1, 3), slots = draw(levels, 4), delay = draw(0, 3);
        const OneField f(levels, slots, draw(0, 4), delay, delay + draw(0, 4), draw(1, 60));
        const int64_t bt = draw(1, 7), bz = draw(1, 9), ahead = draw(0, 2), behind = draw(0, 2);
        EXPECT_TRUE(Player(f, bt, bz, ahead, behind).play())
            << "levels " << levels << " slots " << slots << " lag " << f.program.step_delay << " delay "
            << delay << " keep " << f.field.keep_planes << " planes " << f.grid.planes << " bt " << bt
            << " bz " << bz << " ahead " << ahead << " behind " << behind;
    }
}

} // namespace
