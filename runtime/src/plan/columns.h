/* columns.h: where planes are too large for deep passes, the dimension that tiles cut is cut into columns first, and each
 * is streamed on its own (docs/schedule.md, "Columns"). "Rows" are what has one index of that dimension: in 4-D layers.
 *
 * Where columns have halos, both sides of one move inward with every step. Where they lean, both move to the low side, so that a row
 * of a level is computed by one column only; what it needs beyond its low side, the column before has left (strips.h). */
#ifndef OOCC_COLUMNS_H
#define OOCC_COLUMNS_H

#include "oocc/oocc.h"
#include "plan/cut.h"

struct column {
    int64_t band_lo, band_hi; /* bands that it writes */
    int64_t seen_lo, seen_hi; /* bands that the window holds: those, and what lies beyond */
    int64_t read_lo;          /* of which the state is read from here on, coefficients all */
    /* Rows of step 1, and how the sides move with every step: as in struct oocc_pass. */
    int64_t outer_lo, outer_hi;
    bool inner_lo, inner_hi;
    bool leans;
};

/* Column `index` of a cut (of at most columns_most()) in a pass of bt steps. One column is the whole plane. */
struct column column_of(const struct oocc_program *program, const struct oocc_grid *grid, struct cut cut, int64_t index,
                        int64_t bt);

/* Rows that a column writes begin, and end, here. */
int64_t column_lo(const struct oocc_grid *grid, const struct column *column);
int64_t column_hi(const struct oocc_grid *grid, const struct column *column);
/* Rows that it computes in a step, on average over bt of them. */
double column_rows(const struct oocc_program *program, const struct column *column, int64_t bt);

/* How far planes of the window are apart: those of the widest column. -1 when it is not a size. */
int64_t columns_stride(const struct oocc_program *program, const struct oocc_grid *grid, int field, struct cut cut,
                       int64_t bt);
/* Bytes that a pass of bt steps reads of each of its planes: of all stored levels, and of coefficients. */
int64_t columns_read_bytes(const struct oocc_program *program, const struct oocc_grid *grid, struct cut cut, int64_t bt);
/* Rows that a pass computes in a step, on average, over those that the grid has. */
double columns_redundancy(const struct oocc_program *program, const struct oocc_grid *grid, struct cut cut, int64_t bt);

/* Rows read beyond a column at both sides together, before they are rounded to bands; columns that lean: beyond those that it writes. */
int64_t columns_halo(const struct oocc_program *program, struct cut cut, int64_t bt);
/* Rows that the narrowest column has in any step of a pass of bt; of columns with halos, that it writes. May be less than 1 where
 * columns would lean too far. */
int64_t columns_narrowest(const struct oocc_program *program, const struct oocc_grid *grid, struct cut cut, int64_t bt);
/* Rows that each must have at least: for a chain of one step and, where they lean, for what the next one is given. */
int64_t columns_least(const struct oocc_program *program, bool leans);
/* The most columns that are all at least as wide as they must be; 1 when the program cannot be cut. Where they lean: in a pass of one
 * step. */
int64_t columns_most(const struct oocc_program *program, const struct oocc_grid *grid, bool leans);
/* Whether a pass of bt steps can be cut so: columns that lean may not lean too far. */
bool columns_allow(const struct oocc_program *program, const struct oocc_grid *grid, struct cut cut, int64_t bt);
/* Why the program has one column only, into buffer (at least 192 bytes); NULL when it can have more. What looks at every cell once
 * needs columns that lean. */
const char *columns_refusal(const struct oocc_program *program, const struct oocc_grid *grid, bool leans, char *buffer);

#endif
