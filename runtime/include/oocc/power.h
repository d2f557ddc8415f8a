/*
 * power.h: pow of the language; a part of functions.h, which includes it and says what holds of it.
 *
 * a^b = 2^(b log2(a)), for which the logarithm has 15 bits more than a double: it is the sum of two, the first of which has 26 bits,
 * so that products by others of 26 bits are exact. After pow of Sun's fdlibm by K. C. Ng.
 */
#ifndef OOCC_POWER_H
#define OOCC_POWER_H

/* The first 26 bits of a. */
OOCC_WITHIN double oocc_head_of(double a) { return oocc_of_bits(oocc_bits_of(a) & UINT64_C(0xfffffffff8000000)); }

struct oocc_pair {
    double head, rest;
};

/* log2(a) - less, of a normal number above 0. */
OOCC_WITHIN struct oocc_pair oocc_log2_of(double a, double less)
{
    const struct oocc_fraction of = oocc_fraction_of(a);
    /* log2(z) = cp s (3 + s*s + tail(s*s)), s = (z - 1) / (z + 1), cp = 2 / (3 ln(2)) */
    const double f = of.z - 1, d = 2 + f, v = 1 / d, s = f * v;
    const double s_head = oocc_head_of(s), d_head = oocc_head_of(d);
    const double s_rest = ((f - s_head * d_head) - s_head * (f - (d_head - 2))) * v;
    const double s2 = s * s, s4 = s2 * s2, square = s_head * s_head;
    const double first = (0x1.3333333333333p-1 + s2 * 0x1.b6db6db6db973p-2) + s4 * (0x1.5555555507682p-2 + s2 * 0x1.1745d1b5cb5b9p-2);
    const double second = (0x1.d89d4fd1a2c7dp-3 + s2 * 0x1.99a821ec525ap-3) + s4 * (0x1.675a02431bf6dp-3 + s2 * 0x1.6a8b96450c2ddp-3);
    const double tail = s4 * (first + s4 * s4 * second) + s_rest * (s_head + s);
    const double sum = oocc_head_of((3 + square) + tail), sum_rest = tail - ((sum - 3) - square);
    const double u = s_head * sum, u_rest = s_rest * sum + sum_rest * s;
    const double head = oocc_head_of(u + u_rest), rest = u_rest - (head - u);
    const double l = head * 0x1.ec709ep-1, l_rest = head * -0x1.e2fe0145b01f5p-28 + rest * 0x1.ec709dc3a03fdp-1, n = of.n - less;
    struct oocc_pair log;
    log.head = oocc_head_of((l + l_rest) + n);
    log.rest = l_rest - ((log.head - n) - l);
    return log;
}

/* 2^(q + p); infinite, or 0, beyond what there is. */
OOCC_WITHIN double oocc_exp2_of(double q, double p)
{
    const double sum = q + p, n = oocc_nearest(sum), whole = q - n, g = whole + p, g_rest = p - (g - whole), head = oocc_head_of(g);
    const double u = head * 0x1.62e43p-1, u_rest = head * -0x1.05c610ca86c39p-29 + ((g - head) + g_rest) * 0x1.62e42fefa39efp-1; /* ln(2) */
    const double r = u + u_rest, first = 1 + r, y = first + (((1 - first) + r) + oocc_exp_tail(r, u_rest - (r - u)));
    const double within = oocc_pick(n > 1100, 1100, oocc_pick(n < -1100, -1100, n)), half = oocc_nearest(within * 0.5);
    const double scaled = y * oocc_two_to(half) * oocc_two_to(within - half);
    return oocc_pick(sum > 1030, (double)INFINITY, oocc_pick(sum < -1080, 0, scaled));
}

OOCC_WITHIN double oocc_pow_f64(double a, double b)
{
    const double size = fabs(a), infinite = (double)INFINITY;
    const bool small = size < 0x1p-1022;
    const double most = oocc_pick(b > 0x1p65, 0x1p65, b), power = oocc_pick(most < -0x1p65, -0x1p65, most); /* more makes no difference */
    const struct oocc_pair log = oocc_log2_of(oocc_pick(small, size * 0x1p54, size), oocc_pick(small, 54, 0));
    const double power_head = oocc_head_of(power);
    const double finite = oocc_exp2_of(power_head * log.head, (power - power_head) * log.head + power * log.rest);
    const double of_zero = oocc_pick(b > 0, 0, infinite), of_infinity = oocc_pick(b > 0, infinite, 0);
    const double y = oocc_pick(size > 0, oocc_pick(size < infinite, finite, of_infinity), of_zero);
    /* Below 0 whole powers have values, of which odd ones are below 0. */
    const bool whole = floor(b) == b, even = floor(b * 0.5) == b * 0.5;
    const uint64_t sign = oocc_bits_of(oocc_pick(whole, oocc_pick(even, 0, -0.0), 0)) & oocc_bits_of(a);
    const double of_finite = oocc_pick(whole, y, (double)NAN), of_negative = oocc_pick(size > 0, oocc_pick(size < infinite, of_finite, y), y);
    const double with_sign = oocc_of_bits(oocc_bits_of(oocc_pick(a < 0, of_negative, y)) ^ sign);
    const double of_numbers = oocc_pick(size == 1, oocc_pick(fabs(b) == infinite, 1, with_sign), with_sign);
    const double y_or_nan = oocc_pick(a == a, oocc_pick(b == b, of_numbers, b), a);
    return oocc_pick(b == 0, 1, oocc_pick(a == 1, 1, y_or_nan));
}

#endif
