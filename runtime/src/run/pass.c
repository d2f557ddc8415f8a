/*
 * The loop over passes: how many steps, which slabs, what was observed, and the commits between them. A pass whose result
 * is not wanted, since a stop condition held before its end or a cell became nan, is dropped and done again in
 * fewer steps from the state it started with. In place that state is gone: the run is done again from the start.
 */
#include "stream/pipeline.h"

#include "observe/observe.h"
#include "plan/cost.h"
#include "plan/tiles.h"
#include "run/interrupt.h"
#include "storage/store.h"
#include "storage/transfer.h"
#include "stream/flow.h"
#include "stream/overlap.h"
#include "stream/strips.h"
#include "stream/subnormal.h"
#include "stream/wedge.h"
#include "stream/window.h"
#include "support/point.h"
#include "tuning/adapt.h"

#include <inttypes.h>

/* A pass of no steps only looks at the state that the first step starts with. */
static int64_t first_step(int64_t bt) {
    return bt > 0 ? 1 : 0;
}

static int64_t wave_planes(const struct oocc_run *run, int64_t bt) {
    const struct oocc_program *program = run->program;
    return wedge_planes(program, &run->grid, bt) + (bt - first_step(bt)) * program->step_delay +
           program->delay_max - program->delay_min;
}

int64_t pass_slab_planes(const struct oocc_run *run, int64_t bt) {
    const bool blocks = run->plan.schedule == SCHEDULE_OVERLAP;
    return oocc_min(run->plan.bz, blocks ? run->grid.planes : wave_planes(run, bt));
}

/* A grid that is resident but stored could make all steps in one pass. --commit-every ends a pass about when
 * it is time: by the plan's prediction first, by what was measured later. */
static int64_t pass_steps(const struct oocc_run *run) {
    const struct plan *plan = &run->plan;
    const struct observer *o = run->observer;
    int64_t steps = oocc_min(plan->bt, run->steps - run->level);
    steps = oocc_min(steps, cut_steps(run->program, plan->in_place, run->level));
    steps = adapt_steps(run, steps);
    if (run->level < o->replay_to) return oocc_min(steps, o->replay_to - run->level);
    if (run->level < o->single_to) return 1;
    if (plan->schedule != SCHEDULE_RESIDENT || plan->in_place || run->options.commit_every <= 0) return steps;
    const double step_seconds = run->stats.steps_done > 0
                                    ? run->stats.pass_seconds / (double)run->stats.steps_done
                                    : plan->compute_seconds / (double)plan->steps;
    const double fit = step_seconds > 0 ? run->options.commit_every / step_seconds : 1;
    return fit < (double)steps ? oocc_max(1, (int64_t)fit) : steps;
}

/* In place, a shorter pass uses the inner part of what is unrolled for the plan's passes. */
struct oocc_pass pass_make(struct oocc_run *run, int64_t bt, int64_t bz) {
    const int64_t first = first_step(bt);
    const struct wedge wedge = wedge_of(run->program, bt);
    const int64_t head = run->plan.in_place ? wedge_of(run->program, run->plan.bt).head : wedge.head;
    struct oocc_pass pass = {.grid = &run->grid,
                             .window = run->rings->field,
                             .t0 = run->level,
                             .bt = bt,
                             .ct = oocc_max(1, oocc_min(run->plan.ct, bt)),
                             .bz = bz,
                             .tiles = run->plan.tiles,
                             .pieces = run->plan.pieces,
                             .head = head,
                             .lo = head,
                             .hi = head + run->grid.planes,
                             .first = head - wedge.head,
                             .end = head + run->grid.planes + wedge.tail,
                             .first_step = first,
                             .wave_lo = head - wedge.head + first * run->program->step_delay +
                                        run->program->delay_min,
                             .edge_rows = run->rings->edge_rows,
                             .edge_row_bytes = run->rings->edge_row_bytes,
                             .edge_origin_bytes = run->rings->edge_origin_bytes,
                             .fetch_ahead = run->plan.fetch,
                             .run = run};
    const int64_t rows = columns_narrowest(run->program, &run->grid, run->plan.cut, oocc_max(bt, 1));
    pass.chains = chains_of(run->program, rows, pass.ct, pass.tiles, run->plan.threads, run->options.chains);
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
    if (!run->store) return;
    engine_take_counts(run->store->engine, &run->stats.read_bytes, &run->stats.write_bytes, &run->stats.requests);
}

