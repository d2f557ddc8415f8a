/*
 * How many planes must a ring have?
 *
 * While slab i is computed, wave positions [lo, hi), levels 0, -1, ... of field f have been read below plane hi
 * - s*R - delay[f], as if steps 0, -1, ... had made them; step s has begun to make planes below hi - s*R - made[f].
 * Reading for the next `read_ahead` slabs goes on at the same time, so
 *
 *     end = hi + read_ahead*bz - s*R - delay       s: the oldest level that is read into this slot
 *     end = hi                 - s*R - made        s: the first level that is made in this slot, when none is
 *                                                  read (a temp: always)
 *
 * The lowest plane that is still wanted is the last one that step bt reads, or the first one that is still
 * being written for the `write_behind` slabs before (only slots that hold a level that is stored):
 *
 *     low = lo                   - bt*R - keep
 *     low = lo - write_behind*bz - bt*R - delay
 *
 * What is read for later slabs may take the place of what is still being written, since each part of it begins only when
 * the parts that are written from there are complete (pipeline.c); the slab itself, and what it still reads, may not
 * share a place with either. So plane z lives at z mod W, and those that must not meet never do when W is the larger of
 *
 *     end                            - (lo - bt*R - keep)
 *     end without read_ahead*bz      - low                        of a slot that is written from
 *
 * or when W = planes (where the streamed dimension is periodic: all unrolled planes of the pass, and v in place of z).
 * All that is read ahead lies below lo - bt*R - keep in the round before: slab i - 1 has handed all of that over to be
 * written when the reads of slab i + 1 are asked for.
 *
 * Schedule overlap keeps whole blocks, as many planes as the longest has with its halos, and one copy of them for
 * each thing that happens to the slot at a time:
 *
 *     W = planes of a block * (1 computed in + 1 if a level is read into it + 1 if a stored level is made in it)
 *
 * so that block i + 1 is read and block i - 1 is written while block i is computed; plane z of a block lies at z mod
 * its planes in copy i mod copies. A program whose two slots take turns keeps two whole blocks.
 *
 * In place the levels that are carried from pass to pass stay in their rings, which hold every plane; a temp's ring is
 * as long as in a pass that streams. Rings stay as they are for a last, shorter pass: both lengths grow with bt and bz.
 */
#include "stream/window.h"

#include "observe/observe.h"
#include "plan/strip.h"
#include "stream/overlap.h"
#include "stream/wedge.h"

/* Beyond any grid: sums of a few of these do not overflow, and the result is cut to the grid's planes anyway.
 */
static const int64_t FAR_PLANES = INT64_MAX / 16;

static int64_t far_product(int64_t a, int64_t b) {
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? FAR_PLANES : oocc_min(product, FAR_PLANES);
}

static int64_t slot_of(int64_t s, int64_t slots) {
    return ((s % slots) + slots) % slots;
}

enum window_kind plan_window(const struct plan *plan) {
    return plan->in_place                       ? WINDOW_IN_PLACE
           : plan->schedule == SCHEDULE_OVERLAP ? WINDOW_BLOCKS
                                                : WINDOW_STREAM;
}

int64_t window_block_copies(const struct oocc_program *program, const struct oocc_grid *grid, int field, int slot, int64_t bt, int64_t bz) {
    const struct oocc_field *f = &program->field[field];
    bool read = false, written = false;
    for (int64_t level = 0; level < f->levels; level++) {
        read |= slot_of(-level, f->slots) == slot;
        written |= !f->coef && slot_of(bt - level, f->slots) == slot;
    }
    return overlap_copies(grid, bz, read, written);
}

