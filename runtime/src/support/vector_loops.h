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

static void update(double *element, int64_t count) {
#pragma omp simd
    for (int64_t i = 0; i < count; i++)
        element[i] = element[i] * 0.5 + 1.0;
}

static const struct vector_loops loops = {loop_band, loop_bytes, loop_chain, loop_rows, finite_f32, finite_f64, update};
