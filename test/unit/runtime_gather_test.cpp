// Exact sums, compared with integer arithmetic of as many bits as it takes.
#include "runtime_observe_c.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace {

using Gather = struct oocc_gather; // a function has the name, too

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan_ = std::numeric_limits<double>::quiet_NaN();
constexpr double least = std::numeric_limits<double>::denorm_min();
constexpr double most = std::numeric_limits<double>::max();

// Through `threads` gatherers, dealt out in turn, as threads would.
double gathered(const std::vector<double> &values, oocc_reduce op, size_t threads = 1) {
    std::vector<Gather> g(threads);
    for (Gather &one : g)
        gather_reset(&one, op);
    for (size_t i = 0; i < values.size(); i++) {
        Gather &one = g[i % threads];
        one.count++;
        if (op == OOCC_MIN)
            oocc_gather_min(&one, values[i]);
        else if (op == OOCC_MAX)
            oocc_gather_max(&one, values[i]);
        else
            oocc_gather_sum(&one, values[i]);
    }
    for (size_t t = 1; t < threads; t++)
        gather_add(&g[0], &g[t], op);
    return gather_value(&g[0], op);
}

double sum(const std::vector<double> &values) {
    return gathered(values, OOCC_SUM);
}

void expectSame(double a, double b) {
    EXPECT_EQ(std::bit_cast<uint64_t>(a), std::bit_cast<uint64_t>(b)) << a << " and " << b;
}

// A signed number as bits, lowest first, with its sign apart: slow and plain, and nothing of the code under test.
class Wide {
  public:
    // Adds value * 2^1074, which is a whole number.
    void add(double value) {
        int exponent;
        const double fraction = std::frexp(std::fabs(value), &exponent); // value = fraction * 2^exponent
        uint64_t mantissa = uint64_t(std::ldexp(fraction, 53));
        int shift = exponent - 53 + 1074;
        while (shift < 0) {
            mantissa >>= 1;
            shift++;
        }
        std::vector<int> term = std::vector<int>(size_t(kBits));
        for (int bit = 0; bit < 53 && bit + shift < kBits; bit++)
            term[size_t(bit + shift)] = int(mantissa >> bit & 1);
        accumulate(term, std::signbit(value) ? -1 : 1);
    }
    // To nearest, ties to even.
    double rounded() const {
        std::vector<int> bits = digits;
        int carry = 0, sign = 1;
        for (int &digit : bits) {
            const int total = digit + carry;
            digit = ((total % 2) + 2) % 2;
            carry = (total - digit) / 2;
        }
        if (carry < 0) { // negative: take the complement
            sign = -1;
            int one = 1;
            for (int &digit : bits) {
                const int flipped = 1 - digit + one;
                digit = flipped % 2;
                one = flipped / 2;
            }
        }
        int top = kBits - 1;
        while (top >= 0 && !bits[size_t(top)])
            top--;
        const int drop = std::max(0, top - 52);
        double mantissa = 0;
        for (int bit = top; bit >= drop; bit--)
            mantissa = 2 * mantissa + bits[size_t(bit)];
        if (drop > 0 && bits[size_t(drop - 1)]) {
            bool above = false;
            for (int bit = 0; bit < drop - 1; bit++)
                above |= bits[size_t(bit)] != 0;
            if (above || bits[size_t(drop)]) mantissa++;
        }
        return sign * std::ldexp(mantissa, drop - 1074);
    }

  private:
    static constexpr int kBits = 2200;
    std::vector<int> digits = std::vector<int>(size_t(kBits)); // any integers, of weight 2^i
    void accumulate(const std::vector<int> &term, int sign) {
        for (size_t i = 0; i < term.size(); i++)
            digits[i] += sign * term[i];
    }
};

TEST(ExactSum, OfNothingIsZero) {
    expectSame(sum({}), 0.0);
    expectSame(sum({-0.0, -0.0}), 0.0);
}

