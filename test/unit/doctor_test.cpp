// What oocc doctor says of systems, on trees of files as kernels show them; and what completion reads off help.
#include "completion/help_text.h"
#include "doctor/checks.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gtest/gtest.h>

using namespace oocc;
using namespace oocc::doctor;

namespace {

namespace fs = std::filesystem;

class System : public testing::Test {
  protected:
    System() {
        char name[] = "./oocc-system-XXXXXX";
        root = fs::absolute(mkdtemp(name));
        write("proc/meminfo", "MemTotal: 1024 kB\nSwapTotal:  2097152 kB\nSwapFree:  1048576 kB\n");
        write("proc/sys/fs/aio-max-nr", "65536\n");
        write("proc/sys/fs/aio-nr", "0\n");
        write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    }
    ~System() override { fs::remove_all(root); }

    void write(const std::string &path, const std::string &text) {
        fs::create_directories((root / path).parent_path());
        std::ofstream(root / path) << text;
    }
    Check check(const std::string &name) {
        Checks checks;
        checkSystem(root.string(), checks);
        for (const Check &c : checks)
            if (c.name == name) return c;
        ADD_FAILURE() << "there is no check " << name;
        return {};
    }

    fs::path root;
};

TEST_F(System, HasSwapOrNot) {
    EXPECT_EQ(check("swap").text, "1.0 GiB of 2.0 GiB free; only --engine swap uses it");
    write("proc/meminfo", "SwapTotal: 0 kB\nSwapFree: 0 kB\n");
    EXPECT_EQ(check("swap").text, "none; only --engine swap would use it");
    EXPECT_EQ(check("swap").result, Check::Ok);
}

TEST_F(System, MayHaveUsedUpItsAsynchronousRequests) {
    EXPECT_EQ(check("aio-requests").result, Check::Ok);
    write("proc/sys/fs/aio-nr", "65400\n");
    EXPECT_EQ(check("aio-requests").result, Check::Warn);
    EXPECT_EQ(check("aio-requests").text, "136 left of 65536 (fs.aio-max-nr)");
    fs::remove(root / "proc/sys/fs/aio-max-nr");
    EXPECT_EQ(check("aio-requests").result, Check::Warn);
}

TEST_F(System, HasHugePagesInOneOfThreeModes) {
    EXPECT_EQ(check("huge-pages").text, "transparent huge pages: madvise");
    EXPECT_EQ(check("huge-pages").result, Check::Ok);
    write("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
    EXPECT_EQ(check("huge-pages").result, Check::Ok);
    write("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
    EXPECT_EQ(check("huge-pages").result, Check::Warn);
    EXPECT_NE(check("huge-pages").fix.find("echo madvise"), std::string::npos);
    for (const char *broken : {"", "]always[ madvise never", "[", "nothing"}) {
        write("sys/kernel/mm/transparent_hugepage/enabled", broken);
        EXPECT_EQ(check("huge-pages").result, Check::Warn) << broken;
    }
}

TEST_F(System, HasGovernorsOrHidesThem) {
    EXPECT_EQ(check("governor").result, Check::Ok);
    write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    write("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
    EXPECT_EQ(check("governor").text, "performance (2)");
    EXPECT_EQ(check("governor").result, Check::Ok);
    write("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
    EXPECT_EQ(check("governor").text, "performance (1), powersave (1): cores may take long to become fast");
    EXPECT_EQ(check("governor").result, Check::Warn);
}

nlohmann::json machine(int cores, int threads, double available, const char *bound) {
    return {{"machine",
             {{"cores", cores},
              {"memory_available_bytes", available},
              {"memory_total_bytes", 64.0 * (1 << 30)},
              {"memory_bound", bound}}},
            {"openmp", {{"threads", threads}}}};
}

Checks judged(const nlohmann::json &found) {
    Checks checks;
    checkMachine(found, checks);
    return checks;
}

TEST(Machine, IsJudged) {
    const int online = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    EXPECT_EQ(judged(machine(online, online, 1e10, "MemAvailable"))[0].result, Check::Ok);
    EXPECT_EQ(judged(machine(online, online, 1e10, "MemAvailable"))[1].result, Check::Ok);
    EXPECT_EQ(judged(machine(online, online + 1, 1e10, "cgroup"))[0].result, Check::Warn);
    EXPECT_EQ(judged(machine(online, online, 1e6, "cgroup"))[1].fix, "raise the limit of cgroup");
}

nlohmann::json place(bool writable, const char *direct, const char *uring, const char *threads) {
    const auto text = [](const char *refusal) {
        return refusal ? nlohmann::json(refusal) : nlohmann::json();
    };
    return {{"scratch",
             {{{"place", "."},
               {"existing", "."},
               {"device", false},
               {"writable", writable},
               {"free_bytes", 1e12},
               {"direct_io_refusal", text(direct)},
               {"engines",
                {{{"name", "uring"}, {"durable", true}, {"refusal", text(uring)}},
                 {{"name", "threads"}, {"durable", true}, {"refusal", text(threads)}},
                 {{"name", "memory"}, {"durable", false}, {"refusal", nullptr}}}}}}}};
}

Check named(const nlohmann::json &found, const std::string &name) {
    Checks checks;
    checkScratch(found, checks);
    for (const Check &check : checks)
        if (check.name == name) return check;
    return {name, Check::Skip, "", ""};
}

TEST(Scratch, OfWhichEveryEngineHasItsSay) {
    const auto good = place(true, nullptr, nullptr, nullptr);
    EXPECT_EQ(named(good, "direct-io").result, Check::Ok);
    EXPECT_EQ(named(good, "engine-uring").text, "works; chosen unless --engine says otherwise");
    EXPECT_EQ(named(good, "engine-threads").text, "works");
    EXPECT_EQ(named(good, "engine-memory").result, Check::Skip); // has nothing to do with the scratch
    const auto bad =
        place(true, "its file system takes no direct I/O", "io_uring is not permitted here", nullptr);
    EXPECT_EQ(named(bad, "direct-io").result, Check::Warn);
    EXPECT_NE(named(bad, "engine-uring").fix.find("io_uring_disabled"), std::string::npos);
    EXPECT_EQ(named(bad, "engine-threads").text, "works; chosen unless --engine says otherwise");
    EXPECT_EQ(named(bad, "engines").result, Check::Skip); // one is enough
    EXPECT_EQ(named(place(true, "no", "no", "no"), "engines").result, Check::Fail);
    EXPECT_EQ(named(place(false, nullptr, nullptr, nullptr), "scratch").result, Check::Fail);
}

TEST(Bytes, AreWrittenWithAUnit) {
    EXPECT_EQ(bytes(0), "0 B");
    EXPECT_EQ(bytes(1023), "1023 B");
    EXPECT_EQ(bytes(1536), "1.5 KiB");
    EXPECT_EQ(bytes(3.0 * (1 << 30)), "3.0 GiB");
    EXPECT_EQ(bytes(5e18), "4547473.5 TiB");
}

using Values = std::vector<std::string>;

TEST(Values, AreReadOffTheText) {
    using completion::valuesIn;
    EXPECT_EQ(valuesIn("where to stop: ast, c (the default) or exe"), (Values{"ast", "c", "exe"}));
    EXPECT_EQ(valuesIn("auto (on), on or off"), (Values{"auto", "on", "off"}));
    EXPECT_EQ(valuesIn("tiles fetch: on or off, for studies"), (Values{"on", "off"}));
    EXPECT_EQ(valuesIn("one: two; and then: a1, b2 or c3."), (Values{"a1", "b2", "c3"}));
    for (const char *text :
         {"", "advance N steps", "this or that way", "in turn: directories or whole devices", "a: b",
          "a, b, c", "x: a (b, c or d", "where it is: there, or", "A or B"})
        EXPECT_EQ(valuesIn(text), Values()) << text;
}

TEST(HelpText, IsReadAsPeopleReadIt) {
    const completion::Help help = completion::readHelp("Does things.\n"
                                                       "Usage: oocc x [OPTIONS] [WHERE]\n"
                                                       "\n"
                                                       "Positionals:\n"
                                                       "  WHERE TEXT                  the place\n"
                                                       "\n"
                                                       "Options:\n"
                                                       "  -o,--output FILE=a.c        where to write\n"
                                                       "  -D,--define NAME=VALUE ...  set a parameter\n"
                                                       "  --a-very-long-option-indeed NUMBER\n"
                                                       "                              how: one, two\n"
                                                       "                              or three\n"
                                                       "  --flag\n"
                                                       "Commands:\n"
                                                       "oocc y\n"
                                                       "    does -- something\n");
    ASSERT_EQ(help.positionals.size(), 1u);
    EXPECT_EQ(help.positionals[0].names, Values{"WHERE"});
    ASSERT_EQ(help.options.size(), 4u);
    EXPECT_EQ(help.options[0].names, (Values{"-o", "--output"}));
    EXPECT_EQ(help.options[0].argument, "FILE");
    EXPECT_EQ(help.options[0].text, "where to write");
    EXPECT_EQ(help.options[1].argument, "NAME=VALUE");
    EXPECT_EQ(help.options[2].text, "how: one, two or three");
    EXPECT_EQ(help.options[2].values, (Values{"one", "two", "three"}));
    EXPECT_EQ(help.options[3].argument, "");
}

} // namespace
