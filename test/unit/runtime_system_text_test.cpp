/// Small files of the kernel, line by line.
#include <gtest/gtest.h>

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

class SystemText : public testing::Test {
  protected:
    SystemText() {
        char name[] = "./oocc-system-text-XXXXXX";
        root = fs::absolute(mkdtemp(name));
    }
    ~SystemText() override { fs::remove_all(root); }

    Lines linesOf(const std::string &text) {
        std::ofstream(root / "text") << text;
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

} // namespace
