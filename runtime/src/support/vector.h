/*
 * vector.h: the loops of the runtime that go through every byte that is read or written, compiled for one instruction set or another, and the
 * one that tells how fast caches and memory are to a program's loops, which have what the machine has. The runtime is compiled for any machine
 * of its kind; these take what the one at hand has, and come out the same.
 */
#ifndef OOCC_VECTOR_H
#define OOCC_VECTOR_H

#include "support/checksum.h"

#include <stdbool.h>

struct vector_loops {
    /* Those of checksum.h. */
    uint64_t (*band)(const void *band, int64_t bytes, const struct record_identity *identity);
    uint64_t (*bytes)(const void *data, size_t bytes);
    uint64_t (*chain)(uint64_t before, const void *rows, int64_t count, int64_t row_bytes);
    uint64_t (*rows)(const void *first, int64_t rows, int64_t row_bytes, int64_t stride_bytes);
    /* Whether no cell is nan or infinite. */
    bool (*finite_f32)(const float *cell, int64_t count);
    bool (*finite_f64)(const double *cell, int64_t count);
    /* Reads and writes every element; what is computed does not matter. */
    void (*update)(double *element, int64_t count);
};

/* Those for this machine. */
const struct vector_loops *vector_loops(void);

#endif
