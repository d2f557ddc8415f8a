/*
 * integers.h: integers in loops over rows, where C's own operators leave overflow undefined or have no vectors; a part of oocc.h, which
 * includes it.
 */
#ifndef OOCC_INTEGERS_H
#define OOCC_INTEGERS_H

/* -- integers of fields: modulo 2^64 and 2^32, where C's own operators leave overflow undefined -------------------- */

static inline int64_t oocc_plus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static inline int64_t oocc_minus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }
static inline int64_t oocc_times(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
static inline int64_t oocc_abs(int64_t a) { return a < 0 ? oocc_minus(0, a) : a; }
static inline int32_t oocc_plus_i32(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
static inline int32_t oocc_minus_i32(int32_t a, int32_t b) { return (int32_t)((uint32_t)a - (uint32_t)b); }
static inline int32_t oocc_times_i32(int32_t a, int32_t b) { return (int32_t)((uint32_t)a * (uint32_t)b); }
static inline int32_t oocc_abs_i32(int32_t a) { return a < 0 ? oocc_minus_i32(0, a) : a; }

/* 0 where a % 2 is. Of `a % 2 == 0` gcc 12 makes a bit, which it has no vectors to join to other conditions; of this it makes none. */
static inline int64_t oocc_parity(int64_t a) { return a % 2 & 3; }

/* Where cells [begin, end) of a row end that begins with x = first, if it is cut before the cell with x = at. */
static inline int64_t oocc_cut(int64_t first, int64_t begin, int64_t end, int64_t at)
{
    return first + begin < at && at < first + end ? at - first : end;
}

/* -- 64-bit integers as floating numbers, in loops: what C's conversion gives, which some processors have no vectors for */

/* Not where the compiler was told that sums may be taken in any order (gcc says so in __ASSOCIATIVE_MATH__). */
#if defined __x86_64__ && !defined __AVX512DQ__ && !defined __FAST_MATH__ && !defined __ASSOCIATIVE_MATH__
/* Each half in the mantissa of a power of two that has room for it: 2^84 + 2^63 + high * 2^32, and 2^52 + low. Only the last sum rounds. */
static inline double oocc_f64_of(int64_t a)
{
#ifdef __clang__
    #pragma clang fp reassociate(off)
#endif
    const uint64_t high_bits = ((uint64_t)a >> 32) ^ UINT64_C(0x4530000080000000);
    const uint64_t low_bits = ((uint64_t)a & UINT64_C(0xffffffff)) | UINT64_C(0x4330000000000000);
    double high, low;
    memcpy(&high, &high_bits, sizeof high);
    memcpy(&low, &low_bits, sizeof low);
    return (high - 0x1.00000801p84) + low;
}

/* Rounded once, too: what a double has no room for stays in sight in a bit that a float has none for. */
static inline float oocc_f32_of(int64_t a)
{
    const bool fits = a > -(INT64_C(1) << 53) && a < INT64_C(1) << 53;
    return (float)oocc_f64_of(fits ? a : (a | ((a & 2047) + 2047)) & ~INT64_C(2047));
}
#else
static inline double oocc_f64_of(int64_t a) { return (double)a; }
static inline float oocc_f32_of(int64_t a) { return (float)a; }
#endif

#endif
