// Integers in loops over rows: as floating numbers what C's own conversion gives, to the bit; and where rows are cut.
#include "runtime_c.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace {

void expectAsInC(int64_t a) {
    // Not folded by the compiler, which need not convert at run time otherwise.
    volatile int64_t value = a;
    EXPECT_EQ(oocc_f64_of(value), static_cast<double>(value)) << a;
    EXPECT_EQ(oocc_f32_of(value), static_cast<float>(value)) << a;
}

TEST(Conversions, AtTheEndsAndWhereRoundingBegins) {
    for (const int64_t a : {INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MAX - 1, int64_t{0}})
        expectAsInC(a);
    // Powers of two, halves of what a float or a double resolves there, and both neighbours of each.
    for (int bit = 0; bit < 63; bit++)
        for (int half = 0; half <= bit; half++)
            for (int64_t beside = -1; beside <= 1; beside++) {
                const int64_t a = (int64_t{1} << bit) + (half < bit ? int64_t{1} << half : 0) + beside;
                expectAsInC(a);
                expectAsInC(-a);
            }
}

TEST(Conversions, OfAnyLength) {
    std::mt19937_64 draw(7);
    for (int i = 0; i < 200000; i++)
        expectAsInC(static_cast<int64_t>(draw()) >> (i % 64));
}

TEST(Conversions, ZeroIsNotNegative) {
    volatile int64_t zero = 0;
    EXPECT_FALSE(std::signbit(oocc_f64_of(zero)));
    EXPECT_FALSE(std::signbit(oocc_f32_of(zero)));
}

TEST(Rows, AreCutWithinOnly) {
    EXPECT_EQ(oocc_cut(100, 0, 50, 120), 20);
    EXPECT_EQ(oocc_cut(100, 0, 50, 100), 50) << "in front of the first cell";
    EXPECT_EQ(oocc_cut(100, 0, 50, 101), 1);
    EXPECT_EQ(oocc_cut(100, 0, 50, 149), 49);
    EXPECT_EQ(oocc_cut(100, 0, 50, 150), 50);
    EXPECT_EQ(oocc_cut(100, 20, 50, 120), 50) << "where the part begins";
    EXPECT_EQ(oocc_cut(100, 20, 50, 121), 21);
    for (int64_t far : {INT64_MIN, INT64_MIN + 100, INT64_C(-1), INT64_MAX - 100, INT64_MAX})
        EXPECT_EQ(oocc_cut(100, 0, 50, far), 50) << far;
}

} // namespace
