/*
 * functions.h: exp, log, sin, cos, tan, tanh, atan2 and pow of the language in f64; a part of oocc.h, which includes it. Those of
 * f32 are in functions_f32.h.
 *
 * Straight-line arithmetic that IEEE 754 defines to the bit: loops over rows have vectors for it, and a value has the same
 * bits in a vector, in the cells that are left over, in every program, by every compiler and on every machine.
 *
 *     exp, log, sin, cos, pow    within 1 unit in the last place of the exact value (found: 0.75, 0.86, 0.79, 0.79, 0.78)
 *     atan2, tan, tanh           within 2.5 (1.8, 2.3, 1.9)
 *
 * Infinities, zeros with signs, subnormal numbers and nan come to what C's annex F says. Only angles have an end: from 2^30 on
 * sin, cos and tan are nan.
 *
 * Arguments are reduced as by W. J. Cody and W. Waite, Software Manual for the Elementary Functions (1980); log, and how sin and
 * cos are put together, as in Sun's fdlibm by K. C. Ng. Polynomials are minimax (Sollya's fpminimax).
 */
#ifndef OOCC_FUNCTIONS_H
#define OOCC_FUNCTIONS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Square roots without errno, for which Clang has vectors whatever its flags; gcc has them with -fno-math-errno. */
#ifdef __clang__
#define OOCC_HAS_ROOTS __has_builtin(__builtin_elementwise_sqrt)
#else
#define OOCC_HAS_ROOTS 0
#endif
#if OOCC_HAS_ROOTS
static inline double oocc_sqrt_f64(double a) { return __builtin_elementwise_sqrt(a); }
static inline float oocc_sqrt_f32(float a) { return __builtin_elementwise_sqrt(a); }
#else
static inline double oocc_sqrt_f64(double a) { return sqrt(a); }
static inline float oocc_sqrt_f32(float a) { return sqrtf(a); }
#endif
#undef OOCC_HAS_ROOTS

/* With OOCC_LIBM defined: the functions of the C library, with its own bits. So, too, where the compiler was told that sums may be
 * taken in any order, which none of the below survives. OOCC_FUNCTIONS says whose they are, and changes with their bits: a part of a
 * program's hash. */
#if defined OOCC_LIBM || defined __FAST_MATH__ || defined __ASSOCIATIVE_MATH__

#define OOCC_FUNCTIONS UINT64_C(1)

static inline double oocc_exp_f64(double a) { return exp(a); }
static inline double oocc_log_f64(double a) { return log(a); }
static inline double oocc_sin_f64(double a) { return sin(a); }
static inline double oocc_cos_f64(double a) { return cos(a); }
static inline double oocc_tan_f64(double a) { return tan(a); }
static inline double oocc_tanh_f64(double a) { return tanh(a); }
static inline double oocc_atan2_f64(double y, double x) { return atan2(y, x); }
static inline double oocc_pow_f64(double a, double b) { return pow(a, b); }
static inline float oocc_exp_f32(float a) { return expf(a); }
static inline float oocc_log_f32(float a) { return logf(a); }
static inline float oocc_sin_f32(float a) { return sinf(a); }
static inline float oocc_cos_f32(float a) { return cosf(a); }
static inline float oocc_tan_f32(float a) { return tanf(a); }
static inline float oocc_tanh_f32(float a) { return tanhf(a); }
static inline float oocc_atan2_f32(float y, float x) { return atan2f(y, x); }
static inline float oocc_pow_f32(float a, float b) { return powf(a, b); }

#else

#define OOCC_FUNCTIONS UINT64_C(2)

#ifdef __clang__ /* does not say whether it may take sums in any order */
#pragma float_control(precise, on, push)
#pragma STDC FP_CONTRACT OFF
#endif

/* Part of a loop, however long it becomes: a call would leave it without vectors. */
#define OOCC_WITHIN static inline __attribute__((always_inline))

OOCC_WITHIN uint64_t oocc_bits_of(double a)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

