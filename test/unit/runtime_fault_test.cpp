// What goes wrong on purpose: how it is asked for, what the fault engine does with records, what calls are told, and what
// the log of calls holds.
#include "runtime_engine.h"

extern "C" {
#include "support/calls.h"
#include "support/fault.h"
#include "support/io_log.h"
}

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <vector>

namespace {

std::string refusal(const char *spec) {
    testing::internal::CaptureStderr();
    const int status = fault_set(spec);
    const std::string text = testing::internal::GetCapturedStderr();
    return std::to_string(status) + " " + text;
}

TEST(FaultSpec, IsUnderstood) {
    for (const char *spec :
         {"eio@1", "eio-sync@3", "flip:every=50", "flip:seed=3,every=50", "swap@7:seed=2", "enospc@4"})
        EXPECT_EQ(fault_set(spec), 0) << spec;
}

TEST(FaultSpec, SaysWhatIsWrong) {
    EXPECT_NE(refusal("eoi@1").find("2 "), std::string::npos);
    EXPECT_NE(refusal("eoi@1").find("KIND is one of eio, "), std::string::npos);
    EXPECT_NE(refusal("eio@0").find("K counts from 1"), std::string::npos);
    EXPECT_NE(refusal("eio@x").find("K counts from 1"), std::string::npos);
    EXPECT_NE(refusal("eio").find("either @K or every=N"), std::string::npos);
    EXPECT_NE(refusal("eio@3:every=4").find("either @K or every=N"), std::string::npos);
    EXPECT_NE(refusal("eio:evry=4").find("every=N and seed=S"), std::string::npos);
    EXPECT_NE(refusal("eio:every=0").find("every=N and seed=S"), std::string::npos);
}

// Four records of a block each; record i is all bytes of value i + 1.
class Faults : public OnEngine {
  protected:
    static constexpr int kRecords = 4;
    void with(const char *spec) {
        ASSERT_EQ(fault_set(spec), 0);
        ASSERT_EQ(fault_wrap(&engine), 0);
        openFile(kRecords * kBlock);
    }
    int writeAll(int first) {
        for (int i = 0; i < kRecords; i++) {
            std::memset(pages.data, first + i, size_t(kBlock));
            if (const int status = move(true, pages.data, kBlock, i * kBlock)) return status;
        }
        return 0;
    }
    std::vector<char> readAll() {
        EXPECT_EQ(move(false, pages.data, kRecords * kBlock, 0), 0);
        return {pages.data, pages.data + kRecords * kBlock};
    }
    // The first byte of every record.
    std::vector<int> values() {
        const std::vector<char> all = readAll();
        std::vector<int> found;
        for (int i = 0; i < kRecords; i++)
            found.push_back(all[size_t(i * kBlock)]);
        return found;
    }
    Pages pages{kRecords * kBlock};
};

TEST_P(Faults, EioFailsTheOperationAndNoOther) {
    with("eio@3");
    testing::internal::CaptureStderr();
    EXPECT_EQ(writeAll(1), OOCC_IO_ERROR);
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("cannot write data at byte 8192: Input/output error"), std::string::npos) << text;
    EXPECT_EQ(writeAll(1), 0);
    EXPECT_EQ(values(), (std::vector<int>{1, 2, 3, 4}));
}

TEST_P(Faults, EnospcLastsAndIsNoSpace) {
    with("enospc@2");
    testing::internal::CaptureStderr();
    EXPECT_EQ(writeAll(1), OOCC_NO_SPACE);
    EXPECT_EQ(writeAll(1), OOCC_NO_SPACE);
    testing::internal::GetCapturedStderr();
}

TEST_P(Faults, SyncFails) {
    with("eio-sync@1");
    EXPECT_EQ(writeAll(1), 0);
    EXPECT_EQ(engine->ops->sync(engine, &file), EIO);
    EXPECT_EQ(engine->ops->sync(engine, &file), 0);
}

TEST_P(Faults, FlipChangesOneBitOfWhatIsWritten) {
    with("flip-write@2:seed=9");
    EXPECT_EQ(writeAll(1), 0);
    std::vector<char> got = readAll();
    int bits = 0;
    for (size_t i = 0; i < got.size(); i++)
        bits += __builtin_popcount(unsigned(got[i] ^ char(1 + i / kBlock)) & 255u);
    EXPECT_EQ(bits, 1);
    EXPECT_EQ(got, readAll()); // it is there to stay
}

