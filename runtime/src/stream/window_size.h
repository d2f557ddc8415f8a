/* window_size.h: how much memory a window takes. */
#ifndef OOCC_WINDOW_SIZE_H
#define OOCC_WINDOW_SIZE_H

#include "oocc/oocc.h"
#include "plan/run_plan.h"

/* What a window holds: planes that stream by; in place, all planes; or whole blocks (schedule overlap). */
enum window_kind { WINDOW_STREAM, WINDOW_IN_PLACE, WINDOW_BLOCKS };
enum window_kind plan_window(const struct plan *plan);

/* Planes of one slot of one field, for a pass of bt levels: the formula of docs/schedule.md. */
int64_t window_ring_planes(const struct oocc_program *program, const struct oocc_grid *grid, int field, int slot,
                           int64_t bt, int64_t bz, int64_t read_ahead, int64_t write_behind, enum window_kind kind);
/* Bytes of all rings, and of the buffers for strips (strips.h), checked; -1 on overflow. */
int64_t window_bytes(const struct oocc_program *program, const struct oocc_grid *grid, int64_t bt, int64_t bz,
                     struct cut cut, int64_t read_ahead, int64_t write_behind, enum window_kind kind);

/* After so many steps every field's levels are in the same slots again. Windows grow with the steps of a pass only among
 * passes whose lengths differ by whole periods: a slot that is both read into and written from takes no more than one that
 * is either, so which levels share a slot matters. */
int64_t window_period(const struct oocc_program *program);

/* The bytes of all rings for the largest of all passes that it may take to do `steps` by at most bt at a time; import and export go
 * through the window, too, a whole plane at least. */
int64_t window_most_bytes(const struct oocc_program *program, const struct oocc_grid *grid, int64_t steps, int64_t bt,
                          int64_t bz, struct cut cut, int64_t read_ahead, int64_t write_behind, enum window_kind kind);

#endif
