/* checksum.h: XXH3-64 of records, of text and of results. */
#ifndef OOCC_CHECKSUM_H
#define OOCC_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* What a band of a record is: a right one in a wrong place, or of another level, does not match either. */
struct record_identity {
    int64_t field, level, plane; /* level: 0 for the present one, 1 for the one before, ... */
    int64_t t;                   /* the level it holds, counted from the run's start */
    int64_t band;                /* of the plane */
};

uint64_t checksum_band(const void *band, int64_t bytes, const struct record_identity *identity);
uint64_t checksum_bytes(const void *data, size_t bytes);
/* Of rows one after the other: `before` is that of the rows before, 0 of none. */
uint64_t checksum_chain(uint64_t before, const void *rows, int64_t count, int64_t row_bytes);
/* Of `rows` runs of row_bytes that lie stride_bytes apart. */
uint64_t checksum_rows(const void *first, int64_t rows, int64_t row_bytes, int64_t stride_bytes);

#endif
