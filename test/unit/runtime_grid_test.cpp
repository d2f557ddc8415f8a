#include "runtime_test_program.h"

#include <gtest/gtest.h>

namespace {

TEST(Grid, StoresThreeDimensionsAsPlanesOfRows) {
    TestProgram test;
    ASSERT_EQ(test.layOut({10, 20, 30}), 0);
    EXPECT_EQ(test.grid.planes, 10);
    EXPECT_EQ(test.grid.rows, 20);
    EXPECT_EQ(test.grid.cells, 30);
    EXPECT_EQ(test.grid.layout[0].row_elements, 32);
    EXPECT_EQ(test.grid.layout[0].origin_elements, 0);
    EXPECT_EQ(test.grid.layout[0].plane_bytes, 8192);
    EXPECT_EQ(grid_points(&test.grid), 6000);
    EXPECT_EQ(grid_state_bytes(&test.program, &test.grid), 10 * 8192);
}

TEST(Grid, StoresFourDimensionsAsPlanesOfAllTheirRows) {
    TestProgram test(4, OOCC_U8);
    ASSERT_EQ(test.layOut({10, 20, 30, 40}), 0);
    EXPECT_EQ(test.grid.planes, 10);
    EXPECT_EQ(test.grid.rows, 600);
    EXPECT_EQ(test.grid.cells, 40);
    EXPECT_EQ(test.grid.layout[0].element_bytes, 1);
    EXPECT_EQ(test.grid.layout[0].row_elements, 64);
    EXPECT_EQ(test.grid.layout[0].plane_bytes, (600 * 64 + 4095) / 4096 * 4096);
    EXPECT_EQ(grid_points(&test.grid), 240000);
    testing::internal::CaptureStderr();
    EXPECT_EQ(test.layOut({2, int64_t{1} << 40, int64_t{1} << 40, 1}), OOCC_BAD_INPUT);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("does not fit 63 bits"), std::string::npos);
}

TEST(Grid, KnowsTheSizeOfEveryElement) {
    const std::pair<oocc_type, int64_t> sizes[] = {{OOCC_BOOL, 1}, {OOCC_U8, 1},  {OOCC_I32, 4},
                                                   {OOCC_INT, 8},  {OOCC_F32, 4}, {OOCC_F64, 8}};
    for (const auto &[type, bytes] : sizes) {
        TestProgram test(3, type);
        test.fields[0].ghost_lo_cells = 3;
        test.fields[0].first_cell = 1;
        ASSERT_EQ(test.layOut({2, 2, 100}), 0);
        const oocc_layout &layout = test.grid.layout[0];
        EXPECT_EQ(layout.element_bytes, bytes);
        EXPECT_EQ((layout.origin_elements + 1) * bytes % 64, 0);
        EXPECT_EQ(layout.row_elements * bytes % 64, 0);
        EXPECT_GE(layout.origin_elements, 3);
        EXPECT_GE(layout.row_elements, layout.origin_elements + 100);
    }
}

TEST(Grid, RefusesLessThanEdgesAndOffsetsNeed) {
    TestProgram test;
    test.program.min_extent[1] = 5;
    ASSERT_EQ(test.layOut({1, 5, 1}), 0);
    testing::internal::CaptureStderr();
    EXPECT_EQ(test.layOut({10, 4, 10}), OOCC_BAD_INPUT);
    EXPECT_NE(testing::internal::GetCapturedStderr().find(
                  "heat.stn: the grid has 4 cells along y; its edges and offsets need at least 5"),
              std::string::npos);
}

TEST(Grid, CutsAShortCircleIntoAsManyBlocksAsAStepNeeds) {
    TestProgram test(1);
    test.program.wedge = {true, 2, 1, 1, 0};
    test.program.block_min_cells = 4;
    ASSERT_EQ(test.layOut({12}), 0);
    for (int64_t extent = 14; extent < 3000; extent++) {
        ASSERT_EQ(test.layOut({extent}), 0) << extent;
        EXPECT_GE(test.grid.planes, 3) << extent;
        EXPECT_GE(oocc_cells(&test.grid, test.grid.planes - 1), 4) << extent;
    }
    testing::internal::CaptureStderr();
    EXPECT_EQ(test.layOut({13}), OOCC_BAD_INPUT);
    const std::string err = testing::internal::GetCapturedStderr();
    EXPECT_NE(err.find("13 cells along x, which is periodic: they cannot be cut into 3 blocks"),
              std::string::npos)
        << err;
    EXPECT_NE(err.find("shorter than 4 cells"), std::string::npos) << err;
}

TEST(Grid, StoresTwoDimensionsAsPlanesOfOneRow) {
    TestProgram test(2, OOCC_F32);
    ASSERT_EQ(test.layOut({50, 3000}), 0);
    EXPECT_EQ(test.grid.planes, 50);
    EXPECT_EQ(test.grid.rows, 1);
    EXPECT_EQ(test.grid.cells, 3000);
    EXPECT_EQ(test.grid.layout[0].plane_bytes, 12288);
}

TEST(Grid, KeepsGhostCellsOnWholeLinesBesideTheRow) {
    TestProgram test;
    test.fields[0].ghost_lo_cells = 2;
    test.fields[0].ghost_hi_cells = 3;
    ASSERT_EQ(test.layOut({4, 4, 64}), 0);
    EXPECT_EQ(test.grid.layout[0].origin_elements, 8);
    EXPECT_EQ(test.grid.layout[0].row_elements, 80);
}

