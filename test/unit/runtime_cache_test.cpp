// What was measured is found again by the key it was kept under, and by no other; whatever is wrong with a file costs a
// note and a new measurement, never the run.
#include "runtime_cache.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <sys/stat.h>

#define _Noreturn [[noreturn]]
extern "C" {
#include "support/calls.h"
#include "support/fault.h"
#include "support/json_read.h"
}
#undef _Noreturn

namespace {

class Cache : public CacheFolder {
  protected:
    Cache() {
        test.layOut({64, 64, 64});
        keys = keysFor("aio", 4);
    }

    cache_keys keysFor(const char *engine, int threads) {
        cache_keys k{};
        plan p{};
        p.engine = engine;
        p.threads = threads;
        cache_make_keys(&k, &test.program, &test.options_, &test.grid, &test.host, &p);
        return k;
    }
    std::string text() const {
        std::ifstream in(files().at(0));
        std::ostringstream all;
        all << in.rdbuf();
        return all.str();
    }
    void replace(const std::string &what, const std::string &with) {
        std::string all = text();
        const size_t at = all.find(what);
        ASSERT_NE(at, std::string::npos) << all;
        std::ofstream(files().at(0)) << all.replace(at, what.size(), with);
    }
    bool readDevice(std::string *notes, const cache_keys *with = nullptr) {
        testing::internal::CaptureStderr();
        found = figures_nominal.device;
        const bool good = cache_read_device(with ? with : &keys, &found);
        *notes = testing::internal::GetCapturedStderr();
        return good;
    }

