/*
 * Planes that are stored come through the window's memory, which is idle between passes; in place they are there. An
 * application counts along the slowest dimension, also in 1-D, where a plane as stored is a block of cells: of a block that
 * is only partly written, the rest must be read first.
 */
#include "storage/planes.h"

#include "storage/parts.h"
#include "stream/window.h"

#include <inttypes.h>
#include <string.h>

static const int64_t CHUNK_BYTES = (int64_t)32 << 20;

static int64_t row_bytes(const struct oocc_run *run, int field) {
    const struct oocc_layout *l = &run->grid.layout[field];
    return l->row_elements * l->element_bytes;
}

static char *cells_of(const struct oocc_run *run, int field, int64_t z, struct place place) {
    const struct oocc_layout *l = &run->grid.layout[field];
    return place_plane(place, z) + grid_origin_bytes(l);
}

/* -- initial values -------------------------------------------------------------------------------- */

/* Dense rows are made at the front of the plane's record, which has room for them, and moved apart from the last one on. */
int given_plane(const struct oocc_run *run, int field, int level, int64_t z, void *cells) {
    const struct given *given = &run->given[field];
    const struct oocc_grid *grid = &run->grid;
    const int64_t dense = oocc_cells(grid, z) * grid->layout[field].element_bytes, apart = row_bytes(run, field);
    const bool blocks = grid->ndim == 1;
    if (given->fill(given->data, level, blocks ? z * grid->cells : z, blocks ? oocc_cells(grid, z) : 1, cells))
        return run_fail(OOCC_STOPPED, NULL, "the application has no initial values of field %s, plane %" PRId64,
                        run->program->field[field].name, z);
    for (int64_t row = grid->rows - 1; row > 0; row--)
        memmove((char *)cells + row * apart, (const char *)cells + row * dense, (size_t)dense);
    for (int64_t row = 0; row < grid->rows - 1; row++)
        memset((char *)cells + row * apart + dense, 0, (size_t)(apart - dense));
    return 0;
}

/* -- between passes -------------------------------------------------------------------------------- */

int planes_check(const struct oocc_run *run, struct planes p) {
    const struct oocc_field *field = &run->program->field[p.field];
    const int64_t extent = run->grid.extent[0];
    if (p.ago < 0 || p.ago >= field->levels)
        return run_fail(OOCC_USAGE, NULL, "field %s keeps %d %s: there is none %" PRId64 " steps ago", field->name,
                        field->levels, field->levels == 1 ? "level" : "levels", p.ago);
    if (p.first < 0 || p.count < 0 || p.first > extent || p.count > extent - p.first)
        return run_fail(OOCC_USAGE, NULL, "planes %" PRId64 " to %" PRId64 " of field %s: the grid has %" PRId64, p.first,
                        p.first + (p.count > 0 ? p.count - 1 : 0), field->name, extent);
    return 0;
}

/* Those of the grid as stored that hold some of them. */
static struct part stored(const struct oocc_run *run, struct planes p) {
    const struct oocc_grid *grid = &run->grid;
    const int64_t each = grid->ndim == 1 ? grid->cells : 1;
    return (struct part){p.first / each, p.count ? (p.first + p.count - 1) / each + 1 : p.first / each, 0, grid->bands};
}

/* Copies what of plane z is wanted. */
static void copy_plane(const struct oocc_run *run, struct planes p, int64_t z, struct place place, char *to,
                       const char *from) {
    const struct oocc_grid *grid = &run->grid;
    const int64_t element = grid->layout[p.field].element_bytes, apart = row_bytes(run, p.field);
    const int64_t begin = grid->ndim == 1 ? z * grid->cells : 0;
    const int64_t lo = grid->ndim == 1 ? oocc_max(p.first - begin, 0) : 0;
    const int64_t hi = grid->ndim == 1 ? oocc_min(p.first + p.count - begin, oocc_cells(grid, z)) : grid->cells;
    const int64_t at = (grid->ndim == 1 ? begin + lo - p.first : (z - p.first) * grid->rows * grid->cells) * element;
    const size_t bytes = (size_t)((hi - lo) * element);
    char *cells = cells_of(run, p.field, z, place) + lo * element;
    for (int64_t row = 0; row < grid->rows; row++)
        if (to)
            memcpy(to + at + row * (int64_t)bytes, cells + row * apart, bytes);
        else
            memcpy(cells + row * apart, from + at + row * (int64_t)bytes, bytes);
}

/* One of the two is NULL. */
static void copy_planes(const struct oocc_run *run, struct planes p, struct part part, struct place place, char *to,
                        const char *from) {
    const struct oocc_field *field = &run->program->field[p.field];
#pragma omp parallel for schedule(static)
    for (int64_t z = part.lo; z < part.hi; z++) {
        copy_plane(run, p, z, place, to, from);
        if (from && field->ghosts)
            field->ghosts(cells_of(run, p.field, z, place), z, field->coef ? 0 : run->level - p.ago);
    }
}

static void clear_planes(const struct oocc_run *run, int field, struct part part, struct place place) {
    for (int64_t z = part.lo; z < part.hi; z++)
        memset(place_plane(place, z), 0, (size_t)run->grid.layout[field].plane_bytes);
}

static int move_chunk(struct oocc_run *run, struct planes p, struct part part, struct place place, char *to,
                      const char *from) {
    const struct region *region = store_region(run, p.field, p.ago);
    int status = 0;
    if (to || run->grid.ndim == 1)
        status = store_fetch(run, region, part, place);
    else
        clear_planes(run, p.field, part, place);
    if (status) return status;
    copy_planes(run, p, part, place, to, from);
    if (to) return 0;
    return store_put(run, region, part, place);
}

static int move_planes(struct oocc_run *run, struct planes p, char *to, const char *from) {
    const struct part all = stored(run, p);
    if (run->plan.in_place) {
        copy_planes(run, p, all, window_place(run, p.field, run->program->field[p.field].coef ? 0 : -p.ago), to, from);
        return 0;
    }
    const int64_t stride = run->grid.layout[p.field].stride_bytes;
    const int64_t planes = oocc_max(1, oocc_min(CHUNK_BYTES, run->rings->bytes) / stride);
    const struct place place = {.base = run->rings->memory, .planes = planes, .stride_bytes = stride};
    int status = 0;
    for (int64_t lo = all.lo; lo < all.hi && !status; lo += planes)
        status = move_chunk(run, p, (struct part){lo, oocc_min(lo + planes, all.hi), 0, all.band_hi}, place, to, from);
    window_clear(run->rings); /* what lies between rows is zero in every record */
    return status;
}

int planes_read(struct oocc_run *run, struct planes planes, void *cells) {
    return move_planes(run, planes, cells, NULL);
}

int planes_write(struct oocc_run *run, struct planes planes, const void *cells) {
    return move_planes(run, planes, NULL, cells);
}
