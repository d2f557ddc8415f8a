// The weights of difference formulas against published tables, and, for every order, against what defines them.
#include "sema/fornberg.h"

#include <cmath>
#include <gtest/gtest.h>

namespace oocc {

namespace {

std::vector<Rational> weights(const Difference &difference) {
    std::vector<Rational> out;
    if (difference.even) out.push_back(difference.centre);
    for (const DifferencePair &pair : difference.pairs)
        out.push_back(pair.weight);
    return out;
}

using List = std::vector<Rational>;

/// The formula applied to x^power around `at`, exactly; cells are at whole numbers.
Rational applied(const Difference &difference, int power, const Rational &at) {
    const auto value = [&](const Rational &cell) {
        Rational out = 1;
        for (int i = 0; i < power; ++i)
            out = out * (cell - at);
        return out;
    };
    Rational out = difference.centre * value(0);
    for (const DifferencePair &pair : difference.pairs) {
        const Rational plus = value(pair.plus), minus = value(pair.minus);
        out = out + pair.weight * (difference.even ? plus + minus : plus - minus);
    }
    return out;
}

} // namespace

TEST(Fornberg, SecondDerivative) {
    EXPECT_EQ(weights(centralDifference(2, 2)), (List{-2, 1}));
    EXPECT_EQ(weights(centralDifference(2, 4)), (List{{-5, 2}, {4, 3}, {-1, 12}}));
    EXPECT_EQ(weights(centralDifference(2, 8)), (List{{-205, 72}, {8, 5}, {-1, 5}, {8, 315}, {-1, 560}}));
}

TEST(Fornberg, FirstDerivative) {
    EXPECT_EQ(weights(centralDifference(1, 2)), (List{{1, 2}}));
    EXPECT_EQ(weights(centralDifference(1, 4)), (List{{2, 3}, {-1, 12}}));
    EXPECT_EQ(weights(centralDifference(1, 6)), (List{{3, 4}, {-3, 20}, {1, 60}}));
    EXPECT_EQ(centralDifference(1, 6).centre, Rational(0));
}

TEST(Fornberg, Staggered) {
    EXPECT_EQ(weights(staggeredDifference(true, 2)), (List{1}));
    EXPECT_EQ(weights(staggeredDifference(true, 4)), (List{{9, 8}, {-1, 24}}));
    EXPECT_EQ(weights(staggeredDifference(true, 8)),
              (List{{1225, 1024}, {-245, 3072}, {49, 5120}, {-5, 7168}}));
    const Difference forward = staggeredDifference(true, 4), backward = staggeredDifference(false, 4);
    EXPECT_EQ(weights(forward), weights(backward));
    EXPECT_EQ(forward.pairs[1].plus, 2);
    EXPECT_EQ(forward.pairs[1].minus, -1);
    EXPECT_EQ(backward.pairs[1].plus, 1);
    EXPECT_EQ(backward.pairs[1].minus, -2);
}

/// A formula of order p gives the derivatives of polynomials exactly, as far as 128 bits can follow.
TEST(Fornberg, ExactOnPolynomials) {
    const auto check = [](const Difference &difference, int derivative, int order, const Rational &at) {
        for (int power = 0; power < order + derivative && power <= 18; ++power)
            EXPECT_EQ(applied(difference, power, at), Rational(power == derivative ? derivative : 0))
                << "derivative " << derivative << ", order " << order << ", x^" << power;
    };
    for (int order = 2; order <= kMaxOrder; order += 2) {
        check(centralDifference(1, order), 1, order, 0);
        check(centralDifference(2, order), 2, order, 0);
        check(staggeredDifference(true, order), 1, order, {1, 2});
        check(staggeredDifference(false, order), 1, order, {-1, 2});
    }
}

TEST(Fornberg, UnevenNodes) {
    EXPECT_EQ(differenceWeights(1, {0, 1, 2}), (List{{-3, 2}, 2, {-1, 2}}));
    EXPECT_EQ(differenceWeights(0, {-1, 2}), (List{{2, 3}, {1, 3}})) << "interpolation";
}

TEST(Rational, InLowestTermsAndChecked) {
    EXPECT_EQ(Rational(6, -4), Rational(-3, 2));
    EXPECT_EQ(Rational(1, 6) + Rational(1, 3), Rational(1, 2));
    EXPECT_EQ(Rational(1, 6) - Rational(1, 6), Rational(0));
    EXPECT_EQ(Rational(1, 2) / Rational(-1, 4), Rational(-2));
    const Rational large(static_cast<Int128>(1) << 100);
    EXPECT_EQ(large * Rational(1, static_cast<Int128>(1) << 90), Rational(1024))
        << "reduced before it overflows";
    EXPECT_THROW(large * large, std::overflow_error);
    EXPECT_THROW(large * Rational(1 << 26) + large * Rational(1 << 26), std::overflow_error);
}

TEST(Rational, NearestDouble) {
    EXPECT_EQ(Rational(-205, 72).nearest(), -205.0 / 72.0);
    EXPECT_EQ(Rational(1, 3).nearest(), 1.0 / 3.0);
    EXPECT_EQ(Rational(0).nearest(), 0.0);
    EXPECT_EQ(Rational(1024).nearest(), 1024.0);
    const Int128 two53 = static_cast<Int128>(1) << 53;
    EXPECT_EQ(Rational(two53 + 1).nearest(), 0x1p53) << "a tie goes to the even side";
    EXPECT_EQ(Rational(two53 + 3).nearest(), 0x1p53 + 4);
    EXPECT_EQ(Rational(2 * (two53 + 1) + 1, 2).nearest(), 0x1p53 + 2) << "just above the tie";
    EXPECT_EQ(Rational(two53 * 2 - 1).nearest(), 0x1p54) << "up to the next power of two";
    EXPECT_EQ(Rational(1, (static_cast<Int128>(1) << 100) + 1).nearest(), 0x1p-100);
}

} // namespace oocc
