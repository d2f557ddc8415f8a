/* overlap.h: schedule overlap, the one that recomputes: a pass takes the grid block by block, each with a halo of all
 * planes that bt steps of it need, and makes the steps of a block as if there were no other; what it makes of the
 * halo is dropped (docs/schedule.md, "Blocks that overlap"). A block is what a slab is to a pass that streams, and
 * is one call of program->pass. */
#ifndef OOCC_OVERLAP_H
#define OOCC_OVERLAP_H

#include "run/run.h"

struct block {
    int64_t lo, hi;     /* unrolled planes that it makes */
    int64_t first, end; /* with the halo, cut off where the planes end */
};

/* How many blocks of bz planes the grid is cut into; the last may be smaller. */
int64_t overlap_blocks(const struct oocc_grid *grid, int64_t bz);
struct block overlap_block(const struct oocc_program *program, const struct oocc_grid *grid, int64_t bt,
                           int64_t bz, int64_t i);
/* No block has more planes than this, halo and all. */
int64_t overlap_most_planes(const struct oocc_program *program, const struct oocc_grid *grid, int64_t bt,
                            int64_t bz);

/* Of a slot, so many copies are kept, so that one can be read into, one computed in and one written from. */
int64_t overlap_copies(const struct oocc_grid *grid, int64_t bz, bool read, bool written);

/* Planes that a pass reads, of every level and coefficient: those of all blocks together. INT64_MAX when that is no
 * size. */
int64_t overlap_read_planes(const struct oocc_program *program, const struct oocc_grid *grid, int64_t bt,
                            int64_t bz);

/* "15 blocks of up to 64 planes and halos of 8 + 8: a pass reads 1.23 and computes 1.11 times the grid" into buffer,
 * returned. */
const char *overlap_text(char *buffer, size_t size, const struct oocc_program *program,
                         const struct oocc_grid *grid, int64_t bt, int64_t bz);
/* How many times the grid a pass computes, about. */
double overlap_work(const struct oocc_program *program, const struct oocc_grid *grid, int64_t bt, int64_t bz);

/* Makes one pass, block by block. */
int overlap_pass(struct oocc_run *run, const struct oocc_pass *pass);

#endif
