// The functions of the language in f32, beside those of the C library in f64, and their special values.
#include "promises.h"
#include "runtime_c.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kTiny = std::numeric_limits<float>::denorm_min(), kNormal = std::numeric_limits<float>::min(),
                kMost = std::numeric_limits<float>::max(), kPi = 3.14159274F;

/// By how many units in its last place a float misses a value.
double ulpsFrom(float got, double want) {
    const auto rounded = static_cast<float>(want);
    if (std::isnan(got) || std::isnan(rounded)) return std::isnan(got) == std::isnan(rounded) ? 0 : HUGE_VAL;
    if (std::isinf(got) || std::isinf(rounded)) return got == rounded ? 0 : HUGE_VAL;
    int exponent = 0;
    std::frexp(rounded, &exponent);
    return std::fabs(static_cast<double>(got) - want) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

struct Case {
    const char *name;
    float (*ours)(float);
    double (*exact)(double);
    double ulps;
    float below; /* sizes that have a value */
};

const Case kCases[] = {
    {"exp", oocc_exp_f32, std::exp, 0.9, kInf},
    {"log", oocc_log_f32, std::log, 0.9, kInf},
    {"sin", oocc_sin_f32, std::sin, 0.95, 0x1p30F},
    {"cos", oocc_cos_f32, std::cos, 0.95, 0x1p30F},
    {"tan", oocc_tan_f32, std::tan, 2.5, 0x1p30F},
    {"tanh", oocc_tanh_f32, std::tanh, 2.1, kInf},
    {"atan", [](float a) { return oocc_atan2_f32(a, 1); }, std::atan, 2.1, kInf},
    {"acot", [](float a) { return oocc_atan2_f32(1, a); }, [](double a) { return std::atan2(1, a); }, 2.1, kInf},
    {"power", [](float a) { return oocc_pow_f32(a, 1.75F); }, [](double a) { return std::pow(a, 1.75); }, 0.9, kInf},
    {"inverseCube", [](float a) { return oocc_pow_f32(a, -3); }, [](double a) { return std::pow(a, -3); }, 0.9, kInf},
    {"steepPower", [](float a) { return oocc_pow_f32(a, 25e6F); }, [](double a) { return std::pow(a, 25e6); }, 0.9, kInf},
    {"exponential", [](float a) { return oocc_pow_f32(1.5F, a); }, [](double a) { return std::pow(1.5, a); }, 0.9, kInf},
};

class FunctionOfFloats : public testing::TestWithParam<Case> {};

/// One of 997 floats, from -nan to nan. OOCC_FLOATS=1: all of them, in some minutes each.
TEST_P(FunctionOfFloats, IsAsNearAsItSays) {
    const Case &c = GetParam();
    const auto every = static_cast<uint64_t>(oocc::test::fromEnvironment("OOCC_FLOATS", 997));
    int64_t tried = 0, failed = 0;
    double most = 0;
    float at = 0;
    for (uint64_t bits = 0; bits <= std::numeric_limits<uint32_t>::max(); bits += every) {
        const auto a = std::bit_cast<float>(static_cast<uint32_t>(bits));
        if (c.below < kInf && !(std::fabs(a) < c.below)) continue;
        const double ulps = ulpsFrom(c.ours(a), c.exact(static_cast<double>(a)));
        tried++;
        failed += ulps > c.ulps;
        if (ulps > most) most = ulps, at = a;
    }
    EXPECT_LE(most, c.ulps) << c.name << " of " << at;
    oocc::test::leavePromise(std::string("functions_f32_") + c.name, "functions of f32 are as near to the exact value as is said of them", tried, failed);
}

INSTANTIATE_TEST_SUITE_P(All, FunctionOfFloats, testing::ValuesIn(kCases), [](const auto &info) { return info.param.name; });

TEST(FunctionsOfFloats, AreAsNearOfAnyTwo) {
    std::mt19937 draw(13);
    const auto any = [&] { return std::bit_cast<float>(static_cast<uint32_t>(draw())); };
    std::uniform_real_distribution<float> base(0, 9), power(-40, 40);
    for (int i = 0; i < 500000; i++) {
        const float a = any(), b = any(), c = base(draw), d = power(draw);
        ASSERT_LE(ulpsFrom(oocc_atan2_f32(a, b), std::atan2(static_cast<double>(a), static_cast<double>(b))), 2.1) << a << " " << b;
        ASSERT_LE(ulpsFrom(oocc_atan2_f32(c, d), std::atan2(static_cast<double>(c), static_cast<double>(d))), 2.1) << c << " " << d;
        ASSERT_LE(ulpsFrom(oocc_pow_f32(a, b), std::pow(static_cast<double>(a), static_cast<double>(b))), 0.9) << a << " " << b;
        ASSERT_LE(ulpsFrom(oocc_pow_f32(c, d), std::pow(static_cast<double>(c), static_cast<double>(d))), 0.9) << c << " " << d;
    }
}

/// Where next to nothing of an angle is left.
TEST(FunctionsOfFloats, NearWholeQuarterTurns) {
    for (int64_t n = 1; n < int64_t{683565275}; n = n + n / 3000 + 1) {
        const auto a = static_cast<float>(static_cast<double>(n) * 1.57079632679489661923);
        for (const float angle : {a, std::nextafter(a, kInf), -a}) {
            if (!(std::fabs(angle) < 0x1p30F)) continue;
            ASSERT_LE(ulpsFrom(oocc_sin_f32(angle), std::sin(static_cast<double>(angle))), 0.95) << angle;
            ASSERT_LE(ulpsFrom(oocc_cos_f32(angle), std::cos(static_cast<double>(angle))), 0.95) << angle;
        }
    }
}

void expectLike(float got, double want, const char *name, float a) {
    EXPECT_LE(ulpsFrom(got, want), 2.5) << name << " of " << a << " is " << got << ", not " << want;
    EXPECT_TRUE(std::isnan(want) || std::signbit(got) == std::signbit(want)) << name << " of " << a;
}

TEST(FunctionsOfFloats, OfInfinitiesZerosAndNan) {
    const std::vector<float> special = {0,      -0.0F,   1,     -1,    kInf, -kInf, kNan,  kTiny,  -kTiny, kMost, -kMost,
                                        kNormal, 0.5F, -0.5F, kPi,  -kPi,  1e-9F, 88.72F, 88.73F, -103.9F, -104, 1.0000001F,
                                        2,      3,       -2,    -3,    2.5F, 0x1p23F - 1, 0x1p23F + 1, 0x1p24F, -0x1p22F - 1};
    for (const float a : special) {
        const auto wide = static_cast<double>(a);
        for (const Case &c : kCases)
            if (c.below == kInf || std::fabs(a) < c.below) expectLike(c.ours(a), c.exact(wide), c.name, a);
        for (const float b : special) {
            expectLike(oocc_atan2_f32(a, b), std::atan2(wide, static_cast<double>(b)), "atan2", a);
            expectLike(oocc_pow_f32(a, b), std::pow(wide, static_cast<double>(b)), "pow", a);
        }
    }
    EXPECT_EQ(oocc_exp_f32(0), 1);
    EXPECT_EQ(oocc_log_f32(1), 0);
    EXPECT_EQ(oocc_cos_f32(0), 1);
    EXPECT_EQ(oocc_tanh_f32(10), 1);
    EXPECT_EQ(oocc_pow_f32(7, 1), 7);
}

TEST(FunctionsOfFloats, AnglesHaveAnEnd) {
    for (const float a : {0x1p30F, -0x1p30F, 1e10F, kMost, -kMost, kInf, kNan}) {
        EXPECT_TRUE(std::isnan(oocc_sin_f32(a))) << a;
        EXPECT_TRUE(std::isnan(oocc_cos_f32(a))) << a;
        EXPECT_TRUE(std::isnan(oocc_tan_f32(a))) << a;
    }
    EXPECT_FALSE(std::isnan(oocc_sin_f32(std::nextafter(0x1p30F, 0.0F))));
}

} // namespace