struct column pass_use_column(struct oocc_run *run, struct oocc_pass *pass, int64_t index) {
    const struct oocc_grid *grid = &run->grid;
    const struct column column = column_of(run->program, grid, run->plan.cut, index, pass->bt);
    pass->outer_lo = column.outer_lo;
    pass->outer_hi = column.outer_hi;
    pass->inner_lo = column.inner_lo;
    pass->inner_hi = column.inner_hi;
    pass->leans = column.leans;
    window_use(run, &column);
    return column;
}

/* All that a pass does for one column. */
static int compute_column(struct oocc_run *run, struct oocc_pass *pass, int64_t index) {
    const struct column column = pass_use_column(run, pass, index);
    const bool adapts = adapt_takes(run, pass);
    pass->flow = NULL;
    if (!adapts && !(pass->flow = flow_open(run, pass))) return OOCC_NO_MEMORY;
    pipeline_begin(run, &column, index);
    const bool blocks = run->plan.schedule == SCHEDULE_OVERLAP;
    int status = strips_begin(run, pass);
    if (!status) status = blocks ? overlap_pass(run, pass) : run->program->pass(pass);
    if (!adapts) flow_close(pass->flow);
    if (status) pipeline_abandon(run);
    return status;
}

/* In place a look at all cells costs as much memory traffic as a step, and passes are short. So they are looked at every
 * few seconds only and for a small part of the time, and where somebody sees them; a nan that was missed is found by going through
 * the passes again. */
static const double look_every_seconds = 5, look_share = 0.01;

static bool looks_at(const struct oocc_run *run, int64_t level) {
    const struct observer *o = run->observer;
    return run->program->watches > 0 || run->program->records > 0 || level >= run->steps || level <= oocc_max(o->replay_to, o->single_to) ||
           cut_steps(run->program, true, run->level) <= level - run->level ||
           machine_seconds() - o->looked_seconds >= oocc_max_f64(look_every_seconds, o->look_seconds / look_share);
}

static void look_in_place(struct oocc_run *run, int64_t bt) {
    struct observer *o = run->observer;
    if (!run->plan.in_place) return;
    const double began = machine_seconds();
    finite_look_in_place(run, bt);
    if (!o->bad.found) o->good_level = run->level + bt;
    o->looked_seconds = machine_seconds();
    o->look_seconds = o->looked_seconds - began;
}

/* One pass from the present level on; nothing of it counts until advance(). */
static int compute(struct oocc_run *run, int64_t bt, struct oocc_pass *pass) {
    const int64_t bz = adapt_planes(run, pass_slab_planes(run, bt));
    int status = window_lay_out(run, oocc_max(bt, 1));
    if (status) return status;
    *pass = pass_make(run, bt, bz);
    run->observer->bad.found = false;
    watch_begin(run, pass);
    record_begin(run, pass);
    if (run->plan.in_place) wedge_refresh(run, bt);
    for (int64_t column = 0; column < run->plan.cut.columns && !status; column++)
        status = compute_column(run, pass, column);
    if (!status && bt > 0 && looks_at(run, run->level + bt)) look_in_place(run, bt);
    if (!status) subnormal_tell(run);
    run_count_bytes(run);
    return status;
}

/* What updates use must be known before the first step. */
static int feed(struct oocc_run *run) {
    struct oocc_pass pass;
    if (!watch_feeds(run->program) || run->level >= run->steps) return 0;
    const int status = compute(run, 0, &pass);
    if (!status) watch_end(run, &pass);
    return status;
}

