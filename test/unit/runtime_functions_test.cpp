// exp, log, sin, cos, tan, tanh, atan2 and pow of the language in f64, beside those of the C library in long double, and its special values.
#include "runtime_c.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kTiny = std::numeric_limits<double>::denorm_min(), kNormal = std::numeric_limits<double>::min(),
                 kMost = std::numeric_limits<double>::max(), kPi = 3.14159265358979323846;

using Real = std::function<double(double)>;
using Exact = std::function<long double(long double)>;

/// By how many units in its last place a double misses a value.
double ulpsFrom(double got, long double want) {
    const auto rounded = static_cast<double>(want);
    if (std::isnan(got) || std::isnan(rounded)) return std::isnan(got) == std::isnan(rounded) ? 0 : kInf;
    if (std::isinf(got) || std::isinf(rounded)) return got == rounded ? 0 : kInf;
    int exponent = 0;
    std::frexp(rounded, &exponent);
    const long double unit = std::ldexp(1.0L, std::max(exponent - 53, -1074));
    return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / unit);
}

struct Case {
    const char *name;
    Real ours;
    Exact exact;
    double from, to, ulps;
};

const Case kCases[] = {
    {"exp", oocc_exp_f64, expl, -2, 2, 0.8},
    {"exp, all that is neither 0 nor infinite", oocc_exp_f64, expl, -745.2, 709.8, 0.8},
    {"log", oocc_log_f64, logl, 0.3, 3, 0.9},
    {"log, just beside 1", oocc_log_f64, logl, 0.99, 1.01, 0.9},
    {"log of large", oocc_log_f64, logl, 0, 1e300, 0.9},
    {"log of subnormal", oocc_log_f64, logl, 0, kNormal, 0.9},
    {"tanh", oocc_tanh_f64, tanhl, -1, 1, 2},
    {"tanh, to where it is 1", oocc_tanh_f64, tanhl, -23, 23, 2},
    {"sin", oocc_sin_f64, sinl, -7, 7, 0.85},
    {"cos", oocc_cos_f64, cosl, -7, 7, 0.85},
    {"tan", oocc_tan_f64, tanl, -7, 7, 2.5},
    {"sin of many turns", oocc_sin_f64, sinl, -1e5, 1e5, 0.85},
    {"cos of as many as there may be", oocc_cos_f64, cosl, -0x1p30, 0x1p30, 0.85},
    {"tan of as many", oocc_tan_f64, tanl, -0x1p30, 0x1p30, 2.5},
    {"atan", [](double a) { return oocc_atan2_f64(a, 1); }, [](long double a) { return atan2l(a, 1); }, -4, 4, 2},
    {"pow, of any base", [](double a) { return oocc_pow_f64(a, 1.7); }, [](long double a) { return powl(a, 1.7); }, 0, 9, 0.8},
    {"pow, of any power", [](double a) { return oocc_pow_f64(1.9, a); }, [](long double a) { return powl(1.9, a); }, -1170, 1105, 0.8},
    {"pow, just beside 1", [](double a) { return oocc_pow_f64(a, 3e8); }, [](long double a) { return powl(a, 3e8L); }, 0.999999, 1.000001, 0.8},
    {"acot", [](double a) { return oocc_atan2_f64(1, a); }, [](long double a) { return atan2l(1, a); }, -4, 4, 2},
};

TEST(Functions, AreAsNearAsTheySay) {
    std::mt19937_64 draw(11);
    for (const Case &c : kCases) {
        std::uniform_real_distribution<double> argument(c.from, c.to);
        for (int i = 0; i < 300000; i++) {
            const double a = argument(draw);
            ASSERT_LE(ulpsFrom(c.ours(a), c.exact(a)), c.ulps) << c.name << " of " << a;
        }
    }
}