    cache_keys keys{};
    device_figures device{"2026-01-31", 3e9, 1e9, 2.5e9, 2e9, 0.75, 1e-4, 0.003, 4e-10}, found{};
    std::string notes;
};

TEST_F(Cache, GivesBackWhatWasKept) {
    EXPECT_FALSE(readDevice(&notes));
    EXPECT_EQ(notes, "");
    cache_write_device(&keys, &device);
    ASSERT_TRUE(readDevice(&notes)) << notes;
    EXPECT_STREQ(found.date, "2026-01-31");
    EXPECT_EQ(found.read, 3e9);
    EXPECT_EQ(found.write, 1e9);
    EXPECT_EQ(found.both, 2.5e9);
    EXPECT_EQ(found.beside, 2e9);
    EXPECT_EQ(found.cores_share, 0.75);
    EXPECT_EQ(found.sync_seconds, 0.003);
    EXPECT_EQ(found.sync_seconds_per_byte, 4e-10);
    EXPECT_EQ(files().size(), 1U); // nothing is left beside it
}

TEST_F(Cache, GivesBackMachineLoopsAndPlan) {
    machine_figures machine = figures_nominal.machine, machineFound{};
    strcpy(machine.date, "2026-01-31");
    machine.shared_bytes = 12345678;
    machine.core = {true, 11e9, 1.5e9};
    cache_write_machine(&keys, &machine);
    ASSERT_TRUE(cache_read_machine(&keys, &machineFound));
    EXPECT_EQ(machineFound.shared_bytes, 12345678);
    EXPECT_EQ(machineFound.memory_bandwidth, machine.memory_bandwidth);
    EXPECT_TRUE(machineFound.core.measured);
    EXPECT_EQ(machineFound.core.flops, 11e9);
    EXPECT_EQ(machineFound.core.cells, 1.5e9);

    kernel_figures kernel{}, kernelFound{};
    strcpy(kernel.date, "2026-01-31");
    figures_add_point(&kernel, {8, 42.5, 24, 1.25});
    figures_add_point(&kernel, {1, 128, 8, 0.5});
    cache_write_kernel(&keys, &kernel);
    ASSERT_TRUE(cache_read_kernel(&keys, &kernelFound));
    ASSERT_EQ(kernelFound.points, 2);
    EXPECT_EQ(kernelFound.point[0].rows, 42.5);
    EXPECT_EQ(kernelFound.point[0].planes, 24);
    EXPECT_EQ(kernelFound.point[1].factor, 0.5);

    const tuned plan{"2026-01-31", 24, 16, 8, 12, 1, {3, true}, 0.25};
    tuned planFound{};
    cache_write_tuned(&keys, &plan);
    ASSERT_TRUE(cache_read_tuned(&keys, &planFound));
    EXPECT_EQ(planFound.bt, 24);
    EXPECT_EQ(planFound.tiles, 12);
    EXPECT_EQ(planFound.cut.columns, 3);
    EXPECT_TRUE(planFound.cut.leans);
    EXPECT_EQ(planFound.step_seconds, 0.25);
}

TEST_F(Cache, KeepsEnginesThreadsAndProgramsApart) {
    cache_write_device(&keys, &device);
    const cache_keys mmap = keysFor("mmap", 4), fewer = keysFor("aio", 2);
    EXPECT_FALSE(readDevice(&notes, &mmap));
    EXPECT_STRNE(keys.machine, fewer.machine);
    EXPECT_STRNE(keys.kernel, fewer.kernel);
    test.program.hash++;
    EXPECT_STRNE(keysFor("aio", 4).kernel, keys.kernel);
    EXPECT_STREQ(keysFor("aio", 4).device, keys.device);
    test.options_.memory_bytes = 1 << 20;
    test.program.hash--;
    EXPECT_STRNE(keysFor("aio", 4).tuned, keys.tuned);
    EXPECT_STREQ(keysFor("aio", 4).kernel, keys.kernel);
}

TEST_F(Cache, TiesLoopsToTheFiguresTheyAreToldBy) {
    cache_keys tied = keys, other = keys;
    machine_figures machine = figures_nominal.machine;
    cache_tie_kernel(&tied, &machine);
    machine.memory_bandwidth *= 2;
    cache_tie_kernel(&other, &machine);
    EXPECT_STRNE(tied.kernel, other.kernel);
}

TEST_F(Cache, TellsKeysOfOneHashApart) {
    cache_write_device(&keys, &device);
    replace("engine aio", "engine xyz");
    EXPECT_FALSE(readDevice(&notes));
    EXPECT_EQ(notes, "");
}

TEST_F(Cache, LeavesDamagedFilesOutOfAccount) {
    const std::vector<std::pair<std::string, std::string>> damage = {
        {"}", ""},           {"oocc-cache", "others"},      {"\"figures\": {", "\"figures\": ["},
        {"3e+09", "0"}, {"\"write\"", "\"unwritten\""}, {"3e+09", "\"fast\""},
    };
    for (const auto &[what, with] : damage) {
        SCOPED_TRACE(what + " -> " + with);
        cache_write_device(&keys, &device);
        replace(what, with);
        EXPECT_FALSE(readDevice(&notes));
        EXPECT_NE(notes.find("is damaged and is left out of account"), std::string::npos) << notes;
        EXPECT_EQ(found.read, figures_nominal.device.read);
    }
    std::ofstream(files().at(0)) << "";
    EXPECT_FALSE(readDevice(&notes));
    EXPECT_NE(notes, "");
}

TEST_F(Cache, PassesByOtherVersions) {
    cache_write_device(&keys, &device);
    replace("\"version\": " + std::to_string(CACHE_VERSION), "\"version\": " + std::to_string(CACHE_VERSION - 1));
    EXPECT_FALSE(readDevice(&notes));
    EXPECT_EQ(notes, "");
    cache_write_device(&keys, &device);
    EXPECT_TRUE(readDevice(&notes));
}

TEST_F(Cache, GoesOnWithoutAFolder) {
    std::ofstream(folder / "cache") << "a file is in the way";
    testing::internal::CaptureStderr();
    cache_write_device(&keys, &device);
    cache_write_device(&keys, &device);
    notes = testing::internal::GetCapturedStderr();
    EXPECT_NE(notes.find("cannot keep what was measured"), std::string::npos) << notes;
    EXPECT_EQ(notes.find("cannot keep", notes.find("cannot keep") + 1), std::string::npos) << "said once";
    EXPECT_FALSE(readDevice(&notes));
}

// Something goes wrong at the k-th operation, or at the k-th call, for every k until nothing is left to go wrong.
class CacheFaults : public Cache, public testing::WithParamInterface<const char *> {
  protected:
    // Whether it came to the fault.
    template <typename Work> bool withFault(int k, const Work &work) {
        spec = std::string(GetParam()) + "@" + std::to_string(k);
        EXPECT_EQ(fault_set(spec.c_str()), 0);
        calls_watch(&fault_watcher, nullptr);
        testing::internal::CaptureStderr();
        work();
        calls_watch(nullptr, nullptr);
        fault_report();
        notes = testing::internal::GetCapturedStderr();
        return notes.find(": happened 0 times") == std::string::npos;
    }
    bool read() { return cache_read_device(&keys, &found); }
    std::string spec; // which is not copied
    bool harmless() const { return std::string(GetParam()) == "short" || std::string(GetParam()) == "eintr"; }
};

TEST_P(CacheFaults, InReadingCostAMeasurementAtMost) {
    int k = 1;
    for (bool good = false;; k++) {
        cache_write_device(&keys, &device);
        found = figures_nominal.device;
        if (!withFault(k, [&] { good = read(); })) break;
        EXPECT_EQ(found.read, (good ? device : figures_nominal.device).read);
        EXPECT_TRUE(good || !harmless()) << k << notes;
        EXPECT_TRUE(good || notes.find(".json") != std::string::npos) << "left out, and nobody is told: " << notes;
        EXPECT_TRUE(readDevice(&notes)) << "what was kept is as it was";
    }
    EXPECT_EQ(k > 1, std::string(GetParam()) != "zero-write" && std::string(GetParam()) != "enospc" &&
                         std::string(GetParam()) != "edquot");
}

TEST_P(CacheFaults, InWritingLeaveTheOldFileOrTheNewOne) {
    const device_figures newer{"2026-02-01", 5e9, 2e9, 3e9, 2e9, 0.75, 1e-4, 0.004, 5e-10};
    int k = 1;
    for (;; k++) {
        cache_write_device(&keys, &device);
        if (!withFault(k, [&] { cache_write_device(&keys, &newer); })) break;
        ASSERT_TRUE(readDevice(&notes)) << k << notes;
        EXPECT_TRUE(found.read == newer.read || (found.read == device.read && !harmless())) << k << found.read;
        cache_write_device(&keys, &newer);
        EXPECT_TRUE(readDevice(&notes) && found.read == newer.read) << "the next run cannot keep its own";
        EXPECT_EQ(files().size(), 1U);
    }
    EXPECT_EQ(k > 1, std::string(GetParam()) != "zero-read");
}

INSTANTIATE_TEST_SUITE_P(Kinds, CacheFaults, testing::Values("eio", "enospc", "edquot", "zero-read", "zero-write", "short", "eintr"),
                         [](const auto &info) {
                             std::string name = info.param;
                             name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
                             return name;
                         });

TEST(JsonRead, FollowsPaths) {
    const char *text = R"({"a": {"b": [1, {"c": -2.5e3}], "d": "x\"y"}, "e": true})";
    double number;
    char word[8];
    ASSERT_TRUE(json_valid(text));
    EXPECT_TRUE(json_number_at(text, "a.b.0", &number) && number == 1);
    EXPECT_TRUE(json_number_at(text, "a.b.1.c", &number) && number == -2500);
    EXPECT_TRUE(json_string_at(text, "a.d", word, sizeof word) && std::string(word) == "x\"y");
    EXPECT_EQ(json_at(text, "a.b.2"), nullptr);
    EXPECT_EQ(json_at(text, "a.x"), nullptr);
    EXPECT_EQ(json_at(text, "e.x"), nullptr);
    EXPECT_FALSE(json_number_at(text, "e", &number));
    EXPECT_FALSE(json_string_at(text, "a.d", word, 3));
}

