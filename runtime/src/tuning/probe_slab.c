/*
 * probe_slab.c: the slab in which a shape of tiles is timed, so that it comes out as in a pass and takes a moment.
 */
#include "tuning/probe.h"

#include "plan/planner.h"
#include "plan/tiles.h"
#include "stream/wedge.h"

#include <math.h>

/* Of a run's seconds, and at most. */
static const double run_share = 0.1, most_seconds = 12;

double probe_untimed_seconds(const struct oocc_run *run, const struct shape *shape, double updates) {
    struct plan in_place = run->plan;
    struct workload work;
    struct figures figures;
    struct machine machine = run->machine;
    figures = machine.figures != NULL ? *machine.figures : figures_nominal;
    figures.kernel = (struct kernel_figures){.points = 0};
    figures.machine.core = figures_nominal.machine.core;
    machine.figures = &figures;
    in_place.in_place = true;
    work = workload_of(run->program, &run->grid, &machine, &in_place);
    return cost_of_slab(&work, shape, updates).compute_seconds;
}

double probe_time_there(const struct oocc_run *run) {
    const bool asked = run->options.probe == PROBE_NOW || run->options.probe == PROBE_ONCE;
    return asked ? most_seconds : fmin(most_seconds, run_share * run->plan.seconds);
}

double probe_slab_seconds(const struct oocc_run *run, const struct shape *shape) {
    const double planes = (double)oocc_min(shape->bz, run->grid.planes), cells = (double)grid_points(&run->grid) / (double)run->grid.planes;
    return probe_untimed_seconds(run, shape, planes * cells * (double)shape->bt);
}

int64_t probe_deepest(const struct oocc_run *run) {
    if (planner_feeding(run->program) != NULL) return 1;
    return oocc_max(1, oocc_min(run->plan.steps, wedge_deepest(run->program, &run->grid)));
}

/* Positions of a trial's slab, at least: enough for its steps to overlap, and for every thread. */
static int64_t slab_planes(const struct workload *work, int64_t ct) {
    const int64_t wide = oocc_max(oocc_max(8, 2 * ct * work->program->step_delay), work->threads);
    return oocc_min(work->tile_extent > 1 ? wide : oocc_max(wide, 4 * work->threads),
                    cost_wave_planes(work, ct));
}

/* So many planes, that what one group has left in the caches that all threads share is gone when the next one comes. */
static int64_t planes_beyond_caches(const struct oocc_run *run, const struct workload *work) {
    static const double gone = 1.5;
    const double measured = work->figures->machine.shared_bytes;
    const double shared = measured > 0 ? measured : (double)(run->machine.l2_bytes + run->machine.l3_bytes) * work->threads;
    const double plane = work->slot_bytes * (double)grid_points(&run->grid) / (double)run->grid.planes;
    return (int64_t)(gone * shared / plane);
}

/* With twice as many planes, and twice as many again, while a slab takes no longer. */
static struct shape thickened(const struct oocc_run *run, struct shape shape, int64_t most, double longest) {
    for (struct shape thicker = shape; thicker.bz < most; shape.bz = thicker.bz) {
        thicker.bz = oocc_min(2 * thicker.bz, most);
        if (probe_slab_seconds(run, &thicker) > longest) break;
    }
    return shape;
}

struct shape probe_timed_shape(const struct oocc_run *run, const struct workload *work, const struct shape *wanted) {
    enum { FOR_A_LEVEL = 8, LEAST_FOR_A_LEVEL = 4 };
    static const double thick_seconds = 0.1, thick_share = 1. / 24;
    const double longest = fmax(thick_seconds, thick_share * probe_time_there(run));
    struct shape shape = *wanted;
    if (work->tile_extent <= 1) {
        shape.bt = shape.ct;
        return shape;
    }
    const int64_t ends = FOR_A_LEVEL * shape.ct * run->program->step_delay;
    const int64_t most = oocc_min(wanted->bz > 0 ? wanted->bz : run->plan.bz, oocc_max(ends, planes_beyond_caches(run, work)));
    shape.bt = oocc_min(2 * shape.ct, probe_deepest(run));
    shape.bz = wanted->bz > 0 ? oocc_min(wanted->bz, slab_planes(work, shape.ct)) : slab_planes(work, shape.ct);
    struct shape thick = thickened(run, shape, most, longest);
    if (thick.bz < oocc_min(most, LEAST_FOR_A_LEVEL * shape.ct * run->program->step_delay)) {
        shape.bt = shape.ct;
        thick = thickened(run, shape, most, longest);
    }
    return thick;
}

struct shape probe_planned_shape(const struct oocc_run *run) {
    const struct plan *plan = &run->plan;
    const struct workload work = workload_of(run->program, &run->grid, &run->machine, plan);
    struct shape shape = {plan->bt, plan->bz, plan->ct, plan->tiles, plan->pieces, plan->cut};
    if (work.tile_extent <= 1) shape.ct = shape.bt;
    return probe_timed_shape(run, &work, &shape);
}

bool probe_trial(const struct oocc_run *run, struct shape *shape, struct trial_memory *memory, double seconds,
                 struct trial_result *result) {
    const struct workload work = workload_of(run->program, &run->grid, &run->machine, &run->plan);
    while (!trial_compute(run, shape, memory, seconds, result)) {
        if (work.tile_extent > 1 && shape->bz > slab_planes(&work, shape->ct))
            shape->bz /= 2;
        else if (shape->bt > shape->ct)
            shape->bt = shape->ct;
        else if (shape->bz > 1)
            shape->bz /= 2;
        else
            return false;
    }
    return true;
}

bool probe_thinner(const struct oocc_run *run, double seconds, struct shape *shape) {
    enum { THIN = 8 };
    static const double longest_share = 0.06, longest = 0.25;
    while (probe_slab_seconds(run, shape) > fmin(longest_share * seconds, longest)) {
        if (shape->bz > THIN)
            shape->bz = oocc_max(shape->bz / 2, THIN);
        else if (shape->bt > shape->ct)
            shape->bt = shape->ct;
        else
            return false;
    }
    return true;
}