TEST(Functions, AreAsNearOfAnyBits) {
    std::mt19937_64 draw(12);
    for (int i = 0; i < 1000000; i++) {
        const double a = std::bit_cast<double>(draw()), b = std::bit_cast<double>(draw());
        ASSERT_LE(ulpsFrom(oocc_exp_f64(a), expl(a)), 0.8) << a;
        ASSERT_LE(ulpsFrom(oocc_log_f64(a), logl(a)), 0.9) << a;
        ASSERT_LE(ulpsFrom(oocc_tanh_f64(a), tanhl(a)), 2) << a;
        ASSERT_LE(ulpsFrom(oocc_atan2_f64(a, b), atan2l(a, b)), 2) << a << " " << b;
        ASSERT_LE(ulpsFrom(oocc_pow_f64(a, b), powl(a, b)), 0.8) << a << " " << b;
        ASSERT_LE(ulpsFrom(oocc_pow_f64(std::fabs(a), std::ldexp(b, -std::ilogb(b))), powl(std::fabs(a), std::ldexp(b, -std::ilogb(b)))), 0.8) << a << " " << b;
        if (!(std::fabs(a) < 0x1p30)) continue;
        ASSERT_LE(ulpsFrom(oocc_sin_f64(a), sinl(a)), 0.85) << a;
        ASSERT_LE(ulpsFrom(oocc_cos_f64(a), cosl(a)), 0.85) << a;
        ASSERT_LE(ulpsFrom(oocc_tan_f64(a), tanl(a)), 2.5) << a;
    }
}

/// Where next to nothing of an angle is left: what pi has no bits for is all there is.
TEST(Functions, NearWholeQuarterTurns) {
    for (int64_t n = 1; n < int64_t{683565275}; n = n + n / 1000 + 1) {
        const auto a = static_cast<double>(static_cast<long double>(n) * 1.57079632679489661923132169163975144L);
        const double beside = std::nextafter(a, kInf);
        for (const double angle : {a, beside, -a}) {
            if (!(std::fabs(angle) < 0x1p30)) continue;
            ASSERT_LE(ulpsFrom(oocc_sin_f64(angle), sinl(angle)), 0.85) << angle;
            ASSERT_LE(ulpsFrom(oocc_cos_f64(angle), cosl(angle)), 0.85) << angle;
        }
    }
}

const std::vector<double> kSpecial = {0,     -0.0,   1,      -1,    kInf,  -kInf,    kNan,     kTiny, -kTiny,
                                      kMost, -kMost, kNormal, 0.5,  -0.5,  kPi,      -kPi,     1e-9,  709.782712893384,
                                      709.8, -745.13, -745.2, -708.5, 1.0000000000000002, 0.9999999999999999};

void expectLike(double got, double want, double ulps, const char *name, double a) {
    EXPECT_LE(ulpsFrom(got, want), ulps) << name << " of " << a << " is " << got << ", not " << want;
    EXPECT_TRUE(std::isnan(want) || std::signbit(got) == std::signbit(want)) << name << " of " << a;
}

TEST(Functions, OfInfinitiesZerosAndNan) {
    for (const double a : kSpecial) {
        expectLike(oocc_exp_f64(a), std::exp(a), 1, "exp", a);
        expectLike(oocc_log_f64(a), std::log(a), 1, "log", a);
        expectLike(oocc_tanh_f64(a), std::tanh(a), 2, "tanh", a);
        for (const double b : kSpecial) {
            expectLike(oocc_atan2_f64(a, b), std::atan2(a, b), 2, "atan2", a);
            expectLike(oocc_pow_f64(a, b), std::pow(a, b), 1, "pow", a);
        }
        for (const double b : {2.0, 3.0, -2.0, -3.0, 0x1p52 - 1, 0x1p52 + 1, 0x1p53, 0x1p53 + 2, -0x1p51 - 1, 2.5, 4503599627370495.5})
            expectLike(oocc_pow_f64(a, b), std::pow(a, b), 1, "pow", a);
        if (std::fabs(a) == kMost) continue;
        expectLike(oocc_sin_f64(a), std::sin(a), 1, "sin", a);
        expectLike(oocc_cos_f64(a), std::cos(a), 1, "cos", a);
        expectLike(oocc_tan_f64(a), std::tan(a), 2, "tan", a);
    }
    EXPECT_EQ(oocc_exp_f64(0), 1);
    EXPECT_EQ(oocc_log_f64(1), 0);
    EXPECT_EQ(oocc_cos_f64(0), 1);
    EXPECT_EQ(oocc_exp_f64(-746), 0);
    EXPECT_EQ(oocc_exp_f64(710), kInf);
    EXPECT_EQ(oocc_tanh_f64(20), 1);
}

TEST(Functions, AnglesHaveAnEnd) {
    for (const double a : {0x1p30, -0x1p30, 1e10, kMost, -kMost}) {
        EXPECT_TRUE(std::isnan(oocc_sin_f64(a))) << a;
        EXPECT_TRUE(std::isnan(oocc_cos_f64(a))) << a;
        EXPECT_TRUE(std::isnan(oocc_tan_f64(a))) << a;
    }
    EXPECT_FALSE(std::isnan(oocc_sin_f64(std::nextafter(0x1p30, 0))));
}

} // namespace
