/*
 * budget.c: what a plan needs of memory, what it stores and what it moves; and what is said when that is more than there is.
 */
#include "plan/planner.h"

#include "engines/engine.h"
#include "observe/observe.h"
#include "plan/columns.h"
#include "plan/strip.h"
#include "stream/overlap.h"
#include "stream/wedge.h"

#include <string.h>

enum {
    THREAD_BYTES = 256 << 10,
    IO_THREAD_BYTES = 16 << 10,
    BUFFER_BYTES = 2 << 20,
    HUGE_PAGE_BYTES = 2 << 20,
    EDGE_ROW_MORE_BYTES = 192
};
enum { DEFAULT_SHARE_PERCENT = 80 };

bool planner_swaps(const struct plan *plan) {
    return strcmp(plan->engine, "swap") == 0;
}

void planner_choose_budget(struct planner *p) {
    const struct machine *machine = p->machine;
    if (p->options->memory_bytes == 0) {
        p->plan->budget_bytes = machine->memory_available_bytes / 100 * DEFAULT_SHARE_PERCENT;
        return;
    }
    p->plan->budget_bytes = p->options->memory_bytes;
    if (p->options->memory_bytes > machine->memory_available_bytes && p->before.budget_bytes == 0) {
        char budget[32], available[32];
        run_note("--memory %s is more than the %s available (%s)",
                 format_bytes(budget, p->options->memory_bytes),
                 format_bytes(available, machine->memory_available_bytes), machine->memory_bound);
    }
}

/* Everything in memory besides the window, rather too much than too little: the budget is a promise. Points and
 * signals are resident already; the buffers of records and watches are added when the pass is known. */
static int64_t fixed_bytes(const struct planner *p, int64_t budget_bytes) {
    const struct oocc_program *program = p->program;
    const struct plan *plan = p->plan;
    int64_t row = 0, levels = 0;
    for (int f = 0; f < program->fields; f++) {
        const struct oocc_layout *layout = &p->grid->layout[f];
        row = oocc_max(row, layout->row_elements * layout->element_bytes + EDGE_ROW_MORE_BYTES);
        levels += program->field[f].levels;
    }
    const int64_t before = p->machine->resident_bytes;
    int64_t bytes = (before > 0 ? before : machine_resident_bytes()) + BUFFER_BYTES;
    bytes += plan->threads * (THREAD_BYTES + program->edge_rows * row);
    bytes += p->grid->planes * program->fields * 8; /* the result's hashes */
    if (!plan->in_place) {
        /* Three tables of checksums (two generations, coefficients), and the manifest's text while it is
         * written. */
        bytes += BUFFER_BYTES + p->grid->planes * p->grid->bands * levels * (3 * 8 + 17);
        if (strcmp(plan->engine, "memory") == 0) bytes += plan->store_bytes;
        /* Pages of the files that are mapped while they are copied: the kernel maps up to a table of them at a time. */
        if (strcmp(plan->engine, "mmap") == 0)
            bytes += (1 + oocc_max(plan->io_depth, 2)) * (int64_t)HUGE_PAGE_BYTES;
        /* Lists of requests, which grow by doubling: all of the window may be under way, but no more than is stored,
         * in requests of a few small planes at the least. */
        const int64_t least = oocc_min(plan->io_request_bytes, IO_REQUEST_PIECES * (int64_t)4096);
        bytes += oocc_max(0, oocc_min(budget_bytes, plan->store_bytes)) / least * 2 *
                 (int64_t)sizeof(struct io_request);
        if (strcmp(plan->engine, "threads") == 0)
            bytes += (plan->io_depth > 0 ? plan->io_depth : IO_DEPTH_ADAPTIVE) * (int64_t)IO_THREAD_BYTES;
    }
    return bytes;
}

static bool is_exported(const struct oocc_program *program, int field) {
    const struct oocc_field *f = &program->field[field];
    bool wanted = !f->coef && f->levels > 0;
    for (int i = 0; i < program->outputs; i++)
        wanted |= program->output[i].field == field && program->output[i].every == NULL;
    return wanted;
}

/* Of a run that nobody waits for, more than 63 bits can say: the most they can. */
static int64_t times(int64_t passes, int64_t bytes) {
    int64_t product;
    return __builtin_mul_overflow(passes, bytes, &product) ? INT64_MAX : product;
}

static int64_t level_bytes(const struct planner *p, int field) {
    return p->grid->planes * p->grid->layout[field].plane_bytes;
}

/* What the store holds and what is moved; known once engine and schedule are. The export reads the state
 * once, for the result's hash, and coefficients that are asked for. */
static void count_stored(struct planner *p) {
    struct plan *plan = p->plan;
    if (plan->in_place) return;
    const int64_t state = grid_state_bytes(p->program, p->grid), coef = grid_coef_bytes(p->program, p->grid);
    plan->store_bytes = 2 * state + coef;
    plan->import_write_bytes = state + coef;
    for (int f = 0; f < p->program->fields; f++) {
        const struct oocc_field *field = &p->program->field[f];
        for (int i = 0; i < field->sources; i++)
            plan->import_read_bytes += field->levels * level_bytes(p, field->source[i]);
        if (is_exported(p->program, f)) plan->export_read_bytes += level_bytes(p, f);
    }
    for (int i = 0; i < p->program->outputs; i++) {
        const struct oocc_output *output = &p->program->output[i];
        const int64_t bytes = level_bytes(p, output->field);
        int64_t *total = &plan->export_read_bytes;
        if (output->every != NULL &&
            __builtin_add_overflow(*total, times(plan->steps / *output->every, bytes), total))
            *total = INT64_MAX;
    }
}

