// Block devices as scratch: the same bits, nothing of anybody's is written over, and a crash leaves a whole manifest.
#include "runtime_loop.h"
#include "runtime_observed.h"
#include "runtime_waves.h"

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/swap.h>

#include <cinttypes>

extern "C" {
#include "storage/device.h"
#include "support/checksum.h"
}

using waves::Trial;
namespace fs = std::filesystem;

namespace {

constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kDeviceBytes = 16 * kMiB;

std::string bytesOf(const std::string &path, int64_t at, size_t count) {
    std::string bytes(count, 0);
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0 || pread(fd, bytes.data(), count, at) != ssize_t(count)) bytes.clear();
    if (fd >= 0) close(fd);
    return bytes;
}
bool isZero(const std::string &bytes) {
    return !bytes.empty() && bytes.find_first_not_of('\0') == std::string::npos;
}
void put(const std::string &path, int64_t at, const std::string &bytes) {
    const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(pwrite(fd, bytes.data(), bytes.size(), at), ssize_t(bytes.size()));
    ASSERT_EQ(fsync(fd), 0);
    close(fd);
}

#define NEEDS(device)                                                                                                \
    if (!(device).works()) GTEST_SKIP() << (device).why

// Where a recent manifest lies, as the run left it; -1: there is none.
int64_t findRecent(const std::string &path) {
    int64_t found = -1;
    for (const int place : {2, 3}) {
        const int64_t at = SLOTS_AT + place * kMiB;
        if (isZero(bytesOf(path, at, DEVICE_BLOCK))) continue;
        EXPECT_EQ(found, -1) << "the next pass writes to what the one before names";
        found = at;
    }
    return found;
}
// The machine starts anew: what was not synced may be there or not.
void startAnew(const std::string &path) {
    const int64_t at = findRecent(path);
    ASSERT_GT(at, 0);
    int64_t sequence = 0, length = 0;
    ASSERT_EQ(std::sscanf(bytesOf(path, at, DEVICE_BLOCK).c_str(), "oocc-slot 1\nsequence %" SCNd64 "\nbytes %" SCNd64, &sequence, &length), 2);
    std::string text = bytesOf(path, at + DEVICE_BLOCK, size_t(length));
    ASSERT_EQ(text.rfind("boot ", 0), 0) << text.substr(0, 80);
    text.replace(5, 8, text.compare(5, 8, "01234567") ? "01234567" : "76543210");
    char head[128], seal[32];
    std::snprintf(head, sizeof head, "oocc-slot 1\nsequence %020" PRId64 "\nbytes %020" PRId64 "\nxxh3 %016" PRIx64 "\n", sequence, length,
                  checksum_bytes(text.data(), text.size()));
    std::snprintf(seal, sizeof seal, "%016" PRIx64 "\n", checksum_bytes(head, std::strlen(head)));
    put(path, at, std::string(head) + seal);
    put(path, at + DEVICE_BLOCK, text);
}

class Raw : public testing::TestWithParam<const char *> {
  protected:
    ~Raw() override { waves::signalNumber = 0; }
    void SetUp() override {
        if (!waves::works(GetParam())) GTEST_SKIP() << "engine " << GetParam() << " does not work here";
    }
    std::string way() const {
        return "--schedule stream --bt 2 --bz 2 --commit-every " + commitEvery + " --engine " + GetParam() + " ";
    }
    int go(const std::string &places, const std::string &more = "") {
        return run(way() + "--scratch " + places + " " + more);
    }
    void kill(const std::string &places, int64_t level = 2, int64_t slab = 1, const std::string &more = "") {
        waves::signalNumber = SIGKILL;
        waves::signalLevel = level;
        waves::signalSlab = slab;
        ASSERT_EQ(go(places, more), 128 + SIGKILL) << run.errors();
        waves::signalNumber = 0;
    }
    // How many steps a run that is resumed has to make.
    std::string left(const std::string &places) {
        EXPECT_EQ(go(places, "--resume --steps 7 --plan"), 0) << run.errors();
        const std::string plan = run.output("out"), before = " for ";
        const size_t from = plan.find(before, plan.find("\n  passes ")) + before.size();
        return plan.substr(from, plan.find(" steps", from) - from);
    }
    bool says(const std::string &text) const { return run.errors().find(text) != std::string::npos; }
    // Nothing that could be taken for a run: label, owner, and everything before the manifests.
    void expectBlank(const std::string &path) const { EXPECT_TRUE(isZero(bytesOf(path, 0, SLOTS_AT))) << path; }
    std::string commitEvery = "0";
    Trial run;
    loop::Device device{run.directory / "disk", kDeviceBytes};
};

