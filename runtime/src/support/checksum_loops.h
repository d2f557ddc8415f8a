/* checksum_loops.h: the loops of checksum.c, compiled for one instruction set or another: checksums come out the same. Once in each file
 * that includes it, as `static const struct checksum_loops checksum_loops`. */
#include "support/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

struct checksum_loops {
    uint64_t (*band)(const void *band, int64_t bytes, const struct record_identity *identity);
    uint64_t (*bytes)(const void *data, size_t bytes);
    uint64_t (*chain)(uint64_t before, const void *rows, int64_t count, int64_t row_bytes);
    uint64_t (*rows)(const void *first, int64_t rows, int64_t row_bytes, int64_t stride_bytes);
};

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

static const struct checksum_loops checksum_loops = {loop_band, loop_bytes, loop_chain, loop_rows};
