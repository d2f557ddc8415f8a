/*
 * functions_f32.h: the functions of functions.h for f32; a part of that header, which says what holds of both.
 *
 * Computed in floats, so that a vector has twice as many. Doubles are only what floats have no bits for: what is left of an angle of
 * many turns, and the logarithm of a power. All floats have been tried:
 *
 *     exp, log, sin, cos, pow    within 1 unit in the last place of the exact value (all below 0.9, sin and cos below 0.95)
 *     atan2, tan, tanh           within 2.5 (atan and tanh below 2.1)
 */
#ifndef OOCC_FUNCTIONS_F32_H
#define OOCC_FUNCTIONS_F32_H

OOCC_WITHIN uint32_t oocc_bits_of_f32(float a)
{
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

OOCC_WITHIN float oocc_of_bits_f32(uint32_t bits)
{
    float a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

/* c ? a : b, as a mask. */
OOCC_WITHIN float oocc_pick_f32(bool c, float a, float b)
{
    const uint32_t all = 0 - (uint32_t)c;
    return oocc_of_bits_f32((oocc_bits_of_f32(a) & all) | (oocc_bits_of_f32(b) & ~all));
}

OOCC_WITHIN uint32_t oocc_sign_of_f32(float a) { return oocc_bits_of_f32(a) & UINT32_C(1) << 31; }

/* The integer nearest to a, of less than 2^22. */
OOCC_WITHIN float oocc_nearest_f32(float a) { return (a + 0x1.8p23F) - 0x1.8p23F; }

/* As in f64. */
OOCC_WITHIN float oocc_square_f32(float a)
{
    const float counts = oocc_pick_f32(fabsf(a) < 0x1p-14F, 0, a);
    return counts * counts;
}

/* 2^n for an integer n from -126 to 127. */
OOCC_WITHIN float oocc_two_to_f32(float n) { return oocc_of_bits_f32(oocc_bits_of_f32(n + (0x1p23F + 127)) << 23); }

/* -- exp, tanh: a = n ln(2) + r --------------------------------------------------------------------------------------- */

struct oocc_exponent_f32 {
    float n, r; /* n is an integer, r from -ln(2)/2 to ln(2)/2 */
};

OOCC_WITHIN struct oocc_exponent_f32 oocc_exponent_of_f32(float a)
{
    struct oocc_exponent_f32 e;
    e.n = oocc_nearest_f32(a * 0x1.715476p0F);
    e.r = (a - e.n * 0x1.62e4p-1F) - e.n * 0x1.7f7d1cp-20F; /* ln(2) in two parts; the first product is exact */
    return e;
}

/* exp(r) - 1 - r. */
OOCC_WITHIN float oocc_exp_tail_f32(float r)
{
    const float r2 = r * r;
    return r2 * (0.5F + r * ((0x1.5554dcp-3F + r * 0x1.5554e8p-5F) + r2 * (0x1.120c34p-7F + r * 0x1.6d4e76p-10F)));
}

/* exp(r) 2^n, for n from -252 to 254: there are results whose 2^n is no float. */
OOCC_WITHIN float oocc_exp_of_f32(float r, float n)
{
    const float first = 1 + r, y = first + (((1 - first) + r) + oocc_exp_tail_f32(r)), half = oocc_nearest_f32(n * 0.5F);
    return y * oocc_two_to_f32(half) * oocc_two_to_f32(n - half);
}

OOCC_WITHIN float oocc_exp_f32(float a)
{
    const float most = oocc_pick_f32(a > 89, 89, a), clamped = oocc_pick_f32(most < -104, -104, most); /* infinite, and 0, beyond; nan stays nan */
    const struct oocc_exponent_f32 e = oocc_exponent_of_f32(clamped);
    return oocc_exp_of_f32(e.r, e.n);
}

OOCC_WITHIN float oocc_tanh_f32(float a)
{
    const float size = fabsf(a);
    const bool small = size < 0x1p-14F;
    const float twice = oocc_pick_f32(size > 10, 20, oocc_pick_f32(small, 0, 2 * size)); /* 1 beyond */
    const struct oocc_exponent_f32 e = oocc_exponent_of_f32(twice);
    /* As in f64. */
    const float power = oocc_two_to_f32(e.n), first = power - 1, second = power * e.r, sum = first + second;
    const float half = 0.5F * (sum + (((first - sum) + second) + power * oocc_exp_tail_f32(e.r)));
    const float lead = oocc_pick_f32(twice > 1.1F, 1, half);
    return copysignf(oocc_pick_f32(small, size, lead - lead * lead / (1 + half)), a);
}

/* -- log: a = 2^n z, z from sqrt(1/2) to sqrt(2) -------------------------------------------------------------------- */

OOCC_WITHIN float oocc_log_f32(float a)
{
    const bool small = a < 0x1p-126F;
    const uint32_t bits = oocc_bits_of_f32(oocc_pick_f32(small, a * 0x1p25F, a)), above = bits - UINT32_C(0x3f3504f3); /* sqrt(1/2) */
    const uint32_t biased = (above + (UINT32_C(128) << 23)) >> 23; /* n + 128, into the mantissa of 2^23 */
    const float z = oocc_of_bits_f32(bits - (above & UINT32_C(0xff800000)));
    const float n = oocc_of_bits_f32(biased | UINT32_C(0x4b000000)) - (0x1p23F + 128) - oocc_pick_f32(small, 25, 0);
    /* As in f64. */
    const float f = z - 1, s = f / (2 + f), s2 = s * s, half = 0.5F * f * f;
    const float tail = s2 * ((0x1.555556p-1F + s2 * 0x1.99986ep-2F) + s2 * s2 * (0x1.24c11cp-2F + s2 * 0x1.ce9148p-3F));
    const float y = n * 0x1.62e4p-1F - ((half - (s * (half + tail) + n * 0x1.7f7d1cp-20F)) - f);
    const float of_others = oocc_pick_f32(a == 0, -(float)INFINITY, oocc_pick_f32(a < 0, (float)NAN, a)); /* of nan, nan */
    return oocc_pick_f32(a > 0, oocc_pick_f32(a < (float)INFINITY, y, a), of_others);
}

/* -- sin, cos, tan: a = n pi/2 + r + rest ---------------------------------------------------------------------------- */

struct oocc_turn_f32 {
    uint32_t n;    /* of which the last two bits count */
    float r, rest; /* from -pi/4 to pi/4 */
};

/* Of an angle that is not negative. */
OOCC_WITHIN struct oocc_turn_f32 oocc_turn_of_f32(float a)
{
    const double x = (double)oocc_pick_f32(a < 0x1p30F, a, (float)NAN), n = oocc_nearest(x * 0x1.45f306dc9c883p-1);
    /* pi/2 in three parts. Products by the first two, which have 23 bits, are exact, and so are the differences. */
    const double left = ((x - n * 0x1.921fb4p0) - n * 0x1.4442dp-24) - n * 0x1.8469898cc5170p-48;
    struct oocc_turn_f32 turn;
    turn.n = oocc_bits_of_f32((float)(n - 4 * oocc_nearest(n * 0.25)) + 0x1.8p23F);
    turn.r = (float)left;
    turn.rest = (float)(left - (double)turn.r);
    return turn;
}

OOCC_WITHIN float oocc_sin_of_f32(float r, float rest)
{
    const float r2 = oocc_square_f32(r), p = (-0x1.555556p-3F + r2 * 0x1.11119ap-7F) + r2 * r2 * (-0x1.a0858p-13F + r2 * 0x1.88252ap-19F);
    return r + (rest + r * r2 * p);
}

OOCC_WITHIN float oocc_cos_of_f32(float r, float rest)
{
    const float r2 = oocc_square_f32(r), half = 0.5F * r2, first = 1 - half, p = 0x1.555554p-5F + r2 * (-0x1.6c129ep-10F + r2 * 0x1.9bc76cp-16F);
    return first + (((1 - first) - half) + (r2 * r2 * p - r * rest));
}

OOCC_WITHIN float oocc_sin_f32(float a)
{
    const struct oocc_turn_f32 turn = oocc_turn_of_f32(fabsf(a));
    const float s = oocc_sin_of_f32(turn.r, turn.rest), c = oocc_cos_of_f32(turn.r, turn.rest), y = oocc_pick_f32(turn.n & 1, c, s);
    return oocc_of_bits_f32(oocc_bits_of_f32(y) ^ (turn.n & 2) << 30 ^ oocc_sign_of_f32(a));
}

OOCC_WITHIN float oocc_cos_f32(float a)
{
    const struct oocc_turn_f32 turn = oocc_turn_of_f32(fabsf(a));
    const float s = oocc_sin_of_f32(turn.r, turn.rest), c = oocc_cos_of_f32(turn.r, turn.rest), y = oocc_pick_f32(turn.n & 1, s, c);
    return oocc_of_bits_f32(oocc_bits_of_f32(y) ^ ((turn.n + 1) & 2) << 30);
}

OOCC_WITHIN float oocc_tan_f32(float a)
{
    const struct oocc_turn_f32 turn = oocc_turn_of_f32(fabsf(a));
    const float s = oocc_sin_of_f32(turn.r, turn.rest), c = oocc_cos_of_f32(turn.r, turn.rest);
    const float y = oocc_pick_f32(turn.n & 1, -c, s) / oocc_pick_f32(turn.n & 1, s, c);
    return oocc_of_bits_f32(oocc_bits_of_f32(y) ^ oocc_sign_of_f32(a));
}

/* -- atan2 --------------------------------------------------------------------------------------------------------------- */

/* atan(small / large), 0 <= small <= large: above tan(pi/8) it is pi/4 more than atan((small - large) / (small + large)). */
OOCC_WITHIN float oocc_eighth_of_f32(float small, float large)
{
    const bool far = small > large * 0x1.a8279ap-2F;
    const float v = oocc_pick_f32(far, small - large, small) / oocc_pick_f32(far, small + large, large), z = oocc_square_f32(v);
    const float p = z * ((-0x1.555554p-2F + z * 0x1.999714p-3F) + z * z * ((-0x1.241eap-3F + z * 0x1.b80038p-4F) + z * z * -0x1.082ca8p-4F));
    return oocc_pick_f32(far, 0x1.921fb6p-1F + (v + (v * p - 0x1.777a5cp-26F)), v + v * p);
}

OOCC_WITHIN float oocc_atan2_f32(float y, float x)
{
    const float up = fabsf(y), along = fabsf(x), infinite = (float)INFINITY;
    const bool steep = up > along;
    const float large = oocc_pick_f32(steep, up, along), small = oocc_pick_f32(steep, along, up);
    /* As in f64. */
    const float scale = oocc_pick_f32(large > 0x1p120F, 0x1p-20F, 1);
    const float below = oocc_pick_f32(large > 0, oocc_pick_f32(large < infinite, large * scale, 1), 1);
    const float above = oocc_pick_f32(large < infinite, small * scale, oocc_pick_f32(small < infinite, 0, 1));
    const float eighth = oocc_eighth_of_f32(above, below);
    const float quarter = oocc_pick_f32(steep, 0x1.921fb6p0F - (eighth + 0x1.777a5cp-25F), eighth);
    const float angle = oocc_pick_f32(oocc_sign_of_f32(x) != 0, 0x1.921fb6p1F - (quarter + 0x1.777a5cp-24F), quarter);
    return oocc_pick_f32(x == x, oocc_pick_f32(y == y, copysignf(angle, y), y), x);
}

/* -- pow: a^b = 2^(b log2(a)) ---------------------------------------------------------------------------------------------- */

/* log2(a), within 2^-37 of it, of a number above 0. */
OOCC_WITHIN double oocc_log2_of_f32(float a)
{
    const struct oocc_fraction of = oocc_fraction_of((double)a);
    const double f = of.z - 1, s = f / (2 + f), s2 = s * s;
    const double high = 0x1.2777811bc1bf1p-1 + s2 * (0x1.a58cf1f31987dp-2 + s2 * 0x1.5cf3b428c5f4ap-2);
    return of.n + s * ((0x1.71547652bef36p1 + s2 * 0x1.ec709d1146187p-1) + s2 * s2 * high);
}

OOCC_WITHIN float oocc_pow_f32(float a, float b)
{
    const float size = fabsf(a), infinite = (float)INFINITY;
    const double power = (double)b * oocc_log2_of_f32(size), most = oocc_pick(power > 200, 200, power);
    const double clamped = oocc_pick(most < -200, -200, most), n = oocc_nearest(clamped);
    const float finite = oocc_exp_of_f32((float)((clamped - n) * 0x1.62e42fefa39efp-1), (float)n);
    const float of_zero = oocc_pick_f32(b > 0, 0, infinite), of_infinity = oocc_pick_f32(b > 0, infinite, 0);
    const float y = oocc_pick_f32(size > 0, oocc_pick_f32(size < infinite, finite, of_infinity), of_zero);
    /* Below 0 whole powers have values, of which odd ones are below 0. */
    const bool whole = floorf(b) == b, even = floorf(b * 0.5F) == b * 0.5F;
    const uint32_t sign = oocc_bits_of_f32(oocc_pick_f32(whole, oocc_pick_f32(even, 0, -0.0F), 0)) & oocc_bits_of_f32(a);
    const float of_finite = oocc_pick_f32(whole, y, (float)NAN);
    const float of_negative = oocc_pick_f32(size > 0, oocc_pick_f32(size < infinite, of_finite, y), y);
    const float with_sign = oocc_of_bits_f32(oocc_bits_of_f32(oocc_pick_f32(a < 0, of_negative, y)) ^ sign);
    const float of_numbers = oocc_pick_f32(size == 1, oocc_pick_f32(fabsf(b) == infinite, 1, with_sign), with_sign);
    const float y_or_nan = oocc_pick_f32(a == a, oocc_pick_f32(b == b, of_numbers, b), a);
    return oocc_pick_f32(b == 0, 1, oocc_pick_f32(a == 1, 1, y_or_nan));
}

#endif
