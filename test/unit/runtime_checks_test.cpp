// Checksums that are made while a slab is computed: of rows that are done, band by band, in all planes, once.
#include "runtime_c.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace {

constexpr int64_t kPlanes = 3, kRows = 30, kCells = 16, kBandRows = 4, kBands = 8; // the last band has two rows
constexpr uint64_t kNone = 0x5555;

struct Sealing {
    std::vector<double> cells = std::vector<double>(size_t(kPlanes * kRows * kCells), 1.0);
    std::vector<uint64_t> sums = std::vector<uint64_t>(size_t(kPlanes * kBands), kNone);
    std::vector<unsigned char> taken = std::vector<unsigned char>(size_t(kBands));
    oocc_layout layout{8, kCells, 0, kRows * kCells * 8, kRows * kCells * 8};
    oocc_program program{};
    observer watching{};
    oocc_run run{};
    oocc_pass pass{};
    store stored{};
    region saved{};
    check seal{};
    check *seals[1] = {&seal};

    Sealing() {
        run.program = &program;
        run.grid.ndim = 3;
        run.grid.extent[0] = run.grid.planes = kPlanes;
        run.grid.extent[1] = run.grid.rows = kRows;
        run.grid.extent[2] = run.grid.cells = kCells;
        run.grid.bands = kBands;
        run.grid.band_rows = kBandRows;
        run.grid.layout = &layout;
        stored.sum[0] = stored.sum[1] = sums.data();
        run.store = &stored;
        run.observer = &watching;
        pass.run = &run;
        pass.grid = &run.grid;
        saved.planes = kPlanes;
        saved.bands = kBands;
        seal.region = &saved;
        seal.hi = kPlanes;
        seal.band_hi = kBands;
        seal.seal = true;
        seal.taken = taken.data();
        seal.bad = INT64_MAX;
        seal.place.base = reinterpret_cast<char *>(cells.data());
        seal.place.planes = kPlanes;
        seal.place.stride_bytes = kRows * kCells * 8;
    }
    Sealing(const Sealing &) = delete;

    int64_t rowsDone(int64_t lo, int64_t hi) { return checks_seal_rows(&pass, seals, 1, lo, hi); }
    /// The bands that have their checksums in every plane; -1 among them: one that has it in some planes, or a wrong one.
    std::vector<int64_t> sealed() const {
        std::vector<int64_t> bands;
        for (int64_t band = 0; band < kBands; band++) {
            int64_t right = 0, none = 0;
            for (int64_t z = 0; z < kPlanes; z++) {
                const uint64_t sum = sums[size_t(z * kBands + band)];
                right += sum == store_sum(&run.grid, &saved, 0, z, band, seal.place);
                none += sum == kNone;
            }
            if (none < kPlanes) bands.push_back(right == kPlanes ? band : -1);
        }
        return bands;
    }
};

using Bands = std::vector<int64_t>;

TEST(Checks, OfRowsAreMadeOfWholeBands) {
    Sealing s;
    EXPECT_EQ(s.rowsDone(3, 14), 12);
    EXPECT_EQ(s.sealed(), (Bands{1, 2}));
}

TEST(Checks, GoOnWhereTheTileBeforeHasEnded) {
    Sealing s;
    int64_t done = s.rowsDone(0, 3);
    EXPECT_EQ(done, 0);
    EXPECT_EQ(s.sealed(), Bands{});
    for (int64_t hi : {9, 10, 21})
        done = s.rowsDone(done, hi);
    EXPECT_EQ(done, 20);
    EXPECT_EQ(s.sealed(), (Bands{0, 1, 2, 3, 4}));
}

TEST(Checks, OfTheLastBandNeedItsRowsOnly) {
    Sealing s;
    s.rowsDone(26, kRows - 1);
    EXPECT_EQ(s.sealed(), Bands{});
    s.rowsDone(26, kRows);
    EXPECT_EQ(s.sealed(), Bands{7});
}

TEST(Checks, OfAColumnAreThoseOfItsBands) {
    Sealing s;
    s.seal.band_lo = 2;
    s.seal.band_hi = 5;
    s.rowsDone(0, kRows);
    EXPECT_EQ(s.sealed(), (Bands{2, 3, 4}));
}

TEST(Checks, ThatAreLeftAreMadeInTheEnd) {
    Sealing s;
    s.rowsDone(5, 17);
    checks_finish(&s.pass, s.seals, 1);
    EXPECT_EQ(s.sealed(), (Bands{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Checks, AreNotMadeTwice) {
    Sealing s;
    s.rowsDone(0, 16);
    s.cells[0] = 2; // as if it were another slab's by now
    s.rowsDone(0, 16);
    checks_finish(&s.pass, s.seals, 1);
    EXPECT_EQ(s.sealed(), (Bands{-1, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Checks, OfOneBandAreMadeByOneThread) {
    for (int round = 0; round < 50; round++) {
        Sealing s;
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; t++)
            threads.emplace_back([&s] { s.rowsDone(0, kRows); });
        for (std::thread &each : threads)
            each.join();
        EXPECT_EQ(s.sealed().size(), size_t(kBands));
    }
}

} // namespace