static int start_over(struct oocc_run *run) {
    window_clear(run->rings);
    run->observer->bad.found = false;
    run->level = run->stats.steps_done = run->observer->good_level = 0;
    watch_reset(run);
    const int status = import_fields(run);
    return status ? status : feed(run);
}

/* A cell is nan at the end of a pass. */
static int look_closer(struct oocc_run *run, int64_t bt) {
    struct observer *o = run->observer;
    const bool known = !run->plan.in_place || o->good_level == run->level; /* that the pass began with numbers only */
    if (bt == 1 && known) return finite_fail(run, run->level + 1);
    o->single_to = run->level + bt;
    if (!run->plan.in_place) return 0;
    /* What an application has written on the way is gone, too. */
    if (run->program->embedded) return finite_fail(run, run->level + bt);
    o->replay_to = run->level;
    return start_over(run);
}

static void stop_at(struct oocc_run *run, int condition, int64_t level) {
    run->stats.stop_text = run->program->stop_text[condition];
    run->stats.stop_level = run->steps = level;
}

/* The pass counts: what it has seen, then what it has made. */
static int advance(struct oocc_run *run, const struct oocc_pass *pass) {
    const bool told = run->level < run->observer->replay_to; /* all has been said and written */
    int status = told ? 0 : record_write(run, pass);
    if (status) return watch_undo(run), status; /* the level that it began with is what can be kept */
    if (!told) watch_print(run, pass);
    if (run->plan.in_place)
        turn_rings(run, pass->bt);
    else if ((status = store_advance(run, run->store->next, run->level + pass->bt)))
        return status;
    run->stats.steps_done += pass->bt;
    run->stats.passes_done++;
    return 0;
}

/* The pass from the present level on that counts; *again: there is none, but the next ones will be shorter. */
static int find_pass(struct oocc_run *run, struct oocc_pass *pass, bool *again) {
    struct watch_stop stop;
    for (int64_t steps = pass_steps(run);; steps = stop.step) {
        const int status = compute(run, steps, pass);
        *again = run->observer->bad.found && (!status || status == OOCC_BAD_INPUT);
        if (*again) return look_closer(run, steps);
        if (status) return status;
        stop = watch_end(run, pass);
        if (stop.condition < 0 || stop.step == steps) break;
        watch_undo(run);
    }
    if (stop.condition >= 0) stop_at(run, stop.condition, run->level + stop.step);
    return 0;
}

static int one_pass(struct oocc_run *run) {
    const double began = machine_seconds();
    const int64_t t0 = run->level;
    struct oocc_pass pass;
    bool again;
    oocc_point(POINT_PASS_BEGIN);
    int status = find_pass(run, &pass, &again);
    oocc_point(POINT_PASS_WRITTEN);
    if (!status && !again) status = advance(run, &pass);
    run->stats.pass_seconds += machine_seconds() - began;
    if (!run->plan.in_place && run->stats.passes_done == 1 && run->stats.first_pass.steps == 0)
        run->stats.first_pass = stats_passes(&run->stats);
    if (!status && !again && t0 >= run->observer->replay_to) status = export_level(run);
    return status;
}

/* A run that is resumed may be over, and may have ended before the outputs of its level were written. */
static int begin(struct oocc_run *run) {
    if (run->options.resume) {
        const int condition = watch_resumed(run);
        if (condition >= 0) stop_at(run, condition, run->level);
        const int status = export_level(run);
        if (status) return status;
    }
    return feed(run);
}

/* What is to be kept when all is done. */
static int keep(struct oocc_run *run) {
    const double began = machine_seconds();
    const int status = run->options.keep && !run->program->embedded ? store_keep(run) : 0;
    run->stats.pass_seconds += machine_seconds() - began;
    return status;
}

int run_passes(struct oocc_run *run) {
    run->stats.started = machine_seconds();
    int status = begin(run);
    while (!status && run->level < run->steps)
        status = interrupt_seen() ? OOCC_STOPPED : one_pass(run);
    return status ? status : keep(run);
}