OOCC_WITHIN double oocc_of_bits(uint64_t bits)
{
    double a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

/* c ? a : b. As masks, since gcc joins conditions to what it has no vectors for; but x86 without SSE4.1 has none for masks of 64 bits. */
OOCC_WITHIN double oocc_pick(bool c, double a, double b)
{
#if defined __x86_64__ && !defined __SSE4_1__
    return c ? a : b;
#else
    const uint64_t all = 0 - (uint64_t)c;
    return oocc_of_bits((oocc_bits_of(a) & all) | (oocc_bits_of(b) & ~all));
#endif
}

OOCC_WITHIN uint64_t oocc_sign_of(double a) { return oocc_bits_of(a) & UINT64_C(1) << 63; }

/* The integer nearest to a, of less than 2^51: as the last bits of a sum, and as a double. */
OOCC_WITHIN double oocc_shifted(double a) { return a + 0x1.8p52; }
OOCC_WITHIN double oocc_nearest(double a) { return oocc_shifted(a) - 0x1.8p52; }

/* a*a, or 0 where next to 1 it does not count: with results of less than the least normal number processors take a hundred cycles. */
OOCC_WITHIN double oocc_square(double a)
{
    const double counts = oocc_pick(fabs(a) < 0x1p-30, 0, a);
    return counts * counts;
}

/* 2^n for an integer n from -1022 to 1023. */
OOCC_WITHIN double oocc_two_to(double n) { return oocc_of_bits(oocc_bits_of(n + (0x1p52 + 1023)) << 52); }

/* -- exp, tanh: a = n ln(2) + r + rest -------------------------------------------------------------------------------- */

struct oocc_exponent {
    double n, r, rest; /* n is an integer, r from -ln(2)/2 to ln(2)/2 */
};

OOCC_WITHIN struct oocc_exponent oocc_exponent_of(double a)
{
    struct oocc_exponent e;
    e.n = oocc_nearest(a * 0x1.71547652b82fep0);
    const double whole = a - e.n * 0x1.62e42ffp-1, part = e.n * -0x1.718432a1b0e26p-35; /* ln(2) in two parts; the first product is exact */
    e.r = whole - part;
    e.rest = (whole - e.r) - part;
    return e;
}

/* exp(r + rest) - 1 - r. */
OOCC_WITHIN double oocc_exp_tail(double r, double rest)
{
    const double r2 = r * r, r4 = r2 * r2;
    const double first = (0x1.5555555555556p-3 + r * 0x1.5555555555556p-5) + r2 * (0x1.11111111107p-7 + r * 0x1.6c16c16c15f33p-10);
    const double second = (0x1.a01a01a90c6f6p-13 + r * 0x1.a01a01a8a848ep-16) + r2 * (0x1.71de0a128075cp-19 + r * 0x1.27e4d630d330bp-22);
    const double third = 0x1.af3f6e6a818c9p-26 + r * 0x1.1f7cd8193e19fp-29;
    return rest + r2 * (0.5 + r * (first + r4 * (second + r4 * third)));
}

OOCC_WITHIN double oocc_exp_f64(double a)
{
    const double most = oocc_pick(a > 710, 710, a), clamped = oocc_pick(most < -746, -746, most); /* infinite, and 0, beyond; nan stays nan */
    const struct oocc_exponent e = oocc_exponent_of(clamped);
    const double first = 1 + e.r, y = first + (((1 - first) + e.r) + oocc_exp_tail(e.r, e.rest));
    const double half = oocc_nearest(e.n * 0.5); /* there are results whose 2^n is no double */
    return y * oocc_two_to(half) * oocc_two_to(e.n - half);
}

OOCC_WITHIN double oocc_tanh_f64(double a)
{
    const double size = fabs(a);
    const bool small = size < 0x1p-30; /* tanh(a) is a; and no squares of it, as in oocc_square() */
    const double twice = oocc_pick(size > 22, 44, oocc_pick(small, 0, 2 * size)); /* 1 beyond */
    const struct oocc_exponent e = oocc_exponent_of(twice);
    /* exp(twice) - 1 = (2^n - 1) + 2^n r + 2^n tail */
    const double power = oocc_two_to(e.n), first = power - 1, second = power * e.r, sum = first + second;
    const double half = 0.5 * (sum + (((first - sum) + second) + power * oocc_exp_tail(e.r, e.rest)));
    /* tanh = 1 - 1 / (1 + half) = half - half*half / (1 + half), half = (exp(twice) - 1) / 2; the latter keeps the bits of a small one */
    const double lead = oocc_pick(twice > 1.1, 1, half);
    return copysign(oocc_pick(small, size, lead - lead * lead / (1 + half)), a);
}

/* -- log: a = 2^n z, z from sqrt(1/2) to sqrt(2) -------------------------------------------------------------------- */

struct oocc_fraction {
    double z, n;
};

/* Of a normal number above 0. */
OOCC_WITHIN struct oocc_fraction oocc_fraction_of(double a)
{
    const uint64_t bits = oocc_bits_of(a), above = bits - UINT64_C(0x3fe6a09e667f3bcd); /* sqrt(1/2) */
    const uint64_t biased = (above + (UINT64_C(1024) << 52)) >> 52; /* n + 1024, into the mantissa of 2^52 */
    struct oocc_fraction of;
    of.z = oocc_of_bits(bits - (above & UINT64_C(0xfff0000000000000)));
    of.n = oocc_of_bits(biased | UINT64_C(0x4330000000000000)) - (0x1p52 + 1024);
    return of;
}

OOCC_WITHIN double oocc_log_f64(double a)
{
    const bool small = a < 0x1p-1022;
    const struct oocc_fraction of = oocc_fraction_of(oocc_pick(small, a * 0x1p54, a));
    const double n = of.n - oocc_pick(small, 54, 0);
    /* log(1 + f) = log((1 + s) / (1 - s)) = f - f*f/2 + s (f*f/2 + tail(s*s)) */
    const double f = of.z - 1, s = f / (2 + f), s2 = s * s, half = 0.5 * f * f;
    const double s4 = s2 * s2, first = 0x1.5555555555558p-1 + s2 * 0x1.9999999995137p-2, second = 0x1.2492492e2e9c6p-2 + s2 * 0x1.c71c6290f394cp-3;
    const double third = (0x1.7462cd84700d5p-3 + s2 * 0x1.39fb1a4edf885p-3) + s4 * 0x1.2b810433b0c5ep-3;
    const double tail = s2 * (first + s4 * (second + s4 * third));
    const double y = n * 0x1.62e42ffp-1 - ((half - (s * (half + tail) + n * -0x1.718432a1b0e26p-35)) - f);
    const double of_others = oocc_pick(a == 0, -(double)INFINITY, oocc_pick(a < 0, (double)NAN, a)); /* of nan, nan */
    return oocc_pick(a > 0, oocc_pick(a < (double)INFINITY, y, a), of_others);
}

/* -- sin, cos, tan: a = n pi/2 + r + rest ---------------------------------------------------------------------------- */

struct oocc_turn {
    uint64_t n;     /* of which the last two bits count */
    double r, rest; /* from -pi/4 to pi/4 */
};

/* By how much the sum of a and b was rounded (D. Knuth). */
OOCC_WITHIN double oocc_lost(double a, double b, double sum)
{
    const double of_b = sum - a;
    return (a - (sum - of_b)) + (b - of_b);
}

/* Of an angle that is not negative. */
OOCC_WITHIN struct oocc_turn oocc_turn_of(double a)
{
    const double x = oocc_pick(a < 0x1p30, a, (double)NAN), shifted = oocc_shifted(x * 0x1.45f306dc9c883p-1), n = shifted - 0x1.8p52;
    /* pi/2 in five parts. Products by the first four, which have 23 bits, are exact, and so are the first two differences. */
    const double c = (x - n * 0x1.921fb4p0) - n * 0x1.4442dp-24;
    const double third = n * 0x1.846988p-48, d = c - third, fourth = n * 0x1.8cc514p-72, e = d - fourth;
    const double rest = (oocc_lost(c, -third, d) + oocc_lost(d, -fourth, e)) - n * 0x1.80dc1cd129025p-95;
    struct oocc_turn turn;
    turn.n = oocc_bits_of(shifted);
    turn.r = e + rest;
    turn.rest = (e - turn.r) + rest;
    return turn;
}

OOCC_WITHIN double oocc_sin_of(double r, double rest)
{
    const double r2 = oocc_square(r), r3 = r2 * r, r4 = r2 * r2;
    const double first = 0x1.1111111110c7bp-7 + r2 * -0x1.a01a019e9ef09p-13, second = 0x1.71de37aeaddf9p-19 + r2 * -0x1.ae601da8d05ecp-26;
    const double p = first + r4 * (second + r4 * 0x1.5e10538965802p-33);
    return r - ((r2 * (0.5 * rest - r3 * p) - rest) - r3 * -0x1.5555555555555p-3);
}

OOCC_WITHIN double oocc_cos_of(double r, double rest)
{
    const double r2 = oocc_square(r), r4 = r2 * r2, half = 0.5 * r2, first = 1 - half;
    const double low = 0x1.5555555555555p-5 + r2 * -0x1.6c16c16c168c8p-10, middle = 0x1.a01a019f37984p-16 + r2 * -0x1.27e4fa01f1c44p-22;
    const double p = low + r4 * (middle + r4 * (0x1.1eeb56bcac538p-29 + r2 * -0x1.9072add627172p-37));
    return first + (((1 - first) - half) + (r4 * p - r * rest));
}

OOCC_WITHIN double oocc_sin_f64(double a)
{
    const struct oocc_turn turn = oocc_turn_of(fabs(a));
    const double s = oocc_sin_of(turn.r, turn.rest), c = oocc_cos_of(turn.r, turn.rest), y = oocc_pick(turn.n & 1, c, s);
    return oocc_of_bits(oocc_bits_of(y) ^ (turn.n & 2) << 62 ^ oocc_sign_of(a));
}

OOCC_WITHIN double oocc_cos_f64(double a)
{
    const struct oocc_turn turn = oocc_turn_of(fabs(a));
    const double s = oocc_sin_of(turn.r, turn.rest), c = oocc_cos_of(turn.r, turn.rest), y = oocc_pick(turn.n & 1, s, c);
    return oocc_of_bits(oocc_bits_of(y) ^ ((turn.n + 1) & 2) << 62);
}

OOCC_WITHIN double oocc_tan_f64(double a)
{
    const struct oocc_turn turn = oocc_turn_of(fabs(a));
    const double s = oocc_sin_of(turn.r, turn.rest), c = oocc_cos_of(turn.r, turn.rest);
    const double y = oocc_pick(turn.n & 1, -c, s) / oocc_pick(turn.n & 1, s, c);
    return oocc_of_bits(oocc_bits_of(y) ^ oocc_sign_of(a));
}

/* -- atan2 --------------------------------------------------------------------------------------------------------------- */

/* atan(small / large), 0 <= small <= large: above tan(pi/8) it is pi/4 more than atan((small - large) / (small + large)). */
OOCC_WITHIN double oocc_eighth_of(double small, double large)
{
    const bool far = small > large * 0x1.a827999fcef32p-2;
    const double v = oocc_pick(far, small - large, small) / oocc_pick(far, small + large, large), z = oocc_square(v);
    const double z2 = z * z, z4 = z2 * z2;
    const double low = (-0x1.5555555555555p-2 + z * 0x1.9999999999815p-3) + z2 * (-0x1.2492492481cb2p-3 + z * 0x1.c71c71bca7f53p-4);
    const double middle = (-0x1.745d1567ca0fbp-4 + z * 0x1.3b137c1bf7ecfp-4) + z2 * (-0x1.110d2e78eb056p-4 + z * 0x1.e17f2d42177b7p-5);
    const double high = (-0x1.abcbc4ce2dfbep-5 + z * 0x1.72145d5635c13p-5) + z2 * (-0x1.14b77ed5b197fp-5 + z * 0x1.fb6681fd1f91dp-7);
    const double p = z * (low + z4 * (middle + z4 * high));
    return oocc_pick(far, 0x1.921fb54442d18p-1 + (v + (v * p + 0x1.1a62633145c07p-55)), v + v * p);
}

OOCC_WITHIN double oocc_atan2_f64(double y, double x)
{
    const double up = fabs(y), along = fabs(x), infinite = (double)INFINITY;
    const bool steep = up > along;
    const double large = oocc_pick(steep, up, along), small = oocc_pick(steep, along, up);
    /* No sum that overflows, no 0/0, no infinity/infinity. */
    const double scale = oocc_pick(large > 0x1p1000, 0x1p-100, 1);
    const double below = oocc_pick(large > 0, oocc_pick(large < infinite, large * scale, 1), 1);
    const double above = oocc_pick(large < infinite, small * scale, oocc_pick(small < infinite, 0, 1));
    const double eighth = oocc_eighth_of(above, below);
    const double quarter = oocc_pick(steep, 0x1.921fb54442d18p0 - (eighth - 0x1.1a62633145c07p-54), eighth);
    const double angle = oocc_pick(oocc_sign_of(x) != 0, 0x1.921fb54442d18p1 - (quarter - 0x1.1a62633145c07p-53), quarter);
    return oocc_pick(x == x, oocc_pick(y == y, copysign(angle, y), y), x);
}

#include "oocc/power.h"
#include "oocc/functions_f32.h"

#ifdef __clang__
#pragma float_control(pop)
#endif

#endif

#endif
