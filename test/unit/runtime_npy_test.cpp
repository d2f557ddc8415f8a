#include "runtime_test_program.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

class FieldFile : public testing::Test {
  protected:
    fs::path dir = fs::temp_directory_path() / ("oocc-npy-" + std::to_string(getpid()));
    void SetUp() override { fs::create_directories(dir); }
    void TearDown() override { fs::remove_all(dir); }

    std::string path(const char *name) const { return (dir / name).string(); }

    std::string write(const char *name, const std::string &bytes) const {
        std::ofstream(path(name), std::ios::binary) << bytes;
        return path(name);
    }
    static std::string npy(const std::string &dict, size_t data, char version = 1) {
        std::string file = "\x93NUMPY";
        file += version;
        file += '\0';
        for (int i = 0; i < (version == 1 ? 2 : 4); i++)
            file += static_cast<char>(dict.size() >> (8 * i) & 0xff);
        return file + dict + std::string(data, '\0');
    }
    static std::string dict(const std::string &descr, const std::string &order, const std::string &shape) {
        return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
    }
    std::string errors;
    int open(const TestProgram &test, const std::string &name) {
        field_file *file = nullptr;
        testing::internal::CaptureStderr();
        const int status = field_file_open(name.c_str(), &test.program, 0, &test.grid, &file);
        errors = testing::internal::GetCapturedStderr();
        if (status == 0) field_file_close(file, false);
        return status;
    }
    void expectRefused(const TestProgram &test, const std::string &name, const std::string &text) {
        EXPECT_EQ(open(test, name), OOCC_BAD_INPUT);
        EXPECT_NE(errors.find(text), std::string::npos) << errors;
    }
    // The bytes of an element that holds a number, as far as the type can.
    static std::array<char, 8> elementOf(oocc_type type, int64_t number) {
        std::array<char, 8> bytes{};
        const auto as = [&](auto value) { std::memcpy(bytes.data(), &value, sizeof value); };
        switch (type) {
        case OOCC_BOOL:
            as(uint8_t(number & 1));
            break;
        case OOCC_U8:
            as(uint8_t(number));
            break;
        case OOCC_I32:
            as(int32_t(number));
            break;
        case OOCC_INT:
            as(number);
            break;
        case OOCC_F32:
            as(float(number));
            break;
        case OOCC_F64:
            as(double(number));
            break;
        }
        return bytes;
    }
    // Writes a field of distinct values, reads it again in reverse order of planes, and compares.
    void roundTrip(TestProgram &test, const char *name) {
        const oocc_layout &layout = test.grid.layout[0];
        const int64_t element = layout.element_bytes;
        std::vector<char> plane(static_cast<size_t>(layout.plane_bytes));
        char *cells = plane.data() + layout.origin_elements * element;
        const auto forEachCell = [&](int64_t z, auto &&visit) {
            for (int64_t y = 0; y < test.grid.rows; y++)
                for (int64_t x = 0; x < oocc_cells(&test.grid, z); x++)
                    visit(cells + (y * layout.row_elements + x) * element,
                          elementOf(test.fields[0].type, (z * 1001 + y) * 1003 + x));
        };
        field_file *file = nullptr;
        ASSERT_EQ(field_file_create(path(name).c_str(), &test.program, 0, &test.grid, &file), 0);
        for (int64_t z = 0; z < test.grid.planes; z++) {
            forEachCell(z,
                        [&](char *at, const auto &value) { std::memcpy(at, value.data(), size_t(element)); });
            ASSERT_EQ(field_file_write_plane(file, z, cells), 0);
        }
        EXPECT_FALSE(fs::exists(path(name)));
        ASSERT_EQ(field_file_close(file, true), 0);
        ASSERT_TRUE(fs::exists(path(name)));
        EXPECT_EQ(std::distance(fs::directory_iterator(dir), {}), 1);
        ASSERT_EQ(field_file_open(path(name).c_str(), &test.program, 0, &test.grid, &file), 0);
        for (int64_t z = test.grid.planes - 1; z >= 0; z--) {
            ASSERT_EQ(field_file_read_plane(file, z, cells), 0);
            bool same = true;
            forEachCell(z, [&](const char *at, const auto &value) {
                same &= !std::memcmp(at, value.data(), size_t(element));
            });
            ASSERT_TRUE(same) << "plane " << z;
        }
        ASSERT_EQ(field_file_close(file, true), 0);
        fs::remove(path(name));
    }
};

const oocc_type kTypes[] = {OOCC_BOOL, OOCC_U8, OOCC_I32, OOCC_INT, OOCC_F32, OOCC_F64};