TEST(JsonRead, RefusesWhatIsNone) {
    for (const char *text : {"", "{", "{\"a\"}", "{\"a\": }", "[1,]", "[1 2]", "\"a", "{} {}", "nan", "1e999", "tru"})
        EXPECT_FALSE(json_valid(text)) << text;
    EXPECT_FALSE(json_valid(std::string(1000, '[').c_str()));
    for (const char *text : {"{}", "[]", " {\"a\": [1, 2.5, null, \"\\\\\"]} \n"})
        EXPECT_TRUE(json_valid(text)) << text;
}

TEST(Figures, InterpolateBetweenPoints) {
    kernel_figures kernel{};
    kernel.bold = true;
    EXPECT_EQ(figures_factor(&kernel, 8, 32, 1000), 1);
    figures_add_point(&kernel, {8, 32, 1000, 2});
    EXPECT_NEAR(figures_factor(&kernel, 1, 500, 1000), 2, 1e-9);
    figures_add_point(&kernel, {32, 32, 1000, 8});
    EXPECT_NEAR(figures_factor(&kernel, 8, 32, 1000), 2, 0.01);
    EXPECT_NEAR(figures_factor(&kernel, 16, 32, 1000), 4, 0.01);
    figures_add_point(&kernel, {8, 32, 1000, 3});
    EXPECT_EQ(kernel.points, 2);
    EXPECT_NEAR(figures_factor(&kernel, 8, 32, 1000), 3, 0.01);
    EXPECT_EQ(figures_factor(&kernel, 8, 32, 64), figures_factor(&kernel, 8, 32, 1000)) << "both are thick";
    figures_add_point(&kernel, {8, 32, 8, 5});
    EXPECT_NEAR(figures_factor(&kernel, 8, 32, 8), 5, 0.02);
    EXPECT_NEAR(figures_factor(&kernel, 8, 32, 1000), 3, 0.1);
    const double before = figures_factor(&kernel, 16, 32, 100);
    figures_scale(&kernel, 0.5);
    EXPECT_NEAR(figures_factor(&kernel, 16, 32, 100), before / 2, 1e-9);
    EXPECT_NEAR(figures_factor(&kernel, 8, 32, 8), 2.5, 0.01);
    for (int i = 0; i < 2 * KERNEL_POINTS; i++)
        figures_add_point(&kernel, {1.0 + i, 7, 9, 1});
    EXPECT_EQ(kernel.points, KERNEL_POINTS);
    EXPECT_EQ(kernel.point[KERNEL_POINTS - 1].ct, double(2 * KERNEL_POINTS));
}

