/*
 * gather.c: reductions whose result does not depend on the order. A sum is kept as a fixed-point number wide
 * enough for every f64 (limbs of 32 bits, limb i counts units of 2^(32 i - 1074)), so that every addition is exact, and
 * is rounded once, at the end.
 */
#include "observe/observe.h"

#include <math.h>
#include <string.h>

enum { LIMB_BITS = 32, MANTISSA_BITS = 53, LEAST_EXPONENT = -1074 };
static const int64_t LIMB_MASK = ((int64_t)1 << LIMB_BITS) - 1;

/* Afterwards all limbs but the last are in [0, 2^32); the last one carries the sign. */
void oocc_gather_carry(struct oocc_gather *g) {
    for (int i = 0; i + 1 < OOCC_SUM_LIMBS; i++) {
        g->limb[i + 1] += g->limb[i] >> LIMB_BITS;
        g->limb[i] &= LIMB_MASK;
    }
    g->since_carry = 0;
}

void gather_reset(struct oocc_gather *g, enum oocc_reduce op) {
    memset(g, 0, sizeof *g);
    g->extreme = op == OOCC_MIN ? INFINITY : -INFINITY;
}

void gather_add(struct oocc_gather *g, struct oocc_gather *from, enum oocc_reduce op) {
    oocc_gather_carry(g);
    oocc_gather_carry(from);
    for (int i = 0; i < OOCC_SUM_LIMBS; i++)
        g->limb[i] += from->limb[i];
    g->count += from->count;
    g->special += from->special;
    if (op == OOCC_MIN ? from->extreme < g->extreme : from->extreme > g->extreme) g->extreme = from->extreme;
}

/* The highest bit of a number of non-negative limbs, counted from 0; -1 when the number is 0. */
static int highest_bit(const int64_t limb[]) {
    for (int i = OOCC_SUM_LIMBS - 1; i >= 0; i--)
        if (limb[i] != 0) return i * LIMB_BITS + 63 - __builtin_clzll((unsigned long long)limb[i]);
    return -1;
}

static int64_t bit_at(const int64_t limb[], int bit) {
    return limb[bit / LIMB_BITS] >> bit % LIMB_BITS & 1;
}

static bool any_below(const int64_t limb[], int bit) {
    for (int i = 0; i < bit / LIMB_BITS; i++)
        if (limb[i] != 0) return true;
    return (limb[bit / LIMB_BITS] & (((int64_t)1 << bit % LIMB_BITS) - 1)) != 0;
}

/* A sum that needs more than 53 bits is not subnormal, so ldexp() never rounds a second time: it is exact, or
 * overflows. */
static double rounded_sum(struct oocc_gather *g) {
    oocc_gather_carry(g);
    const bool negative = g->limb[OOCC_SUM_LIMBS - 1] < 0;
    if (negative) {
        for (int i = 0; i < OOCC_SUM_LIMBS; i++)
            g->limb[i] = -g->limb[i];
        oocc_gather_carry(g);
    }
    const int top = highest_bit(g->limb);
    const int drop = oocc_max(0, top + 1 - MANTISSA_BITS);
    int64_t mantissa = 0;
    for (int bit = top; bit >= drop; bit--)
        mantissa = mantissa << 1 | bit_at(g->limb, bit);
    if (drop > 0 && bit_at(g->limb, drop - 1) && (any_below(g->limb, drop - 1) || (mantissa & 1))) mantissa++;
    const double sum = ldexp((double)mantissa, drop + LEAST_EXPONENT);
    return negative ? -sum : sum;
}

double gather_value(struct oocc_gather *g, enum oocc_reduce op) {
    if (isnan(g->special)) return NAN;
    if (op == OOCC_MIN || op == OOCC_MAX) return g->extreme + 0.0; /* of the two zeros, the positive one */
    const double sum = g->special != 0 ? g->special : rounded_sum(g);
    return op == OOCC_SUM ? sum : g->count > 0 ? sum / (double)g->count : NAN;
}
