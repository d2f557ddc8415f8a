/* grid.h: where cells, rows, planes and bands lie. */
#ifndef OOCC_GRID_H
#define OOCC_GRID_H

#include "oocc/oocc.h"

#include <stdbool.h>
#include <stdint.h>

/* Rows are padded to whole cache lines and away from multiples of 4096 bytes (neighbouring rows would share cache sets);
 * planes to whole 4096 bytes for direct I/O. With `dense`, what keeps rows and planes out of each other's cache sets is left
 * out, and the rest stays. Checks every product; the layouts are allocated. */
int grid_layout(const struct oocc_program *program, const int64_t extent[], bool dense, struct oocc_grid *grid);
/* Bytes of all levels of the state, and of the coefficients, as stored. */
int64_t grid_state_bytes(const struct oocc_program *program, const struct oocc_grid *grid);
int64_t grid_coef_bytes(const struct oocc_program *program, const struct oocc_grid *grid);
int64_t grid_streamed_coef_bytes(const struct oocc_program *program, const struct oocc_grid *grid); /* those that a pass reads */
int64_t grid_points(const struct oocc_grid *grid); /* cells */
/* Where the first cell of a plane is, in the plane. */
static inline int64_t grid_origin_bytes(const struct oocc_layout *layout) {
    return layout->origin_elements * layout->element_bytes;
}
/* From plane to plane in memory, of a field and of all that its values are made of (oocc_field.source). */
int64_t grid_made_bytes(const struct oocc_program *program, const struct oocc_grid *grid, int field);
/* How far planes of so many bytes (3-D, 4-D) lie apart in memory; -1 when it is not a size. */
int64_t grid_stride_bytes(const struct oocc_grid *grid, int64_t plane_bytes);
/* Where band `band` of a field's plane begins in the plane's record; band grid->bands: the record's end, padding included. */
int64_t grid_band_offset(const struct oocc_grid *grid, int field, int64_t band);
/* The whole blocks of 4096 bytes of a record that hold bands [band_lo, band_hi). */
struct block_range {
    int64_t from, to; /* bytes */
};
struct block_range grid_blocks(const struct oocc_grid *grid, int field, int64_t band_lo, int64_t band_hi);

#endif