void planner_count_bytes(struct planner *p) {
    count_stored(p);
    p->plan->fixed_bytes = fixed_bytes(p, p->plan->budget_bytes);
}

/* Bytes that a pass of bt steps reads: its planes, of each what its columns see. */
static int64_t pass_read_bytes(const void *planner, int64_t bt) {
    const struct planner *p = planner;
    const int64_t planes = p->plan->schedule == SCHEDULE_OVERLAP
                               ? overlap_read_planes(p->program, p->grid, bt, p->plan->bz)
                               : wedge_planes(p->program, p->grid, bt);
    return times(planes, columns_read_bytes(p->program, p->grid, p->plan->cut, bt));
}

/* Bytes of strips that columns of a pass of bt steps leave, and the next ones read. */
static int64_t pass_strip_bytes(const void *planner, int64_t bt) {
    const struct planner *p = planner;
    const struct plan *plan = p->plan;
    if (strip_buffers(plan->cut) == 0) return 0;
    const int64_t slabs = strip_slabs(p->program, p->grid, bt, plan->bz), bz = strip_slab_planes(p->program, p->grid, bt, plan->bz);
    return times(times(plan->cut.columns - 1, slabs), strip_bytes(p->program, p->grid, plan->cut, bt, bz));
}

/* Where a reduction feeds updates, one more pass only looks at the state that the first step starts with. */
void planner_count_moved(struct planner *p) {
    struct plan *plan = p->plan;
    if (plan->in_place) return;
    plan->strip_bytes = times(strip_slabs(p->program, p->grid, plan->bt, plan->bz), strip_bytes(p->program, p->grid, plan->cut, plan->bt, plan->bz));
    if (plan->passes == 0) return;
    plan->read_bytes = cut_sum(p->program, plan->in_place, plan->steps, plan->bt, pass_read_bytes, p);
    if (planner_feeding(p->program) != NULL &&
        __builtin_add_overflow(plan->read_bytes, pass_read_bytes(p, 0), &plan->read_bytes))
        plan->read_bytes = INT64_MAX;
    plan->write_bytes = times(plan->passes, grid_state_bytes(p->program, p->grid));
    const int64_t strips = cut_sum(p->program, plan->in_place, plan->steps, plan->bt, pass_strip_bytes, p);
    if (__builtin_add_overflow(plan->read_bytes, strips, &plan->read_bytes)) plan->read_bytes = INT64_MAX;
    if (__builtin_add_overflow(plan->write_bytes, strips, &plan->write_bytes)) plan->write_bytes = INT64_MAX;
}

/* What the kernel may swap out is not in the budget, but has to be somewhere. */
int planner_check_swap(const struct planner *p) {
    struct plan *plan = p->plan;
    char swapped[32], locked[32], room[32];
    if (!planner_swaps(plan)) return OOCC_OK;
    plan->swapped_bytes = plan->in_place ? plan->window_bytes : plan->store_bytes;
    const int64_t others = plan->fixed_bytes + (plan->in_place ? 0 : plan->window_bytes);
    if (others <= p->machine->swappable_bytes && plan->swapped_bytes <= p->machine->swappable_bytes - others)
        return OOCC_OK;
    return run_fail(OOCC_NO_MEMORY, "add swap space, or use --engine auto, which keeps the state on disk",
                    "engine swap needs %s for the state, and %s besides; memory and swap hold %s",
                    format_bytes(swapped, plan->swapped_bytes), format_bytes(locked, others),
                    format_bytes(room, p->machine->swappable_bytes));
}

/* What a process has in memory before it plans differs by so much from start to start. */
static const int64_t resident_differs = 512 << 10;

/* The size to give to --memory, in whole MiB. */
static int64_t memory_mib(int64_t bytes) {
    return (bytes + oocc_min(resident_differs, INT64_MAX - bytes) - 1) / (1 << 20) + 1;
}

/* The smallest budget that has room for a window, with all that is besides, of which a part grows with the budget. */
static int64_t budget_for(const struct planner *p, int64_t window) {
    int64_t budget = p->plan->budget_bytes, needs = window + p->plan->fixed_bytes;
    while (needs > budget) {
        budget = needs;
        if (__builtin_add_overflow(window, fixed_bytes(p, budget), &needs)) needs = INT64_MAX;
    }
    return budget;
}

int planner_refuse(const struct planner *p, const char *what, int64_t window, const char *otherwise) {
    char window_text[32], fixed_text[32], budget_text[32], help[192];
    const struct plan *plan = p->plan;
    if (window > INT64_MAX - plan->fixed_bytes)
        return run_fail(OOCC_NO_MEMORY, otherwise, "%s needs more memory than 63 bits can say", what);
    snprintf(help, sizeof help, "--memory %lldM works%s%s", (long long)memory_mib(budget_for(p, window)),
             otherwise != NULL ? "; or " : "", otherwise != NULL ? otherwise : "");
    if (planner_swaps(plan) && plan->in_place)
        return run_fail(OOCC_NO_MEMORY, otherwise, "%s needs %s, and %s besides; memory and swap hold %s",
                        what, format_bytes(window_text, window), format_bytes(fixed_text, plan->fixed_bytes),
                        format_bytes(budget_text, p->machine->swappable_bytes));
    return run_fail(OOCC_NO_MEMORY, help, "%s needs a window of %s, and %s besides; the budget is %s%s", what,
                    format_bytes(window_text, window), format_bytes(fixed_text, plan->fixed_bytes),
                    format_bytes(budget_text, plan->budget_bytes),
                    p->options->memory_bytes == 0 ? " (80% of the memory available)" : "");
}
