// What engines do when the kernel does not: short transfers, limits, calls that are blocked, memory that cannot be pinned.
#include "runtime_engine.h"
#include "sanitized.h"

extern "C" {
#include "engines/flight.h"
#include "support/calls.h"
}

#include <csignal>
#include <cstddef>
#include <cstring>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <vector>

namespace {

// -- without a device ------------------------------------------------------------------------------------

struct Moved : testing::Test {
    struct engine engine{};
    struct io_batch batch{};
    struct io_request request{};
    Moved() {
        io_batch_init(&batch);
        batch.pending = 1;
        request.bytes = 8 * kBlock;
        request.batch = &batch;
    }
    ~Moved() override { io_batch_free(&batch); }
};

TEST_F(Moved, ShortTransferGoesOnAtAWholeBlock) {
    EXPECT_TRUE(io_request_moved(&engine, &request, 4096 + 700));
    EXPECT_EQ(request.done, 4096);
    EXPECT_TRUE(io_request_moved(&engine, &request, 512)); // from the same block again
    EXPECT_EQ(request.done, 4096);
    EXPECT_FALSE(io_request_moved(&engine, &request, 8 * kBlock - 4096));
    EXPECT_EQ(batch.error, 0);
    EXPECT_EQ(batch.pending, 0);
    EXPECT_EQ(engine.read_bytes, 8 * kBlock);
}

TEST_F(Moved, InterruptedAndBusyAreTriedAgain) {
    EXPECT_TRUE(io_request_moved(&engine, &request, -EINTR));
    EXPECT_TRUE(io_request_moved(&engine, &request, -EAGAIN));
    EXPECT_EQ(request.done, 0);
    EXPECT_EQ(batch.pending, 1);
}

TEST_F(Moved, NothingIsTheEndOfTheFile) {
    EXPECT_FALSE(io_request_moved(&engine, &request, 0));
    EXPECT_EQ(batch.error, ENODATA);
}

TEST_F(Moved, WriteOfNothingIsAnError) {
    request.write = true;
    EXPECT_FALSE(io_request_moved(&engine, &request, 0));
    EXPECT_EQ(batch.error, EIO);
}

TEST_F(Moved, LessThanABlockIsNotTriedForEver) {
    for (int i = 0; i < CALLS_TRIES; i++)
        EXPECT_TRUE(io_request_moved(&engine, &request, 100));
    EXPECT_FALSE(io_request_moved(&engine, &request, 100));
    EXPECT_EQ(batch.error, ENODATA);
    EXPECT_EQ(request.done, 0);
}

TEST_F(Moved, ErrorEndsTheRequest) {
    EXPECT_FALSE(io_request_moved(&engine, &request, -ENOSPC));
    EXPECT_EQ(batch.error, ENOSPC);
}

// A device that moves `rate(depth)` bytes per second, in requests of 1000 bytes.
template <typename Rate> int settle(struct depth *d, Rate &&rate, bool waited, int requests) {
    double now = 1;
    for (int i = 0; i < requests; i++)
        depth_landed(d, 1000, waited, now += 1000 / rate(d->now));
    return d->now;
}

TEST(Depth, GrowsWhileMoreBytesMove) {
    struct depth d{};
    d.now = 8;
    d.most = 64;
    const int settled = settle(&d, [](int depth) { return 1e6 * std::min(depth, 30); }, true, 4000);
    EXPECT_GE(settled, 27);
    EXPECT_LE(settled, 42);
}

TEST(Depth, StaysWhereMoreGivesNothing) {
    struct depth d{};
    d.now = 8;
    d.most = 64;
    EXPECT_EQ(settle(&d, [](int) { return 1e6; }, true, 1000), 8);
}

TEST(Depth, StaysWhereNothingWaits) {
    struct depth d{};
    d.now = 8;
    d.most = 64;
    EXPECT_EQ(settle(&d, [](int depth) { return 1e6 * depth; }, false, 1000), 8);
}

TEST(Depth, EndsAtTheMost) {
    struct depth d{};
    d.now = 8;
    d.most = 20;
    EXPECT_EQ(settle(&d, [](int depth) { return 1e6 * depth; }, true, 1000), 20);
}

// -- on files --------------------------------------------------------------------------------------------

using DirectEngine = OnEngine;

TEST_P(DirectEngine, TailThatIsNoWholeBlockIsRefused) {
    openFile(8 * kBlock);
    Pages in(8 * kBlock);
    ASSERT_EQ(ftruncate(file.fd, 2 * kBlock + 100), 0);
    testing::internal::CaptureStderr();
    EXPECT_EQ(move(false, in.data, 6 * kBlock, 0), OOCC_IO_ERROR);
    const std::string errors = testing::internal::GetCapturedStderr();
    EXPECT_NE(errors.find("cannot read data at byte 8192"), std::string::npos) << errors;
    EXPECT_NE(errors.find("the file is shorter than it was"), std::string::npos) << errors;
}

// A limit on file sizes makes the kernel write the part below it, and then refuse.
TEST_P(DirectEngine, ShortWriteIsFollowedByTheErrorAtItsByte) {
    openFile(8 * kBlock);
    Pages out(8 * kBlock), in(8 * kBlock);
    std::memset(out.data, 7, size_t(8 * kBlock));
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 3 * kBlock;
    signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    testing::internal::CaptureStderr();
    const int status = move(true, out.data, 8 * kBlock, 0);
    setrlimit(RLIMIT_FSIZE, &before);
    const std::string errors = testing::internal::GetCapturedStderr();
    EXPECT_EQ(status, OOCC_NO_SPACE);
    EXPECT_NE(errors.find("cannot write data at byte 12288: File too large"), std::string::npos) << errors;
    ASSERT_EQ(move(false, in.data, 8 * kBlock, 0), 0);
    EXPECT_EQ(std::memcmp(in.data, out.data, size_t(3 * kBlock)), 0);
    EXPECT_EQ(in.data[3 * kBlock], 0);
}

TEST_P(DirectEngine, GoesOnInTheMiddleOfAPiece) {
    constexpr int64_t kPiece = 2 * kBlock, kStride = kPiece + 512;
    openFile(4 * kPiece);
    Pages out(4 * kPiece), in(5 * kPiece);
    for (int64_t i = 0; i < 4 * kPiece; i++)
        out.data[i] = char(i * 13 + i / kPiece);
    ASSERT_EQ(move(true, out.data, 4 * kPiece, 0), 0);
    ASSERT_EQ(io_batch_add_pieces(&batch, &file, false, in.data, 4, kPiece, kStride, 0), 0);
    std::memset(in.data, 9, size_t(5 * kPiece));
    batch.request[0].done = kPiece + kBlock; // as after a short transfer
    io_batch_submit(engine, &batch);
    ASSERT_EQ(io_batch_wait(&batch), 0);
    EXPECT_EQ(in.data[kStride + kBlock - 1], 9);
    EXPECT_EQ(std::memcmp(in.data + kStride + kBlock, out.data + kPiece + kBlock, size_t(kBlock)), 0);
    EXPECT_EQ(in.data[kStride + kPiece], 9);
    EXPECT_EQ(std::memcmp(in.data + 3 * kStride, out.data + 3 * kPiece, size_t(kPiece)), 0);
}

// Pages that were given back and are touched again are other pages.
TEST_P(DirectEngine, MemoryThatWasClearedIsReadInto) {
    constexpr int64_t kBytes = 16 * kBlock;
    openFile(kBytes);
    Pages out(kBytes);
    std::memset(out.data, 5, size_t(kBytes));
    ASSERT_EQ(move(true, out.data, kBytes, 0), 0);
    char *window = static_cast<char *>(
        mmap(nullptr, size_t(kBytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(window, MAP_FAILED);
    for (int i = 0; i < 3; i++) {
        engine_pin(engine, window, kBytes);
        engine_pin(engine, window, kBytes);
        EXPECT_STREQ(engine->note, "");
        ASSERT_EQ(move(false, window, kBytes, 0), 0);
        EXPECT_EQ(std::memcmp(window, out.data, size_t(kBytes)), 0) << "time " << i;
        engine_unpin(engine);
        ASSERT_EQ(madvise(window, size_t(kBytes), MADV_DONTNEED), 0);
        EXPECT_EQ(window[5], 0);
    }
    munmap(window, size_t(kBytes));
}

INSTANTIATE_TEST_SUITE_P(Engines, DirectEngine, testing::Values("uring", "aio", "threads"),
                         [](const auto &info) { return std::string(info.param); });

struct OneAtATime : OnEngine {
    int depth() const override { return 1; }
};

TEST_P(OneAtATime, NoMoreAreInFlightThanAskedFor) {
    constexpr int64_t kRequests = 40;
    openFile(kRequests * kBlock);
    file.request_bytes = kBlock;
    Pages out(kRequests * kBlock);
    std::memset(out.data, 1, size_t(kRequests * kBlock));
    ASSERT_EQ(io_batch_add(&batch, &file, true, out.data, kRequests * kBlock, 0), 0);
    EXPECT_EQ(batch.count, kRequests);
    io_batch_submit(engine, &batch);
    ASSERT_EQ(io_batch_wait(&batch), 0);
    EXPECT_EQ(engine->most_in_flight, 1);
}

INSTANTIATE_TEST_SUITE_P(Engines, OneAtATime,
                         testing::Values("uring", "aio", "threads", "mmap", "memory", "swap"),
                         [](const auto &info) { return std::string(info.param); });

// -- in a process of its own -----------------------------------------------------------------------------

// What the function says, run in a child; the test's own process keeps its rights.
template <typename Function> std::string inChild(Function &&function) {
    int ends[2];
    if (pipe(ends)) return "no pipe";
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        const std::string said = function();
        _exit(write(ends[1], said.data(), said.size()) < 0);
    }
    close(ends[1]);
    std::string said;
    char part[256];
    for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;)
        said.append(part, size_t(n));
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    return status ? said + " (status " + std::to_string(status) + ")" : said;
}

constexpr unsigned kSystemCall = offsetof(seccomp_data, nr);

// From now on the kernel refuses what the filter refuses.
bool filtered(std::vector<sock_filter> filter) {
    sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

bool forbid(unsigned call, unsigned error) {
    return filtered({BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kSystemCall),
                     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
                     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
                     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)});
}

// As a file system that knows no direct I/O: argument 2 of openat() and fcntl() holds the flags.
bool forbidDirect() {
    return filtered({BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kSystemCall),
                     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 1, 0),
                     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 3),
                     BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
                     BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_DIRECT, 0, 1),
                     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
                     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)});
}

