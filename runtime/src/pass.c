/* The loop over passes: how many steps, which slabs, and the commit after each. */
#include "pipeline.h"

#include "interrupt.h"
#include "store.h"
#include "wedge.h"
#include "window.h"

#include <inttypes.h>

static int64_t wave_planes(const struct oocc_run *run, int64_t bt) {
    const struct oocc_program *program = run->program;
    return wedge_planes(program, &run->grid, bt) + (bt - 1) * program->step_delay + program->delay_max -
           program->delay_min;
}

int64_t pass_slab_planes(const struct oocc_run *run, int64_t bt) {
    return oocc_min(run->plan.bz, wave_planes(run, bt));
}

/* A grid that is resident but stored could make all steps in one pass. --commit-every ends a pass about when
 * it is time: by the plan's prediction first, by what was measured later. */
static int64_t pass_steps(const struct oocc_run *run) {
    const struct plan *plan = &run->plan;
    const int64_t steps = oocc_min(plan->bt, run->steps - run->level);
    if (plan->schedule != SCHEDULE_RESIDENT || plan->in_place || run->options.commit_every <= 0) return steps;
    const double step_seconds = run->stats.steps_done > 0
                                    ? run->stats.pass_seconds / (double)run->stats.steps_done
                                    : plan->compute_seconds / (double)plan->steps;
    const double fit = step_seconds > 0 ? run->options.commit_every / step_seconds : 1;
    return fit < (double)steps ? oocc_max(1, (int64_t)fit) : steps;
}

/* In place, a shorter pass uses the inner part of what is unrolled for the plan's passes. */
static struct oocc_pass make_pass(struct oocc_run *run, int64_t bt, int64_t bz) {
    const int64_t before = wedge_of(run->program, bt).head;
    const int64_t head = run->plan.in_place ? wedge_of(run->program, run->plan.bt).head : before;
    struct oocc_pass pass = {.grid = &run->grid,
                             .window = run->rings->field,
                             .t0 = run->level,
                             .bt = bt,
                             .first_step = 1,
                             .ct = oocc_min(run->plan.ct, bt),
                             .bz = bz,
                             .tiles = run->plan.tiles,
                             .pieces = run->plan.pieces,
                             .head = head,
                             .first_step = 1,
                             .wave_lo = head - before + run->program->step_delay + run->program->delay_min,
                             .edge_rows = run->rings->edge_rows,
                             .edge_row_bytes = run->rings->edge_row_bytes,
                             .edge_origin_bytes = run->rings->edge_origin_bytes,
                             .run = run};
    pass.wave_hi = pass.wave_lo + wave_planes(run, bt);
    pass.slabs = (pass.wave_hi - pass.wave_lo + bz - 1) / bz;
    return pass;
}

/* In place, the level that was made last becomes level 0 of the next pass. */
static void turn_rings(struct oocc_run *run, int64_t bt) {
    for (int f = 0; f < run->program->fields; f++) {
        struct oocc_window *w = &run->rings->field[f];
        if (run->program->field[f].levels == 0) continue; /* rings of a temp differ in length */
        w->phase = (w->phase + bt) % w->slots;
        while (w->phase < run->program->field[f].levels - 1)
            w->phase += w->slots;
    }
    run->level += bt;
}

void run_count_bytes(struct oocc_run *run) {
    if (run->store)
        engine_take_counts(run->store->engine, &run->stats.read_bytes, &run->stats.write_bytes,
                           &run->stats.requests);
}

static int one_pass(struct oocc_run *run) {
    const int64_t bt = pass_steps(run), bz = pass_slab_planes(run, bt);
    const double began = machine_seconds();
    int status = window_lay_out(run, bt);
    if (status) return status;
    struct oocc_pass pass = make_pass(run, bt, bz);
    pipeline_begin(run);
    if (run->plan.in_place) wedge_refresh(run, bt);
    status = run->program->pass(&pass);
    if (status)
        pipeline_abandon(run);
    else if (run->plan.in_place)
        turn_rings(run, bt);
    else
        status = store_commit(run, 1 - run->store->generation, run->level + bt);
    run_count_bytes(run);
    if (status) return status;
    run->stats.pass_seconds += machine_seconds() - began;
    run->stats.steps_done += bt;
    run->stats.passes_done++;
    return 0;
}

int run_passes(struct oocc_run *run) {
    int status = 0;
    run->stats.started = machine_seconds();
    while (!status && run->level < run->steps)
        status = interrupt_seen() ? OOCC_STOPPED : one_pass(run);
    return status;
}
