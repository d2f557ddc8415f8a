/*
 * grid.c: how the grid lies in memory and on disk. Three things are bought with a little padding: rows begin
 * on a cache line (vector loads), neighbouring rows and planes do not fall into the same cache sets (strides
 * that are multiples of 4096 do), and records of planes are whole 4096-byte blocks (direct I/O). A plane is cut into
 * bands, which begin at whole blocks in every field, too, so that parts of planes can be read, written and checked.
 */
#include "stream/wedge.h"
#include "support/element.h"

#include <stdlib.h>

enum { LINE_BYTES = 64, BLOCK_BYTES = 4096, ALIAS_BYTES = 65536 };

/* Of 4096 bytes of cache sets, so much lies between a cell and the one a plane further: any few neighbouring planes are
 * well apart. A multiple of 512, which is what direct I/O asks of addresses. Small planes would grow by too much. */
enum { STAGGER_BYTES = 1536, STAGGER_LEAST_BYTES = 65536 };

/* 3-D and 4-D: about so many bands in all, when the grid is large. Smaller ones have a quarter of that, in bands of so many bytes at
 * most: each band takes 41 bytes of tables, which small budgets can ill afford. */
enum { BAND_AIM_COUNT = 1 << 17, BAND_FEW_COUNT = BAND_AIM_COUNT / 4, BAND_FEW_BYTES = 32768 };

/* 1-D: a block stands for a plane; about this large, and enough of them to form a wave. */
enum { BLOCK_AIM_BYTES = 65536, BLOCK_AIM_COUNT = 64, BLOCK_LEAST_CELLS = 512, BLOCK_STEP_CELLS = 64 };

/* a * b + c, then rounded up to a multiple of `multiple`; false when it does not fit 63 bits. */
static bool sized(int64_t a, int64_t b, int64_t c, int64_t multiple, int64_t *result) {
    int64_t r;
    if (__builtin_mul_overflow(a, b, &r) || __builtin_add_overflow(r, c, &r) ||
        __builtin_add_overflow(r, multiple - 1, &r))
        return false;
    *result = r - r % multiple;
    return true;
}

static int too_large(const struct oocc_program *program, const struct oocc_grid *grid, const char *what) {
    char text[128];
    int length = 0;
    for (int d = 0; d < grid->ndim; d++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%lld", d > 0 ? " x " : "",
                           (long long)grid->extent[d]);
    return run_fail(OOCC_BAD_INPUT, "make the grid smaller",
                    "%s: %s of a grid of %s cells does not fit 63 bits", program->source, what, text);
}

/* Blocks that one step of a pass needs: where the grid is periodic, it has at least as many as are unrolled. */
static int64_t least_planes(const struct oocc_program *program) {
    const struct wedge wedge = wedge_of(program, 1);
    return oocc_max(1, oocc_max(wedge.head, wedge.tail));
}

/* The longest block that cuts a short 1-D grid into at least `least` blocks, of which none is shorter than the
 * furthest read; the whole grid when there is none. */
static int64_t short_block_cells(const struct oocc_program *program, int64_t extent, int64_t least) {
    for (int64_t cells = (extent - 1) / (least - 1); cells >= oocc_max(1, program->block_min_cells); cells--)
        if (extent % cells == 0 || extent % cells >= program->block_min_cells) return cells;
    return extent;
}

/* The block length of a long 1-D grid. A last block shorter than the furthest read would make a read cross two
 * borders, so the length grows until the rest is long enough or nothing. */
static int64_t long_block_cells(const struct oocc_program *program, int64_t extent) {
    int64_t element = 1;
    for (int f = 0; f < program->fields; f++)
        element = oocc_max(element, element_of(program->field[f].type)->bytes);
    const int64_t whole = (extent - 1) / BLOCK_STEP_CELLS * BLOCK_STEP_CELLS + BLOCK_STEP_CELLS;
    int64_t cells = oocc_min(BLOCK_AIM_BYTES / element, extent / BLOCK_AIM_COUNT);
    cells = oocc_max(oocc_max(cells, BLOCK_LEAST_CELLS), program->block_min_cells);
    if (cells >= extent) return whole;
    cells = (cells + BLOCK_STEP_CELLS - 1) / BLOCK_STEP_CELLS * BLOCK_STEP_CELLS;
    while (cells < extent && extent % cells != 0 && extent % cells < program->block_min_cells)
        cells += BLOCK_STEP_CELLS;
    return oocc_min(cells, whole);
}

static int64_t block_cells(const struct oocc_program *program, int64_t extent) {
    const int64_t cells = long_block_cells(program, extent), least = least_planes(program);
    return (extent - 1) / cells + 1 < least ? short_block_cells(program, extent, least) : cells;
}

