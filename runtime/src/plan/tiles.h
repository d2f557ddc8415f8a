/*
 * tiles.h: how many tiles and chains rows can be cut into. "Rows" are what has one index of the dimension that tiles cut: in 2-D cells,
 * in 4-D layers.
 */
#ifndef OOCC_TILES_H
#define OOCC_TILES_H

#include "oocc/oocc.h"
#include "plan/run_plan.h"

/* How a slab is cut: levels per group, and tiles of a column; and whether these fetch planes ahead (oocc/ahead.h). */
struct tiles {
    int64_t ct, count;
    bool fetch;
};

static inline bool tiles_same(struct tiles a, struct tiles b) {
    return a.ct == b.ct && a.count == b.count && a.fetch == b.fetch;
}

/* Levels of a group that are worth trying go up to this. */
enum { TILES_DEEPEST = 64 };
/* Of depths, widths and counts these are tried: 1, 2, 3, 4, 6, 8, 12, 16, 24, ... */
int64_t next_notch(int64_t notch);

/* What one index of the dimension that tiles cut is called: cells, rows or, in 4-D, layers. */
const char *tile_unit(const struct oocc_grid *grid);
/* Rows that a chain must have at least when ct levels are done in it and there is more than one of them. */
int64_t chain_least(const struct oocc_program *program, int64_t ct);
/* How many chains `tiles` tiles of `rows` rows form: `wanted`, 0: as many as keep all threads at work, also when some are
 * slower than others, with borders that are small beside them. At most one for each tile. */
int64_t chains_of(const struct oocc_program *program, int64_t rows, int64_t ct, int64_t tiles, int threads, int64_t wanted);
/* The most tiles of that depth that `rows` of them can be cut into. */
int64_t tiles_most(const struct oocc_program *program, int64_t rows, int64_t ct);
/* How many pieces rows are taken in, one after the other: `wanted`, 0: one, but several where they are long (3-D). */
int64_t pieces_of(const struct oocc_program *program, const struct oocc_grid *grid, int64_t wanted);
/* Cells of the widest of so many. */
int64_t piece_widest(const struct oocc_grid *grid, int64_t pieces);
/* What the widest tile has of them, of all columns, in the first step or the last one. */
int64_t tile_widest(const struct oocc_program *program, const struct oocc_grid *grid, const struct plan *plan, int64_t tiles);

/* Rows [lo, hi) that chains share in a group that begins with step s: the sides of a column have moved by then. */
struct row_range {
    int64_t lo, hi;
};
struct row_range pass_rows(const struct oocc_program *program, const struct oocc_pass *pass, int64_t s);

#endif
