/* columns.h: where planes are too large for deep passes, the dimension that tiles cut is cut into columns first, and each
 * is streamed on its own (docs/schedule.md, "Columns"). "Rows" are what has one index of that dimension: in 4-D layers. */
#ifndef OOCC_COLUMNS_H
#define OOCC_COLUMNS_H

#include "run/run.h"

struct column {
    int64_t band_lo, band_hi; /* bands that it writes */
    int64_t seen_lo, seen_hi; /* bands that it reads, and that the window holds: those and the halo */
    /* Rows of step 1, and whether either side moves inward with every step: as in struct oocc_pass. */
    int64_t outer_lo, outer_hi;
    bool inner_lo, inner_hi;
};

/* Column `index` of `columns` (at most columns_most()) in a pass of bt steps. One column is the whole plane. */
struct column column_of(const struct oocc_program *program, const struct oocc_grid *grid, int64_t columns, int64_t index,
                        int64_t bt);

/* Rows that a column writes begin, and end, here. */
int64_t column_lo(const struct oocc_grid *grid, const struct column *column);
int64_t column_hi(const struct oocc_grid *grid, const struct column *column);

/* How far planes of the window are apart: those of the widest column. -1 when it is not a size. */
int64_t columns_stride(const struct oocc_program *program, const struct oocc_grid *grid, int field, int64_t columns,
                       int64_t bt);
/* Bytes that a pass of bt steps reads of each of its planes: of all stored levels, and of coefficients. */
int64_t columns_read_bytes(const struct oocc_program *program, const struct oocc_grid *grid, int64_t columns, int64_t bt);
/* Rows that a pass computes in a step, on average, over those that the grid has. */
double columns_redundancy(const struct oocc_program *program, const struct oocc_grid *grid, int64_t columns, int64_t bt);

/* Rows read beyond a column at both sides together, before they are rounded to bands. */
int64_t columns_halo(const struct oocc_program *program, int64_t bt);
/* Rows that the narrowest of so many columns writes. */
int64_t columns_narrowest(const struct oocc_program *program, const struct oocc_grid *grid, int64_t columns);
/* The most columns that are all at least `least` rows wide; 1 when the program cannot be cut. */
int64_t columns_most(const struct oocc_program *program, const struct oocc_grid *grid, int64_t least);
/* Why the program has one column only, into buffer (at least 192 bytes); NULL when it can have more. */
const char *columns_refusal(const struct oocc_program *program, const struct oocc_grid *grid, char *buffer);

#endif
