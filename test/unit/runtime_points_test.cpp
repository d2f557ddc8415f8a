#include "runtime_observe_c.h"

extern "C" {
#include "support/calls.h"
#include "support/fault.h"
}

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>
#include <unistd.h>
#include <vector>

namespace {

using Cell = oocc_point_cell;

// A grid of the given extents, a file of points and what became of it.
class Points : public testing::Test {
  protected:
    Points() {
        char name[] = "./oocc-points-XXXXXX";
        directory = std::filesystem::absolute(mkdtemp(name));
        path = directory / "p.csv";
        field.name = "u";
        field.type = OOCC_F64;
        field.levels = 1;
        field.slots = 2;
        program.name = "points";
        program.source = "points.stn";
        program.fields = 1;
        program.field = &field;
    }
    ~Points() override {
        forget();
        free(const_cast<oocc_layout *>(grid.layout));
        std::filesystem::remove_all(directory);
    }
    void use(std::vector<int64_t> extent) {
        program.ndim = int(extent.size());
        program.dim = dims + 4 - extent.size();
        extent.resize(OOCC_MAX_DIMS);
        free(const_cast<oocc_layout *>(grid.layout));
        ASSERT_EQ(grid_layout(&program, extent.data(), false, &grid), 0);
    }
    void forget() { points_free(&set); }
    int read(const std::string &text) {
        std::ofstream(path, std::ios::binary) << text;
        forget();
        set = oocc_points{};
        set.path = path.c_str();
        return run();
    }
    int at(const std::vector<double> &place) {
        forget();
        set = oocc_points{};
        set.at = place.data();
        return run();
    }
    int run() {
        testing::internal::CaptureStderr();
        const int status = points_read(&program, &grid, &set);
        errors = testing::internal::GetCapturedStderr();
        return status;
    }
    void expectError(const std::string &text, const std::string &message) {
        EXPECT_EQ(read(text), OOCC_BAD_INPUT) << text;
        EXPECT_NE(errors.find(message), std::string::npos) << errors;
        EXPECT_NE(errors.find("help: "), std::string::npos) << errors;
    }

