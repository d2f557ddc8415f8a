/* window.c: the memory of the rings (window_size.c says how long they are), and where in it planes and levels lie. */
#include "stream/window.h"

#include "observe/observe.h"
#include "plan/columns.h"
#include "plan/strip.h"
#include "stream/overlap.h"
#include "stream/pipeline.h"
#include "stream/wedge.h"
#include "tuning/trial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE_BYTES = 2 << 20, PAGE_BYTES = 4096, LINE_BYTES = 64 };

/* Rings begin so far apart in the 4096 bytes of cache sets that a plane of one and the planes beside it of another, which
 * a stage reads and writes at once, do not meet there; see STAGGER_BYTES in grid.c. */
enum { RING_APART_BYTES = 3584 };

/* Scratch rows have room for a full row with the widest ghost cells around it; threads do not share cache
 * lines. */
static int open_edge_rows(struct oocc_run *run) {
    struct window *w = run->rings;
    int64_t before = 0, after = 0;
    for (int f = 0; f < run->program->fields; f++) {
        const struct oocc_layout *l = &run->grid.layout[f];
        before = oocc_max(before, grid_origin_bytes(l));
        after = oocc_max(after, (l->row_elements - l->origin_elements) * l->element_bytes);
    }
    before = (before + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    after = (after + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    w->edge_origin_bytes = before;
    w->edge_row_bytes = before + after;
    if (w->edge_row_bytes % PAGE_BYTES == 0) w->edge_row_bytes += LINE_BYTES;
    const int64_t rows = (int64_t)run->program->edge_rows * run->plan.threads;
    if (rows == 0) return 0;
    w->edge_rows = aligned_alloc(LINE_BYTES, (size_t)(rows * w->edge_row_bytes));
    if (!w->edge_rows) return run_fail(OOCC_NO_MEMORY, NULL, "no memory for the rows beyond the grid");
    memset(w->edge_rows, 0, (size_t)(rows * w->edge_row_bytes));
    return 0;
}

/* The slab that rings are made for: in place they are the same for every pass. */
static void ring_shape(const struct oocc_run *run, int64_t *bt, int64_t *bz) {
    if (run->plan.in_place) *bt = oocc_max(run->plan.bt, 1);
    *bz = pass_slab_planes(run, *bt);
}

void window_close(struct oocc_run *run) {
    struct window *w = run->rings;
    if (!w) return;
    if (w->pinned_by) engine_unpin(w->pinned_by);
    if (w->mapping && !w->trial) munmap(w->mapping, (size_t)w->mapping_bytes);
    free(w->edge_rows);
    free(w->skip_bytes);
    free(w->field);
    free(w->home);
    free(w);
    run->rings = NULL;
}

/* Written over and not given back to the kernel: to make pages anew takes ten times as long, and engines hold on to these. */
void window_clear(const struct window *window) {
    const int64_t pages = (window->bytes - 1) / PAGE_BYTES + 1, many = 256;
#pragma omp parallel for schedule(static) if (pages > many)
    for (int64_t page = 0; page < pages; page++)
        memset(window->memory + page * PAGE_BYTES, 0, (size_t)oocc_min(PAGE_BYTES, window->bytes - page * PAGE_BYTES));
}

/* Every thread is the first to touch its share of every plane, so that the rows lie in memory near the thread whose tiles
 * are there, as far as tiles are handed out in order; and so that no page is made in the middle of a pass. The rings
 * are zero before and after. */
static void touch_first(const struct oocc_run *run) {
    const int threads = run->plan.threads;
    for (int f = 0; f < run->program->fields; f++) {
        const struct oocc_window *w = &run->rings->field[f];
        const int64_t part = (w->stride_bytes - 1) / threads + 1;
        for (int slot = 0; slot < w->slots; slot++) {
            const struct home *home = &run->rings->home[f][slot];
            char *base = home->ring.base;
            const int64_t planes = home->ring.planes * home->copies;
#pragma omp parallel for schedule(static, 1) num_threads(threads)
            for (int t = 0; t < threads; t++)
                for (int64_t plane = 0; plane < planes; plane++)
                    for (int64_t at = t * part; at < oocc_min((t + 1) * part, w->stride_bytes);
                         at += PAGE_BYTES)
                        base[plane * w->stride_bytes + at] = 0;
        }
    }
}

int window_lay_out(struct oocc_run *run, int64_t bt) {
    const struct plan *plan = &run->plan;
    struct window *w = run->rings;
    bool moved = false, first = false;
    int64_t used = 0, rings = 0, bz;
    ring_shape(run, &bt, &bz);
    for (int f = 0; f < run->program->fields; f++) {
        const int64_t stride = columns_stride(run->program, &run->grid, f, plan->cut, bt);
        moved |= w->field[f].stride_bytes != stride;
        w->field[f].stride_bytes = stride;
        for (int slot = 0; slot < w->field[f].slots; slot++) {
            used += (rings++ * RING_APART_BYTES + PAGE_BYTES - used % PAGE_BYTES) % PAGE_BYTES;
            const int64_t planes =
                window_ring_planes(run->program, &run->grid, f, slot, bt, bz, plan->read_ahead,
                                   plan->write_behind, plan_window(plan));
            const int64_t copies = plan_window(plan) == WINDOW_BLOCKS
                                       ? window_block_copies(run->program, &run->grid, f, slot, bt, bz)
                                       : 1;
            const struct home home = {.ring = {.base = w->memory + used, .planes = planes / copies},
                                      .copies = copies};
            struct home *old = &w->home[f][slot];
            first |= !old->ring.base;
            moved |= old->ring.base && (old->ring.base != home.ring.base ||
                                        old->ring.planes != home.ring.planes || old->copies != copies);
            *old = home;
            used += planes * w->field[f].stride_bytes;
        }
    }
    window_use_block(w, 0);
    used = (used + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    for (int i = 0; i < strip_buffers(plan->cut); i++) {
        w->strip[i] = w->memory + used;
        used += strip_bytes(run->program, &run->grid, plan->cut, bt, bz);
    }
    if (used > w->bytes)
        return run_fail(OOCC_INTERNAL, NULL, "a pass of %lld steps needs a larger window than was allocated",
                        (long long)bt);
    if (first && !w->used_before) {
        touch_first(run);
        for (int i = 0; i < strip_buffers(plan->cut); i++)
            memset(w->strip[i], 0, (size_t)strip_bytes(run->program, &run->grid, plan->cut, bt, bz));
    }
    else if (first || moved)
        window_clear(w);
    return 0;
}

static void *map(const struct oocc_run *run, struct window *w) {
    struct trial_memory *memory = run->trial ? run->trial->memory : NULL;
    if (memory) {
        w->trial = true;
        w->used_before = memory->bytes >= w->mapping_bytes;
        return trial_memory_take(memory, w->mapping_bytes);
    }
    void *mapping =
        mmap(NULL, (size_t)w->mapping_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mapping == MAP_FAILED ? NULL : mapping;
}

int64_t window_planned_bytes(const struct oocc_run *run) {
    const struct plan *plan = &run->plan;
    int64_t bt = oocc_max(plan->bt, 1), bz;
    ring_shape(run, &bt, &bz);
    return window_most_bytes(run->program, &run->grid, run->steps - run->level, bt, bz, plan->cut, plan->read_ahead,
                             plan->write_behind, plan_window(plan));
}

/* Memory for all passes, zero but not touched yet. */
static int allocate(struct oocc_run *run) {
    struct window *w = calloc(1, sizeof *w);
    if (!w) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    run->rings = w;
    w->fields = run->program->fields;
    w->field = calloc((size_t)w->fields, sizeof *w->field);
    w->home = calloc((size_t)w->fields, sizeof *w->home);
    w->skip_bytes = calloc((size_t)w->fields, sizeof *w->skip_bytes);
    if (!w->field || !w->home || !w->skip_bytes) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    for (int f = 0; f < run->program->fields; f++) {
        const struct oocc_field *field = &run->program->field[f];
        const struct oocc_layout *layout = &run->grid.layout[f];
        w->field[f].slots = field->slots;
        w->field[f].stride_bytes = layout->stride_bytes;
        w->field[f].origin_bytes = grid_origin_bytes(layout);
        while (w->field[f].phase < field->levels - 1)
            w->field[f].phase += field->slots;
    }
    w->bytes = window_planned_bytes(run);
    char text[32];
    if (w->bytes < 0 || __builtin_add_overflow(w->bytes, HUGE_PAGE_BYTES, &w->mapping_bytes))
        return run_fail(OOCC_NO_MEMORY, NULL, "the window does not fit 63 bits");
    void *mapping = map(run, w);
    if (!mapping)
        return run_fail(OOCC_NO_MEMORY, "use a smaller --memory", "cannot allocate a window of %s: %s",
                        format_bytes(text, w->bytes), strerror(errno));
    w->mapping = mapping;
    w->memory = w->mapping + (HUGE_PAGE_BYTES - (uintptr_t)mapping % HUGE_PAGE_BYTES) % HUGE_PAGE_BYTES;
    madvise(w->memory, (size_t)w->bytes, MADV_HUGEPAGE);
    return open_edge_rows(run);
}

/* The engine may keep the pages where they are for its transfers. */
static void pin(struct oocc_run *run) {
    struct window *w = run->rings;
    if (!run->store) return;
    w->pinned_by = run->store->engine;
    engine_pin(w->pinned_by, w->memory, w->bytes);
}

/* Pages are made before anything is timed or under way: by the threads, which takes a part of the time that the kernel would need when
 * the engine asks for them. */
int window_open(struct oocc_run *run) {
    int status = allocate(run);
    if (!status) status = window_lay_out(run, oocc_max(run->plan.bt, 1));
    if (!status) pin(run);
    return status;
}

static struct oocc_ring slot_ring(const struct window *window, int field, int64_t slot, int64_t block) {
    const struct home *home = &window->home[field][slot];
    struct oocc_ring ring = home->ring;
    ring.base += block % home->copies * ring.planes * window->field[field].stride_bytes;
    return ring;
}

void window_use_block(struct window *window, int64_t block) {
    for (int f = 0; f < window->fields; f++)
        for (int slot = 0; slot < window->field[f].slots; slot++)
            window->field[f].ring[slot] = slot_ring(window, f, slot, block);
}

struct oocc_ring window_block_ring(const struct window *window, int field, int64_t s, int64_t block) {
    const struct oocc_window *w = &window->field[field];
    return slot_ring(window, field, (s + w->phase) % w->slots, block);
}

/* In the last column, what lies between a plane's last row and the end of its record; other columns have cells there. */
static void clear_ends(const struct oocc_run *run, int field) {
    const struct oocc_layout *layout = &run->grid.layout[field];
    const struct oocc_window *w = &run->rings->field[field];
    const int64_t from = run->grid.rows * layout->row_elements * layout->element_bytes - run->rings->skip_bytes[field];
    const int64_t bytes = layout->plane_bytes - run->rings->skip_bytes[field] - from;
    for (int64_t slot = 0; slot < w->slots && bytes > 0; slot++) {
        const struct home *home = &run->rings->home[field][slot];
        for (int64_t z = 0; z < home->ring.planes * home->copies; z++)
            memset(home->ring.base + z * w->stride_bytes + from, 0, (size_t)bytes);
    }
}

void window_use(struct oocc_run *run, const struct column *column) {
    struct window *w = run->rings;
    w->first_row = column->seen_lo * run->grid.band_rows;
    for (int f = 0; f < run->program->fields; f++) {
        const struct oocc_layout *layout = &run->grid.layout[f];
        w->skip_bytes[f] = grid_blocks(&run->grid, f, column->seen_lo, column->seen_hi).from;
        w->field[f].origin_bytes = grid_origin_bytes(layout) - w->skip_bytes[f];
        if (column->seen_lo > 0 && column->seen_hi == run->grid.bands) clear_ends(run, f);
    }
}

const struct oocc_ring *window_ring(const struct window *window, int field, int64_t s) {
    const struct oocc_window *w = &window->field[field];
    return &w->ring[(s + w->phase) % w->slots];
}

struct place window_place(const struct oocc_run *run, int field, int64_t level) {
    const struct oocc_ring *ring = window_ring(run->rings, field, level);
    return (struct place){.base = ring->base,
                          .planes = ring->planes,
                          .first = wedge_of(run->program, oocc_max(run->plan.bt, 1)).head,
                          .stride_bytes = run->rings->field[field].stride_bytes};
}
