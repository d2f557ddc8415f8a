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
 *
 * Columns that lean meet in the line that is the high side of one:
 *
 *     outer - (s - 1)*slope - shift[k]        outer = hi + (bt - 1)*slope + (largest shift)
 *
 * The next one computes the rows from there on. What it reads below is left by the one before, or is of level 0 and is read. So the
 * last column has fewer rows in the first steps than in the last one, and is made wider by as many.
 */
#include "plan/columns.h"

#include "plan/tiles.h"
#include "stream/grid.h"

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
static int64_t cuts(const struct oocc_grid *grid) {
    return (grid->bands - 1) / grid->cut_bands + 1;
}

/* How far the line between two columns that lean lies beyond the rows that the first one writes, in step 1. */
static int64_t line_lead(const struct oocc_program *program, int64_t bt) {
    return halo(bt, program->tiling.slope_hi, program->tiling.shift_hi);
}

/* Those that all columns share alike: of columns that lean, the last one has besides what it lacks in step 1. Rounded so that it
 * is never narrower than the others: then what a pass allows, shorter ones do as well. */
static int64_t shared_cuts(const struct oocc_program *program, const struct oocc_grid *grid, struct cut cut, int64_t bt) {
    const int64_t all = cuts(grid), rows = grid->cut_bands * grid->band_rows;
    if (!cut.leans) return all;
    return oocc_max(cut.columns, (extent_of(grid) - oocc_min(extent_of(grid), line_lead(program, bt))) / rows);
}

static int64_t first_band(const struct oocc_program *program, const struct oocc_grid *grid, struct cut cut, int64_t index,
                          int64_t bt) {
    const int64_t all = shared_cuts(program, grid, cut, bt);
    const int64_t first = index * (all / cut.columns) + oocc_min(index, all % cut.columns);
    return index == cut.columns ? grid->bands : oocc_min(first * grid->cut_bands, grid->bands);
}

int64_t column_lo(const struct oocc_grid *grid, const struct column *column) {
    return column->band_lo * grid->band_rows;
}

int64_t column_hi(const struct oocc_grid *grid, const struct column *column) {
    return column->band_hi == grid->bands ? extent_of(grid) : column->band_hi * grid->band_rows;
}

/* Rows of level 0 and before that a column which leans reads: those that another one would have left it of them. */
static int64_t state_from(const struct oocc_program *program, int64_t outer) {
    int64_t from = outer;
    for (int f = 0; f < program->fields; f++)
        if (program->field[f].levels > 0 && !program->field[f].coef)
            from = oocc_min(from, outer + program->tiling.slope_hi - program->field[f].lean_shift - program->field[f].lean_rows);
    return oocc_max(0, from);
}

struct column column_of(const struct oocc_program *program, const struct oocc_grid *grid, struct cut cut, int64_t index,
                        int64_t bt) {
    const struct oocc_tiling *t = &program->tiling;
    const int64_t extent = extent_of(grid);
    struct column c = {.band_hi = grid->bands, .seen_hi = grid->bands, .outer_hi = extent};
    if (cut.columns <= 1) return c;
    c.band_lo = first_band(program, grid, cut, index, bt);
    c.band_hi = first_band(program, grid, cut, index + 1, bt);
    const int64_t hi = column_hi(grid, &c) + halo(bt, t->slope_hi, t->shift_hi);
    if ((c.inner_hi = c.band_hi < grid->bands && hi < extent)) c.outer_hi = hi;
    c.seen_hi = oocc_min(grid->bands, (oocc_min(extent, c.outer_hi + t->more_hi) - 1) / grid->band_rows + 1);
    if ((c.leans = cut.leans && c.band_lo > 0)) {
        c.outer_lo = oocc_min(extent, column_lo(grid, &c) + line_lead(program, bt));
        c.seen_lo = oocc_max(0, column_lo(grid, &c) - t->reach) / grid->band_rows;
        c.read_lo = oocc_max(c.seen_lo, state_from(program, c.outer_lo) / grid->band_rows);
        return c;
    }
    const int64_t lo = column_lo(grid, &c) - halo(bt, t->slope_lo, t->shift_lo);
    if ((c.inner_lo = c.band_lo > 0 && lo > 0)) c.outer_lo = lo;
    c.seen_lo = c.read_lo = oocc_max(0, c.outer_lo - t->more_lo) / grid->band_rows;
    return c;
}

double column_rows(const struct oocc_program *program, const struct column *c, int64_t bt) {
    const struct oocc_tiling *t = &program->tiling;
    const double gone = (double)oocc_max(0, bt - 1) / 2;
    const double hi = (double)c->outer_hi - (c->inner_hi ? gone * (double)t->slope_hi + (double)t->shift_hi / 2 : 0);
    const double lo = (double)c->outer_lo + (c->inner_lo ? gone * (double)t->slope_lo + (double)t->shift_lo / 2 : 0) -
                      (c->leans ? gone * (double)t->slope_hi + (double)t->shift_hi / 2 : 0);
    return hi - lo;
}