TEST_F(FieldFile, GivesBackWhatWasWritten) {
    for (const oocc_type type : kTypes)
        for (const char *name : {"u.npy", "u.raw"}) {
            TestProgram solid(3, type), flat(2, type), line(1, type), wide(3, type), hyper(4, type);
            solid.fields[0].ghost_lo_cells = 2;
            ASSERT_EQ(solid.layOut({5, 6, 7}), 0);
            roundTrip(solid, name);
            ASSERT_EQ(wide.layOut({2, 3, 300000}), 0); // rows larger than the gather buffer
            roundTrip(wide, name);
            ASSERT_EQ(flat.layOut({9, 100}), 0);
            roundTrip(flat, name);
            ASSERT_EQ(hyper.layOut({3, 4, 5, 6}), 0);
            roundTrip(hyper, name);
            ASSERT_EQ(line.layOut({3000}), 0); // the last block is shorter
            roundTrip(line, name);
        }
}

TEST_F(FieldFile, WritesAHeaderOfWholeLines) {
    TestProgram test(2);
    ASSERT_EQ(test.layOut({4, 3}), 0);
    field_file *file = nullptr;
    ASSERT_EQ(field_file_create(path("a.npy").c_str(), &test.program, 0, &test.grid, &file), 0);
    ASSERT_EQ(field_file_close(file, true), 0);
    std::ifstream in(path("a.npy"), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    EXPECT_EQ(bytes.size(), 128 + 96U);
    EXPECT_EQ(bytes.substr(0, 6), "\x93NUMPY");
    EXPECT_EQ(bytes.substr(10, 60), "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 3), } ");
    EXPECT_EQ(bytes[127], '\n');
}

TEST_F(FieldFile, NamesEveryTypeAsNumPyDoes) {
    const char *const descr[] = {"|b1", "|u1", "<i4", "<i8", "<f4", "<f8"};
    for (int i = 0; i < 6; i++) {
        TestProgram test(4, kTypes[i]);
        ASSERT_EQ(test.layOut({2, 3, 4, 5}), 0);
        field_file *file = nullptr;
        ASSERT_EQ(field_file_create(path("a.npy").c_str(), &test.program, 0, &test.grid, &file), 0);
        ASSERT_EQ(field_file_close(file, true), 0);
        std::ifstream in(path("a.npy"), std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(in)), {});
        const std::string dict =
            "{'descr': '" + std::string(descr[i]) + "', 'fortran_order': False, 'shape': (2, 3, 4, 5), } ";
        EXPECT_EQ(bytes.substr(10, dict.size()), dict);
        EXPECT_EQ(open(test, path("a.npy")), 0) << errors;
        TestProgram other(4, kTypes[(i + 1) % 6]);
        ASSERT_EQ(other.layOut({2, 3, 4, 5}), 0);
        expectRefused(other, path("a.npy"),
                      std::string("holds '") + descr[i] + "', expected '" + descr[(i + 1) % 6] + "'");
    }
}

TEST_F(FieldFile, RefusesABoolThatIsNeither) {
    TestProgram test(2, OOCC_BOOL);
    ASSERT_EQ(test.layOut({4, 3}), 0);
    std::string data(12, '\1');
    data[7] = '\xff'; // plane 2, cell 1
    const std::string name = write("b.raw", data);
    field_file *file = nullptr;
    std::vector<char> plane(size_t(test.grid.layout[0].plane_bytes));
    ASSERT_EQ(field_file_open(name.c_str(), &test.program, 0, &test.grid, &file), 0);
    EXPECT_EQ(field_file_read_plane(file, 1, plane.data()), 0);
    testing::internal::CaptureStderr();
    EXPECT_EQ(field_file_read_plane(file, 2, plane.data()), OOCC_BAD_INPUT);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("b.raw: a bool is 0 or 1, but byte 7 is 255"),
              std::string::npos);
    field_file_close(file, false);
}

TEST_F(FieldFile, ReadsEveryVersionAndSpelling) {
    TestProgram test(2);
    ASSERT_EQ(test.layOut({4, 3}), 0);
    for (const char version : {1, 2, 3})
        EXPECT_EQ(open(test, write("v.npy", npy(dict("'<f8'", "False", "(4, 3)"), 96, version))), 0)
            << errors;
    EXPECT_EQ(open(test, write("k.npy",
                               npy("{\"shape\":(4,3,),\"descr\":\"<f8\",\"fortran_order\":False}   ", 96))),
              0)
        << errors;
    EXPECT_EQ(open(test, write("l.npy", npy(dict("'<f8'", "False", "(4L, 3L)"), 96))), 0) << errors;
    TestProgram line(1);
    ASSERT_EQ(line.layOut({12}), 0);
    EXPECT_EQ(open(line, write("o.npy", npy(dict("'<f8'", "False", "(12,)"), 96))), 0) << errors;
}

