#include "plan/tiles.h"

#include "plan/columns.h"

int64_t next_notch(int64_t notch) {
    if (notch == 1) return 2;
    return (notch & (notch - 1)) == 0 ? notch / 2 * 3 : notch / 3 * 4;
}

const char *tile_unit(const struct oocc_grid *grid) {
    return grid->ndim == 2 ? "cells" : grid->ndim == 3 ? "rows" : "layers";
}

int64_t chain_least(const struct oocc_program *program, int64_t ct) {
    const struct oocc_tiling *t = &program->tiling;
    return t->shift_lo + t->shift_hi + (ct - 1) * (t->slope_lo + t->slope_hi) + t->reach + 1;
}

/* A border is as wide as the slopes of a group, and a tile of its own: what it meets, chains have met before. So chains are several
 * times as wide. But of cores that others share one may be half as fast as the next, and when each has a chain, all wait for that
 * one: two for each thread, as long as a border is half of a chain at most, and one in any case. Beyond four for each, no waiting is
 * left to be saved, and threads at narrow chains side by side hinder each other (docs/speed.md, "Chains, and cores that are not alike"). */
enum { WIDE = 4, NARROW = 2, CHAINS_OF_THREAD = 2, MOST_OF_THREAD = 4 }; /* chains, in borders; of narrow ones, at most; of all */

static int64_t chains_for(const struct oocc_tiling *t, int64_t rows, int64_t ct, int threads) {
    const int64_t border = oocc_max(1, ct * (t->slope_lo + t->slope_hi));
    const int64_t rounds = oocc_max(1, oocc_min(rows / (WIDE * border) / threads, MOST_OF_THREAD));
    if (threads == 1) return rounds * (1 + t->ring); /* along a ring, tiles lean only between borders */
    return oocc_max(rounds * threads, oocc_min(CHAINS_OF_THREAD * threads, rows / (NARROW * border)));
}

int64_t chains_of(const struct oocc_program *program, int64_t rows, int64_t ct, int64_t tiles, int threads, int64_t wanted) {
    const int64_t chains = wanted > 0 ? wanted : chains_for(&program->tiling, rows, ct, threads);
    return oocc_max(1, oocc_min(oocc_min(chains, oocc_max(1, rows / chain_least(program, ct))), tiles));
}

/* As many as oocc_tiles_in() finds room for. */
int64_t tiles_most(const struct oocc_program *program, int64_t rows, int64_t ct) {
    const int64_t least = chain_least(program, ct), tile = program->tiling.reach + 1, lost = least - tile;
    if (rows < 2 * least) return program->tiling.ring ? 1 : oocc_max(1, (rows - lost) / tile - 1);
    return rows / (2 * least) * (lost / tile + 1);
}

/* From there on pieces are faster, whatever a thread has of caches: of a tile that has few rows because they are long, more is leaned over, and
 * of rows beyond that the core's first cache has not what the rows beside them have loaded (docs/speed.md, "Long rows"). */
enum { LONG_ROW_BYTES = 12 << 10, PIECE_BYTES = 4 << 10 };

int64_t pieces_of(const struct oocc_program *program, const struct oocc_grid *grid, int64_t wanted) {
    int64_t element = 1;
    if (wanted > 0 || grid->ndim != 3 || !program->tiled || program->tiling.whole_rows) return oocc_max(1, wanted);
    for (int f = 0; f < program->fields; f++)
        element = oocc_max(element, grid->layout[f].element_bytes);
    return grid->cells <= LONG_ROW_BYTES / element ? 1 : grid->cells / (PIECE_BYTES / element);
}

int64_t piece_widest(const struct oocc_grid *grid, int64_t pieces) {
    const struct oocc_pass pass = {.pieces = pieces};
    return grid->cells - oocc_piece_lo(&pass, pieces - 1, 0, grid->cells);
}

static struct row_range rows_in_step(const struct oocc_program *program, const struct column *column, int64_t s) {
    const struct oocc_tiling *t = &program->tiling;
    const int64_t lo = (s - 1) * t->slope_lo, hi = (s - 1) * t->slope_hi;
    return (struct row_range){column->outer_lo + (column->inner_lo ? lo : column->leans ? -hi : 0),
                              column->outer_hi - (column->inner_hi ? hi : 0)};
}

int64_t tile_widest(const struct oocc_program *program, const struct oocc_grid *grid, const struct plan *plan, int64_t tiles) {
    if (!program->tiled || grid->ndim < 2 || grid->extent[1] <= 1) return grid->rows;
    int64_t most = 1;
    for (int64_t i = 0; i < plan->cut.columns; i++) {
        const struct column column = column_of(program, grid, plan->cut, i, plan->bt);
        const struct row_range first = rows_in_step(program, &column, 1), last = rows_in_step(program, &column, plan->bt);
        most = oocc_max(most, (oocc_max(first.hi - first.lo, last.hi - last.lo) - 1) / tiles + 1);
    }
    return most;
}

struct row_range pass_rows(const struct oocc_program *program, const struct oocc_pass *pass, int64_t s) {
    const struct column column = {.outer_lo = pass->outer_lo,
                                  .outer_hi = pass->outer_hi,
                                  .inner_lo = pass->inner_lo,
                                  .inner_hi = pass->inner_hi,
                                  .leans = pass->leans};
    return rows_in_step(program, &column, s);
}
