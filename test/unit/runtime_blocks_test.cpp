// Large files in blocks, past the page cache: the bytes are those that were given, whatever the pieces.
#include "runtime_test_program.h"

extern "C" {
#include "field_io/blocks.h"
#include "support/calls.h"
}

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <random>
#include <sys/vfs.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
constexpr int64_t kMiB = 1 << 20;

// Where the write of an engine fails.
std::atomic<int64_t> full{-1};
bool begin(call *call) {
    if (call->of_engine && call->kind == CALL_WRITE && call->offset == full) {
        call->result = -ENOSPC;
        return false;
    }
    return true;
}
int64_t end(call *, int64_t result) { return result; }

class Blocks : public testing::Test {
  protected:
    std::string directory, name;
    int fd = -1;
    std::mt19937_64 random{7};

    void SetUp() override {
        char text[] = "./oocc-blocks-XXXXXX";
        directory = mkdtemp(text);
        name = directory + "/u.raw";
        fd = open(name.c_str(), O_RDWR | O_CREAT, 0600);
        ASSERT_GE(fd, 0);
    }
    void TearDown() override {
        close(fd);
        fs::remove_all(directory);
    }
    std::string bytes(int64_t count) {
        std::string text(size_t(count), '\0');
        for (int64_t i = 0; i + 8 <= count; i += 8) {
            const uint64_t value = random();
            std::memcpy(&text[size_t(i)], &value, sizeof value);
        }
        return text;
    }
    // Moves text from `from` on in pieces of up to `most` bytes.
    int inPieces(blocks *b, std::string &text, int64_t from, int64_t most) {
        for (int64_t at = from; at < int64_t(text.size());) {
            const int64_t piece = std::min(1 + int64_t(random() % uint64_t(most)), int64_t(text.size()) - at);
            if (const int status = blocks_move(b, &text[size_t(at)], piece)) return status;
            at += piece;
        }
        return 0;
    }
    std::string content() const {
        std::ifstream in(name, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
};

TEST_F(Blocks, GiveBackWhatWasWritten) {
    for (const int64_t size : {int64_t(1), int64_t(4096), kMiB / 2, 2 * kMiB, 2 * kMiB + 1, 17 * kMiB + 12345})
        for (const int64_t most : {int64_t(100000), 3 * kMiB}) {
            std::string text = bytes(size);
            blocks *b = nullptr;
            ASSERT_EQ(ftruncate(fd, 0), 0);
            ASSERT_EQ(blocks_open(fd, name.c_str(), true, 0, size, &b), 0);
            ASSERT_EQ(inPieces(b, text, 0, most), 0);
            ASSERT_EQ(blocks_close(b, true), 0);
            ASSERT_TRUE(content() == text) << size << " " << most;
            for (const int64_t from : {int64_t(0), int64_t(128), int64_t(5000)}) {
                if (from >= size) continue;
                std::string got(size_t(size), '\0');
                ASSERT_EQ(blocks_open(fd, name.c_str(), false, from, size, &b), 0);
                ASSERT_EQ(inPieces(b, got, from, most), 0);
                ASSERT_EQ(blocks_close(b, true), 0);
                ASSERT_TRUE(got.substr(size_t(from)) == text.substr(size_t(from))) << size << " " << most << " " << from;
            }
        }
}

TEST_F(Blocks, WriteWhatWasGivenWhenTheyAreClosedEarly) {
    for (const int64_t size : {int64_t(100), kMiB + 100, 5 * kMiB / 2 + 4097}) {
        std::string text = bytes(size);
        blocks *b = nullptr;
        ASSERT_EQ(ftruncate(fd, 0), 0);
        ASSERT_EQ(blocks_open(fd, name.c_str(), true, 0, 20 * kMiB, &b), 0);
        ASSERT_EQ(inPieces(b, text, 0, 70000), 0);
        ASSERT_EQ(blocks_close(b, true), 0);
        EXPECT_TRUE(content() == text) << size;
    }
}

TEST_F(Blocks, LeaveTheFileAsItWasOpened) {
    const int before = fcntl(fd, F_GETFL);
    std::string text = bytes(3 * kMiB);
    blocks *b = nullptr;
    ASSERT_EQ(blocks_open(fd, name.c_str(), true, 0, 3 * kMiB, &b), 0);
    ASSERT_EQ(inPieces(b, text, 0, kMiB), 0);
    ASSERT_EQ(blocks_close(b, false), 0);
    EXPECT_EQ(fcntl(fd, F_GETFL), before);
}

TEST_F(Blocks, SayThatAFileBecameShorter) {
    std::string text = bytes(8 * kMiB);
    std::ofstream(name, std::ios::binary) << text;
    blocks *b = nullptr;
    ASSERT_EQ(blocks_open(fd, name.c_str(), false, 0, 8 * kMiB, &b), 0);
    ASSERT_EQ(ftruncate(fd, 4 * kMiB), 0);
    testing::internal::CaptureStderr();
    EXPECT_EQ(inPieces(b, text, 0, kMiB), OOCC_BAD_INPUT);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("u.raw: the file became shorter while it was read"), std::string::npos) << said;
    blocks_close(b, false);
}

TEST_F(Blocks, SayThatThereIsNoSpace) {
    const calls_watcher watcher{begin, end};
    calls_watch(&watcher, nullptr);
    for (const int64_t at : {0, 4, 11, 15}) {
        std::string text = bytes(8 * kMiB);
        blocks *b = nullptr;
        ASSERT_EQ(blocks_open(fd, name.c_str(), true, 0, 8 * kMiB, &b), 0);
        full = at * kMiB / 2;
        testing::internal::CaptureStderr();
        int status = inPieces(b, text, 0, kMiB);
        const int closed = blocks_close(b, status == 0);
        const std::string said = testing::internal::GetCapturedStderr();
        EXPECT_EQ(status ? status : closed, OOCC_NO_SPACE) << at;
        EXPECT_NE(said.find("u.raw at byte " + std::to_string(full) + ": No space left"), std::string::npos) << said;
    }
    calls_watch(nullptr, nullptr);
}

TEST_F(Blocks, PayForLargeFilesThatAreNotInTheCache) {
    EXPECT_FALSE(blocks_pay(fd, true, kMiB));
    EXPECT_TRUE(blocks_pay(fd, true, 64 * kMiB));
    std::ofstream(name, std::ios::binary) << bytes(32 * kMiB);
    EXPECT_FALSE(blocks_pay(fd, false, 32 * kMiB));
    ASSERT_EQ(fsync(fd), 0);
    ASSERT_EQ(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
    struct statfs system;
    if (fstatfs(fd, &system) == 0 && system.f_type == TMPFS_MAGIC) GTEST_SKIP() << "this file system is memory";
    for (int i = 0; i < 3; i++) // to look changes nothing
        EXPECT_TRUE(blocks_pay(fd, false, 32 * kMiB));
}

// A field with padded rows, 16 MiB and more of it, written and read in order and with a plane out of order.
class LargeField : public Blocks {
  protected:
    TestProgram test{3};
    std::vector<std::vector<double>> planes;

    void SetUp() override {
        Blocks::SetUp();
        ASSERT_EQ(test.layOut({37, 240, 251}), 0);
        for (int64_t z = 0; z < test.grid.planes; z++) {
            planes.emplace_back(size_t(test.grid.layout[0].plane_bytes) / 8);
            for (double &value : planes.back())
                value = double(random() >> 11);
        }
    }
    double *cells(std::vector<double> &plane) { return plane.data() + test.grid.layout[0].origin_elements; }
    void write(const std::vector<int64_t> &order) {
        field_file *file = nullptr;
        ASSERT_EQ(field_file_create((directory + "/u.npy").c_str(), &test.program, 0, &test.grid, &file), 0);
        for (const int64_t z : order)
            ASSERT_EQ(field_file_write_plane(file, z, cells(planes[size_t(z)])), 0);
        ASSERT_EQ(field_file_close(file, true), 0);
    }
    void expectRead(const std::vector<int64_t> &order) {
        field_file *file = nullptr;
        std::vector<double> plane(planes[0].size());
        ASSERT_EQ(field_file_open((directory + "/u.npy").c_str(), &test.program, 0, &test.grid, &file), 0);
        for (const int64_t z : order) {
            ASSERT_EQ(field_file_read_plane(file, z, cells(plane)), 0);
            for (int64_t y = 0; y < test.grid.rows; y++)
                ASSERT_EQ(std::memcmp(cells(plane) + y * test.grid.layout[0].row_elements,
                                      cells(planes[size_t(z)]) + y * test.grid.layout[0].row_elements, 251 * 8),
                          0)
                    << z << " " << y;
        }
        ASSERT_EQ(field_file_close(file, true), 0);
    }
    static std::vector<int64_t> inOrder() {
        std::vector<int64_t> order(37);
        for (size_t i = 0; i < order.size(); i++)
            order[i] = int64_t(i);
        return order;
    }
};

TEST_F(LargeField, GivesBackWhatWasWritten) {
    std::vector<int64_t> mixed = inOrder();
    std::swap(mixed[17], mixed[30]);
    for (const auto &order : {inOrder(), mixed}) {
        write(order);
        EXPECT_EQ(fs::file_size(directory + "/u.npy"), 128 + size_t(37) * 240 * 251 * 8);
        for (const auto &other : {inOrder(), mixed})
            expectRead(other);
    }
}

} // namespace
