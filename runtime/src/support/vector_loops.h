/* vector_loops.h: the loops of vector.h, once in each file that includes it: `static const struct vector_loops loops`. */
#include "support/vector.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t loop_band(const void *band, int64_t bytes, const struct record_identity *identity) {
    return XXH3_64bits_withSeed(band, (size_t)bytes, XXH3_64bits(identity, sizeof *identity));
}

static uint64_t loop_bytes(const void *data, size_t bytes) {
    return XXH3_64bits(data, bytes);
}

static uint64_t loop_chain(uint64_t before, const void *rows, int64_t count, int64_t row_bytes) {
    for (int64_t row = 0; row < count; row++)
        before = XXH3_64bits_withSeed((const char *)rows + row * row_bytes, (size_t)row_bytes, before);
    return before;
}

static uint64_t loop_rows(const void *first, int64_t rows, int64_t row_bytes, int64_t stride_bytes) {
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    for (int64_t row = 0; row < rows; row++)
        XXH3_64bits_update(&state, (const char *)first + row * stride_bytes, (size_t)row_bytes);
    return XXH3_64bits_digest(&state);
}

/* A number is finite unless all bits of its exponent are set: then one more carries into the sign. Written so that compilers make
 * vector code of it, whatever the instructions: comparing integers of 64 bits takes newer ones than adding them. */
static bool finite_f32(const float *value, int64_t count) {
    uint32_t bad = 0;
#pragma omp simd reduction(| : bad)
    for (int64_t i = 0; i < count; i++) {
        union {
            float value;
            uint32_t bits;
        } u = {value[i]};
        bad |= (u.bits & 0x7F800000u) + 0x00800000u;
    }
    return !(bad >> 31);
}

static bool finite_f64(const double *value, int64_t count) {
    uint64_t bad = 0;
#pragma omp simd reduction(| : bad)
    for (int64_t i = 0; i < count; i++) {
        union {
            double value;
            uint64_t bits;
        } u = {value[i]};
        bad |= (u.bits & 0x7FF0000000000000u) + 0x0010000000000000u;
    }
    return !(bad >> 63);
}

static void row_7_points(double *restrict to, const double *const row[5], int64_t cells) {
    const double *z0 = row[0], *y0 = row[1], *u = row[2], *y1 = row[3], *z1 = row[4];
#pragma omp simd simdlen(4)
    for (int64_t i = 0; i < cells; i++)
        to[i] = u[i] + 0.1 * (u[i - 1] + u[i + 1] + y0[i] + y1[i] + z0[i] + z1[i] - 6.0 * u[i]);
}

/* Sums row by row, as the compiler takes them. */
static void row_27_points(double *restrict to, const double *const row[9], int64_t cells) {
    const double *a = row[0], *b = row[1], *c = row[2], *d = row[3], *u = row[4], *e = row[5], *f = row[6], *g = row[7], *h = row[8];
#pragma omp simd simdlen(4)
    for (int64_t i = 0; i < cells; i++) {
        const double corners = ((a[i - 1] + a[i + 1]) + (c[i - 1] + c[i + 1])) + ((f[i - 1] + f[i + 1]) + (h[i - 1] + h[i + 1])),
                     edges = (((b[i - 1] + b[i + 1]) + (d[i - 1] + d[i + 1])) + ((e[i - 1] + e[i + 1]) + (g[i - 1] + g[i + 1]))) +
                             ((a[i] + c[i]) + (f[i] + h[i])),
                     faces = (u[i - 1] + u[i + 1]) + (b[i] + d[i]) + (e[i] + g[i]);
        to[i] = 0.4 * u[i] + 0.06 * faces + 0.015 * edges + 0.0075 * corners;
    }
}

static void update(double *element, int64_t count) {
#pragma omp simd
    for (int64_t i = 0; i < count; i++)
        element[i] = element[i] * 0.5 + 1.0;
}

static const struct vector_loops loops = {loop_band,    loop_bytes,   loop_chain,    loop_rows, finite_f32,
                                          finite_f64,   row_7_points, row_27_points, update};
