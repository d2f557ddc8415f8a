/*
 * checksum.c: picks the loops that the machine at hand can run. The runtime is compiled for any machine of its kind, while every byte
 * that is read or written is gone through by the cores that compute (docs/speed.md, "Checksums").
 */
#include "support/checksum_loops.h"

#ifdef OOCC_CHECKSUM_AVX2
const struct checksum_loops *checksum_loops_avx2(void);
#endif

static const struct checksum_loops *loops(void) {
#ifdef OOCC_CHECKSUM_AVX2
    if (__builtin_cpu_supports("avx2")) return checksum_loops_avx2();
#endif
    return &checksum_loops;
}

uint64_t checksum_band(const void *band, int64_t bytes, const struct record_identity *identity) {
    return loops()->band(band, bytes, identity);
}

uint64_t checksum_bytes(const void *data, size_t bytes) {
    return loops()->bytes(data, bytes);
}

uint64_t checksum_chain(uint64_t before, const void *rows, int64_t count, int64_t row_bytes) {
    return loops()->chain(before, rows, count, row_bytes);
}

uint64_t checksum_rows(const void *first, int64_t rows, int64_t row_bytes, int64_t stride_bytes) {
    return loops()->rows(first, rows, row_bytes, stride_bytes);
}