static int64_t band_bytes(const struct oocc_grid *grid, int field, int64_t band_lo, int64_t band_hi) {
    const struct block_range blocks = grid_blocks(grid, field, band_lo, band_hi);
    return blocks.to - blocks.from;
}

int64_t columns_stride(const struct oocc_program *program, const struct oocc_grid *grid, int field, struct cut cut,
                       int64_t bt) {
    if (cut.columns <= 1) return grid->layout[field].stride_bytes;
    int64_t most = 0;
    for (int64_t i = 0; i < cut.columns; i++) {
        const struct column column = column_of(program, grid, cut, i, bt);
        most = oocc_max(most, band_bytes(grid, field, column.seen_lo, column.seen_hi));
    }
    return grid_stride_bytes(grid, most);
}

int64_t columns_read_bytes(const struct oocc_program *program, const struct oocc_grid *grid, struct cut cut, int64_t bt) {
    int64_t bytes = 0;
    for (int64_t i = 0; i < cut.columns; i++) {
        const struct column column = column_of(program, grid, cut, i, bt);
        for (int f = 0; f < program->fields; f++)
            if (!program->field[f].unread)
                bytes += program->field[f].levels *
                         band_bytes(grid, f, program->field[f].coef ? column.seen_lo : column.read_lo, column.seen_hi);
    }
    return bytes;
}

double columns_redundancy(const struct oocc_program *program, const struct oocc_grid *grid, struct cut cut, int64_t bt) {
    if (cut.columns <= 1 || cut.leans) return 1;
    double rows = 0;
    for (int64_t i = 0; i < cut.columns; i++) {
        const struct column c = column_of(program, grid, cut, i, bt);
        rows += column_rows(program, &c, bt);
    }
    return rows / (double)extent_of(grid);
}

int64_t columns_halo(const struct oocc_program *program, struct cut cut, int64_t bt) {
    const struct oocc_tiling *t = &program->tiling;
    if (cut.leans) return line_lead(program, bt) + t->more_hi + t->reach;
    return halo(bt, t->slope_lo, t->shift_lo) + t->more_lo + halo(bt, t->slope_hi, t->shift_hi) + t->more_hi;
}

int64_t columns_narrowest(const struct oocc_program *program, const struct oocc_grid *grid, struct cut cut, int64_t bt) {
    const int64_t extent = extent_of(grid), each = shared_cuts(program, grid, cut, bt) / oocc_max(1, cut.columns);
    if (cut.columns <= 1) return extent;
    const int64_t last = extent - first_band(program, grid, cut, cut.columns - 1, bt) * grid->band_rows;
    return oocc_min(last - (cut.leans ? line_lead(program, bt) : 0), each * grid->cut_bands * grid->band_rows);
}

int64_t columns_least(const struct oocc_program *program, bool leans) {
    int64_t given = 0;
    for (int f = 0; f < program->fields && leans; f++)
        given = oocc_max(given, program->field[f].lean_rows + program->tiling.shift_hi);
    return chain_least(program, 1) + given;
}

bool columns_allow(const struct oocc_program *program, const struct oocc_grid *grid, struct cut cut, int64_t bt) {
    return cut.columns <= 1 || !cut.leans || columns_narrowest(program, grid, cut, bt) >= columns_least(program, true);
}

int64_t columns_most(const struct oocc_program *program, const struct oocc_grid *grid, bool leans) {
    char reason[192];
    const int64_t least = columns_least(program, leans);
    if (columns_refusal(program, grid, leans, reason) || (leans && !program->tiling.leans)) return 1;
    struct cut cut = {oocc_min(cuts(grid), extent_of(grid) / oocc_max(1, least)), leans};
    while (cut.columns > 1 && columns_narrowest(program, grid, cut, 1) < least)
        cut.columns--;
    return oocc_max(1, cut.columns);
}

static const char *watched(const struct oocc_program *program, bool leans, char *buffer, size_t size) {
    for (int i = 0; i < program->watches; i++) {
        const struct oocc_watch *watch = &program->watch[i];
        if (watch->feeds)
            snprintf(buffer, size, "the reduction '%.80s' is used by the step, which would need it of all columns", watch->name);
        else if (!leans)
            snprintf(buffer, size, "the reduction '%.80s' looks at every cell once, and columns with halos compute some twice", watch->name);
        else
            continue;
        return buffer;
    }
    return NULL;
}

const char *columns_refusal(const struct oocc_program *program, const struct oocc_grid *grid, bool leans, char *buffer) {
    enum { SIZE = 192 };
    if (grid->ndim < 3)
        snprintf(buffer, SIZE, "columns are cut out of planes, and the planes of a %d-D grid are %s", grid->ndim,
                 grid->ndim == 2 ? "rows" : "blocks");
    else if (program->tiling.ring)
        snprintf(buffer, SIZE, "%.40s is periodic: its first and its last row are neighbours", program->dim[1]);
    else
        return watched(program, leans, buffer, SIZE);
    return buffer;
}
