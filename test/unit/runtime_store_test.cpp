// The scratch directory as a run sees it: what it leaves, what it refuses, what it detects.
#include "runtime_waves.h"

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

using waves::Trial;
namespace fs = std::filesystem;

namespace {

const std::string kStream = "--schedule stream --bt 2 --bz 2 --commit-every 0 ";

class Scratch : public testing::TestWithParam<const char *> {
  protected:
    ~Scratch() override { waves::signalNumber = 0; }
    void SetUp() override {
        if (!waves::works(GetParam())) GTEST_SKIP() << "no direct I/O here";
    }
    std::string options() const { return kStream + "--engine " + GetParam() + " "; }
    // A run that was killed in its second pass: level 2 is committed, in generation 1.
    void kill() {
        waves::signalNumber = SIGKILL;
        waves::signalLevel = 2;
        waves::signalSlab = 1;
        ASSERT_EQ(run(options()), 128 + SIGKILL) << run.errors();
        waves::signalNumber = 0;
    }
    void flip(const fs::path &path, int64_t at) {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(at);
        const char byte = char(file.get());
        file.seekp(at);
        file.put(char(byte ^ 1));
    }
    bool says(const char *text) const { return run.errors().find(text) != std::string::npos; }
    Trial run;
};

TEST_P(Scratch, FilesAreForTheOwnerOnly) {
    kill();
    struct stat info{};
    ASSERT_EQ(stat(run.scratch().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700U);
    for (const char *name : {"gen0", "gen1", "coef", "manifest", "lock"}) {
        ASSERT_EQ(stat((run.scratch() / name).c_str(), &info), 0) << name;
        EXPECT_EQ(info.st_mode & 0777, 0600U) << name;
    }
}

TEST_P(Scratch, FlippedByteOfTheStateIsFoundAndNamed) {
    kill();
    flip(run.scratch() / "gen1", 5 * 4096 + 100); // plane 5 of u
    EXPECT_EQ(run(options() + "--resume"), OOCC_CORRUPT);
    EXPECT_TRUE(says("waves.scratch/gen1 is damaged: field u, plane 5, level 2 (byte 20480)"))
        << run.errors();
    EXPECT_TRUE(fs::exists(run.scratch() / "manifest")) << "nothing is removed";
}

TEST_P(Scratch, FlippedByteOfACoefficientIsFound) {
    kill();
    flip(run.scratch() / "coef", 3 * 4096);
    EXPECT_EQ(run(options() + "--resume"), OOCC_CORRUPT);
    EXPECT_TRUE(says("coef is damaged: field c, plane 3")) << run.errors();
}

TEST_P(Scratch, RecordInAWrongPlaceIsFound) {
    kill();
    std::string bytes = waves::readFile(run.scratch() / "gen1");
    std::copy_n(bytes.begin() + 4 * 4096, 4096, bytes.begin() + 5 * 4096);
    std::ofstream(run.scratch() / "gen1", std::ios::binary) << bytes;
    EXPECT_EQ(run(options() + "--resume"), OOCC_CORRUPT);
}

TEST_P(Scratch, OldGenerationDoesNotMatter) {
    kill();
    // Writes of an io_uring outlive the process; one that meets the page which flip() makes dirty would leave the file with an error.
    const int fd = open((run.scratch() / "gen0").c_str(), O_RDWR);
    struct stat info{};
    ASSERT_EQ(fstat(fd, &info), 0);
    ASSERT_EQ(posix_fallocate(fd, 0, info.st_size), 0);
    close(fd);
    flip(run.scratch() / "gen0", 100); // the pass that was killed was writing it
    EXPECT_EQ(run(options() + "--resume"), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
}

TEST_P(Scratch, ShortFileIsFoundAtOnce) {
    kill();
    fs::resize_file(run.scratch() / "gen1", 4096);
    EXPECT_EQ(run(options() + "--resume"), OOCC_CORRUPT);
    EXPECT_TRUE(says("it has 4096 bytes instead of")) << run.errors();
}

TEST_P(Scratch, SecondRunIsToldWhoHasIt) {
    kill();
    const int fd = open((run.scratch() / "lock").c_str(), O_RDWR);
    ASSERT_EQ(flock(fd, LOCK_EX | LOCK_NB), 0);
    ASSERT_EQ(ftruncate(fd, 0), 0);
    ASSERT_EQ(pwrite(fd, "4711\n", 5, 0), 5);
    EXPECT_EQ(run(options() + "--resume"), OOCC_DENIED);
    EXPECT_TRUE(says("in use by process 4711")) << run.errors();
    close(fd);
    EXPECT_EQ(run(options() + "--resume"), 0) << run.errors();
}

TEST_P(Scratch, LinksAreNotFollowed) {
    fs::create_directory(run.scratch());
    std::ofstream(run.directory / "precious") << "precious";
    fs::create_symlink(run.directory / "precious", run.scratch() / "lock");
    EXPECT_EQ(run(options()), OOCC_NO_SPACE);
    fs::remove(run.scratch() / "lock");
    fs::create_symlink(run.directory / "precious", run.scratch() / "gen0");
    EXPECT_EQ(run(options()), OOCC_NO_SPACE) << "without --restart";
    EXPECT_EQ(run(options() + "--restart"), 0) << run.errors();
    EXPECT_EQ(waves::readFile(run.directory / "precious"), "precious");
}

TEST_P(Scratch, OtherFilesStay) {
    fs::create_directory(run.directory / "mine");
    std::ofstream(run.directory / "mine/notes") << "notes";
    ASSERT_EQ(run(options() + "--scratch mine"), 0) << run.errors();
    EXPECT_TRUE(fs::exists(run.directory / "mine/notes"));
    EXPECT_EQ(std::distance(fs::directory_iterator(run.directory / "mine"), fs::directory_iterator()), 1);
}

TEST_P(Scratch, TooLittleSpaceIsRefusedBeforeAnythingIsComputed) {
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit little{40000, before.rlim_max}; // gen0 needs 147,456
    setrlimit(RLIMIT_FSIZE, &little);
    const int status = run(options());
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(status, OOCC_NO_SPACE);
    EXPECT_TRUE(says("cannot reserve 144.0 KiB for waves.scratch/gen0")) << run.errors();
    EXPECT_FALSE(fs::exists(run.scratch())) << "nothing is left behind";
}

TEST_P(Scratch, MissingDirectoryCannotBeResumed) {
    EXPECT_EQ(run(options() + "--resume"), OOCC_NO_SPACE);
    EXPECT_TRUE(says("nothing to resume")) << run.errors();
    EXPECT_FALSE(fs::exists(run.scratch()));
}

INSTANTIATE_TEST_SUITE_P(Engines, Scratch, testing::Values("uring", "aio", "threads", "mmap"),
                         [](const auto &info) { return std::string(info.param); });

TEST(ScratchSpace, GridLargerThanTheDiskIsRefusedWithTheNumbers) {
    Trial run;
    waves::n = 40000; // 64 T cells
    const int status = run(kStream + "--engine mmap -D n=40000 --memory 1000G");
    waves::n = 12;
    EXPECT_EQ(status, OOCC_NO_SPACE);
    EXPECT_NE(run.errors().find("PiB in waves.scratch, which has"), std::string::npos) << run.errors();
    EXPECT_FALSE(fs::exists(run.scratch()));
}

} // namespace
