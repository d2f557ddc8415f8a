/* wedge.h: the planes that a pass unrolls beyond the grid where the streamed dimension is periodic
 * (docs/schedule.md, "The edges"). Unrolled planes are called v, planes of the grid z, as in oocc.h. */
#ifndef OOCC_WEDGE_H
#define OOCC_WEDGE_H

#include "run/run.h"

/* Planes before and after the grid; 0 when it is not periodic. */
struct wedge {
    int64_t head, tail;
};
struct wedge wedge_of(const struct oocc_program *program, int64_t bt);

/* What a range of planes needs around it so that it can make bt steps, whether or not the grid is periodic. */
struct wedge wedge_around(const struct oocc_program *program, int64_t bt);

/* All planes of a pass of bt steps: head, grid, tail. Stays far below INT64_MAX whatever bt is. */
int64_t wedge_planes(const struct oocc_program *program, const struct oocc_grid *grid, int64_t bt);

/* The most steps that a pass may have: neither head nor tail may be longer than the grid. INT64_MAX when it is
 * not periodic, 0 when the grid is too small for a single step. */
int64_t wedge_deepest(const struct oocc_program *program, const struct oocc_grid *grid);

/* Where the front part of unrolled planes [lo, hi) ends that is contiguous in the grid; *first is the v that
 * stands for the grid's plane 0 there, so that v is plane v - *first. */
int64_t wedge_run_end(const struct oocc_grid *grid, int64_t head, int64_t lo, int64_t hi, int64_t *first);

/* "periodic along z: each pass also reads and recomputes 4 + 5 planes (1.8%)" into buffer, returned. */
const char *wedge_text(char *buffer, size_t size, const struct oocc_program *program,
                       const struct oocc_grid *grid, const struct plan *plan);

/* In place, the rings hold all unrolled planes of the plan's passes. Before a pass of bt steps: copies the
 * planes that lie beyond the grid, in every level that the pass reads. */
void wedge_refresh(struct oocc_run *run, int64_t bt);

#endif