int64_t window_ring_planes(const struct oocc_program *program, const struct oocc_grid *grid, int field,
                           int slot, int64_t bt, int64_t bz, int64_t read_ahead, int64_t write_behind,
                           enum window_kind kind) {
    const struct oocc_field *f = &program->field[field];
    const int64_t lag = program->step_delay, planes = wedge_planes(program, grid, bt);
    const int64_t made = slot > 0 ? slot : f->slots; /* the first level that is made in this slot */
    if (kind == WINDOW_IN_PLACE && f->levels > 0) return planes;
    if (f->unread) return 1;
    if (kind == WINDOW_BLOCKS)
        return far_product(overlap_most_planes(program, grid, bt, bz),
                           window_block_copies(program, grid, field, slot, bt, bz));

    int64_t read = 1; /* the oldest level that is read into this slot; 1: none */
    bool written = false;
    for (int64_t level = 0; level < f->levels; level++) {
        if (slot_of(-level, f->slots) == slot) read = -level;
        written |= !f->coef && slot_of(bt - level, f->slots) == slot;
    }
    const int64_t steps = far_product(bt, lag);
    int64_t end = oocc_min(bz, FAR_PLANES); /* of the slab itself */
    if (read <= 0)
        end += far_product(-read, lag) - f->delay_planes;
    else if (made <= bt)
        end -= far_product(made, lag) + f->made_planes;
    else
        return 1;
    int64_t ring = end + (read <= 0 ? far_product(read_ahead, bz) : 0) + steps + f->keep_planes;
    if (written) ring = oocc_max(ring, end + far_product(write_behind, bz) + steps + f->delay_planes);
    return oocc_max(1, oocc_min(ring, planes));
}

int64_t window_bytes(const struct oocc_program *program, const struct oocc_grid *grid, int64_t bt, int64_t bz,
                     struct cut cut, int64_t read_ahead, int64_t write_behind, enum window_kind kind) {
    int64_t total = 0;
    for (int f = 0; f < program->fields; f++) {
        const int64_t stride = columns_stride(program, grid, f, cut, bt);
        if (stride < 0) return -1;
        for (int slot = 0; slot < program->field[f].slots; slot++) {
            int64_t bytes;
            const int64_t planes =
                window_ring_planes(program, grid, f, slot, bt, bz, read_ahead, write_behind, kind);
            if (__builtin_mul_overflow(planes, stride, &bytes) ||
                __builtin_add_overflow(bytes, WINDOW_RING_MORE_BYTES, &bytes) ||
                __builtin_add_overflow(total, bytes, &total))
                return -1;
        }
    }
    if (strip_buffers(cut) == 0) return total;
    int64_t bytes = strip_bytes(program, grid, cut, bt, bz);
    if (bytes < 0 || __builtin_mul_overflow(bytes, strip_buffers(cut), &bytes) ||
        __builtin_add_overflow(bytes, WINDOW_RING_MORE_BYTES + strip_table_bytes(program, grid, cut, bt, bz), &bytes) ||
        __builtin_add_overflow(total, bytes, &total))
        return -1;
    return total;
}

int64_t window_period(const struct oocc_program *program) {
    int64_t common = 1;
    for (int f = 0; f < program->fields; f++) {
        int64_t a = common, b = oocc_max(program->field[f].slots, 1);
        while (b != 0) {
            const int64_t rest = a % b;
            a = b;
            b = rest;
        }
        common = common / a * oocc_max(program->field[f].slots, 1);
    }
    return common;
}

/* A shorter pass begins and ends in other slots, so its window is not always the smaller one; among passes whose
 * lengths differ by whole periods it is. */
int64_t window_most_bytes(const struct oocc_program *program, const struct oocc_grid *grid, int64_t steps,
                          int64_t bt, int64_t bz, struct cut cut, int64_t read_ahead, int64_t write_behind,
                          enum window_kind kind) {
    int64_t most = window_bytes(program, grid, bt, bz, cut, read_ahead, write_behind, kind);
    if (kind == WINDOW_IN_PLACE || most < 0) return most;
    for (int f = 0; f < program->fields && cut.columns > 1; f++)
        if (program->field[f].levels > 0) most = oocc_max(most, grid_made_bytes(program, grid, f));
    const bool any = cut_anywhere(program, false);
    const int64_t lengths[] = {steps % bt, program->stop_on_nan}; /* where nan is, is found step by step */
    for (int64_t i = 0; i < (any ? window_period(program) : 2) && most >= 0; i++) {
        const int64_t length = any ? bt - i : lengths[i];
        if (length < 1 || length >= bt) continue;
        const int64_t bytes = window_bytes(program, grid, length, bz, cut, read_ahead, write_behind, kind);
        most = bytes < 0 ? bytes : oocc_max(most, bytes);
    }
    return most;
}