TEST_P(Faults, FlipChangesOneBitOfWhatIsRead) {
    with("flip-read@1");
    EXPECT_EQ(writeAll(1), 0);
    const std::vector<char> spoilt = readAll(), got = readAll();
    EXPECT_NE(spoilt, got);
    EXPECT_EQ(got[0], 1);
}

TEST_P(Faults, StaleLeavesWhatWasThere) {
    with("stale@7"); // the third record of the second time
    EXPECT_EQ(writeAll(1), 0);
    EXPECT_EQ(writeAll(11), 0);
    EXPECT_EQ(values(), (std::vector<int>{11, 12, 3, 14}));
}

TEST_P(Faults, SwappedRecordsAreInEachOthersPlaces) {
    with("swap@7:seed=5"); // the last of the second time: before the first one no other is known
    EXPECT_EQ(writeAll(1), 0);
    EXPECT_EQ(writeAll(11), 0);
    std::vector<int> got = values();
    EXPECT_NE(got, (std::vector<int>{11, 12, 13, 14}));
    EXPECT_EQ(std::count(got.begin(), got.end(), 14), 1); // written after it, and not where it was put
}

TEST_P(Faults, MisdirectedRecordsAreInThePlaceOfAnother) {
    with("misdirect@2"); // of those before which another record is known: the third
    EXPECT_EQ(writeAll(1), 0);
    const std::vector<int> got = values();
    EXPECT_EQ(got[2], 0); // nothing was written there
    EXPECT_TRUE(got[0] == 3 || got[1] == 3);
}

TEST_P(Faults, MisreadIsOfAnotherPlaceOnce) {
    with("misread@1");
    EXPECT_EQ(writeAll(1), 0);
    std::memset(pages.data, 0, size_t(kBlock));
    EXPECT_EQ(move(false, pages.data, kBlock, kBlock), 0);
    EXPECT_NE(pages.data[0], 2);
    EXPECT_EQ(move(false, pages.data, kBlock, kBlock), 0);
    EXPECT_EQ(pages.data[0], 2);
}

INSTANTIATE_TEST_SUITE_P(Engines, Faults, testing::Values("uring", "aio", "threads", "mmap", "memory"));

// -- calls ------------------------------------------------------------------------------------------------------------

class Calls : public testing::Test {
  protected:
    void SetUp() override {
        fd = open(".", O_TMPFILE | O_RDWR, 0600);
        if (fd < 0) GTEST_SKIP() << "no nameless files here: " << std::strerror(errno);
        std::iota(data.begin(), data.end(), 0);
        int64_t done = 0;
        ASSERT_EQ(calls_write_all(fd, data.data(), int64_t(data.size()), 0, 1, &done), 0);
    }
    void TearDown() override {
        calls_watch(nullptr, nullptr);
        if (fd >= 0) close(fd);
    }
    void with(const char *spec) {
        ASSERT_EQ(fault_set(spec), 0);
        calls_watch(&fault_watcher, nullptr);
    }
    int fd = -1;
    std::vector<unsigned char> data = std::vector<unsigned char>(20000),
                               got = std::vector<unsigned char>(20000);
};

TEST_F(Calls, ShortReadsAreMadeWhole) {
    for (int seed = 0; seed < 50; seed++) {
        with(("short:every=2,seed=" + std::to_string(seed)).c_str());
        int64_t done = 0;
        got.assign(got.size(), 7);
        EXPECT_EQ(calls_read_all(fd, got.data(), int64_t(got.size()), 0, 1, &done), 0);
        EXPECT_EQ(got, data);
    }
}

TEST_F(Calls, ShortReadIsNotAllThatWasAskedFor) {
    with("short@1:seed=4");
    const ssize_t moved = calls_pread(fd, got.data(), got.size(), 0);
    EXPECT_GT(moved, 0);
    EXPECT_LT(moved, ssize_t(got.size()));
}

TEST_F(Calls, NothingIsAnErrorWithItsPlace) {
    int64_t done = 0;
    with("zero-read@1");
    EXPECT_EQ(calls_read_all(fd, got.data(), int64_t(got.size()), 0, 1, &done), ENODATA);
    with("zero-write@1");
    EXPECT_EQ(calls_write_all(fd, got.data(), int64_t(got.size()), 0, 1, &done), EIO);
    calls_watch(nullptr, nullptr);
    EXPECT_EQ(calls_read_all(fd, got.data(), int64_t(got.size()), 15000, 1, &done), ENODATA);
    EXPECT_EQ(done, 5000);
}

