#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "runtime_c.h"

namespace {

int64_t parsed(const char *text) {
    int64_t bytes = -1;
    return parse_bytes(text, &bytes) ? bytes : -1;
}

std::string formatted(int64_t bytes) {
    char buffer[32];
    return format_bytes(buffer, bytes);
}

std::string counted(int64_t count) {
    char buffer[32];
    return format_count(buffer, count);
}

std::string numbered(double value, bool single = false) {
    char buffer[NUMBER_TEXT];
    return format_number(buffer, value, single);
}

TEST(ParseBytes, ReadsPowersOf1024) {
    EXPECT_EQ(parsed("1000000"), 1000000);
    EXPECT_EQ(parsed("4G"), int64_t{4} << 30);
    EXPECT_EQ(parsed("512MiB"), int64_t{512} << 20);
    EXPECT_EQ(parsed("512 MiB"), int64_t{512} << 20);
    EXPECT_EQ(parsed("1.5g"), int64_t{3} << 29);
    EXPECT_EQ(parsed("2T"), int64_t{2} << 40);
    EXPECT_EQ(parsed("0"), 0);
    EXPECT_EQ(parsed("17B"), 17);
}

TEST(ParseBytes, ReadsPowersOf1000WithB) {
    EXPECT_EQ(parsed("4GB"), 4000000000);
    EXPECT_EQ(parsed("1kB"), 1000);
}

TEST(ParseBytes, RefusesWhatIsNoSize) {
    for (const char *text : {"", "G", "-1", "4X", "4GiBs", "1.", "1.5", "0x10", "4 G G", " 4", "1e9", "nan"})
        EXPECT_EQ(parsed(text), -1) << text;
}

TEST(ParseBytes, RefusesWhatDoesNotFit63Bits) {
    EXPECT_EQ(parsed("9223372036854775807"), INT64_MAX);
    EXPECT_EQ(parsed("9223372036854775808"), -1);
    EXPECT_EQ(parsed("8E"), -1);
    EXPECT_EQ(parsed("7.9E") > 0, true);
    EXPECT_EQ(parsed("99999999999999999999999G"), -1);
}

TEST(FormatBytes, HasOneDigitAfterThePoint) {
    EXPECT_EQ(formatted(0), "0 B");
    EXPECT_EQ(formatted(1023), "1023 B");
    EXPECT_EQ(formatted(int64_t{8} << 30), "8.0 GiB");
    EXPECT_EQ(formatted(1536), "1.5 KiB");
    EXPECT_EQ(formatted((1 << 20) - 1), "1.0 MiB");
    EXPECT_EQ(formatted(INT64_MAX), "8.0 EiB");
}

TEST(FormatCount, GroupsThousands) {
    EXPECT_EQ(counted(0), "0");
    EXPECT_EQ(counted(999), "999");
    EXPECT_EQ(counted(16000), "16,000");
    EXPECT_EQ(counted(-1234567), "-1,234,567");
    EXPECT_EQ(counted(INT64_MAX), "9,223,372,036,854,775,807");
}

TEST(FormatNumber, IsShort) {
    EXPECT_EQ(numbered(10), "10");
    EXPECT_EQ(numbered(-400), "-400");
    EXPECT_EQ(numbered(12000), "12000");
    EXPECT_EQ(numbered(1e6), "1e+06");
    EXPECT_EQ(numbered(0.5), "0.5");
    EXPECT_EQ(numbered(0.00001), "1e-05");
    EXPECT_EQ(numbered(0.1f, true), "0.1");
    EXPECT_EQ(numbered(-0.0), "-0");
    EXPECT_EQ(numbered(std::nan("")), "nan");
    EXPECT_EQ(numbered(-INFINITY), "-inf");
}

TEST(FormatNumber, ReadsBack) {
    for (const double value : {0.1, 1 / 3.0, 123456789012345680.0, 5e-324, 1.7976931348623157e308, 4503599627370497.5})
        EXPECT_EQ(std::strtod(numbered(value).c_str(), nullptr), value);
}

} // namespace