std::string probed(const char *wanted) {
    const char *reason = "";
    int status = 0;
    const char *name = engine_probe(".", wanted, &reason, &status);
    return (name ? name : "none") + std::string(": ") + (name ? reason : "") + " " + std::to_string(status);
}

TEST(EngineProbe, TakesTheNextWhereRingsAreBlocked) {
    if (engine_uring.probe(".") || engine_aio.probe(".")) GTEST_SKIP() << "engines uring and aio are both needed, and one does not work here";
    EXPECT_EQ(probed("auto"), "uring: works there 0");
    EXPECT_EQ(inChild([] { return forbid(SYS_io_uring_setup, EPERM) ? probed("auto") : "no filter"; }),
              "aio: works there; uring does not: io_uring is not permitted here 0");
    EXPECT_EQ(inChild([] { return forbid(SYS_io_uring_setup, ENOSYS) ? probed("auto") : "no filter"; }),
              "aio: works there; uring does not: the kernel has no io_uring, or hides it 0");
    const std::string refused =
        inChild([] { return forbid(SYS_io_uring_setup, EPERM) ? probed("uring") : "no filter"; });
    EXPECT_NE(refused.find("engine uring does not work in .: io_uring is not permitted here"), std::string::npos)
        << refused;
    EXPECT_NE(refused.find("none:  " + std::to_string(OOCC_NO_SPACE)), std::string::npos) << refused;
}