    const char *dims[4] = {"w", "z", "y", "x"};
    std::filesystem::path directory;
    std::string path, errors;
    oocc_field field{};
    oocc_program program{};
    oocc_grid grid{};
    oocc_points set{};
};

std::vector<double> weights(const oocc_points &set) { // by slot
    std::vector<double> result(size_t(set.cells));
    for (int64_t c = 0; c < set.cells; c++)
        result[size_t(set.cell[c].slot)] = set.cell[c].weight;
    return result;
}

TEST_F(Points, OnTheGridAreOneCell) {
    use({10, 8, 6});
    ASSERT_EQ(read("3, 2, 1\n"), 0) << errors;
    ASSERT_EQ(set.cells, 1);
    EXPECT_EQ(set.cell[0].plane, 3);
    EXPECT_EQ(set.cell[0].row, 2);
    EXPECT_EQ(set.cell[0].cell, 1);
    EXPECT_EQ(set.cell[0].weight, 1);
}

TEST_F(Points, OffTheGridWeighTheCornersAroundThem) {
    use({10, 8, 6});
    ASSERT_EQ(read("3.25 2.5 1.125\n"), 0) << errors;
    ASSERT_EQ(set.cells, 8);
    // Slowest dimension's lower index first.
    const double z = 0.25, y = 0.5, x = 0.125;
    EXPECT_EQ(weights(set),
              (std::vector<double>{(1 - z) * (1 - y) * (1 - x), (1 - z) * (1 - y) * x, (1 - z) * y * (1 - x),
                                   (1 - z) * y * x, z * (1 - y) * (1 - x), z * (1 - y) * x, z * y * (1 - x),
                                   z * y * x}));
    double sum = 0;
    for (const double weight : weights(set))
        sum += weight;
    EXPECT_EQ(sum, 1);
}

TEST_F(Points, HaveNoCornersOfWeightZero) {
    use({10, 8, 6});
    ASSERT_EQ(read("9 7 5\n9 3.5 5\n"), 0) << errors; // the last plane and cell: nothing lies beyond
    EXPECT_EQ(set.points, 2);
    EXPECT_EQ(set.cells, 3);
    EXPECT_EQ(weights(set), (std::vector<double>{1, 0.5, 0.5}));
}

TEST_F(Points, AreSortedByPlaceAndFoundByPlaneAndRow) {
    use({10, 8, 6});
    ASSERT_EQ(read("7 1 1\n2.5 6 3\n2 6 3\n2 0 0\n"), 0) << errors;
    ASSERT_EQ(set.cells, 5);
    for (int64_t c = 1; c < set.cells; c++) {
        const Cell &a = set.cell[c - 1], &b = set.cell[c];
        EXPECT_LE(std::tie(a.plane, a.row, a.cell, a.point), std::tie(b.plane, b.row, b.cell, b.point));
    }
    EXPECT_EQ(set.first[0], 0);
    EXPECT_EQ(set.first[2], 0);
    EXPECT_EQ(set.first[3], 3);
    EXPECT_EQ(set.first[4], 4);
    EXPECT_EQ(set.first[10], 5);
    EXPECT_EQ(set.cell[1].point, 1) << "at the same cell, in the order of the file";
    EXPECT_EQ(set.cell[2].point, 2);
    EXPECT_EQ(set.cell[0].slot, 4) << "slots count in the order of the file";
    EXPECT_EQ(oocc_point_from(&set, 2, 0), 0);
    EXPECT_EQ(oocc_point_from(&set, 2, 1), 1);
    EXPECT_EQ(oocc_point_from(&set, 2, 7), 3);
}

TEST_F(Points, LieInBlocksInOneDimension) {
    use({5000});
    const int64_t block = grid.cells;
    ASSERT_LT(block, 5000);
    ASSERT_EQ(read(std::to_string(block - 1) + ".5\n"), 0) << errors;
    ASSERT_EQ(set.cells, 2);
    EXPECT_EQ(set.cell[0].plane, 0);
    EXPECT_EQ(set.cell[0].cell, block - 1);
    EXPECT_EQ(set.cell[1].plane, 1);
    EXPECT_EQ(set.cell[1].cell, 0);
}

TEST_F(Points, LieInRowsInTwoDimensionsAndInRowsOfRowsInFour) {
    use({10, 20});
    ASSERT_EQ(read("4 15\n"), 0) << errors;
    EXPECT_EQ(set.cell[0].plane, 4);
    EXPECT_EQ(set.cell[0].row, 0);
    EXPECT_EQ(set.cell[0].cell, 15);
    use({3, 4, 5, 6});
    ASSERT_EQ(read("2 3 1 5\n"), 0) << errors;
    EXPECT_EQ(set.cell[0].plane, 2);
    EXPECT_EQ(set.cell[0].row, 3 * 5 + 1);
    EXPECT_EQ(set.cell[0].cell, 5);
    ASSERT_EQ(read("1.5 2.5 3.5 4.5\n"), 0) << errors;
    EXPECT_EQ(set.cells, 16);
}

TEST_F(Points, AreReadAsPeopleWriteThem) {
    use({10, 8, 6});
    ASSERT_EQ(
        read(
            "\xef\xbb\xbf# from the survey\r\n z ,y,  x\r\n\r\n1,2,3\r\n 4 5\t5 # last\n6 , 7 ,.5e1,\n2,2,2"),
        0)
        << errors;
    EXPECT_EQ(set.points, 4);
    ASSERT_EQ(read("depth east north\n1 2 3\n"), 0) << errors;
    EXPECT_EQ(set.points, 1);
}

TEST_F(Points, MayBeGivenByTheProgram) {
    use({10, 8, 6});
    ASSERT_EQ(at({3, 2.5, 1}), 0) << errors;
    EXPECT_EQ(set.points, 1);
    EXPECT_EQ(weights(set), (std::vector<double>{0.5, 0.5}));
    EXPECT_EQ(at({3, 2, 5.5}), OOCC_BAD_INPUT);
    EXPECT_NE(errors.find("points.stn: a point's x is 5.5, but the grid goes from 0 to 5"), std::string::npos)
        << errors;
    EXPECT_EQ(at({3, std::nan(""), 5}), OOCC_BAD_INPUT);
}

TEST_F(Points, ThatCannotBeAreNamedByLine) {
    use({10, 8, 6});
    expectError("1 2 3\n\n1 2\n", "p.csv:3: 2 values, expected 3 (z, y, x)");
    expectError("1 2 3 4 5\n", "p.csv:1: more than 3 values, expected 3");
    expectError("1 2 3\n1 2 east\n", "p.csv:2: 'east' is not a number");
    expectError("1,,3\n", "p.csv:1: '' is not a number");
    expectError("# c\n1 2 3\n10 2 3\n", "p.csv:3: z is 10, but the grid goes from 0 to 9");
    expectError("1 -0.5 3\n", "p.csv:1: y is -0.5, but the grid goes from 0 to 7");
    expectError("1 2 nan\n", "p.csv:1: x is nan");
    expectError("x y z\n1 2 3\n", "p.csv:1: column 1 is x; the columns are z, y, x");
    expectError("z y x\nz y x\n", "p.csv:2: 'z' is not a number");
    expectError("# nothing\nz y x\n", "p.csv holds no points");
    expectError(std::string("1 2 3\n4 5\0 6\n", 13), "p.csv:2: not a line of text");
}

// Every read brings a few bytes only, or is interrupted: lines are put together again, the longest, too.
TEST_F(Points, ComeWholeThroughReadsOfAnySize) {
    use({10, 8, 6});
    std::string text = "\xef\xbb\xbf# " + std::string(200000, '-') + "\nz y x\n";
    for (int i = 0; i < 20000; i++)
        text += std::to_string(i % 10) + ",\t2.5 " + std::to_string(i % 6) + (i % 3 ? "\r\n" : "\n\n");
    for (const char *spec : {"short:every=1,seed=4", "short:every=2,seed=9", "eintr:every=2,seed=7"}) {
        ASSERT_EQ(fault_set(spec), 0);
        calls_watch(&fault_watcher, nullptr);
        const int status = read(text + "9 7 5");
        calls_watch(nullptr, nullptr);
        ASSERT_EQ(status, OOCC_OK) << spec << errors;
        EXPECT_EQ(set.points, 20001);
        EXPECT_EQ(set.cells, 40001);
    }
}

// The place of the k-th read is named; a file that ends early gives no fewer points, but an error.
TEST_F(Points, InAFileThatCannotBeRead) {
    use({10, 8, 6});
    std::string text;
    for (int i = 0; i < 30000; i++)
        text += "1 2 3\n";
    const std::vector<std::array<std::string, 2>> cases = {
        {"eio-read@1", "at byte 0: Input/output error"},
        {"eio-read@3", "at byte 131072: Input/output error"},
        {"zero-read@2", "became shorter while it was read: it ends before byte 131072"},
        {"eio-meta@1", "cannot open "},
    };
    for (const auto &[spec, message] : cases) {
        ASSERT_EQ(fault_set(spec.c_str()), 0);
        calls_watch(&fault_watcher, nullptr);
        EXPECT_EQ(read(text), spec[0] == 'z' ? OOCC_BAD_INPUT : OOCC_IO_ERROR) << spec;
        calls_watch(nullptr, nullptr);
        EXPECT_NE(errors.find(message), std::string::npos) << errors;
        EXPECT_NE(errors.find("p.csv"), std::string::npos) << errors;
        EXPECT_NE(errors.find("help: "), std::string::npos) << errors;
    }
}

TEST_F(Points, InADirectory) {
    use({10, 8, 6});
    set.path = directory.c_str();
    EXPECT_EQ(run(), OOCC_BAD_INPUT);
    EXPECT_NE(errors.find("is not a regular file"), std::string::npos) << errors;
}

TEST_F(Points, InAFileThatIsNotThere) {
    use({10, 8, 6});
    set.path = "nowhere.csv";
    EXPECT_EQ(run(), OOCC_BAD_INPUT);
    EXPECT_NE(errors.find("cannot open nowhere.csv: No such file"), std::string::npos) << errors;
}

// -- signals ---------------------------------------------------------------------------------------------------

class Signal : public Points {
  protected:
    Signal() {
        use({10, 8, 6});
        EXPECT_EQ(read("1 2 3\n2 2 2\n"), 0);
        program.points = &set;
        program.point_sets = 1;
        file = directory / "s.npy";
    }
    ~Signal() override { signal_free(&signal); }
    template <typename T>
    int load(const std::string &descr, const std::string &shape, const std::vector<T> &values,
             const char *order = "False") {
        std::string npy = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + "{'descr': '" + descr +
                          "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
        npy.resize(127, ' ');
        npy += '\n';
        npy.append(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
        std::ofstream(file, std::ios::binary) << npy;
        signal_free(&signal);
        signal = oocc_signal{file.c_str(), 0, 0, 0, nullptr};
        testing::internal::CaptureStderr();
        const int status = signal_read(&program, &signal);
        errors = testing::internal::GetCapturedStderr();
        return status;
    }
    std::string file;
    oocc_signal signal{};
};

TEST_F(Signal, DrivesAllPointsAlike) {
    ASSERT_EQ(load<float>("<f4", "(3,)", {1.5F, -2.25F, 4}), 0) << errors;
    EXPECT_EQ(signal.samples, 3);
    for (const int64_t point : {0, 1}) {
        EXPECT_EQ(oocc_signal_at(&signal, 0, point), 1.5);
        EXPECT_EQ(oocc_signal_at(&signal, 1, point), -2.25);
        EXPECT_EQ(oocc_signal_at(&signal, 2, point), 4);
        EXPECT_EQ(oocc_signal_at(&signal, 3, point), 0) << "beyond the last sample";
    }
}

TEST_F(Signal, HasAColumnForEveryPoint) {
    ASSERT_EQ(load<double>("<f8", "(2, 2)", {1, 2, 3, 0.1}), 0) << errors;
    EXPECT_EQ(oocc_signal_at(&signal, 0, 1), 2);
    EXPECT_EQ(oocc_signal_at(&signal, 1, 0), 3);
    EXPECT_EQ(oocc_signal_at(&signal, 1, 1), 0.1);
}

TEST_F(Signal, OfAnotherShapeOrTypeIsRefused) {
    EXPECT_EQ(load<double>("<f8", "(1, 3)", {1, 2, 3}), OOCC_BAD_INPUT);
    EXPECT_NE(errors.find("3 columns, but there are 2 points"), std::string::npos) << errors;
    EXPECT_EQ(load<double>("<f8", "(2, 2)", {1, 2, 3, 4}, "True"), OOCC_BAD_INPUT);
    EXPECT_NE(errors.find("Fortran order"), std::string::npos) << errors;
    EXPECT_EQ(load<int64_t>("<i8", "(2,)", {1, 2}), OOCC_BAD_INPUT);
    EXPECT_NE(errors.find("'<i8'"), std::string::npos) << errors;
    EXPECT_EQ(load<double>("<f8", "(1, 1, 2)", {1, 2}), OOCC_BAD_INPUT);
    EXPECT_EQ(load<double>("<f8", "(0,)", {}), OOCC_BAD_INPUT);
    EXPECT_EQ(load<double>("<f8", "(3,)", {1, 2}), OOCC_BAD_INPUT);
    EXPECT_NE(errors.find("length does not match"), std::string::npos) << errors;
}

} // namespace