int64_t grid_stride_bytes(const struct oocc_grid *grid, int64_t plane_bytes) {
    int64_t bytes;
    const int64_t more = plane_bytes >= STAGGER_LEAST_BYTES && !grid->dense ? STAGGER_BYTES : 0;
    return __builtin_add_overflow(plane_bytes, more, &bytes) ? -1 : bytes;
}

static bool lay_out_field(const struct oocc_field *field, const struct oocc_grid *grid,
                          struct oocc_layout *layout) {
    const int64_t element = element_of(field->type)->bytes;
    int64_t left, right, row, lead;
    if (__builtin_add_overflow(field->ghost_lo_cells, field->first_cell, &lead) ||
        !sized(lead, element, 0, LINE_BYTES, &left))
        return false;
    left -= field->first_cell *
            element; /* so far before cell 0 does the row begin: the ghost cells, and a little */
    if (!sized(field->ghost_hi_cells, element, left, 1, &right) ||
        !sized(grid->cells, element, right, LINE_BYTES, &row))
        return false;
    if (grid->rows > 1 && row % BLOCK_BYTES == 0 && !grid->dense) row += LINE_BYTES;
    layout->element_bytes = element;
    layout->row_elements = row / element;
    layout->origin_elements = left / element;
    if (!sized(grid->rows, row, 0, BLOCK_BYTES, &layout->plane_bytes)) return false;
    if (grid->ndim >= 3 && layout->plane_bytes % ALIAS_BYTES == 0 && !grid->dense &&
        __builtin_add_overflow(layout->plane_bytes, BLOCK_BYTES, &layout->plane_bytes))
        return false;
    layout->stride_bytes = layout->plane_bytes;
    return grid->ndim < 3 || (layout->stride_bytes = grid_stride_bytes(grid, layout->plane_bytes)) > 0;
}

/* Rows (4-D: of a layer) that have one index of the dimension that bands cut. */
static int64_t rows_each(const struct oocc_grid *grid) {
    return grid->rows / grid->extent[1];
}

static int64_t row_bytes(const struct oocc_layout *layout) {
    return layout->row_elements * layout->element_bytes;
}

/* How many times `rows` rows, a power of two, begin at whole blocks in every field: rows are whole lines. */
static int64_t to_blocks(const struct oocc_program *program, const struct oocc_grid *grid, int64_t rows) {
    int64_t times = 1;
    for (int f = 0; f < program->fields; f++) {
        const int64_t bytes = rows_each(grid) * row_bytes(&grid->layout[f]) % BLOCK_BYTES * (rows % BLOCK_BYTES);
        while (bytes % BLOCK_BYTES * times % BLOCK_BYTES != 0)
            times *= 2;
    }
    return times;
}

/* Bands are small, since a column (columns.h) reads whole ones; but there are few enough of them that checksums
 * stay a small part of memory and manifest. They follow from the grid alone, whatever the budget. */
static void cut_bands(const struct oocc_program *program, struct oocc_grid *grid) {
    grid->bands = grid->cut_bands = 1;
    grid->band_rows = grid->rows;
    if (grid->ndim < 3) return;
    const int64_t extent = grid->extent[1], cut = to_blocks(program, grid, 1);
    int64_t widest = 1, rows = 1;
    for (int f = 0; f < program->fields; f++)
        widest = oocc_max(widest, rows_each(grid) * row_bytes(&grid->layout[f]));
    const int64_t stored = grid_state_bytes(program, grid) + grid_coef_bytes(program, grid);
    const int64_t aim = oocc_max(oocc_max(stored / BAND_AIM_COUNT, oocc_min(stored / BAND_FEW_COUNT, BAND_FEW_BYTES)), BLOCK_BYTES);
    while (rows < cut && rows < extent && rows * widest < aim)
        rows *= 2;
    if (rows == cut) rows = aim / widest / cut >= extent / cut ? extent : oocc_max(1, aim / widest / cut) * cut;
    grid->band_rows = oocc_min(rows, extent);
    grid->bands = (extent - 1) / grid->band_rows + 1;
    if (grid->bands > 1) grid->cut_bands = to_blocks(program, grid, grid->band_rows);
}

int64_t grid_band_offset(const struct oocc_grid *grid, int field, int64_t band) {
    const struct oocc_layout *layout = &grid->layout[field];
    if (band >= grid->bands) return layout->plane_bytes;
    return band == 0 ? 0 : band * grid->band_rows * rows_each(grid) * row_bytes(layout);
}