TEST(EngineProbe, TakesThreadsWhereNothingIsDirect) {
    const std::string said = inChild([] { return forbidDirect() ? probed("auto") : "no filter"; });
    EXPECT_EQ(said.find("threads: works there; uring does not: "), 0U) << said;
    EXPECT_NE(said.find("; aio does not: its file system takes no direct I/O"), std::string::npos) << said;
}

// Writes 64 blocks from pinned memory, and reads them back into it; the engine's note, or what went wrong.
std::string roundTrip(const char *name, int fd) {
    constexpr int64_t kBytes = 64 * kBlock;
    struct engine *engine = nullptr;
    struct io_batch batch;
    struct io_file file{};
    file.name = "data";
    file.fd = fd;
    file.bytes = kBytes;
    io_batch_init(&batch);
    if (engine_open(name, 0, &engine)) return "not opened";
    if (engine->ops->attach(engine, &file)) return "not attached";
    char *window = static_cast<char *>(
        mmap(nullptr, size_t(kBytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    engine_pin(engine, window, kBytes);
    for (const bool write : {true, false}) {
        std::memset(window, write ? 3 : 4, size_t(kBytes));
        if (io_batch_add(&batch, &file, write, window, kBytes, 0)) return "not added";
        io_batch_submit(engine, &batch);
        if (io_batch_wait(&batch)) return "not moved";
    }
    const bool same = window[0] == 3 && window[kBytes - 1] == 3;
    const std::string note = engine->note;
    engine_unpin(engine);
    engine->ops->detach(engine, &file);
    engine_close(engine);
    return same ? note : "other bytes";
}

struct ScratchFile {
    ScratchFile() {
        char name[] = "./oocc-direct-XXXXXX";
        fd = mkostemp(name, O_RDWR);
        unlink(name);
        if (ftruncate(fd, 64 * kBlock)) fd = -1;
    }
    ~ScratchFile() { close(fd); }
    int fd;
};

// Without the right to lock as much as the window.
std::string unprivileged(const char *name) {
    ScratchFile file;
    return inChild([&] {
        const struct rlimit limit = {16 * kBlock, 16 * kBlock};
        if (setrlimit(RLIMIT_MEMLOCK, &limit)) return std::string("no limit");
        if (geteuid() == 0 && (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534)))
            return std::string("cannot give up rights");
        return roundTrip(name, file.fd);
    });
}

TEST(Pinned, WorksWithoutWhereMemoryCannotBeRegistered) {
    if (const char *why = engine_uring.probe(".")) GTEST_SKIP() << why;
    EXPECT_EQ(unprivileged("uring"), "window memory is not registered: RLIMIT_MEMLOCK is 64.0 KiB");
}

TEST(Pinned, SwapSaysOnceThatItCannotLock) {
    if (kSanitized) GTEST_SKIP() << "sanitizers make mlock() do nothing";
    const std::string note = "program and tables cannot be locked and may be swapped out, too: RLIMIT_MEMLOCK is 64.0 KiB";
    const std::string said = unprivileged("swap");
    EXPECT_EQ(said.find(note), said.find("engine swap: ") + 13) << said;
    EXPECT_EQ(said.rfind(note), said.size() - note.size()) << said;
    EXPECT_EQ(said.find("the window"), std::string::npos) << said;
}

TEST(Pinned, SwapLocksTheWindowAndNothingWhenClosed) {
    if (kSanitized) GTEST_SKIP() << "sanitizers make mlock() do nothing";
    struct rlimit limit;
    getrlimit(RLIMIT_MEMLOCK, &limit);
    if (geteuid() != 0 && limit.rlim_cur != RLIM_INFINITY) GTEST_SKIP() << "RLIMIT_MEMLOCK is in the way";
    EXPECT_EQ(inChild([] {
                  const auto locked = [] {
                      char line[128];
                      long kib = -1;
                      FILE *status = fopen("/proc/self/status", "r");
                      while (status && fgets(line, sizeof line, status))
                          if (sscanf(line, "VmLck: %ld", &kib) == 1) break;
                      if (status) fclose(status);
                      return kib;
                  };
                  struct engine *engine = nullptr;
                  if (engine_open("swap", 0, &engine)) return std::string("not opened");
                  const long before = locked();
                  char *window = static_cast<char *>(mmap(nullptr, size_t(64 * kBlock), PROT_READ | PROT_WRITE,
                                                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
                  const long mapped = locked();
                  engine_pin(engine, window, 64 * kBlock);
                  const long pinned = locked();
                  engine_unpin(engine);
                  const long unpinned = locked();
                  engine_close(engine);
                  return std::string(before > 0 ? "tables, " : "no tables, ") + std::to_string(mapped - before) + " " +
                         std::to_string(pinned - before) + " " + std::to_string(unpinned - before) + ", " +
                         std::to_string(locked()) + engine_swap.name;
              }),
              "tables, 0 256 0, 0swap");
}

TEST(Buffered, ThreadsGoThroughThePageCacheAndSaySo) {
    ScratchFile file;
    EXPECT_EQ(inChild([&] { return forbidDirect() ? roundTrip("threads", file.fd) : "no filter"; }),
              "through the page cache: the file system takes no direct I/O");
}

} // namespace
