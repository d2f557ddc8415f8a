#include "plan/strip.h"

#include "stream/wedge.h"

enum { BLOCK_BYTES = 4096 };

/* Adds a * b * c * d to *sum; false when that is not a size. */
static bool add_product(int64_t *sum, int64_t a, int64_t b, int64_t c, int64_t d) {
    int64_t product;
    return !__builtin_mul_overflow(a, b, &product) && !__builtin_mul_overflow(product, c, &product) &&
           !__builtin_mul_overflow(product, d, &product) && !__builtin_add_overflow(*sum, product, sum);
}

static struct strip shape_of(const struct oocc_program *program, const struct oocc_grid *grid, int field, int64_t bz) {
    const struct oocc_field *f = &program->field[field];
    const struct oocc_layout *layout = &grid->layout[field];
    const int64_t row_bytes = layout->row_elements * layout->element_bytes * (grid->rows / grid->extent[1]);
    const int64_t rows = f->coef ? 0 : f->lean_rows;
    return (struct strip){.planes = bz + f->delay_planes - f->made_planes, .rows = rows, .row_bytes = row_bytes, .plane_bytes = rows * row_bytes};
}

struct strip strip_of(const struct oocc_program *program, const struct oocc_grid *grid, int field, int64_t bt, int64_t bz) {
    int64_t offset = 0;
    for (int f = 0; f < field; f++) {
        const struct strip strip = shape_of(program, grid, f, bz);
        offset += bt * strip.planes * strip.plane_bytes;
    }
    struct strip strip = shape_of(program, grid, field, bz);
    strip.offset = offset;
    return strip;
}

int64_t strip_bytes(const struct oocc_program *program, const struct oocc_grid *grid, struct cut cut, int64_t bt, int64_t bz) {
    int64_t bytes = 0;
    if (cut.columns <= 1 || !cut.leans) return 0;
    for (int f = 0; f < program->fields; f++) {
        const struct strip strip = shape_of(program, grid, f, bz);
        if (!add_product(&bytes, bt, strip.planes, strip.rows, strip.row_bytes)) return -1;
    }
    return __builtin_add_overflow(bytes, BLOCK_BYTES - 1, &bytes) ? -1 : bytes / BLOCK_BYTES * BLOCK_BYTES;
}

static int64_t wave_planes(const struct oocc_program *program, const struct oocc_grid *grid, int64_t bt) {
    return wedge_planes(program, grid, bt) + (bt - 1) * program->step_delay + program->delay_max - program->delay_min;
}

int64_t strip_slab_planes(const struct oocc_program *program, const struct oocc_grid *grid, int64_t bt, int64_t bz) {
    return oocc_min(bz, wave_planes(program, grid, bt));
}

int64_t strip_slabs(const struct oocc_program *program, const struct oocc_grid *grid, int64_t bt, int64_t bz) {
    return (wave_planes(program, grid, bt) - 1) / strip_slab_planes(program, grid, bt, bz) + 1;
}

int64_t strip_table_bytes(const struct oocc_program *program, const struct oocc_grid *grid, struct cut cut, int64_t bt, int64_t bz) {
    return strip_buffers(cut) == 0 ? 0 : strip_slabs(program, grid, bt, bz) * bt * program->fields * (int64_t)sizeof(uint64_t);
}

int strip_buffers(struct cut cut) {
    return cut.columns <= 1 || !cut.leans ? 0 : cut.columns == 2 ? 1 : 2;
}

int64_t strip_row(const struct oocc_program *program, int field, int64_t outer, int64_t s) {
    const struct oocc_field *f = &program->field[field];
    return outer - (s - 1) * program->tiling.slope_hi - f->lean_shift - f->lean_rows;
}