TEST(Figures, TransfersLeaveMoreOfTheCoresTheSlowerTheyAre) {
    device_figures device = figures_nominal.device;
    device.beside = 2e9;
    device.cores_share = 0.8;
    EXPECT_EQ(figures_cores_left(&device, 0), 1);
    EXPECT_NEAR(figures_cores_left(&device, 1e9), 0.9, 1e-9);
    EXPECT_NEAR(figures_cores_left(&device, 2e9), 0.8, 1e-9);
    EXPECT_NEAR(figures_cores_left(&device, 8e9), 0.8, 1e-9) << "no more move than beside loops";
}

// One of three shapes that are nearly alike was timed in a moment in which it took half as long; a fourth one is unlike them.
TEST(Figures, LuckOfOneIsSharedByThoseThatAreAlike) {
    kernel_figures kernel{};
    figures_add_point(&kernel, {11, 28, 22, 0.5});
    figures_add_point(&kernel, {11, 30, 22, 1});
    figures_add_point(&kernel, {12, 28, 24, 1});
    figures_add_point(&kernel, {2, 128, 16, 4});
    EXPECT_GT(figures_factor(&kernel, 11, 28, 22), 0.7);
    EXPECT_LT(figures_factor(&kernel, 12, 30, 24), 0.95);
    EXPECT_NEAR(figures_factor(&kernel, 2, 128, 16), 4, 0.1) << "nothing is near it";
}

// A plan takes what is known to be good before what is guessed to be; a probe, which tries it next, does not.
TEST(Figures, ShapesUnlikeAllThatWereTimedMayTakeLonger) {
    kernel_figures kernel{};
    figures_add_point(&kernel, {8, 32, 1000, 2});
    EXPECT_NEAR(figures_factor(&kernel, 8, 32, 1000), 2, 1e-9);
    EXPECT_NEAR(figures_factor(&kernel, 9, 36, 1000), 2, 1e-9) << "nearly alike";
    const double near = figures_factor(&kernel, 8, 64, 1000), far = figures_factor(&kernel, 8, 256, 1000);
    EXPECT_GT(near, 2.1);
    EXPECT_GT(far, near * 1.2);
    const kernel_factors factors = figures_factors(&kernel);
    EXPECT_TRUE(figures_guess(&factors, 9, 36, 1000).known);
    EXPECT_FALSE(figures_guess(&factors, 8, 64, 1000).known);
    EXPECT_FALSE(figures_guess(&factors, 8, 32, 8).known) << "much thinner";
    kernel.bold = true;
    EXPECT_NEAR(figures_factor(&kernel, 8, 256, 1000), 2, 1e-9);
}

} // namespace
