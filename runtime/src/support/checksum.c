#include "support/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t checksum_band(const void *band, int64_t bytes, const struct record_identity *identity) {
    return XXH3_64bits_withSeed(band, (size_t)bytes, XXH3_64bits(identity, sizeof *identity));
}

uint64_t checksum_bytes(const void *data, size_t bytes) {
    return XXH3_64bits(data, bytes);
}

uint64_t checksum_chain(uint64_t before, const void *rows, int64_t count, int64_t row_bytes) {
    for (int64_t row = 0; row < count; row++)
        before = XXH3_64bits_withSeed((const char *)rows + row * row_bytes, (size_t)row_bytes, before);
    return before;
}

uint64_t checksum_rows(const void *first, int64_t rows, int64_t row_bytes, int64_t stride_bytes) {
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    for (int64_t row = 0; row < rows; row++)
        XXH3_64bits_update(&state, (const char *)first + row * stride_bytes, (size_t)row_bytes);
    return XXH3_64bits_digest(&state);
}
