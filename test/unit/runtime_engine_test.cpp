#include "runtime_engine.h"

#include <cstring>

namespace {

using EveryEngine = OnEngine;

TEST_P(EveryEngine, ReturnsWhatWasWrittenAndCountsIt) {
    const int64_t bytes = 2 * IO_REQUEST_BYTES + 3 * kBlock; // cut into three requests
    openFile(bytes);
    Pages out(bytes), in(bytes);
    for (int64_t i = 0; i < bytes; i++)
        out.data[i] = char(i * 31 + i / kBlock);
    ASSERT_EQ(move(true, out.data, bytes, 0), 0);
    ASSERT_EQ(engine->ops->sync(engine, &file), 0);
    ASSERT_EQ(move(false, in.data, bytes, 0), 0);
    EXPECT_EQ(std::memcmp(out.data, in.data, size_t(bytes)), 0);
    int64_t read = 0, written = 0, requests = 0;
    engine_take_counts(engine, &read, &written, &requests);
    EXPECT_EQ(read, bytes);
    EXPECT_EQ(written, bytes);
    EXPECT_EQ(requests, 6);
}

TEST_P(EveryEngine, TakesFarMoreRequestsThanItKeepsInFlight) {
    constexpr int64_t kRequests = 700;
    openFile(kRequests * kBlock);
    Pages out(kRequests * kBlock), in(kRequests * kBlock);
    for (int64_t i = 0; i < kRequests * kBlock; i++)
        out.data[i] = char(i / kBlock + i);
    for (const bool write : {true, false}) {
        for (int64_t i = 0; i < kRequests; i++) {
            const int64_t at = (i * 37 % kRequests) * kBlock;
            ASSERT_EQ(io_batch_add(&batch, &file, write, (write ? out : in).data + at, kBlock, at), 0);
        }
        io_batch_submit(engine, &batch);
        ASSERT_EQ(io_batch_wait(&batch), 0);
    }
    EXPECT_EQ(std::memcmp(out.data, in.data, size_t(kRequests * kBlock)), 0);
}

// Planes lie further apart in memory than in the file; requests take several, and what lies between is left alone.
TEST_P(EveryEngine, MovesPiecesThatLieApart) {
    constexpr int64_t kPieces = 150, kStride = kBlock + 1536;
    openFile(kPieces * kBlock);
    Pages out(kPieces * kStride), in(kPieces * kStride), dense(3 * kBlock);
    for (int64_t i = 0; i < kPieces * kStride; i++)
        out.data[i] = static_cast<char>(i * 7 + i / kBlock);
    std::memset(in.data, 9, size_t(kPieces * kStride));
    for (const bool write : {true, false}) {
        ASSERT_EQ(io_batch_add_pieces(&batch, &file, write, (write ? out : in).data, kPieces, kBlock, kStride, 0), 0);
        EXPECT_EQ(batch.count, 3); // 64 + 64 + 22
        io_batch_submit(engine, &batch);
        ASSERT_EQ(io_batch_wait(&batch), 0);
    }
    for (int64_t i = 0; i < kPieces; i++) {
        ASSERT_EQ(std::memcmp(in.data + i * kStride, out.data + i * kStride, size_t(kBlock)), 0) << "piece " << i;
        ASSERT_EQ(in.data[i * kStride + kBlock], 9) << "after piece " << i;
    }
    ASSERT_EQ(move(false, dense.data, 3 * kBlock, 5 * kBlock), 0);
    for (int64_t i = 0; i < 3; i++)
        EXPECT_EQ(std::memcmp(dense.data + i * kBlock, out.data + (5 + i) * kStride, size_t(kBlock)), 0);
}

// Under ThreadSanitizer: whoever submits is done with the window and the file when a batch is.
TEST_P(EveryEngine, WindowAndFileChangeAsSoonAsABatchIsDone) {
    openFile(kBlock);
    Pages data(kBlock), in(kBlock);
    for (int round = 0; round < 300; round++) {
        std::memset(data.data, round, size_t(kBlock));
        engine_pin(engine, data.data, kBlock);
        ASSERT_EQ(move(true, data.data, kBlock, 0), 0);
        engine_unpin(engine);
        engine->ops->detach(engine, &file);
        ASSERT_EQ(engine->ops->attach(engine, &file), 0);
        ASSERT_EQ(move(false, in.data, kBlock, 0), 0);
        if (engine->ops->durable) {
            ASSERT_EQ(in.data[kBlock - 1], static_cast<char>(round));
        }
    }
}

TEST_P(EveryEngine, EmptyBatchIsDoneAtOnce) {
    openFile(kBlock);
    io_batch_submit(engine, &batch);
    EXPECT_EQ(io_batch_wait(&batch), 0);
}

TEST_P(EveryEngine, FileThatWasCutIsAnErrorWithFileAndByte) {
    if (!engine->ops->durable) GTEST_SKIP() << "nothing on disk";
    openFile(8 * kBlock);
    Pages in(8 * kBlock);
    ASSERT_EQ(ftruncate(file.fd, 2 * kBlock), 0);
    testing::internal::CaptureStderr();
    const int status = move(false, in.data, 6 * kBlock, 2 * kBlock);
    const std::string errors = testing::internal::GetCapturedStderr();
    EXPECT_EQ(status, OOCC_IO_ERROR);
    EXPECT_NE(errors.find("cannot read data at byte 8192"), std::string::npos) << errors;
    // The batch and the engine go on.
    EXPECT_EQ(move(false, in.data, 2 * kBlock, 0), 0);
}

struct Batches {
    Batches() {
        for (io_batch &one : batch)
            io_batch_init(&one);
    }
    ~Batches() {
        for (io_batch &one : batch)
            io_batch_free(&one);
    }
    Batches(const Batches &) = delete;
    Batches &operator=(const Batches &) = delete;
    io_batch batch[4]{};
};

// Two writes and, after them, reads into the memory that they write from; and what comes after those.
TEST_P(EveryEngine, BatchThatComesAfterOthersBeginsWhenTheyAreComplete) {
    constexpr int64_t kHalf = 24 * kBlock;
    openFile(6 * kHalf);
    Pages data(2 * kHalf), check(2 * kHalf);
    std::memset(data.data, 1, size_t(2 * kHalf));
    ASSERT_EQ(move(true, data.data, 2 * kHalf, 0), 0);
    for (int round = 0; round < 20; round++) {
        std::memset(data.data, 2 + round, size_t(2 * kHalf));
        Batches b;
        for (int i = 0; i < 2; i++) {
            for (int64_t at = 0; at < kHalf; at += kBlock) // small ones, so that they take a while
                ASSERT_EQ(io_batch_add(&b.batch[i], &file, true, data.data + i * kHalf + at, kBlock, (2 + i) * kHalf + at), 0);
            io_batch_submit(engine, &b.batch[i]);
        }
        ASSERT_EQ(io_batch_add(&b.batch[2], &file, false, data.data, 2 * kHalf, 0), 0);
        ASSERT_EQ(io_batch_after(&b.batch[2], &b.batch[0]), 0);
        ASSERT_EQ(io_batch_after(&b.batch[2], &b.batch[1]), 0);
        io_batch_submit(engine, &b.batch[2]);
        ASSERT_EQ(io_batch_add(&b.batch[3], &file, true, data.data, 2 * kHalf, 4 * kHalf), 0);
        ASSERT_EQ(io_batch_after(&b.batch[3], &b.batch[2]), 0);
        io_batch_submit(engine, &b.batch[3]);
        ASSERT_EQ(io_batch_wait(&b.batch[3]), 0); // the last one first: nobody has to wait for the others
        for (int i = 0; i < 3; i++)
            ASSERT_EQ(io_batch_wait(&b.batch[i]), 0);
        ASSERT_EQ(io_batch_after(&b.batch[0], &b.batch[1]), 0) << "an idle one";
        io_batch_submit(engine, &b.batch[0]);
        ASSERT_EQ(io_batch_wait(&b.batch[0]), 0) << "an empty one";
        for (const auto &[offset, value] : {std::pair{2 * kHalf, 2 + round}, std::pair{4 * kHalf, 1}}) {
            ASSERT_EQ(move(false, check.data, 2 * kHalf, offset), 0);
            for (int64_t at = 0; at < 2 * kHalf; at++)
                ASSERT_EQ(check.data[at], value) << "byte " << at << " round " << round;
        }
    }
}

TEST_P(EveryEngine, NothingIsDoneAfterABatchThatFailed) {
    if (!engine->ops->durable) GTEST_SKIP() << "nothing on disk";
    openFile(8 * kBlock);
    Pages in(8 * kBlock), untouched(kBlock);
    std::memset(untouched.data, 7, kBlock);
    ASSERT_EQ(ftruncate(file.fd, 2 * kBlock), 0);
    Batches b; // a read that fails, one after it, and one that is empty after that
    ASSERT_EQ(io_batch_add(&b.batch[0], &file, false, in.data, 6 * kBlock, 2 * kBlock), 0);
    ASSERT_EQ(io_batch_add(&b.batch[1], &file, false, untouched.data, kBlock, 0), 0);
    for (int i = 0; i < 3; i++) {
        if (i > 0) {
            ASSERT_EQ(io_batch_after(&b.batch[i], &b.batch[i - 1]), 0);
        }
        io_batch_submit(engine, &b.batch[i]);
    }
    for (int i = 2; i >= 0; i--) {
        testing::internal::CaptureStderr();
        EXPECT_EQ(io_batch_wait(&b.batch[i]), OOCC_IO_ERROR) << i;
        const std::string errors = testing::internal::GetCapturedStderr();
        EXPECT_NE(errors.find("cannot read data at byte 8192"), std::string::npos) << errors;
    }
    for (int64_t at = 0; at < kBlock; at++)
        ASSERT_EQ(untouched.data[at], 7);
    // They may be used again; one that is given up before it is submitted waits for what it comes after.
    ASSERT_EQ(io_batch_add(&b.batch[0], &file, false, in.data, 2 * kBlock, 0), 0);
    io_batch_submit(engine, &b.batch[0]);
    ASSERT_EQ(io_batch_after(&b.batch[1], &b.batch[0]), 0);
    io_batch_drain(&b.batch[1]);
    EXPECT_EQ(io_batch_wait(&b.batch[0]), 0);
    EXPECT_EQ(io_batch_wait(&b.batch[1]), 0);
}

INSTANTIATE_TEST_SUITE_P(Engines, EveryEngine, testing::Values("memory", "swap", "mmap", "threads", "aio", "uring"),
                         [](const auto &info) { return std::string(info.param); });

TEST(EngineProbe, AutoGivesADurableEngineAndAReason) {
    const char *reason = nullptr;
    int status = 1;
    const char *name = engine_probe("./does-not-exist-yet.scratch", "auto", &reason, &status);
    ASSERT_NE(name, nullptr);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(engine_is_durable(name));
    EXPECT_NE(std::string(reason), "");
}

TEST(EngineProbe, UnknownNameIsAUsageError) {
    const char *reason = nullptr;
    int status = 0;
    testing::internal::CaptureStderr();
    EXPECT_EQ(engine_probe(".", "floppy", &reason, &status), nullptr);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("no engine 'floppy'"), std::string::npos);
    EXPECT_EQ(status, OOCC_USAGE);
}

} // namespace