TEST(ExactSum, LosesNothingOnTheWay) {
    expectSame(sum({1e308, 1.0, -1e308}), 1.0);
    expectSame(sum({1e16, 1.0, 1.0, -1e16}), 2.0);
    expectSame(sum({most, most, -most, -most, least}), least);
    expectSame(sum({0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}), 1.0);
}

TEST(ExactSum, RoundsOnceToNearestEven) {
    const double half = 0x1p-53; // half a unit of 1's last place
    expectSame(sum({1.0, half}), 1.0);
    expectSame(sum({1.0, half, least}), 1.0 + 0x1p-52);
    expectSame(sum({1.0 + 0x1p-52, half}), 1.0 + 0x1p-51);
    expectSame(sum({-1.0, -half}), -1.0);
    expectSame(sum({-1.0, -half, -least}), -1.0 - 0x1p-52);
    expectSame(sum({2.0 - 0x1p-52, half}), 2.0); // carries into the next binade
}

TEST(ExactSum, KnowsSubnormalsAndOverflow) {
    expectSame(sum({least}), least);
    expectSame(sum({least, least, least}), 3 * least);
    expectSame(sum({std::numeric_limits<double>::min(), -least}), std::numeric_limits<double>::min() - least);
    expectSame(sum({-least, -least}), -2 * least);
    expectSame(sum({most}), most);
    expectSame(sum({most, most}), inf);
    expectSame(sum({-most, -most}), -inf);
    expectSame(sum({most, 0x1p969}), most); // less than half a unit of the last place
    expectSame(sum({most, 0x1p970}), inf);  // half of it: to even, which is beyond
    expectSame(sum({-most, -0x1p970}), -inf);
}

TEST(ExactSum, PassesOnNanAndInfinity) {
    EXPECT_TRUE(std::isnan(sum({1.0, nan_, 2.0})));
    EXPECT_TRUE(std::isnan(sum({inf, -inf})));
    expectSame(sum({1.0, inf, -5.0}), inf);
    expectSame(sum({-inf, most, most}), -inf);
}

TEST(ExactSum, IsTheRoundedTrueSumInEveryOrder) {
    std::mt19937_64 random(20);
    for (int trial = 0; trial < 300; trial++) {
        std::vector<double> values;
        const int range = trial % 3 == 0 ? 2046 : trial % 3 == 1 ? 120 : 4;
        const int base = trial % 3 == 0 ? 0 : trial % 2 ? 900 : 0; // near 1, and subnormal
        for (int i = 0; i < 2 + trial % 40; i++) {
            const uint64_t exponent = uint64_t(base) + random() % uint64_t(range);
            values.push_back(std::bit_cast<double>((random() & 0x800FFFFFFFFFFFFFu) | exponent << 52));
        }
        Wide wide;
        for (const double value : values)
            wide.add(value);
        const double want = wide.rounded();
        expectSame(sum(values), want == 0 ? 0.0 : want);
        for (int order = 0; order < 5; order++) {
            std::shuffle(values.begin(), values.end(), random);
            expectSame(gathered(values, OOCC_SUM, 1 + size_t(order)), want == 0 ? 0.0 : want);
        }
    }
}

TEST(ExactSum, CarriesBeforeItsLimbsAreFull) {
    Gather g;
    gather_reset(&g, OOCC_SUM);
    g.since_carry = (int64_t{1} << 29) - 2;
    for (int i = 0; i < 5; i++)
        oocc_gather_sum(&g, -most);
    EXPECT_EQ(g.since_carry, 3);
    for (int i = 0; i < 4; i++)
        oocc_gather_sum(&g, most);
    expectSame(gather_value(&g, OOCC_SUM), -most);
}

TEST(Mean, IsTheSumOverTheNumberOfCells) {
    expectSame(gathered({1e16, 3.0, -1e16}, OOCC_MEAN, 2), 1.0);
    EXPECT_TRUE(std::isnan(gathered({}, OOCC_MEAN)));
    EXPECT_TRUE(std::isnan(gathered({nan_, 1.0}, OOCC_MEAN)));
}