TEST(Grid, KeepsRowsAndPlanesOutOfTheSameCacheSets) {
    TestProgram test;
    ASSERT_EQ(test.layOut({8, 1024, 1024}), 0);
    const oocc_layout &layout = test.grid.layout[0];
    EXPECT_NE(layout.row_elements * 8 % 4096, 0);
    EXPECT_EQ(layout.plane_bytes % 4096, 0);
    EXPECT_NE(layout.plane_bytes % 65536, 0);
    EXPECT_GT(layout.stride_bytes, layout.plane_bytes);
}

TEST(Grid, LeavesNothingBetweenRowsAndPlanesThatAreDense) {
    TestProgram test;
    test.dense = true;
    ASSERT_EQ(test.layOut({8, 1024, 1024}), 0);
    EXPECT_EQ(test.grid.layout[0].row_elements, 1024);
    EXPECT_EQ(test.grid.layout[0].plane_bytes, 1024 * 1024 * 8);
    EXPECT_EQ(test.grid.layout[0].stride_bytes, test.grid.layout[0].plane_bytes);
    ASSERT_EQ(test.layOut({8, 10, 100}), 0); // lines and blocks stay whole: vector loops and direct I/O need them
    EXPECT_EQ(test.grid.layout[0].row_elements % 8, 0);
    EXPECT_EQ(test.grid.layout[0].plane_bytes % 4096, 0);
}

TEST(Grid, CutsOneDimensionIntoBlocks) {
    TestProgram test(1);
    ASSERT_EQ(test.layOut({100000000}), 0);
    EXPECT_EQ(test.grid.cells, 8192);
    EXPECT_EQ(test.grid.planes, (100000000 + 8191) / 8192);
    ASSERT_EQ(test.layOut({100000}), 0);
    EXPECT_EQ(test.grid.cells % 64, 0);
    EXPECT_GE(test.grid.planes, 60);
    ASSERT_EQ(test.layOut({5}), 0);
    EXPECT_EQ(test.grid.cells, 64);
    EXPECT_EQ(test.grid.planes, 1);
    EXPECT_EQ(oocc_cells(&test.grid, 0), 5);
}

TEST(Grid, NeverLeavesALastBlockShorterThanTheReach) {
    TestProgram test(1);
    test.program.block_min_cells = 200;
    for (int64_t extent = 1; extent < 20000; extent += 37) {
        ASSERT_EQ(test.layOut({extent}), 0);
        const int64_t last = oocc_cells(&test.grid, test.grid.planes - 1);
        EXPECT_GT(last, 0);
        EXPECT_TRUE(test.grid.planes == 1 || last >= 200) << extent;
        EXPECT_EQ((test.grid.planes - 1) * test.grid.cells + last, extent);
    }
}

TEST(Grid, CountsLevelsAndCoefficients) {
    TestProgram test;
    test.fields[0].levels = 2;
    oocc_field c = test.fields[0];
    c.name = "c";
    c.coef = true;
    c.levels = c.slots = 1;
    c.type = OOCC_F32;
    test.fields.push_back(c);
    test.useFields();
    ASSERT_EQ(test.layOut({3, 16, 64}), 0);
    EXPECT_EQ(grid_state_bytes(&test.program, &test.grid), 2 * 3 * 8192);
    EXPECT_EQ(grid_coef_bytes(&test.program, &test.grid), 3 * 4096);
}

// Small ones, so that a column reads little more than its own rows; but the tables of their checksums leave a 32nd of the grid to the window.
TEST(Grid, CutsPlanesIntoBandsThatSmallBudgetsCanAfford) {
    struct Case {
        std::vector<int64_t> extent;
        int64_t rows;
    };
    for (const auto &[extent, rows] : {Case{{64, 64, 64}, 8}, Case{{512, 256, 256}, 4}, Case{{1024, 512, 512}, 8}, Case{{2048, 256, 256}, 16},
                                       Case{{1024, 1024, 1024}, 16}, Case{{2048, 1024, 1024}, 32}}) {
        TestProgram test;
        ASSERT_EQ(test.layOut(extent), 0);
        EXPECT_EQ(test.grid.band_rows, rows) << extent[0] << " x " << extent[1];
        const int64_t tables = test.grid.planes * test.grid.bands * 41, stored = grid_state_bytes(&test.program, &test.grid);
        if (stored > int64_t{1} << 30) {
            EXPECT_LT(tables, stored / 32 / 16) << extent[0] << " x " << extent[1];
        }
    }
}

TEST(Grid, RefusesSizesThatDoNotFit) {
    TestProgram test;
    testing::internal::CaptureStderr();
    EXPECT_EQ(test.layOut({int64_t{1} << 40, int64_t{1} << 20, int64_t{1} << 10}), OOCC_BAD_INPUT);
    EXPECT_EQ(test.layOut({INT64_MAX, 1, 1}), OOCC_BAD_INPUT);
    EXPECT_EQ(test.layOut({1, 1, INT64_MAX}), OOCC_BAD_INPUT);
    const std::string err = testing::internal::GetCapturedStderr();
    EXPECT_NE(err.find("1099511627776 x 1048576 x 1024"), std::string::npos) << err;
}

TEST(Grid, RefusesEmptyDimensions) {
    TestProgram test;
    testing::internal::CaptureStderr();
    EXPECT_EQ(test.layOut({4, 0, 4}), OOCC_BAD_INPUT);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("0 cells along y"), std::string::npos);
}

} // namespace
