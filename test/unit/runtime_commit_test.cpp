// When a run commits, and between which generations its passes go to and fro.
#include "runtime_waves.h"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cerrno>
#include <csignal>
#include <cstring>

using waves::Trial;
namespace fs = std::filesystem;

namespace {

// Seven passes of a step each.
const std::string kPasses = "--schedule stream --bt 1 --bz 2 ";
const std::string kNever = "--commit-every 1000 ", kAlways = "--commit-every 0 ", kReport = "--report r.json ";

class Commits : public testing::TestWithParam<const char *> {
  protected:
    ~Commits() override { waves::signalNumber = 0; }
    void SetUp() override {
        if (!waves::works(GetParam())) GTEST_SKIP() << "engine " << GetParam() << " does not work here";
    }
    int go(const std::string &more) { return run(kPasses + "--engine " + GetParam() + " " + more); }
    // A run that ends by a signal in the pass that begins with `level`.
    int goUntil(int number, int64_t level, const std::string &more) {
        waves::signalNumber = number;
        waves::signalLevel = level;
        waves::signalSlab = 1;
        const int status = go(more);
        waves::signalNumber = 0;
        return status;
    }
    // What the report says, as text.
    std::string measured(const std::string &name) const {
        const std::string text = waves::readFile(run.directory / "r.json");
        const size_t at = text.find("\"" + name + "\":", text.find("\"measured\""));
        if (at == std::string::npos) return "nothing";
        const size_t from = text.find_first_not_of(" ", text.find(':', at) + 1);
        return text.substr(from, text.find_first_of(",\n", from) - from);
    }
    std::string manifest(const std::string &name) const {
        const std::string text = waves::readFile(run.scratch() / "manifest");
        const size_t at = text.find("\n" + name + " ") + name.size() + 2;
        return text.substr(at, text.find('\n', at) - at);
    }
    // The machine starts anew: what was not synced may be there or not.
    void startAnew() const {
        const fs::path path = run.scratch() / "recent";
        std::string text = waves::readFile(path);
        ASSERT_EQ(text.rfind("boot ", 0), 0) << text.substr(0, 80);
        std::ofstream(path) << text.replace(5, 8, text.compare(5, 8, "01234567") ? "01234567" : "76543210");
    }
    Trial run;
};

TEST_P(Commits, AreLeftOutOfARunThatIsShorter) {
    ASSERT_EQ(go(kNever + kReport), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
    EXPECT_EQ(measured("passes"), "7");
    EXPECT_EQ(measured("commits"), "0");
    EXPECT_FALSE(fs::exists(run.scratch()));
}

TEST_P(Commits, AreMadeAfterEveryPassWhenAsked) {
    ASSERT_EQ(go(kAlways + kReport), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
    EXPECT_EQ(measured("commits"), "8") << "and of the initial values";
}

TEST_P(Commits, AreMadeOfWhatIsKeptInTheEnd) {
    ASSERT_EQ(go(kNever + "--keep --steps 5 " + kReport), 0) << run.errors();
    EXPECT_EQ(measured("commits"), "1");
    EXPECT_EQ(manifest("level"), "5");
    ASSERT_EQ(go(kNever + "--resume --steps 7"), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
}

TEST_P(Commits, BeforeTheFirstOneNothingIsToBeResumed) {
    ASSERT_EQ(goUntil(SIGKILL, 5, kNever), 128 + SIGKILL);
    startAnew();
    EXPECT_EQ(go(kNever + "--resume"), OOCC_NO_SPACE);
    EXPECT_NE(run.errors().find("ended before its first commit"), std::string::npos) << run.errors();
    ASSERT_EQ(go(kNever), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
}

TEST_P(Commits, AreMadeWhenTheRunIsStopped) {
    ASSERT_EQ(goUntil(SIGTERM, 4, kNever), OOCC_STOPPED) << run.errors();
    EXPECT_NE(run.errors().find("level 5 of 7 is safe"), std::string::npos) << run.errors();
    EXPECT_EQ(manifest("level"), "5");
    ASSERT_EQ(go("--resume"), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
}

// The results have no place to go: nothing of seven passes is lost.
TEST_P(Commits, AreMadeWhenTheRunFails) {
    fs::create_directories(run.directory / "u.raw" / "in the way");
    EXPECT_NE(go(kNever), 0);
    EXPECT_NE(run.errors().find("level 7 of 7 is safe"), std::string::npos) << run.errors();
    fs::remove_all(run.directory / "u.raw");
    ASSERT_EQ(go("--resume"), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
}

// Three passes after the commit, which go to and fro between the other two.
TEST_P(Commits, LeaveAGenerationThatNobodyWritesTo) {
    ASSERT_EQ(go(kNever + "--keep --steps 3"), 0) << run.errors();
    EXPECT_EQ(manifest("level"), "3");
    for (int times = 0; times < 2; times++) {
        ASSERT_EQ(goUntil(SIGKILL, 6, kNever + "--resume --steps 7"), 128 + SIGKILL);
        EXPECT_EQ(manifest("level"), "3");
        startAnew();
    }
    ASSERT_EQ(go(kNever + "--resume --steps 7 " + kReport), 0) << run.errors();
    EXPECT_EQ(measured("steps"), "4");
    EXPECT_TRUE(run.matches(7));
}

// What ends a process leaves to the kernel what was written: one pass is lost, as often as it happens.
TEST_P(Commits, AreNotNeededWhereOnlyTheProcessEnds) {
    for (const int64_t level : {2, 4, 5}) {
        ASSERT_EQ(goUntil(SIGKILL, level, kNever + (level > 2 ? "--resume" : "")), 128 + SIGKILL);
        EXPECT_FALSE(fs::exists(run.scratch() / "manifest"));
    }
    ASSERT_EQ(go(kNever + "--resume " + kReport), 0) << run.errors();
    EXPECT_EQ(measured("steps"), "2");
    EXPECT_TRUE(run.matches(7));
    EXPECT_FALSE(fs::exists(run.scratch()));
}

TEST_P(Commits, CountWhereARecentStateIsDamaged) {
    ASSERT_EQ(go(kNever + "--keep --steps 3"), 0) << run.errors();
    ASSERT_EQ(goUntil(SIGKILL, 5, kNever + "--resume --steps 7"), 128 + SIGKILL);
    const std::string recent = waves::readFile(run.scratch() / "recent");
    const std::string present = "gen" + recent.substr(recent.find("\ngeneration ") + 12, 1);
    {
        std::fstream file(run.scratch() / present, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(4096 * 3);
        file << "otherwise";
    }
    EXPECT_EQ(go(kNever + "--resume --steps 7"), OOCC_CORRUPT);
    EXPECT_NE(run.errors().find("--resume goes on from the last commit"), std::string::npos) << run.errors();
    ASSERT_EQ(go(kNever + "--resume --steps 7 " + kReport), 0) << run.errors();
    EXPECT_EQ(measured("steps"), "4");
    EXPECT_TRUE(run.matches(7));
}

// One that is torn, of another run, or further back counts as little as none.
TEST_P(Commits, CountWhereARecentManifestSaysNothing) {
    ASSERT_EQ(go(kNever + "--keep --steps 3"), 0) << run.errors();
    ASSERT_EQ(goUntil(SIGKILL, 5, kNever + "--resume --steps 7"), 128 + SIGKILL);
    const std::string recent = waves::readFile(run.scratch() / "recent");
    std::ofstream(run.scratch() / "recent") << recent.substr(0, recent.size() / 2);
    ASSERT_EQ(goUntil(SIGKILL, 3, kNever + "--resume --steps 7"), 128 + SIGKILL);
    EXPECT_FALSE(fs::exists(run.scratch() / "recent")) << "of another boot it would come to light there";
    ASSERT_EQ(go(kNever + "--resume --steps 6 --keep " + kReport), 0) << run.errors();
    EXPECT_EQ(measured("steps"), "3");
    EXPECT_FALSE(fs::exists(run.scratch() / "recent")) << "what was committed is further on";
    std::ofstream(run.scratch() / "recent") << recent;
    ASSERT_EQ(go(kNever + "--resume --steps 7 " + kReport), 0) << run.errors();
    EXPECT_EQ(measured("steps"), "1");
    EXPECT_TRUE(run.matches(7));
}

TEST_P(Commits, OfTwoGenerationsComeAfterEveryPass) {
    ASSERT_EQ(go(kAlways + "--keep --steps 2"), 0) << run.errors();
    EXPECT_FALSE(fs::exists(run.scratch() / "gen2"));
    ASSERT_EQ(goUntil(SIGKILL, 6, kNever + "--resume --steps 7"), 128 + SIGKILL);
    EXPECT_EQ(manifest("level"), "6");
    ASSERT_EQ(go(kNever + "--resume --steps 7 " + kReport), 0) << run.errors();
    EXPECT_EQ(measured("steps"), "1");
    EXPECT_TRUE(run.matches(7));
}

// Two passes need no third generation: nothing is committed before the end.
TEST_P(Commits, OfFewPassesNeedTwoGenerations) {
    ASSERT_EQ(go(kNever + "--bt 4 --keep"), 0) << run.errors();
    EXPECT_FALSE(fs::exists(run.scratch() / "gen2"));
    ASSERT_EQ(go(kNever + "--restart --keep"), 0) << run.errors();
    EXPECT_TRUE(fs::exists(run.scratch() / "gen2"));
}

INSTANTIATE_TEST_SUITE_P(Engines, Commits, testing::Values("uring", "aio", "threads", "mmap"),
                         [](const auto &info) { return std::string(info.param); });

// On a file system of so many MiB; a generation is 4.5 MiB of these.
bool hasThird(int mib) {
    Trial run;
    fs::create_directory(run.directory / "small");
    const std::string size = "size=" + std::to_string(mib) + "m";
    EXPECT_EQ(mount("none", (run.directory / "small").c_str(), "tmpfs", 0, size.c_str()), 0);
    waves::n = 60;
    EXPECT_EQ(run(kPasses + kNever + "--engine mmap -D n=60 --keep --scratch small/s"), 0) << run.errors();
    waves::n = 12;
    const bool third = fs::exists(run.directory / "small" / "s" / "gen2");
    umount((run.directory / "small").c_str());
    return third;
}

TEST(ThirdGeneration, IsNotMadeWhereItWouldLeaveLittleRoom) {
    Trial run;
    if (mount("none", run.directory.c_str(), "tmpfs", 0, "size=1m")) GTEST_SKIP() << "cannot mount a file system here: " << std::strerror(errno);
    umount(run.directory.c_str());
    EXPECT_FALSE(hasThird(18)) << "it would fit";
    EXPECT_TRUE(hasThird(40));
}

} // namespace