struct block_range grid_blocks(const struct oocc_grid *grid, int field, int64_t band_lo, int64_t band_hi) {
    const int64_t from = grid_band_offset(grid, field, band_lo), to = grid_band_offset(grid, field, band_hi);
    return (struct block_range){from / BLOCK_BYTES * BLOCK_BYTES, (to + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES};
}

/* Periodic, and not even one step's planes can be unrolled. */
static int too_short(const struct oocc_program *program, const struct oocc_grid *grid) {
    const long long extent = grid->extent[0], least = least_planes(program);
    if (grid->ndim == 1)
        return run_fail(
            OOCC_BAD_INPUT, "make the grid longer",
            "%s: the grid has %lld cells along %s, which is periodic: they cannot be cut into %lld "
            "blocks of equal length, none (nor what remains) shorter than %lld cells",
            program->source, extent, program->dim[0], least,
            (long long)oocc_max(1, program->block_min_cells));
    return run_fail(OOCC_BAD_INPUT, "make the grid longer",
                    "%s: the grid has %lld cells along %s, which is periodic: a step needs at least %lld",
                    program->source, extent, program->dim[0], least);
}

int grid_layout(const struct oocc_program *program, const int64_t extent[], bool dense, struct oocc_grid *grid) {
    *grid = (struct oocc_grid){.ndim = program->ndim, .dense = dense};
    for (int d = 0; d < program->ndim; d++) {
        grid->extent[d] = extent[d];
        if (extent[d] < 1)
            return run_fail(OOCC_BAD_INPUT, "every extent of the grid must be at least 1",
                            "%s: the grid has %lld cells along %s", program->source, (long long)extent[d],
                            program->dim[d]);
        if (extent[d] < program->min_extent[d])
            return run_fail(OOCC_BAD_INPUT, "make the grid larger",
                            "%s: the grid has %lld cells along %s; its edges and offsets need at least %lld",
                            program->source, (long long)extent[d], program->dim[d],
                            (long long)program->min_extent[d]);
    }
    grid->rows = 1;
    for (int d = 1; d < program->ndim - 1; d++)
        if (__builtin_mul_overflow(grid->rows, extent[d], &grid->rows))
            return too_large(program, grid, "the number of points");
    grid->cells = program->ndim == 1 ? block_cells(program, extent[0]) : extent[program->ndim - 1];
    grid->planes = program->ndim == 1 ? (extent[0] - 1) / grid->cells + 1 : extent[0];

    if (wedge_deepest(program, grid) < 1) return too_short(program, grid);

    int64_t points;
    if (!sized(grid->rows, grid->cells, 0, 1, &points) || !sized(points, grid->planes, 0, 1, &points))
        return too_large(program, grid, "the number of points");

    struct oocc_layout *layout = calloc((size_t)program->fields + 1, sizeof *layout);
    if (layout == NULL)
        return run_fail(OOCC_NO_MEMORY, NULL, "no memory for the layout of %d fields", program->fields);
    int64_t stored = 0;
    for (int f = 0; f < program->fields; f++) {
        const struct oocc_field *field = &program->field[f];
        int64_t copies = 0;
        /* Both generations of the state are on the scratch at once: their sum must be a size, too. */
        if (!lay_out_field(field, grid, &layout[f]) ||
            !sized(grid->planes, layout[f].stride_bytes, 0, 1, &copies) ||
            !sized(copies, field->coef ? 1 : 2 * (int64_t)oocc_max(field->levels, field->slots), stored, 1,
                   &stored)) {
            free(layout);
            return too_large(program, grid, "the bytes");
        }
    }
    grid->layout = layout;
    cut_bands(program, grid);
    return OOCC_OK;
}

int64_t grid_state_bytes(const struct oocc_program *program, const struct oocc_grid *grid) {
    int64_t bytes = 0;
    for (int f = 0; f < program->fields; f++)
        if (!program->field[f].coef)
            bytes += program->field[f].levels * grid->planes * grid->layout[f].plane_bytes;
    return bytes;
}

int64_t grid_coef_bytes(const struct oocc_program *program, const struct oocc_grid *grid) {
    int64_t bytes = 0;
    for (int f = 0; f < program->fields; f++)
        if (program->field[f].coef) bytes += grid->planes * grid->layout[f].plane_bytes;
    return bytes;
}

int64_t grid_streamed_coef_bytes(const struct oocc_program *program, const struct oocc_grid *grid) {
    int64_t bytes = grid_coef_bytes(program, grid);
    for (int f = 0; f < program->fields; f++)
        if (program->field[f].unread) bytes -= grid->planes * grid->layout[f].plane_bytes;
    return bytes;
}

int64_t grid_made_bytes(const struct oocc_program *program, const struct oocc_grid *grid, int field) {
    const struct oocc_field *f = &program->field[field];
    int64_t bytes = grid->layout[field].stride_bytes;
    for (int i = 0; i < f->sources; i++)
        bytes += grid->layout[f->source[i]].stride_bytes;
    return bytes;
}

int64_t grid_points(const struct oocc_grid *grid) {
    int64_t points = 1;
    for (int d = 0; d < grid->ndim; d++)
        points *= grid->extent[d];
    return points;
}
