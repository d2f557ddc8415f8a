#include "support/checksum.h"

#include "support/vector.h"

uint64_t checksum_band(const void *band, int64_t bytes, const struct record_identity *identity) {
    return vector_loops()->band(band, bytes, identity);
}

uint64_t checksum_bytes(const void *data, size_t bytes) {
    return vector_loops()->bytes(data, bytes);
}

uint64_t checksum_chain(uint64_t before, const void *rows, int64_t count, int64_t row_bytes) {
    return vector_loops()->chain(before, rows, count, row_bytes);
}

uint64_t checksum_rows(const void *first, int64_t rows, int64_t row_bytes, int64_t stride_bytes) {
    return vector_loops()->rows(first, rows, row_bytes, stride_bytes);
}
