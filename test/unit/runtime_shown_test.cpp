#include <gtest/gtest.h>

#include <cstdio>
#include <string>

extern "C" {
#include "support/shown.h"
}

namespace {

std::string taken(FILE *file) {
    std::string text(static_cast<size_t>(ftell(file)), '\0');
    rewind(file);
    EXPECT_EQ(fread(text.data(), 1, text.size(), file), text.size());
    fclose(file);
    return text;
}

std::string shown(const char *text, const char *kept = "") {
    FILE *file = tmpfile();
    put_shown(file, text, kept);
    return taken(file);
}

TEST(Shown, LeavesTextAsItIs) {
    EXPECT_EQ(shown("u \\ %n \"a\" ä 漢 😀.npy"), "u \\ %n \"a\" ä 漢 😀.npy");
}

TEST(Shown, NamesControlCharacters) {
    EXPECT_EQ(shown("a\x1b[2J\r\t\x7f"), "a\\x1b[2J\\x0d\\x09\\x7f");
    EXPECT_EQ(shown("a\nb"), "a\\x0ab");
    EXPECT_EQ(shown("a\nb\r", "\n"), "a\nb\\x0d");
}

TEST(Shown, NamesBytesThatAreNoText) {
    EXPECT_EQ(shown("\xff \xc3 \xe2\x80 \xc0\xaf \xed\xa0\x80"),
              "\\xff \\xc3 \\xe2\\x80 \\xc0\\xaf \\xed\\xa0\\x80");
}

TEST(Shown, NamesWhatIsNotSeen) {
    EXPECT_EQ(shown("a\u202eb\u2066c\u200bd\ufeff\u0085\U000e0041"),
              "a<U+202E>b<U+2066>c<U+200B>d<U+FEFF><U+0085><U+E0041>");
}

TEST(Shown, GathersLines) {
    FILE *file = tmpfile();
    struct shown lines;
    FILE *out = shown_begin(&lines, file, "\n");
    fprintf(out, "one\n%s\n", "\x1b[m");
    EXPECT_EQ(ftell(file), 0);
    shown_end(&lines);
    EXPECT_EQ(taken(file), "one\n\\x1b[m\n");
}

} // namespace
