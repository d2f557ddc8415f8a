// Which rows a column reads, computes and writes, against what its steps need, row by row.
#include "runtime_test_program.h"

extern "C" {
#include "plan/cost.h"
#include "plan/strip.h"
}

#include <gtest/gtest.h>
#include <random>

namespace {

int64_t pick(std::mt19937 &random, int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(random);
}

struct Drawn {
    TestProgram test;
    cut how;
    int64_t bt;
};

void draw(Drawn &drawn, std::mt19937 &random, bool leans = false) {
    TestProgram &test = drawn.test;
    ASSERT_EQ(test.layOut({4, pick(random, 400, 900), pick(random, 3, 90)}), 0);
    struct oocc_tiling &t = test.program.tiling;
    t.slope_lo = pick(random, 0, 3);
    t.slope_hi = pick(random, 0, 3);
    t.shift_lo = pick(random, 0, 4);
    t.shift_hi = pick(random, 0, 4);
    t.more_lo = pick(random, 0, 3);
    t.more_hi = pick(random, 0, 3);
    if (leans) {
        t.leans = true;
        t.reach = pick(random, 1, 3);
        test.fields[0].lean_rows = pick(random, t.slope_hi + t.reach, t.slope_hi + t.reach + 4);
        test.fields[0].lean_shift = pick(random, 0, t.shift_hi);
    }
    const int64_t most = columns_most(&test.program, &test.grid, leans);
    ASSERT_GT(most, 1);
    drawn.how = {pick(random, 2, most), leans};
    drawn.bt = pick(random, 1, 40);
    while (!columns_allow(&test.program, &test.grid, drawn.how, drawn.bt))
        drawn.bt--;
    ASSERT_GT(drawn.bt, 0);
}

TEST(Columns, WriteEveryBandOnce) {
    std::mt19937 random(1);
    for (int i = 0; i < 200; i++) {
        Drawn d;
        draw(d, random, i % 2 == 1);
        int64_t band = 0, row = 0;
        for (int64_t c = 0; c < d.how.columns; c++) {
            const column column = column_of(&d.test.program, &d.test.grid, d.how, c, d.bt);
            EXPECT_EQ(column.band_lo, band);
            EXPECT_EQ(column_lo(&d.test.grid, &column), row);
            EXPECT_GE(column_hi(&d.test.grid, &column) - row, columns_narrowest(&d.test.program, &d.test.grid, d.how, d.bt));
            band = column.band_hi;
            row = column_hi(&d.test.grid, &column);
        }
        EXPECT_EQ(band, d.test.grid.bands);
        EXPECT_EQ(row, d.test.grid.extent[1]);
    }
}

TEST(Columns, ReadJustTheBandsOfWhatTheirStepsNeed) {
    std::mt19937 random(2);
    for (int i = 0; i < 200; i++) {
        Drawn d;
        draw(d, random);
        const oocc_tiling &t = d.test.program.tiling;
        const oocc_grid &g = d.test.grid;
        for (int64_t c = 0; c < d.how.columns; c++) {
            const column column = column_of(&d.test.program, &g, d.how, c, d.bt);
            // backwards from the last step, whose every stage makes the column's rows
            int64_t lo = column_lo(&g, &column) - t.shift_lo, hi = column_hi(&g, &column) + t.shift_hi;
            for (int64_t step = d.bt; step > 1; step--) {
                lo -= t.slope_lo;
                hi += t.slope_hi;
            }
            EXPECT_EQ(column.inner_lo, c > 0 && lo > 0);
            EXPECT_EQ(column.inner_hi, c + 1 < d.how.columns && hi < g.extent[1]);
            EXPECT_EQ(column.outer_lo, column.inner_lo ? lo : 0);
            EXPECT_EQ(column.outer_hi, column.inner_hi ? hi : g.extent[1]);
            const int64_t from = std::max<int64_t>(0, column.outer_lo - t.more_lo);
            const int64_t to = std::min(g.extent[1], column.outer_hi + t.more_hi);
            EXPECT_LE(column.seen_lo * g.band_rows, from);
            EXPECT_GT((column.seen_lo + 1) * g.band_rows, from);
            EXPECT_GE(column.seen_hi == g.bands ? g.extent[1] : column.seen_hi * g.band_rows, to);
            EXPECT_LT((column.seen_hi - 1) * g.band_rows, to);
        }
    }
}

// Step by step: who computes a row, and whether what he reads of the step before is his own, on the disk, or in a strip.
TEST(Columns, ThatLeanComputeEveryRowOnceAndAreGivenWhatTheyRead) {
    std::mt19937 random(5);
    for (int i = 0; i < 200; i++) {
        Drawn d;
        draw(d, random, true);
        const oocc_tiling &t = d.test.program.tiling;
        const oocc_field &field = d.test.fields[0];
        const oocc_grid &g = d.test.grid;
        for (int64_t s = 1; s <= d.bt; s++) {
            int64_t row = 0;
            for (int64_t c = 0; c < d.how.columns; c++) {
                const column column = column_of(&d.test.program, &g, d.how, c, d.bt);
                const int64_t gone = (s - 1) * t.slope_hi;
                const int64_t lo = column.leans ? column.outer_lo - gone - field.lean_shift : column.outer_lo;
                const int64_t hi = column.inner_hi ? column.outer_hi - gone - field.lean_shift : column.outer_hi;
                EXPECT_EQ(lo, row);
                EXPECT_EQ(column.leans, c > 0);
                EXPECT_EQ(column.inner_hi, c + 1 < d.how.columns);
                EXPECT_GE(hi - lo, columns_narrowest(&d.test.program, &g, d.how, d.bt));
                EXPECT_GE(hi - lo, field.lean_rows) << "a strip is made by one column";
                if (s == d.bt) { EXPECT_LE(hi, column_hi(&g, &column) + t.shift_hi); }
                EXPECT_GE(hi, column_hi(&g, &column));
                const int64_t least = std::max<int64_t>(0, lo - t.reach);
                const bool disk = s == 1;
                if (column.leans) {
                    const int64_t line = column.outer_lo - (s - 2) * t.slope_hi - field.lean_shift;
                    EXPECT_EQ(strip_row(&d.test.program, 0, column.outer_lo, s - 1), line - field.lean_rows);
                    EXPECT_LE(line - field.lean_rows, least);
                    EXPECT_GE(least, column.seen_lo * g.band_rows) << "the window holds it";
                }
                if (disk) { EXPECT_LE(column.read_lo * g.band_rows, least); }
                EXPECT_LE(column.seen_lo, column.read_lo);
                row = hi;
            }
            EXPECT_EQ(row, g.extent[1]);
        }
    }
}

// Whatever is left over at the end, or asked for when a run goes on, is done with the same columns.
TEST(Columns, ThatAPassAllowsAreAllowedByShorterOnes) {
    std::mt19937 random(6);
    int refused = 0;
    for (int i = 0; i < 300; i++) {
        Drawn d;
        draw(d, random, true);
        const bool fits = columns_allow(&d.test.program, &d.test.grid, d.how, 64);
        refused += !fits;
        bool allowed = fits;
        for (int64_t bt = 63; bt > 0; bt--) {
            const bool now = columns_allow(&d.test.program, &d.test.grid, d.how, bt);
            EXPECT_TRUE(now || !allowed) << d.how.columns << " columns, bt " << bt;
            allowed |= now;
        }
        EXPECT_TRUE(allowed);
    }
    EXPECT_GT(refused, 20);
}

TEST(Columns, NoChainIsTooNarrowForItsGroupAndNoTileVanishes) {
    std::mt19937 random(3);
    int several = 0, whole = 0;
    for (int i = 0; i < 200; i++) {
        Drawn d;
        draw(d, random, i % 2 == 1);
        const oocc_tiling &t = d.test.program.tiling;
        const int64_t ct = pick(random, 1, d.bt), least = chain_least(&d.test.program, ct);
        const int64_t narrowest = columns_narrowest(&d.test.program, &d.test.grid, d.how, d.bt);
        oocc_pass p = {};
        p.tiles = pick(random, 1, tiles_most(&d.test.program, narrowest, ct));
        p.chains = chains_of(&d.test.program, narrowest, ct, p.tiles, pick(random, 1, 8), pick(random, 0, 9));
        if (p.chains < 2) continue;
        several++;
        int64_t tiles = 0;
        for (int64_t j = 0; j < p.chains; j++)
            tiles += oocc_tiles_of(&p, j);
        EXPECT_EQ(tiles, p.tiles);
        for (int64_t c = 0; c < d.how.columns; c++) {
            const column column = column_of(&d.test.program, &d.test.grid, d.how, c, d.bt);
            p.outer_lo = column.outer_lo;
            p.outer_hi = column.outer_hi;
            p.inner_lo = column.inner_lo;
            p.inner_hi = column.inner_hi;
            p.leans = column.leans;
            for (int64_t s = 1; s <= d.bt; s += ct) {
                const row_range rows = pass_rows(&d.test.program, &p, s);
                EXPECT_EQ(oocc_chain_lo(&p, rows.lo, rows.hi, 0), rows.lo);
                EXPECT_EQ(oocc_chain_lo(&p, rows.lo, rows.hi, p.chains), rows.hi);
                for (int64_t j = 0; j < p.chains; j++) {
                    const int64_t lo = oocc_chain_lo(&p, rows.lo, rows.hi, j), hi = oocc_chain_lo(&p, rows.lo, rows.hi, j + 1);
                    EXPECT_GE(hi - lo, least);
                    const int64_t lost = (ct - 1) * (t.slope_hi + t.slope_lo) + t.shift_hi + t.shift_lo;
                    const int64_t each = t.reach + 1, n = oocc_tiles_in(lo, hi, lost, each, oocc_tiles_of(&p, j));
                    for (int64_t jam = 1; jam <= 4; jam++) {
                        int64_t before = lo + lost;
                        for (int64_t tile = 1; tile < n; tile++) {
                            const int64_t at = oocc_tile_lo(lo, hi, n, lost, each, jam, tile);
                            EXPECT_GE(at, before + each);
                            if ((hi - lo - lost - each) / n >= each + jam) {
                                EXPECT_EQ((hi - at) % jam, 0);
                                whole++;
                            }
                            before = at;
                        }
                        if (n > 1) { EXPECT_GE(hi, before + each); }
                    }
                }
            }
        }
    }
    EXPECT_GT(several, 20);
    EXPECT_GT(whole, 100);
}

TEST(Columns, WriteWholeBlocksAndReadWholeBlocksAround) {
    std::mt19937 random(4);
    int finer = 0;
    for (int i = 0; i < 50; i++) {
        Drawn d;
        draw(d, random, i % 2 == 1);
        const oocc_grid &g = d.test.grid;
        finer += g.cut_bands > 1;
        for (int64_t c = 0; c < d.how.columns; c++) {
            const column column = column_of(&d.test.program, &g, d.how, c, d.bt);
            EXPECT_EQ(grid_band_offset(&g, 0, column.band_lo) % 4096, 0);
            EXPECT_EQ(grid_band_offset(&g, 0, column.band_hi) % 4096, 0);
            const block_range blocks = grid_blocks(&g, 0, column.seen_lo, column.seen_hi);
            EXPECT_EQ(blocks.from % 4096, 0);
            EXPECT_EQ(blocks.to % 4096, 0);
            EXPECT_LE(blocks.from, grid_band_offset(&g, 0, column.seen_lo));
            EXPECT_GE(blocks.to, grid_band_offset(&g, 0, column.seen_hi));
            EXPECT_LE(blocks.to, g.layout[0].plane_bytes);
        }
    }
    EXPECT_GT(finer, 10) << "some grids have bands that are not whole blocks";
}

TEST(Bands, OfLargeGridsAreFewAndOfWideRowsShort) {
    TestProgram test;
    ASSERT_EQ(test.layOut({1024, 1024, 1024}), 0);
    EXPECT_EQ(test.grid.band_rows, 16);
    EXPECT_GT(test.grid.cut_bands, 1);
    EXPECT_LE(test.grid.bands * test.grid.planes, 1 << 17);
    ASSERT_EQ(test.layOut({8192, 8192, 8192}), 0);
    EXPECT_LE(test.grid.bands * test.grid.planes, 1 << 18);
    ASSERT_EQ(test.layOut({4, 3, 5}), 0);
    EXPECT_EQ(test.grid.bands, 1);
    EXPECT_EQ(test.grid.band_rows, 3);
}

TEST(Columns, AreRefusedWithTheReason) {
    TestProgram test;
    char reason[192];
    ASSERT_EQ(test.layOut({8, 300, 40}), 0);
    EXPECT_EQ(columns_refusal(&test.program, &test.grid, false, reason), nullptr);
    EXPECT_GT(columns_most(&test.program, &test.grid, false), 1);
    test.program.tiling.ring = true;
    EXPECT_NE(std::string(columns_refusal(&test.program, &test.grid, false, reason)).find("is periodic"), std::string::npos);
    EXPECT_EQ(columns_most(&test.program, &test.grid, false), 1);
}

void addCoefs(TestProgram &test, int count) {
    oocc_field c{};
    c.name = "c";
    c.type = OOCC_F64;
    c.coef = true;
    c.levels = c.slots = 1;
    test.fields.insert(test.fields.end(), static_cast<size_t>(count), c);
    test.useFields();
}

TEST(Columns, LeaveRoomForWholePlanesOfAFieldAndOfAllThatItIsMadeFrom) {
    static const int source[] = {1, 2, 3, 4, 5};
    TestProgram test;
    addCoefs(test, 5);
    ASSERT_EQ(test.layOut({100, 4096, 512}), 0);
    const auto bytes = [&] {
        const cut columns{columns_most(&test.program, &test.grid, false), false};
        return window_most_bytes(&test.program, &test.grid, 10, 1, 1, columns, 1, 1, WINDOW_STREAM);
    };
    const int64_t plane = test.grid.layout[0].stride_bytes;
    EXPECT_LT(bytes(), 6 * plane);
    test.fields[0].source = source;
    test.fields[0].sources = 5;
    EXPECT_GE(bytes(), 6 * plane);
}

TEST(Columns, DoNotReadCoefficientsThatNoStepReads) {
    TestProgram test;
    addCoefs(test, 2);
    ASSERT_EQ(test.layOut({10, 400, 50}), 0);
    const int64_t all = columns_read_bytes(&test.program, &test.grid, {1, false}, 2);
    test.fields[1].unread = true;
    const int64_t fewer = columns_read_bytes(&test.program, &test.grid, {1, false}, 2);
    EXPECT_EQ(fewer * 3, all * 2);
    EXPECT_EQ(grid_streamed_coef_bytes(&test.program, &test.grid) * 2, grid_coef_bytes(&test.program, &test.grid));
    EXPECT_LT(window_ring_planes(&test.program, &test.grid, 1, 0, 4, 2, 1, 1, WINDOW_STREAM),
              window_ring_planes(&test.program, &test.grid, 2, 0, 4, 2, 1, 1, WINDOW_STREAM));
}

TEST(Columns, FarTooDeepAPassReadsEverything) {
    TestProgram test;
    ASSERT_EQ(test.layOut({8, 300, 40}), 0);
    const column column = column_of(&test.program, &test.grid, {2, false}, 0, INT64_MAX);
    EXPECT_EQ(column.seen_lo, 0);
    EXPECT_EQ(column.seen_hi, test.grid.bands);
    EXPECT_FALSE(column.inner_hi);
}

} // namespace
