/* finite.c: finds the first cell of the state that is nan or infinite. */
#include "observe/observe.h"

#include "stream/subnormal.h"
#include "stream/window.h"
#include "support/vector.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool all_finite(enum oocc_type type, const char *cells, int64_t count) {
    return type == OOCC_F32 ? vector_loops()->finite_f32((const float *)(const void *)cells, count)
                            : vector_loops()->finite_f64((const double *)(const void *)cells, count);
}

static double value_at(enum oocc_type type, const char *cell) {
    if (type == OOCC_F32) {
        float value;
        memcpy(&value, cell, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, cell, sizeof value);
    return value;
}

static const char *row_of(const struct oocc_grid *grid, int field, int64_t z, int64_t row,
                          struct place place) {
    const struct oocc_layout *l = &grid->layout[field];
    return place_plane(place, z) + (l->origin_elements + row * l->row_elements) * l->element_bytes;
}

/* Rows of a plane. */
struct rows {
    int64_t lo, hi;
};

/* Of one of so many rows the subnormal numbers are counted, too. */
enum { ROWS_COUNTED = 16 };

static bool plane_is_finite(struct oocc_run *run, int field, int64_t z, struct rows rows, struct place place) {
    const enum oocc_type type = run->program->field[field].type;
    for (int64_t row = rows.lo; row < rows.hi; row++) {
        const char *cells = row_of(&run->grid, field, z, row, place);
        if (!all_finite(type, cells, oocc_cells(&run->grid, z))) return false;
        if ((row + z) % ROWS_COUNTED == 0) subnormal_count(run, type, cells, oocc_cells(&run->grid, z));
    }
    return true;
}

static struct bad_cell find(const struct oocc_run *run, int field, int64_t z, struct rows rows, struct place place) {
    const enum oocc_type type = run->program->field[field].type;
    const int64_t element = run->grid.layout[field].element_bytes;
    for (int64_t row = rows.lo; row < rows.hi; row++) {
        const char *cells = row_of(&run->grid, field, z, row, place);
        for (int64_t x = 0; x < oocc_cells(&run->grid, z); x++)
            if (!all_finite(type, cells + x * element, 1))
                return (struct bad_cell){true, field, z, row, x, value_at(type, cells + x * element)};
    }
    return (struct bad_cell){0};
}

static struct rows rows_of(const struct oocc_grid *grid, struct part part) {
    const int64_t each = grid->ndim > 2 ? grid->rows / grid->extent[1] : 1;
    return (struct rows){part.band_lo * grid->band_rows * each,
                         part.band_hi == grid->bands ? grid->rows : part.band_hi * grid->band_rows * each};
}

bool finite_wanted(const struct oocc_run *run, int field) {
    const struct oocc_field *f = &run->program->field[field];
    const struct bad_cell *bad = &run->observer->bad;
    return run->program->stop_on_nan && !f->coef && f->levels > 0 && (f->type == OOCC_F32 || f->type == OOCC_F64) &&
           !(bad->found && bad->field < field);
}

bool finite_plane(struct oocc_run *run, int field, int64_t z, struct part part, struct place place) {
    return plane_is_finite(run, field, z, rows_of(&run->grid, part), place);
}

/* Of a field's planes the first counts; columns come in the order of rows. */
void finite_found(struct oocc_run *run, int field, int64_t z, struct part part, struct place place) {
    struct bad_cell *bad = &run->observer->bad;
    if (!bad->found || bad->field > field || z < bad->plane)
        *bad = find(run, field, z, rows_of(&run->grid, part), place);
}

void finite_look(struct oocc_run *run, int field, struct part part, struct place place) {
    if (!finite_wanted(run, field)) return;
    int64_t first = part.hi;
#pragma omp parallel for schedule(static) reduction(min : first)
    for (int64_t z = part.lo; z < part.hi; z++)
        if (z < first && !finite_plane(run, field, z, part, place)) first = z;
    if (first < part.hi) finite_found(run, field, first, part, place);
}

void finite_look_in_place(struct oocc_run *run, int64_t steps) {
    for (int f = 0; f < run->program->fields; f++) {
        if (run->program->field[f].levels == 0) continue;
        const struct part whole = {0, run->grid.planes, 0, run->grid.bands};
        finite_look(run, f, whole, window_place(run, f, steps));
    }
}

int finite_fail(const struct oocc_run *run, int64_t t) {
    const struct bad_cell *bad = &run->observer->bad;
    const struct oocc_grid *grid = &run->grid;
    int64_t index[OOCC_MAX_DIMS] = {bad->plane};
    char cell[256];
    int64_t row = bad->row;
    index[grid->ndim - 1] = grid->ndim == 1 ? bad->plane * grid->cells + bad->cell : bad->cell;
    for (int d = grid->ndim - 2; d > 0; d--) {
        index[d] = row % grid->extent[d];
        row /= grid->extent[d];
    }
    size_t length = 0;
    for (int d = 0; d < grid->ndim && length < sizeof cell; d++)
        length += (size_t)snprintf(cell + length, sizeof cell - length, "%s%s %" PRId64, d > 0 ? ", " : "",
                                   run->program->dim[d], index[d]);
    return run_fail(OOCC_BAD_INPUT,
                    t > 0 ? "is the time step too large? 'stop on none;' in the program lets it run on"
                          : "mend the initial values; 'stop on none;' in the program lets it run on",
                    "field %s is %s at t=%" PRId64 ", cell (%s)", run->program->field[bad->field].name,
                    isnan(bad->value) ? "nan"
                    : bad->value < 0  ? "-inf"
                                      : "inf",
                    t, cell);
}