TEST_F(FieldFile, RefusesAnotherTypeOrderOrShape) {
    TestProgram test(2);
    ASSERT_EQ(test.layOut({4, 3}), 0);
    expectRefused(test, write("a.npy", npy(dict("'<f4'", "False", "(4, 3)"), 48)),
                  "holds '<f4', expected '<f8'");
    expectRefused(test, write("b.npy", npy(dict("'>f8'", "False", "(4, 3)"), 96)), "big-endian");
    expectRefused(test, write("c.npy", npy(dict("'<f8'", "True", "(4, 3)"), 96)), "Fortran order");
    expectRefused(test, write("d.npy", npy(dict("'<f8'", "False", "(3, 4)"), 96)),
                  "shape is (3, 4), expected (4, 3)");
    expectRefused(test, write("e.npy", npy(dict("'<f8'", "False", "(12,)"), 96)),
                  "shape is (12,), expected (4, 3)");
    expectRefused(test, write("f.npy", npy(dict("[('a', '<f8')]", "False", "(4, 3)"), 96)), "records");
    expectRefused(test, write("g.npy", npy(dict("'<f8'", "False", "()"), 8)), "shape is (), expected");
}

TEST_F(FieldFile, RefusesAnotherLength) {
    TestProgram test;
    ASSERT_EQ(test.layOut({500, 2, 2}), 0);
    expectRefused(test, write("heat.npy", npy(dict("'<f8'", "False", "(500, 2, 2)"), 8000)),
                  "8,000 bytes of data, expected 16,000 (500x2x2 f64)");
    expectRefused(test, write("long.raw", std::string(16001, 'x')), "16,001 bytes of data, expected 16,000");
}

TEST_F(FieldFile, RefusesWhatIsNoNpyFile) {
    TestProgram test(2);
    ASSERT_EQ(test.layOut({4, 3}), 0);
    expectRefused(test, write("a.npy", ""), "too short");
    expectRefused(test, write("b.npy", std::string(200, 'x')), "does not begin with");
    expectRefused(test, write("c.npy", npy(dict("'<f8'", "False", "(4, 3)"), 96, 4)), "version 4.0");
    expectRefused(test, write("d.npy", npy(std::string(100, ' '), 0).substr(0, 50)), "header is longer");
    for (const char *text : {"{'descr': '<f8', 'fortran_order': False}", "{'descr': '<f8', 'descr': '<f8'}",
                             "{", "", "{}", "{'descr': '<f8', 'fortran_order': 0, 'shape': (4, 3)}",
                             "{'descr': '<f8', 'fortran_order': False, 'shape': (4 3)}",
                             "{'descr': '<f8', 'fortran_order': False, 'shape': (-4, 3)}",
                             "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 99999999999999999999)}",
                             "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 3), 'more': 1}",
                             "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 3)} x"})
        expectRefused(test, write("e.npy", npy(text, 96)), "cannot be understood");
}

TEST_F(FieldFile, RefusesOtherSuffixesAndMissingFiles) {
    TestProgram test(2);
    ASSERT_EQ(test.layOut({4, 3}), 0);
    expectRefused(test, write("a.txt", "x"), "files end in .npy or .raw");
    expectRefused(test, path("absent.npy"), "No such file");
    fs::create_directory(path("d.npy"));
    expectRefused(test, path("d.npy"), "not a regular file");
    field_file *file = nullptr;
    testing::internal::CaptureStderr();
    EXPECT_EQ(field_file_create(path("no/such/dir.npy").c_str(), &test.program, 0, &test.grid, &file),
              OOCC_NO_SPACE);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("create its directory first"), std::string::npos);
}

TEST_F(FieldFile, LeavesTheOldFileWhenNotKept) {
    TestProgram test(2);
    ASSERT_EQ(test.layOut({4, 3}), 0);
    write("u.raw", "old");
    field_file *file = nullptr;
    ASSERT_EQ(field_file_create(path("u.raw").c_str(), &test.program, 0, &test.grid, &file), 0);
    ASSERT_EQ(field_file_close(file, false), 0);
    EXPECT_EQ(fs::file_size(path("u.raw")), 3U);
    EXPECT_EQ(std::distance(fs::directory_iterator(dir), {}), 1);
}

TEST_F(FieldFile, SaysThatThereIsNoSpaceBeforeAnythingIsWritten) {
    TestProgram test;
    ASSERT_EQ(test.layOut({100000, 10000, 10000}), 0); // 80 TB
    field_file *file = nullptr;
    testing::internal::CaptureStderr();
    EXPECT_EQ(field_file_create(path("huge.npy").c_str(), &test.program, 0, &test.grid, &file),
              OOCC_NO_SPACE);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("cannot reserve"), std::string::npos);
    EXPECT_TRUE(fs::is_empty(dir));
}

} // namespace