TEST_P(Raw, SameBits) {
    NEEDS(device);
    ASSERT_EQ(go(device.path), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
    expectBlank(device.path);
    ASSERT_EQ(go(device.path), 0) << run.errors() << "it can be used again";
    EXPECT_TRUE(run.matches(7));
}

TEST_P(Raw, SameBitsInBlocksOf4096) {
    loop::Device large(run.directory / "large", kDeviceBytes, "--sector-size 4096");
    NEEDS(large);
    ASSERT_EQ(go(large.path), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
}

TEST_P(Raw, KilledAnywhereItResumes) {
    NEEDS(device);
    for (int64_t level : {2, 4, 6}) {
        kill(device.path, level);
        EXPECT_EQ(go(device.path), OOCC_NO_SPACE);
        EXPECT_TRUE(says("holds an earlier run")) << run.errors();
        EXPECT_EQ(go(device.path, "--resume"), 0) << run.errors();
        EXPECT_TRUE(run.matches(7)) << level;
        expectBlank(device.path);
    }
}

TEST_P(Raw, GoesOnAfterKeep) {
    NEEDS(device);
    ASSERT_EQ(go(device.path, "--steps 4 --keep"), 0) << run.errors();
    EXPECT_EQ(go(device.path, "--resume --steps 7"), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
    EXPECT_EQ(go(device.path, "--resume"), OOCC_NO_SPACE);
    EXPECT_TRUE(says("nothing to resume")) << run.errors();
}

TEST_P(Raw, RestartDiscards) {
    NEEDS(device);
    kill(device.path);
    EXPECT_EQ(go(device.path, "--restart"), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
}

TEST_P(Raw, SeveralAndDirectoriesBesides) {
    loop::Device other(run.directory / "disk2", kDeviceBytes);
    NEEDS(device);
    NEEDS(other);
    const std::string list[] = {device.path + "," + other.path, device.path + ",folder", "folder," + device.path};
    const std::string turned[] = {other.path + "," + device.path, "folder," + device.path, device.path + ",folder"};
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(go(list[i]), 0) << run.errors();
        EXPECT_TRUE(run.matches(7)) << list[i];
        kill(list[i]);
        EXPECT_EQ(go(device.path, "--resume"), OOCC_BAD_INPUT) << run.errors();
        EXPECT_TRUE(says("not the whole scratch")) << run.errors();
        EXPECT_EQ(go(turned[i], "--resume"), 0) << run.errors();
        EXPECT_TRUE(run.matches(7)) << turned[i];
        expectBlank(device.path);
        expectBlank(other.path);
    }
}

TEST_P(Raw, TornManifestOfAnOverwrittenGenerationIsNotResumed) {
    NEEDS(device);
    kill(device.path, 4, 6); // manifests 1 to 3 were written: levels 0, 2, 4; the last one is in place 1
    const int64_t slot = SLOTS_AT + kMiB;
    ASSERT_NE(bytesOf(device.path, slot + DEVICE_BLOCK, 4096).find("level 4\n"), std::string::npos);
    const std::string whole = bytesOf(device.path, slot, 2 * DEVICE_BLOCK);
    std::string torn = whole;
    torn.replace(DEVICE_BLOCK + 512, 512, 512, 'x');
    put(device.path, slot, torn);
    EXPECT_EQ(go(device.path, "--resume"), OOCC_CORRUPT)
        << "level 2's generation is the one that the killed pass was overwriting";
    EXPECT_TRUE(says("level 2 (byte")) << run.errors();
    put(device.path, slot, whole);
    EXPECT_EQ(go(device.path, "--resume"), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
}

TEST_P(Raw, ManifestThatWasBeingWrittenDoesNotCount) {
    NEEDS(device);
    ASSERT_EQ(go(device.path, "--steps 4 --keep"), 0) << run.errors(); // nobody has overwritten level 2
    const int64_t slot = SLOTS_AT + kMiB;
    for (int64_t at : {int64_t(0), int64_t(30), int64_t(100), int64_t(DEVICE_BLOCK + 700)}) {
        const std::string byte = bytesOf(device.path, slot + at, 1);
        put(device.path, slot + at, std::string(1, char(byte[0] ^ 1)));
        EXPECT_EQ(go(device.path, "--resume --steps 7 --plan"), 0) << run.errors();
        EXPECT_NE(run.output("out").find(" for 5 steps"), std::string::npos) << at << "\n" << run.output("out");
        put(device.path, slot + at, byte);
    }
    EXPECT_EQ(go(device.path, "--resume --steps 7 --plan"), 0) << run.errors();
    EXPECT_NE(run.output("out").find(" for 3 steps"), std::string::npos) << run.output("out");
    put(device.path, slot, std::string(DEVICE_BLOCK, 'x'));
    EXPECT_EQ(go(device.path, "--resume --steps 7"), 0) << run.errors();
    EXPECT_TRUE(run.matches(7)) << "from level 2";
}

// What ends a process leaves to the device what was written: one pass is lost, as often as it happens.
TEST_P(Raw, WhereOnlyTheProcessEndsOnePassIsLost) {
    NEEDS(device);
    commitEvery = "1000";
    kill(device.path, 4);
    EXPECT_EQ(left(device.path), "3");
    kill(device.path, 6, 1, "--resume");
    EXPECT_EQ(left(device.path), "1");
    EXPECT_EQ(go(device.path), OOCC_NO_SPACE) << "it is there, though nothing was committed";
    ASSERT_EQ(go(device.path, "--resume"), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
    expectBlank(device.path);
}

TEST_P(Raw, WhereTheMachineEndsCommitsCount) {
    NEEDS(device);
    commitEvery = "1000";
    kill(device.path, 4);
    startAnew(device.path);
    EXPECT_EQ(go(device.path, "--resume"), OOCC_NO_SPACE);
    EXPECT_TRUE(says("ended before its first commit")) << run.errors();
    ASSERT_EQ(go(device.path, "--bt 1 --steps 3 --keep"), 0) << run.errors();
    EXPECT_EQ(findRecent(device.path), -1) << "what was committed is as far on";
    kill(device.path, 5, 1, "--resume --steps 7");
    EXPECT_EQ(left(device.path), "2");
    startAnew(device.path);
    EXPECT_EQ(left(device.path), "4");
    kill(device.path, 3, 1, "--resume --steps 7");
    EXPECT_EQ(findRecent(device.path), -1) << "of that boot it would come to light there";
    ASSERT_EQ(go(device.path, "--resume --steps 7"), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
}

TEST_P(Raw, CommitsCountWhereARecentManifestIsDamaged) {
    NEEDS(device);
    commitEvery = "1000";
    ASSERT_EQ(go(device.path, "--bt 1 --steps 3 --keep"), 0) << run.errors();
    kill(device.path, 5, 1, "--resume --steps 7");
    const int64_t at = findRecent(device.path) + DEVICE_BLOCK + 700;
    const std::string byte = bytesOf(device.path, at, 1);
    put(device.path, at, std::string(1, char(byte[0] ^ 1)));
    EXPECT_EQ(left(device.path), "4");
    put(device.path, at, byte);
    EXPECT_EQ(left(device.path), "2");
    ASSERT_EQ(go(device.path, "--resume --steps 7"), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
}

TEST_P(Raw, TwoDamagedManifestsAreCorrupt) {
    NEEDS(device);
    kill(device.path, 4);
    put(device.path, SLOTS_AT + 20, "x");
    put(device.path, SLOTS_AT + kMiB + 20, "x");
    EXPECT_EQ(go(device.path, "--resume"), OOCC_CORRUPT);
    EXPECT_TRUE(says("neither of its places is whole")) << run.errors();
}

TEST_P(Raw, DamagedLabelIsCorruptAndCanBeDiscarded) {
    NEEDS(device);
    kill(device.path);
    put(device.path, 40, "?");
    EXPECT_EQ(go(device.path, "--resume"), OOCC_CORRUPT);
    EXPECT_TRUE(says("is no label of a scratch")) << run.errors();
    EXPECT_EQ(go(device.path), OOCC_NO_SPACE);
    EXPECT_EQ(go(device.path, "--restart"), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
}

TEST_P(Raw, FlippedByteIsFound) {
    NEEDS(device);
    kill(device.path);
    const int64_t at = SLOTS_AT + SLOTS * kMiB + kMiB + 5 * 4096 + 100; // gen1 is a MiB after gen0
    put(device.path, at, "?");
    EXPECT_EQ(go(device.path, "--resume"), OOCC_CORRUPT);
    EXPECT_TRUE(says(device.path + " is damaged: field u, plane 5, level 2")) << run.errors();
}

TEST_P(Raw, TooSmallIsRefusedWithBothNumbers) {
    loop::Device small(run.directory / "small", 4 * kMiB), tiny(run.directory / "tiny", kMiB / 2);
    NEEDS(small);
    NEEDS(tiny);
    EXPECT_EQ(go(small.path), OOCC_NO_SPACE);
    EXPECT_TRUE(says("the run needs 8.0 MiB on " + small.path + ", which has 4.0 MiB")) << run.errors();
    EXPECT_EQ(go(tiny.path), OOCC_NO_SPACE);
    EXPECT_TRUE(says("which has 512.0 KiB")) << run.errors();
    EXPECT_TRUE(isZero(bytesOf(small.path, 0, 4 * kMiB))) << "nothing is written";
}

TEST_P(Raw, FileSystemIsNotWrittenOver) {
    NEEDS(device);
    for (const char *command : {"mkfs.ext4 -q -F ", "mkswap -q "}) {
        int status = 0;
        const std::string printed = loop::output("PATH=$PATH:/usr/sbin:/sbin " + std::string(command) + device.path, &status);
        ASSERT_EQ(status, 0) << printed;
        const std::string before = bytesOf(device.path, 0, kDeviceBytes);
        for (const char *more : {"", "--restart"}) {
            EXPECT_EQ(go(device.path, more), OOCC_NO_SPACE);
            EXPECT_TRUE(says("is not blank: it carries a file system or the like (")) << run.errors();
        }
        EXPECT_TRUE(says("wipefs --all")) << run.errors();
        EXPECT_EQ(go(device.path, "--resume"), OOCC_NO_SPACE);
        EXPECT_TRUE(bytesOf(device.path, 0, kDeviceBytes) == before) << "nothing is written";
    }
}

TEST_P(Raw, PartitionTableIsNotWrittenOver) {
    NEEDS(device);
    std::string table(512, 0); // one Linux partition of 8 MiB
    table[446 + 4] = '\x83';
    table[446 + 9] = 8;      // its first sector: 2048
    table[446 + 13] = '\x40'; // its length: 16384
    table[510] = '\x55';
    table[511] = '\xaa';
    put(device.path, 0, table);
    EXPECT_EQ(go(device.path), OOCC_NO_SPACE);
    EXPECT_TRUE(says("it carries a partition table (dos)")) << run.errors();
    EXPECT_EQ(bytesOf(device.path, 0, 512), table);
}

TEST_P(Raw, MountedIsRefusedAndSaysWhere) {
    NEEDS(device);
    int status = 0;
    loop::output("PATH=$PATH:/usr/sbin:/sbin mkfs.ext4 -q -F " + device.path, &status);
    ASSERT_EQ(status, 0);
    const fs::path point = fs::canonical(run.directory) / "mounted";
    fs::create_directory(point);
    if (mount(device.path.c_str(), point.c_str(), "ext4", 0, ""))
        GTEST_SKIP() << "cannot mount ext4 here: " << std::strerror(errno);
    const int ended = go(device.path, "--restart");
    umount(point.c_str());
    EXPECT_EQ(ended, OOCC_DENIED);
    EXPECT_TRUE(says("the device " + device.path + " is in use: " + device.path.substr(5) + " is mounted on " +
                     point.string()))
        << run.errors();
}

TEST_P(Raw, MountedPartitionIsRefused) {
    NEEDS(device);
    int status = 0;
    const std::string part = device.path + "p1", tools = "PATH=$PATH:/usr/sbin:/sbin ";
    const std::string printed = loop::output(
        tools + "addpart " + device.path + " 1 2048 16384 && " + tools + "mkfs.ext4 -q -F " + part, &status);
    if (status) GTEST_SKIP() << "a loop device cannot have partitions here: " << printed;
    const fs::path point = fs::canonical(run.directory) / "mounted";
    fs::create_directory(point);
    const bool mounted = !mount(part.c_str(), point.c_str(), "ext4", 0, "");
    const int ended = go(device.path);
    if (mounted) umount(point.c_str());
    loop::output(tools + "delpart " + device.path + " 1");
    ASSERT_TRUE(mounted);
    EXPECT_EQ(ended, OOCC_DENIED);
    EXPECT_TRUE(says("the device " + device.path + " is in use: " + part.substr(5) + " is mounted on ")) << run.errors();
}

TEST_P(Raw, SwapSpaceIsRefused) {
    NEEDS(device);
    int status = 0;
    loop::output("PATH=$PATH:/usr/sbin:/sbin mkswap -q " + device.path, &status);
    ASSERT_EQ(status, 0);
    if (swapon(device.path.c_str(), 0)) GTEST_SKIP() << "cannot swap here: " << std::strerror(errno);
    const int ended = go(device.path, "--restart");
    ASSERT_EQ(swapoff(device.path.c_str()), 0);
    EXPECT_EQ(ended, OOCC_DENIED);
    EXPECT_TRUE(says(device.path.substr(5) + " is swap space")) << run.errors();
}

TEST_P(Raw, WhoMayNotOpenItIsTold) {
    NEEDS(device);
    if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
    const pid_t child = fork();
    if (child == 0) {
        const char *reason = nullptr;
        int status = 0;
        if (setgid(65534) || setuid(65534)) _exit(99);
        if (engine_probe(device.path.c_str(), GetParam(), &reason, &status)) _exit(98);
        _exit(status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), OOCC_DENIED);
}

TEST_P(Raw, SecondRunIsToldWhoHasIt) {
    NEEDS(device);
    kill(device.path);
    int fd = -1; // of a ring the kernel lets go some time after the process
    for (int i = 0; i < 500 && (fd = open(device.path.c_str(), O_RDWR | O_EXCL | O_CLOEXEC)) < 0; i++)
        usleep(10000);
    ASSERT_GE(fd, 0) << std::strerror(errno);
    const std::string owner = bytesOf(device.path, OWNER_AT, 32);
    ASSERT_NE(std::atol(owner.c_str()), 0) << "a run writes who it is";
    put(device.path, OWNER_AT, std::to_string(getpid()) + "\n" + std::string(20, 0)); // and is alive
    EXPECT_EQ(go(device.path, "--resume"), OOCC_DENIED);
    EXPECT_TRUE(says("the scratch " + device.path + " is in use by process " + std::to_string(getpid())))
        << run.errors();
    EXPECT_EQ(go("folder," + device.path, "--restart"), OOCC_DENIED);
    EXPECT_FALSE(fs::exists(run.directory / "folder")) << "nothing is left behind";
    close(fd);
    EXPECT_EQ(go(device.path, "--resume"), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
}

TEST_P(Raw, LockIsRespected) {
    NEEDS(device);
    const int fd = open(device.path.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_EQ(flock(fd, LOCK_EX | LOCK_NB), 0);
    EXPECT_EQ(go(device.path), OOCC_DENIED);
    EXPECT_TRUE(says("is in use by the system or another program")) << run.errors();
    close(fd);
}

TEST_P(Raw, ReadOnlyIsRefused) {
    loop::Device fixed(run.directory / "fixed", kDeviceBytes, "--read-only");
    NEEDS(fixed);
    EXPECT_EQ(go(fixed.path), OOCC_DENIED) << run.errors();
    EXPECT_TRUE(says("the device " + fixed.path + " is read-only")) << run.errors();
}

TEST_P(Raw, ShrunkDeviceIsRefused) {
    NEEDS(device);
    kill(device.path);
    ASSERT_EQ(truncate((run.directory / "disk").c_str(), 8 * kMiB), 0);
    int status = 0;
    loop::output("PATH=$PATH:/usr/sbin:/sbin losetup --set-capacity " + device.path, &status);
    ASSERT_EQ(status, 0);
    EXPECT_EQ(go(device.path, "--resume"), OOCC_NO_SPACE);
    EXPECT_TRUE(says(device.path + " has 8.0 MiB, and the run in it needs 16.0 MiB")) << run.errors();
}

INSTANTIATE_TEST_SUITE_P(Engines, Raw, testing::Values("uring", "aio", "threads", "mmap"),
                         [](const auto &info) { return std::string(info.param); });

// The rows of records lie behind the files of the store.
TEST(RawTraces, AreTheSame) {
    observed::reset();
    observed::Trial run;
    loop::Device device(run.directory / "disk", kDeviceBytes);
    NEEDS(device);
    for (const char *engine : {"aio", "mmap"}) {
        const std::string way = std::string("--schedule stream --bt 3 --bz 2 --commit-every 0 --engine ") + engine + " --scratch " + device.path;
        const observed::Naive want = run.want();
        ASSERT_EQ(run(way), 0) << run.errors();
        EXPECT_TRUE(run.holds("traces-u.npy", want.traceU, 128)) << engine;
        EXPECT_TRUE(run.holds("traces-v.npy", want.traceV, 128)) << engine;
        trial::signalNumber = SIGKILL;
        trial::signalLevel = 6;
        trial::signalSlab = 1;
        ASSERT_EQ(run(way), 128 + SIGKILL) << run.errors();
        trial::signalNumber = 0;
        ASSERT_EQ(run(way + " --resume"), 0) << run.errors();
        EXPECT_TRUE(run.holds("u.raw", want.level.back().u));
        EXPECT_TRUE(run.holds("traces-u.npy", want.traceU, 128)) << engine;
        EXPECT_TRUE(run.holds("traces-v.npy", want.traceV, 128)) << engine;
    }
    observed::reset();
}

} // namespace
