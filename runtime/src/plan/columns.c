/*
 * columns.c: which rows a column reads, computes and writes.
 *
 * Step bt has to make rows [lo, hi) of every stage. By the slopes of split tiling, which hold for any side that nobody
 * fills, stage k of step s can be computed on rows from
 *
 *     outer + (s - 1)*slope + shift[k]        outer = lo - (bt - 1)*slope - (largest shift)
 *
 * on, and what step 1 reads of the levels before begins `more` rows below outer. The high side is the mirror image.
 * Where outer lies beyond the grid's edge, the side is that edge, in all steps.
 */
#include "plan/columns.h"

/* Beyond any grid; a few of them can be added. */
static const int64_t FAR_ROWS = INT64_MAX / 16;

static int64_t extent_of(const struct oocc_grid *grid) {
    return grid->ndim > 1 ? grid->extent[1] : 1;
}

static int64_t halo(int64_t bt, int64_t slope, int64_t shift) {
    int64_t rows;
    if (__builtin_mul_overflow(bt - 1, slope, &rows) || __builtin_add_overflow(rows, shift, &rows)) return FAR_ROWS;
    return oocc_min(rows, FAR_ROWS);
}

/* Runs of bands that are whole blocks; the last may be shorter. */
static int64_t cuts(const struct oocc_program *program, const struct oocc_grid *grid) {
    return (grid->bands - 1) / grid_cut_bands(program, grid) + 1;
}

/* They are shared out as equally as can be. */
static int64_t first_band(const struct oocc_program *program, const struct oocc_grid *grid, int64_t columns,
                          int64_t index) {
    const int64_t all = cuts(program, grid);
    const int64_t first = index * (all / columns) + oocc_min(index, all % columns);
    return oocc_min(first * grid_cut_bands(program, grid), grid->bands);
}

int64_t column_lo(const struct oocc_grid *grid, const struct column *column) {
    return column->band_lo * grid->band_rows;
}

int64_t column_hi(const struct oocc_grid *grid, const struct column *column) {
    return column->band_hi == grid->bands ? extent_of(grid) : column->band_hi * grid->band_rows;
}

struct column column_of(const struct oocc_program *program, const struct oocc_grid *grid, int64_t columns, int64_t index,
                        int64_t bt) {
    const struct oocc_tiling *t = &program->tiling;
    const int64_t extent = extent_of(grid);
    struct column c = {.band_hi = grid->bands, .seen_hi = grid->bands, .outer_hi = extent};
    if (columns <= 1) return c;
    c.band_lo = first_band(program, grid, columns, index);
    c.band_hi = first_band(program, grid, columns, index + 1);
    const int64_t lo = column_lo(grid, &c) - halo(bt, t->slope_lo, t->shift_lo);
    const int64_t hi = column_hi(grid, &c) + halo(bt, t->slope_hi, t->shift_hi);
    if ((c.inner_lo = c.band_lo > 0 && lo > 0)) c.outer_lo = lo;
    if ((c.inner_hi = c.band_hi < grid->bands && hi < extent)) c.outer_hi = hi;
    c.seen_lo = oocc_max(0, c.outer_lo - t->more_lo) / grid->band_rows;
    c.seen_hi = oocc_min(grid->bands, (oocc_min(extent, c.outer_hi + t->more_hi) - 1) / grid->band_rows + 1);
    return c;
}

static int64_t seen_bytes(const struct oocc_grid *grid, int field, const struct column *column) {
    const struct block_range blocks = grid_blocks(grid, field, column->seen_lo, column->seen_hi);
    return blocks.to - blocks.from;
}

int64_t columns_stride(const struct oocc_program *program, const struct oocc_grid *grid, int field, int64_t columns,
                       int64_t bt) {
    if (columns <= 1) return grid->layout[field].stride_bytes;
    int64_t most = 0;
    for (int64_t i = 0; i < columns; i++) {
        const struct column column = column_of(program, grid, columns, i, bt);
        most = oocc_max(most, seen_bytes(grid, field, &column));
    }
    return grid_stride_bytes(grid, most);
}

int64_t columns_read_bytes(const struct oocc_program *program, const struct oocc_grid *grid, int64_t columns, int64_t bt) {
    int64_t bytes = 0;
    for (int64_t i = 0; i < columns; i++) {
        const struct column column = column_of(program, grid, columns, i, bt);
        for (int f = 0; f < program->fields; f++)
            bytes += program->field[f].levels * seen_bytes(grid, f, &column);
    }
    return bytes;
}

double columns_redundancy(const struct oocc_program *program, const struct oocc_grid *grid, int64_t columns, int64_t bt) {
    if (columns <= 1) return 1;
    double rows = 0;
    for (int64_t i = 0; i < columns; i++) {
        const struct column c = column_of(program, grid, columns, i, bt);
        const int64_t last_lo = c.inner_lo ? column_lo(grid, &c) : c.outer_lo;
        const int64_t last_hi = c.inner_hi ? column_hi(grid, &c) : c.outer_hi;
        rows += (double)(c.outer_hi - c.outer_lo + last_hi - last_lo) / 2;
    }
    return rows / (double)extent_of(grid);
}

int64_t columns_halo(const struct oocc_program *program, int64_t bt) {
    const struct oocc_tiling *t = &program->tiling;
    return halo(bt, t->slope_lo, t->shift_lo) + t->more_lo + halo(bt, t->slope_hi, t->shift_hi) + t->more_hi;
}

int64_t columns_narrowest(const struct oocc_program *program, const struct oocc_grid *grid, int64_t columns) {
    if (columns <= 1) return extent_of(grid);
    const int64_t last = extent_of(grid) - first_band(program, grid, columns, columns - 1) * grid->band_rows;
    return oocc_min(last, cuts(program, grid) / columns * grid_cut_bands(program, grid) * grid->band_rows);
}

int64_t columns_most(const struct oocc_program *program, const struct oocc_grid *grid, int64_t least) {
    char reason[192];
    if (columns_refusal(program, grid, reason)) return 1;
    int64_t most = oocc_min(cuts(program, grid), extent_of(grid) / oocc_max(1, least));
    while (most > 1 && columns_narrowest(program, grid, most) < least)
        most--;
    return oocc_max(1, most);
}

const char *columns_refusal(const struct oocc_program *program, const struct oocc_grid *grid, char *buffer) {
    enum { SIZE = 192 };
    if (grid->ndim < 3)
        snprintf(buffer, SIZE, "columns are cut out of planes, and the planes of a %d-D grid are %s", grid->ndim,
                 grid->ndim == 2 ? "rows" : "blocks");
    else if (program->tiling.ring)
        snprintf(buffer, SIZE, "%.40s is periodic: its first and its last row are neighbours", program->dim[1]);
    else if (program->watches > 0)
        snprintf(buffer, SIZE, "the reduction '%.80s' looks at every cell once, and columns compute some twice",
                 program->watch[0].name);
    else
        return NULL;
    return buffer;
}
