/*
 * vector.h: the loops of the runtime that go through every byte that is read or written, compiled for one instruction set or another, and the
 * one that tells how fast caches and memory are to a program's loops, which have what the machine has. The runtime is compiled for any machine
 * of its kind; these take what the one at hand has, and come out the same.
 */
#ifndef OOCC_VECTOR_H
#define OOCC_VECTOR_H

#include "support/checksum.h"

#include <stdbool.h>

/* Additions and multiplications of a cell, as the compiler counts a program's. */
enum { FLOPS_OF_7_POINTS = 9, FLOPS_OF_27_POINTS = 30 };

struct vector_loops {
    /* Those of checksum.h. */
    uint64_t (*band)(const void *band, int64_t bytes, const struct record_identity *identity);
    uint64_t (*bytes)(const void *data, size_t bytes);
    uint64_t (*chain)(uint64_t before, const void *rows, int64_t count, int64_t row_bytes);
    uint64_t (*rows)(const void *first, int64_t rows, int64_t row_bytes, int64_t stride_bytes);
    /* Whether no cell is nan or infinite. */
    bool (*finite_f32)(const float *cell, int64_t count);
    bool (*finite_f64)(const double *cell, int64_t count);
    /* Two stencils on a row, `to`: of 7 and of 27 points, of rows that begin at row[0], row[1], ..., with a cell before them and one
     * after them. For programs' loops compilers take vectors of 256 bits at most, unless they are told to do otherwise, and so do these. */
    void (*row_7_points)(double *restrict to, const double *const row[5], int64_t cells);
    void (*row_27_points)(double *restrict to, const double *const row[9], int64_t cells);
    /* Reads and writes every element; what is computed does not matter. */
    void (*update)(double *element, int64_t count);
};

/* Those for this machine. */
const struct vector_loops *vector_loops(void);

#endif
