// docs/formats/manifest.md: what a reader accepts, and what it says otherwise.
#include "runtime_waves.h"

#include <gtest/gtest.h>

using waves::Trial;

namespace {

class Manifest : public testing::Test {
  protected:
    Manifest() { EXPECT_EQ(run(kOptions + "--steps 4 --keep"), 0) << run.errors(); }
    std::string read() const { return waves::readFile(path()); }
    void write(const std::string &text) const { std::ofstream(path(), std::ios::binary) << text; }
    // Seals the text anew: the change is meant to be found by its content.
    void writeSealed(std::string text) const {
        text.resize(text.rfind("xxh3 "));
        char seal[32];
        std::snprintf(seal, sizeof seal, "xxh3 %016llx\n",
                      static_cast<unsigned long long>(checksum_bytes(text.data(), text.size())));
        write(text + seal);
    }
    std::string replaced(const std::string &from, const std::string &to) const {
        std::string text = read();
        const size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from << " in\n" << text.substr(0, 600);
        return text.replace(at, from.size(), to);
    }
    int resume(const std::string &more = "") { return run(kOptions + "--resume --steps 6 " + more); }
    bool says(const std::string &text) const { return run.errors().find(text) != std::string::npos; }
    std::filesystem::path path() const { return run.scratch() / "manifest"; }

    const std::string kOptions = "--schedule stream --bt 2 --bz 3 --engine mmap ";
    Trial run;
};

TEST_F(Manifest, NamesProgramParametersSizesAndLevel) {
    const std::string text = read();
    for (const char *line :
         {"oocc-manifest 5\n", "store ", "program waves 0000000000001234\n", "subnormals keep\n", "param n int 12\n",
          "param strength f64 0x1.999999999999ap-4\n", "extent z 12\n", "field 0 u f64 state levels 1 ",
          "field 2 c f64 coef levels 1 ", "steps 4\n", "level 4\n", "sums v 1 12\n"})
        EXPECT_NE(text.find(line), std::string::npos) << line << "in\n" << text.substr(0, 800);
}

TEST_F(Manifest, EveryTruncationIsFound) {
    const std::string whole = read();
    for (size_t length = 0; length < whole.size(); length += 1 + whole.size() / 23) {
        write(whole.substr(0, length));
        EXPECT_EQ(resume(), OOCC_CORRUPT) << length;
        EXPECT_TRUE(says("is damaged")) << run.errors();
    }
    write(whole);
    EXPECT_EQ(resume(), 0) << run.errors();
    EXPECT_TRUE(run.matches(6));
}

TEST_F(Manifest, FlippedBitIsFound) {
    std::string text = read();
    text[text.size() / 2] ^= 1;
    write(text);
    EXPECT_EQ(resume(), OOCC_CORRUPT);
    EXPECT_TRUE(says("checksum does not match")) << run.errors();
}

TEST_F(Manifest, AnotherVersionIsBadInputNotDamage) {
    writeSealed(replaced("oocc-manifest 5", "oocc-manifest 4"));
    EXPECT_EQ(resume(), OOCC_BAD_INPUT);
    EXPECT_TRUE(says("another version: oocc-manifest 4")) << run.errors();
}

TEST_F(Manifest, AnotherParameterIsNamed) {
    EXPECT_EQ(resume("-D strength=0.2"), OOCC_BAD_INPUT);
    EXPECT_TRUE(says("it has 'param strength f64 0x1.999999999999ap-4', this run has 'param strength f64 "
                     "0x1.999999999999ap-3'"))
        << run.errors();
}

TEST_F(Manifest, AnotherProgramIsNamed) {
    writeSealed(replaced("program waves 0000000000001234", "program waves 0000000000001235"));
    EXPECT_EQ(resume(), OOCC_BAD_INPUT);
    EXPECT_TRUE(says("belongs to another run")) << run.errors();
}

TEST_F(Manifest, MissingChecksumsAreDamage) {
    const std::string text = read();
    const size_t at = text.find("sums v 1");
    writeSealed(text.substr(0, at) + text.substr(text.rfind("xxh3 ")));
    EXPECT_EQ(resume(), OOCC_CORRUPT);
}

TEST_F(Manifest, GenerationIsZeroOrOne) {
    const std::string text = read();
    const size_t at = text.find("generation ");
    writeSealed(text.substr(0, at) + "generation 7" + text.substr(text.find('\n', at)));
    EXPECT_EQ(resume(), OOCC_CORRUPT);
}

TEST_F(Manifest, ResumeTakesItsSteps) {
    EXPECT_EQ(run(kOptions + "--resume"), 0) << run.errors(); // not the program's 7
    EXPECT_TRUE(run.matches(4));
}

} // namespace
