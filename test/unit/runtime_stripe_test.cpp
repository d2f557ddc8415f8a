// A store over several directories: the same bits, the same promises, and no run without all of them.
#include "runtime_observed.h"
#include "runtime_waves.h"

#include <gtest/gtest.h>
#include <set>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

extern "C" {
#include "storage/stripe.h"
}

using waves::Trial;
namespace fs = std::filesystem;

namespace {

// -- where planes lie
// ------------------------------------------------------------------------------------------

TEST(Stripes, AreAsFewPlanesAsMakeAMebibyte) {
    EXPECT_EQ(stripe_planes(1000, 4096, 2), 125) << "256 planes are a MiB, but each member is to have 4 stripes";
    EXPECT_EQ(stripe_planes(100000, 4096, 2), 256);
    EXPECT_EQ(stripe_planes(1000, 600 << 10, 3), 2);
    EXPECT_EQ(stripe_planes(1000, 64 << 20, 3), 1);
    EXPECT_EQ(stripe_planes(3, 4096, 16), 1);
    EXPECT_EQ(stripe_planes(1000, 4096, 1), 1000) << "one member has all of them";
}

// Every plane of every region has a place of its own, and the places fill each member's share.
TEST(Stripes, EveryPlaneHasAPlaceOfItsOwn) {
    for (int members : {1, 2, 3, 5, 16})
        for (int64_t planes : {1, 2, 7, 12, 31, 64, 1000})
            for (int64_t plane_bytes : {4096, 300 << 10, 3 << 20}) {
                store s{};
                s.members = members;
                std::set<std::pair<io_file *, int64_t>> places;
                std::vector<region> regions;
                for (; s.regions < 3; s.regions++) {
                    region r{};
                    r.planes = planes;
                    r.plane_bytes = plane_bytes;
                    ASSERT_EQ(stripe_lay_out(&s, &r, 0), 0);
                    regions.push_back(r);
                }
                for (const region &r : regions)
                    for (int64_t z = 0; z < planes;) {
                        const spot at = stripe_find(&s, &r, 0, z);
                        ASSERT_GE(at.planes, 1);
                        ASSERT_LE(z + at.planes, planes);
                        for (int64_t i = 0; i < at.planes; i++) {
                            const int64_t offset = at.offset + i * plane_bytes;
                            EXPECT_TRUE(places.insert({at.file, offset}).second) << "two planes in one place";
                            const spot same = stripe_find(&s, &r, 0, z + i);
                            EXPECT_EQ(same.file, at.file);
                            EXPECT_EQ(same.offset, offset);
                        }
                        z += at.planes;
                    }
                int64_t share = 0, most = 0;
                for (int m = 0; m < members; m++) {
                    share += s.member[m].share[0];
                    most = std::max(most, s.member[m].share[0]);
                    for (int64_t at = 0; at < s.member[m].share[0]; at += plane_bytes)
                        EXPECT_TRUE(places.count({&s.member[m].file[0], at})) << "a gap";
                }
                EXPECT_EQ(share, 3 * planes * plane_bytes);
                const int64_t unit = stripe_planes(planes, plane_bytes, members) * plane_bytes;
                EXPECT_LE(most - share / members, 3 * unit) << "shared out evenly";
            }
}

TEST(Stripes, SizesThatDoNotFitAreRefused) {
    store s{};
    s.members = 2;
    region r{};
    r.planes = int64_t(1) << 41;
    r.plane_bytes = int64_t(1) << 30;
    EXPECT_EQ(stripe_lay_out(&s, &r, 0), OOCC_BAD_INPUT);
}

// -- runs
// --------------------------------------------------------------------------------------------------------

class Striped : public testing::TestWithParam<const char *> {
  protected:
    ~Striped() override { waves::signalNumber = 0; }
    void SetUp() override {
        if (!waves::works(GetParam())) GTEST_SKIP() << "no direct I/O here";
    }
    std::string way() const {
        return std::string("--schedule stream --bt 2 --bz 2 --commit-every 0 --engine ") + GetParam() + " ";
    }
    int go(const std::string &places, const std::string &more = "") {
        return run(way() + "--scratch " + places + " " + more);
    }
    // A run that was killed in its second pass: level 2 is committed, in generation 1.
    void kill(const std::string &places) {
        waves::signalNumber = SIGKILL;
        waves::signalLevel = 2;
        waves::signalSlab = 1;
        ASSERT_EQ(go(places), 128 + SIGKILL) << run.errors();
        waves::signalNumber = 0;
    }
    bool says(const std::string &text) const { return run.errors().find(text) != std::string::npos; }
    fs::path at(const char *name) const { return fs::canonical(run.directory) / name; }
    bool anythingLeft() const {
        for (const char *name : {"a", "b", "c"})
            if (fs::exists(at(name))) return true;
        return false;
    }
    // What a run finds it does not remove, but empties it.
    bool anyFileLeft() const {
        for (const char *name : {"a", "b", "c"})
            if (fs::exists(at(name)) && !fs::is_empty(at(name))) return true;
        return false;
    }
    Trial run;
};

TEST_P(Striped, SameBits) {
    for (const char *places : {"a,b", "a,b,c"}) {
        ASSERT_EQ(go(places), 0) << run.errors();
        EXPECT_TRUE(run.matches(7)) << places;
        EXPECT_FALSE(anythingLeft());
    }
}

TEST_P(Striped, EveryMemberHasItsShare) {
    kill("a,b,c");
    int64_t bytes = 0;
    for (const char *name : {"a", "b", "c"}) {
        struct stat info{};
        ASSERT_EQ(stat(at(name).c_str(), &info), 0);
        EXPECT_EQ(info.st_mode & 0777, 0700U);
        for (const char *file : {"gen0", "gen1", "coef", "member", "lock"}) {
            ASSERT_EQ(stat((at(name) / file).c_str(), &info), 0) << name << "/" << file;
            EXPECT_EQ(info.st_mode & 0777, 0600U);
            if (std::string(file) == "gen0") bytes += info.st_size;
        }
        EXPECT_EQ(fs::file_size(at(name) / "gen0"), 12 * 4096U) << "a third of the 36 planes of u and v";
        EXPECT_EQ(fs::exists(at(name) / "manifest"), *name == 'a');
    }
    EXPECT_EQ(bytes, 36 * 4096);
}

TEST_P(Striped, ResumesInAnyOrder) {
    for (const char *order : {"a,b,c", "c,a,b", "b,c,a"}) {
        kill("a,b,c");
        EXPECT_EQ(go(order, "--resume"), 0) << run.errors();
        EXPECT_TRUE(run.matches(7)) << order;
        EXPECT_FALSE(anyFileLeft());
    }
}

TEST_P(Striped, GoesOnAfterKeep) {
    ASSERT_EQ(go("a,b", "--steps 4 --keep"), 0) << run.errors();
    EXPECT_EQ(go("b,a", "--resume --steps 7"), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
    EXPECT_FALSE(anyFileLeft());
}

TEST_P(Striped, KilledAnywhereItResumes) {
    for (int64_t level : {2, 4, 6})
        for (int64_t slab : {0, 2, 5}) {
            waves::signalNumber = SIGKILL;
            waves::signalLevel = level;
            waves::signalSlab = slab;
            ASSERT_EQ(go("a,b"), 128 + SIGKILL) << run.errors();
            waves::signalNumber = 0;
            EXPECT_EQ(go("a,b", "--resume"), 0) << run.errors();
            EXPECT_TRUE(run.matches(7)) << level << " " << slab;
        }
}

TEST_P(Striped, MissingDirectoryIsRefusedWithTheList) {
    kill("a,b,c");
    for (const char *places : {"a,b", "b,c", "c"}) {
        EXPECT_EQ(go(places, "--resume"), OOCC_BAD_INPUT) << places;
        EXPECT_TRUE(says("not the whole scratch of the run")) << run.errors();
        EXPECT_TRUE(says("--scratch " + at("a").string() + "," + at("b").string() + "," + at("c").string()))
            << run.errors();
    }
    EXPECT_TRUE(says("c is not the whole")) << run.errors();
    fs::rename(at("b"), at("gone"));
    EXPECT_EQ(go("a,b,c", "--resume"), OOCC_BAD_INPUT);
    EXPECT_TRUE(says("b holds no part of the run to resume")) << run.errors();
    EXPECT_FALSE(fs::exists(at("b"))) << "nothing is made";
    EXPECT_EQ(go("a,gone,c", "--resume"), 0) << run.errors() << "by its label, not by its name";
    EXPECT_TRUE(run.matches(7));
}

TEST_P(Striped, DirectoryOfAnotherRunIsRefused) {
    kill("a,b");
    fs::rename(at("b"), at("other"));
    fs::rename(at("a"), at("mine"));
    kill("a,b");
    EXPECT_EQ(go("a,other", "--resume"), OOCC_BAD_INPUT);
    EXPECT_TRUE(says("other belongs to another run")) << run.errors();
    fs::remove(at("a") / "manifest");
    fs::copy_file(at("mine/manifest"), at("a/manifest"));
    EXPECT_EQ(go("a,b", "--resume"), OOCC_CORRUPT);
    EXPECT_TRUE(says("it is the manifest of another store")) << run.errors();
}

TEST_P(Striped, CopyInThePlaceOfAnotherIsRefused) {
    kill("a,b");
    fs::rename(at("b"), at("away"));
    fs::copy(at("a"), at("b"));
    fs::remove(at("b/lock"));
    EXPECT_EQ(go("a,b", "--resume"), OOCC_BAD_INPUT);
    EXPECT_TRUE(says("b is a copy of another part of the run")) << run.errors();
}

TEST_P(Striped, FlippedByteIsNamedWhereItIs) {
    kill("a,b");
    std::fstream file(at("b/gen1"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(2 * 4096 + 9); // planes 1, 3, 5, ... of u are the odd ones
    file.put('?');
    file.close();
    EXPECT_EQ(go("a,b", "--resume"), OOCC_CORRUPT);
    EXPECT_TRUE(says("b/gen1 is damaged: field u, plane 5, level 2 (byte 8192)")) << run.errors();
}

TEST_P(Striped, DamagedLabelAndMissingFileAreFound) {
    kill("a,b");
    const std::string label = waves::readFile(at("b/member"));
    std::ofstream(at("b/member")) << label.substr(0, label.size() - 30);
    EXPECT_EQ(go("a,b", "--resume"), OOCC_CORRUPT);
    EXPECT_TRUE(says("b/member is damaged")) << run.errors();
    std::ofstream(at("b/member")) << label;
    fs::remove(at("b/gen0"));
    EXPECT_EQ(go("a,b", "--resume"), OOCC_CORRUPT);
    EXPECT_TRUE(says("the scratch b is damaged: gen0 is missing")) << run.errors();
}

TEST_P(Striped, SecondRunIsToldWhoHasIt) {
    fs::create_directory(at("b"));
    const int fd = open(at("b/lock").c_str(), O_RDWR | O_CREAT, 0600);
    ASSERT_EQ(flock(fd, LOCK_EX | LOCK_NB), 0);
    ASSERT_EQ(pwrite(fd, "4711\n", 5, 0), 5);
    EXPECT_EQ(go("a,b"), OOCC_DENIED);
    EXPECT_TRUE(says("the scratch b is in use by process 4711")) << run.errors();
    EXPECT_FALSE(fs::exists(at("a"))) << "nothing is left behind";
    close(fd);
    EXPECT_EQ(go("a,b"), 0) << run.errors();
}

TEST_P(Striped, LeftoversInAnyOfThemAreRefused) {
    kill("a,b");
    fs::remove_all(at("a"));
    EXPECT_EQ(go("a,b"), OOCC_NO_SPACE);
    EXPECT_TRUE(says("the scratch b holds an earlier run")) << run.errors();
    EXPECT_FALSE(fs::exists(at("a"))) << "nothing is left behind";
    EXPECT_EQ(go("a,b", "--restart"), 0) << run.errors();
    EXPECT_TRUE(run.matches(7));
    EXPECT_FALSE(anyFileLeft());
}

TEST_P(Striped, RestartNamesWhatItLeaves) {
    kill("a,b");
    EXPECT_EQ(go("a", "--restart"), 0) << run.errors();
    EXPECT_TRUE(says(at("b").string() + " still holds its part")) << run.errors();
    EXPECT_TRUE(fs::exists(at("b/gen0")));
}

TEST_P(Striped, OnePlaceTwiceIsAMistake) {
    EXPECT_EQ(go("a,b,./a"), OOCC_USAGE);
    EXPECT_TRUE(says("a and ./a are the same place")) << run.errors();
    EXPECT_FALSE(anythingLeft());
    for (const char *places : {"a,,b", "a,", ",a"}) {
        EXPECT_EQ(go(places), OOCC_USAGE) << places;
        EXPECT_TRUE(says("a path is empty")) << run.errors();
    }
    EXPECT_EQ(go("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"), OOCC_USAGE);
    EXPECT_TRUE(says("more than 16 places")) << run.errors();
}

TEST_P(Striped, LinksAreNotFollowed) {
    fs::create_directory(at("b"));
    std::ofstream(at("precious")) << "precious";
    fs::create_symlink(at("precious"), at("b/member"));
    EXPECT_EQ(go("a,b"), OOCC_NO_SPACE) << "without --restart";
    EXPECT_EQ(go("a,b", "--restart"), 0) << run.errors();
    EXPECT_EQ(waves::readFile(at("precious")), "precious");
}

TEST_P(Striped, TooLittleSpaceIsRefusedBeforeAnythingIsComputed) {
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit little{40000, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &little);
    const int status = go("a,b");
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(status, OOCC_NO_SPACE);
    EXPECT_TRUE(says("cannot reserve 72.0 KiB for a/gen0")) << run.errors();
    EXPECT_FALSE(anythingLeft()) << "nothing is left behind";
}

INSTANTIATE_TEST_SUITE_P(Engines, Striped, testing::Values("uring", "aio", "threads", "mmap"),
                         [](const auto &info) { return std::string(info.param); });

TEST(StripedSpace, DirectoriesOfOneFileSystemShareItsSpace) {
    Trial run;
    waves::n = 40000; // 64 T cells
    const int status =
        run("--schedule stream --bt 2 --bz 2 --engine mmap -D n=40000 --memory 1000G --scratch a,b");
    waves::n = 12;
    EXPECT_EQ(status, OOCC_NO_SPACE);
    EXPECT_NE(run.errors().find("PiB in a and b, which have together "), std::string::npos) << run.errors();
    EXPECT_FALSE(fs::exists(run.directory / "a"));
}

TEST(StripedSpace, SmallFileSystemIsRefusedWithBothNumbers) {
    Trial run;
    fs::create_directory(run.directory / "small");
    if (mount("none", (run.directory / "small").c_str(), "tmpfs", 0, "size=2m"))
        GTEST_SKIP() << "cannot mount a file system of 2 MiB here: " << std::strerror(errno);
    waves::n = 60;
    const int status = run("--schedule stream --bt 2 --bz 2 --engine mmap -D n=60 --scratch a,small/b");
    waves::n = 12;
    umount((run.directory / "small").c_str());
    EXPECT_EQ(status, OOCC_NO_SPACE);
    EXPECT_NE(run.errors().find("MiB in small/b, which has 2.0 MiB free"), std::string::npos) << run.errors();
    EXPECT_FALSE(fs::exists(run.directory / "a"));
}

} // namespace
