/* window.h: the memory that the grid streams through, as rings of planes, one ring per slot of every field.
 */
#ifndef OOCC_WINDOW_H
#define OOCC_WINDOW_H

#include "plan/columns.h"
#include "storage/store.h"

/* Where a slot lies: one ring, or under schedule overlap copies of it, one after the other. */
struct home {
    struct oocc_ring ring;
    int64_t copies;
};

struct window {
    char *mapping; /* what mmap() gave */
    bool trial, used_before; /* it is the memory of a trial; and has been that of one before: it is not zero */
    int64_t mapping_bytes;
    char *memory; /* aligned to huge pages */
    int64_t bytes;
    int fields;
    struct oocc_window *field;
    struct home (*home)[OOCC_MAX_SLOTS]; /* per field */
    int64_t *skip_bytes; /* per field: of a plane's record, before what the window holds of it */
    int64_t first_row; /* that the planes hold: of the column */
    char *strip[2]; /* buffers for what columns that lean are given and leave (strips.h), as many as there are */
    char *edge_rows;
    int64_t edge_row_bytes, edge_origin_bytes;
    struct engine *pinned_by; /* the engine that may have pinned its pages, or NULL */
};

/* For where rings begin in the sets of the cache, so many bytes are kept for each, and for the strips. */
enum { WINDOW_RING_MORE_BYTES = 4096 };

/* How often a slot is there under schedule overlap (window_size.c). */
int64_t window_block_copies(const struct oocc_program *program, const struct oocc_grid *grid, int field, int slot, int64_t bt, int64_t bz);

/* Bytes of the window that is allocated for the passes that are left, short ones too; negative: more than 63 bits. */
int64_t window_planned_bytes(const struct oocc_run *run);

/* Allocates for the largest pass of the plan, and lays the rings out for it; every byte is zero. The store's engine, if there is one, may pin
 * the pages for its transfers. */
int window_open(struct oocc_run *run);
void window_close(struct oocc_run *run);

/* Makes every byte zero. Nothing may be in flight. */
void window_clear(const struct window *window);

/* Places the rings for a pass of bt levels; in place they are the same for every pass. When they lie otherwise
 * than before, the window is cleared, so that bytes between the cells are zero in every record. */
int window_lay_out(struct oocc_run *run, int64_t bt);

/* Planes in the rings are from now on those parts that the column reads. */
void window_use(struct oocc_run *run, const struct column *column);

/* The ring that holds level s, counted from the pass's start. */
const struct oocc_ring *window_ring(const struct window *window, int field, int64_t s);

/* Schedule overlap: the pass is at this block. Otherwise there is one copy, and blocks are all the same. */
void window_use_block(struct window *window, int64_t block);
/* The ring that holds level s of a block, whether or not it is the one that the pass is at. */
struct oocc_ring window_block_ring(const struct window *window, int field, int64_t s, int64_t block);

/* In place, between passes: where the grid's planes of a level lie (0: the present one, -1: the one before). */
struct place window_place(const struct oocc_run *run, int field, int64_t level);

#endif