TEST_F(Calls, InterruptedOnesAreMadeAgain) {
    with("eintr:every=2,seed=3");
    int64_t done = 0;
    EXPECT_EQ(calls_read_all(fd, got.data(), int64_t(got.size()), 0, 1, &done), 0);
    EXPECT_EQ(got, data);
    EXPECT_EQ(calls_allocate(fd, 4096), 0);
}

TEST_F(Calls, LogHoldsWhatWasWrittenAndHowItEnded) {
    const std::string path = "./oocc-log-" + std::to_string(getpid());
    ASSERT_EQ(io_log_open(path.c_str()), 0);
    calls_watch(nullptr, &io_log_watcher);
    EXPECT_EQ(calls_pwrite(fd, "abc", 3, 10), 3);
    EXPECT_EQ(calls_fsync(fd), 0);
    EXPECT_EQ(calls_pread(fd, got.data(), 3, 10), 3); // reads are not in it
    EXPECT_EQ(calls_fsync(-1), -1);
    calls_watch(nullptr, nullptr);
    EXPECT_EQ(io_log_close(), 0);
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    std::filesystem::remove(path);
    const std::string n = std::to_string(fd);
    EXPECT_EQ(text.str(), "oocc-io-log 1\nbegin 1 write " + n + " 10 0 3\nabc\nend 1 3\nbegin 2 sync " + n +
                              " 0 0 0\n\nend 2 0\nbegin 3 sync -1 0 0 0\n\nend 3 -9\n");
}

// -- checksums ----------------------------------------------------------------------------------------------------------

// The same bytes as another record, or as the same one at another time, have another checksum.
TEST(RecordIdentity, IsPartOfTheChecksum) {
    const std::vector<char> bytes(kBlock, 5);
    const record_identity mine = {1, 1, 7, 12, 3};
    const auto sum = [&](const record_identity &identity) {
        return checksum_band(bytes.data(), kBlock, &identity);
    };
    EXPECT_EQ(sum(mine), sum(record_identity{1, 1, 7, 12, 3}));
    EXPECT_NE(sum(mine), sum(record_identity{2, 1, 7, 12, 3})) << "field";
    EXPECT_NE(sum(mine), sum(record_identity{1, 0, 7, 12, 3})) << "level";
    EXPECT_NE(sum(mine), sum(record_identity{1, 1, 8, 12, 3})) << "plane";
    EXPECT_NE(sum(mine), sum(record_identity{1, 1, 7, 10, 3})) << "two passes ago";
    EXPECT_NE(sum(mine), sum(record_identity{1, 1, 7, 12, 4})) << "band";
}

// Those that the library's own code computes for any machine, whatever this one has.
TEST(Checksums, AreXxh3) {
    std::mt19937_64 random(7);
    std::vector<uint64_t> bits(1 << 15);
    for (uint64_t &word : bits)
        word = random();
    const char *bytes = reinterpret_cast<const char *>(bits.data());
    const record_identity identity{1, 0, 7, 30, 2};
    const auto seed = XXH3_64bits(&identity, sizeof identity);
    for (int i = 0; i < 2000; i++) {
        const size_t size = i < 600 ? static_cast<size_t>(i) : random() % 100000, at = random() % 1000;
        ASSERT_EQ(checksum_bytes(bytes + at, size), XXH3_64bits(bytes + at, size)) << size;
        ASSERT_EQ(checksum_band(bytes + at, static_cast<int64_t>(size), &identity), XXH3_64bits_withSeed(bytes + at, size, seed)) << size;
    }
    uint64_t chained = 5;
    std::vector<char> rows;
    for (int row = 0; row < 9; row++) {
        chained = XXH3_64bits_withSeed(bytes + row * 4097, 4097, chained);
        rows.insert(rows.end(), bytes + row * 9000, bytes + row * 9000 + 4097);
    }
    EXPECT_EQ(checksum_chain(5, bytes, 9, 4097), chained);
    EXPECT_EQ(checksum_rows(bytes, 9, 4097, 9000), XXH3_64bits(rows.data(), rows.size()));
}

TEST(RecordIdentity, RowsOfTracesAreInTheirOrder) {
    const double rows[] = {1, 2, 3, 4};
    const uint64_t all = checksum_chain(0, rows, 4, 8);
    EXPECT_EQ(checksum_chain(checksum_chain(0, rows, 2, 8), rows + 2, 2, 8), all); // pass by pass
    const double swapped[] = {1, 3, 2, 4};
    EXPECT_NE(checksum_chain(0, swapped, 4, 8), all);
    EXPECT_NE(checksum_chain(0, rows, 3, 8), all);
}

} // namespace
