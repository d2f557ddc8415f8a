/// Small files of the kernel, line by line, and what is known of the machine when no memory is given for reading them.
#include "runtime_c.h"
#include "sanitized.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

extern "C" {
#include "support/system_text.h"
}

namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

bool refuses = false; ///< all requests for memory

class SystemText : public testing::Test {
  protected:
    SystemText() {
        char name[] = "./oocc-system-text-XXXXXX";
        root = fs::absolute(mkdtemp(name));
    }
    ~SystemText() override { fs::remove_all(root); }

    void write(const std::string &path, const std::string &text) {
        fs::create_directories((root / path).parent_path());
        std::ofstream(root / path) << text;
    }
    Lines linesOf(const std::string &text) {
        write("text", text);
        Lines all;
        system_lines lines;
        system_lines_open(&lines, (root / "text").c_str());
        while (const char *line = system_line(&lines))
            all.push_back(line);
        system_lines_close(&lines);
        return all;
    }

    fs::path root;
};

TEST_F(SystemText, ComesLineByLine) {
    EXPECT_EQ(linesOf(""), Lines{});
    EXPECT_EQ(linesOf("\n"), Lines{""});
    EXPECT_EQ(linesOf("one\n\n three\n"), (Lines{"one", "", " three"}));
    EXPECT_EQ(linesOf("one\nand no end"), (Lines{"one", "and no end"}));
}

TEST_F(SystemText, HasLinesWhereverTheyAreParted) {
    for (size_t length = 1; length < 200; length += 7) {
        Lines wanted;
        std::string text;
        for (size_t i = 0; text.size() < 30000; i++) {
            wanted.push_back(std::string((length + i) % 97, static_cast<char>('a' + i % 26)));
            text += wanted.back() + "\n";
        }
        EXPECT_EQ(linesOf(text), wanted) << length;
    }
}

TEST_F(SystemText, IsCutWhereALineIsTooLong) {
    const std::string most(8191, 'm');
    EXPECT_EQ(linesOf("a\n" + most + "\nb\n"), (Lines{"a", most, "b"}));
    EXPECT_EQ(linesOf("a\n" + most + "x\nb\n"), (Lines{"a", most, "b"}));
    EXPECT_EQ(linesOf("a\n" + most + std::string(50000, 'x') + "\nb\n"), (Lines{"a", most, "b"}));
    EXPECT_EQ(linesOf(most + most + most), Lines{most});
    EXPECT_EQ(linesOf(most + "\n" + most + "\n"), (Lines{most, most}));
}

TEST_F(SystemText, HasNoLinesWhereThereIsNoFile) {
    system_lines lines;
    system_lines_open(&lines, (root / "none").c_str());
    EXPECT_EQ(system_line(&lines), nullptr);
    EXPECT_EQ(system_line(&lines), nullptr);
    system_lines_close(&lines);
}

TEST(Ranges, AreTakenOneByOne) {
    const auto all = [](const char *list) {
        std::string taken;
        for (long first, last; system_range(&list, &first, &last);)
            taken += std::to_string(first) + ".." + std::to_string(last) + " ";
        return taken;
    };
    EXPECT_EQ(all("0-3,8\n"), "0..3 8..8 ");
    EXPECT_EQ(all("5"), "5..5 ");
    EXPECT_EQ(all("0,64,128-130\n"), "0..0 64..64 128..130 ");
    EXPECT_EQ(all(""), "");
    EXPECT_EQ(all("\n"), "");
}

// A limit that is not seen is one that the kernel enforces, by ending the run.
TEST_F(SystemText, TellsOfLimitsThoughNoMemoryIsGiven) {
    if (kSanitized) GTEST_SKIP() << "a sanitizer has an allocator of its own";
    write("proc/meminfo", "MemTotal:  67108864 kB\nMemFree: 1 kB\nMemAvailable:  33554432 kB\n");
    write("proc/self/status", "VmSize:\t1024 kB\nVmData:\t512 kB\n");
    write("proc/self/cgroup", "0::/jobs/one\n");
    write("proc/self/mountinfo", "30 23 0:26 / /cg rw,nosuid - cgroup2 cgroup2 rw\n");
    write("cg/jobs/one/memory.max", std::to_string(8 << 20) + "\n");
    write("cg/jobs/one/memory.current", std::to_string(3 << 20) + "\n");
    machine given{}, refused{};
    machine_read_under(root.c_str(), &given);
    refuses = true;
    machine_read_under(root.c_str(), &refused);
    refuses = false;
    EXPECT_EQ(given.memory_available_bytes, 5 << 20);
    EXPECT_EQ(refused.memory_available_bytes, 5 << 20);
    EXPECT_STREQ(refused.memory_bound, "cgroup");
    EXPECT_EQ(refused.memory_total_bytes, given.memory_total_bytes);
    EXPECT_EQ(refused.cores, given.cores);
}

} // namespace

#if !OOCC_SANITIZED
extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);

void *malloc(size_t bytes) {
    return refuses ? (errno = ENOMEM, nullptr) : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
    return refuses ? (errno = ENOMEM, nullptr) : __libc_calloc(count, bytes);
}
}
#endif