TEST(Extremes, AreThoseOfAllThreads) {
    expectSame(gathered({3.0, -2.0, 7.5, 1.0}, OOCC_MIN, 3), -2.0);
    expectSame(gathered({3.0, -2.0, 7.5, 1.0}, OOCC_MAX, 3), 7.5);
    expectSame(gathered({-inf, 2.0}, OOCC_MIN, 2), -inf);
    expectSame(gathered({}, OOCC_MIN), inf);
}

TEST(Extremes, AreNanWhenAnyValueIs) {
    for (size_t threads = 1; threads < 4; threads++) {
        EXPECT_TRUE(std::isnan(gathered({3.0, nan_, 1.0}, OOCC_MIN, threads)));
        EXPECT_TRUE(std::isnan(gathered({3.0, 1.0, nan_}, OOCC_MAX, threads)));
    }
}

TEST(Extremes, DoNotDependOnWhichZeroCameFirst) {
    expectSame(gathered({0.0, -0.0}, OOCC_MIN), 0.0);
    expectSame(gathered({-0.0, 0.0}, OOCC_MIN), 0.0);
    expectSame(gathered({-0.0, -1.0}, OOCC_MAX), 0.0);
}

// Many values at once give the very limbs that one after the other give: what the sum is rounded from.
TEST(Gather, ManyValuesAtOnceAreAsExactAsOneByOne) {
    std::mt19937_64 random(3);
    const auto drawn = [&](int lo, int hi) {
        const double fraction = std::uniform_real_distribution<double>(-1, 1)(random);
        return std::ldexp(fraction, std::uniform_int_distribution<int>(lo, hi)(random));
    };
    struct Range {
        int lo, hi;
    };
    for (const Range range : {Range{0, 0}, Range{-3, 3}, Range{-40, 40}, Range{-300, 300},
                              Range{-1074, -1000}, Range{-1074, 1024}, Range{1000, 1024}, Range{1010, 1014}})
        for (const size_t cells : {size_t(1), size_t(7), size_t(100), size_t(OOCC_SUM_CELLS)})
            for (int trial = 0; trial < 40; trial++) {
                std::vector<double> values;
                while (values.size() < cells)
                    values.push_back(trial % 5 == 0
                                         ? (random() % 2 ? 1.0 : -1.0) * std::ldexp(1.0, range.hi - 1)
                                         : drawn(range.lo, range.hi));
                if (trial % 4 == 1) values[values.size() / 2] = trial % 8 == 1 ? nan_ : -inf;
                if (trial % 4 == 2) values[0] = -0.0;
                Gather apart, together;
                gather_reset(&apart, OOCC_SUM);
                gather_reset(&together, OOCC_SUM);
                for (double value : values)
                    oocc_gather_sum(&apart, value);
                oocc_gather_sums(&together, values.data(), int64_t(cells));
                oocc_gather_carry(&apart);
                oocc_gather_carry(&together);
                EXPECT_TRUE(
                    std::equal(std::begin(apart.limb), std::end(apart.limb), std::begin(together.limb)))
                    << "2^" << range.lo << " to 2^" << range.hi << ", " << cells << " cells";
                expectSame(gather_value(&apart, OOCC_SUM), gather_value(&together, OOCC_SUM));
            }
}

TEST(Gather, KeysAreInTheOrderOfTheirNumbers) {
    const std::vector<double> sorted{-inf, -most, -1.5, -least, -0.0, 0.0, least, 1, 1.5, most, inf};
    for (double value : sorted)
        expectSame(value, oocc_of_order_key(oocc_order_key(value)));
    for (size_t i = 1; i < sorted.size(); i++)
        EXPECT_LT(oocc_order_key(sorted[i - 1]), oocc_order_key(sorted[i]));
}

} // namespace
