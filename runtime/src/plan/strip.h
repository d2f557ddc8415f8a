/* strip.h: what a column that leans leaves to the next one (docs/schedule.md, "Columns"): with every slab, of every level that it has
 * made, the rows along the line between them that the next one reads. */
#ifndef OOCC_STRIP_H
#define OOCC_STRIP_H

#include "oocc/oocc.h"
#include "plan/cut.h"

/* Of one field, in the record of a slab: bt times `planes` planes of `rows` rows, one after the other, from `offset` on. */
struct strip {
    int64_t offset;
    int64_t planes, rows;
    int64_t row_bytes, plane_bytes; /* a row of 4-D is a layer */
};
/* rows 0: the field leaves nothing. Sizes that strip_bytes() has found to fit. */
struct strip strip_of(const struct oocc_program *program, const struct oocc_grid *grid, int field, int64_t bt, int64_t bz);

/* The record of a slab, a multiple of 4096; 0 where columns do not lean, -1 when it is not a size. */
int64_t strip_bytes(const struct oocc_program *program, const struct oocc_grid *grid, struct cut cut, int64_t bt, int64_t bz);
/* Slabs of a pass: there are so many records; and the planes of one, fewer where the wave has fewer. */
int64_t strip_slabs(const struct oocc_program *program, const struct oocc_grid *grid, int64_t bt, int64_t bz);
int64_t strip_slab_planes(const struct oocc_program *program, const struct oocc_grid *grid, int64_t bt, int64_t bz);
/* Checksums of all records: counted with the window. */
int64_t strip_table_bytes(const struct oocc_program *program, const struct oocc_grid *grid, struct cut cut, int64_t bt, int64_t bz);
/* Records that are in memory at once: one that has been read and one that is written, of a column between two others. */
int strip_buffers(struct cut cut);
/* The first row of a strip of step s, of a column whose line to the next one is at `outer` in step 1. */
int64_t strip_row(const struct oocc_program *program, int field, int64_t outer, int64_t s);

#endif
