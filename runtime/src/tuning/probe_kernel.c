/*
 * probe_kernel.c: how long this program's loops take on some planes of the real grid, beside what the cost model says
 * with the other figures. A few shapes are timed first; then, as long as there is time, the one that the planner takes
 * with what is known so far: a shape that was taken for better than it is gets its figure, and the next one its turn.
 */
#include "plan/planner.h"
#include "plan/tiles.h"
#include "stream/wedge.h"
#include "tuning/probe.h"
#include "tuning/trial.h"

#include <string.h>

static const double all_seconds = 3.0, one_seconds = 0.03;
enum { ROUNDS = 12 };

/* Positions of a trial's slab: enough for its steps to overlap, and for every thread. */
static int64_t slab_planes(const struct workload *work, int64_t ct) {
    const int64_t wide = oocc_max(oocc_max(8, 2 * ct * work->program->step_delay), work->threads);
    return oocc_min(work->tile_extent > 1 ? wide : oocc_max(wide, 4 * work->threads),
                    cost_wave_planes(work, ct));
}

/* Steps that a pass may have, whatever the budget says. */
static int64_t deepest(const struct oocc_run *run) {
    if (planner_feeding(run->program) != NULL) return 1;
    return oocc_max(1, oocc_min(run->plan.steps, wedge_deepest(run->program, &run->grid)));
}

double probe_untimed_seconds(const struct oocc_run *run, const struct shape *shape, double updates) {
    struct plan in_place = run->plan;
    struct workload work;
    struct figures figures;
    struct machine machine = run->machine;
    figures = machine.figures != NULL ? *machine.figures : figures_nominal;
    figures.kernel.points = 0;
    machine.figures = &figures;
    in_place.in_place = true;
    work = workload_of(run->program, &run->grid, &machine, &in_place);
    return cost_of_slab(&work, shape, updates).compute_seconds;
}

bool probe_shape(const struct oocc_run *run, const struct shape *wanted, double seconds,
                 struct kernel_figures *kernel) {
    const struct workload work = workload_of(run->program, &run->grid, &run->machine, &run->plan);
    const int64_t room = probe_room(run);
    struct shape shape = *wanted;
    struct trial_result result;
    const int64_t most = deepest(run);
    if (shape.ct > most) return false;
    /* Of tiles two groups, which overlap as they do in a pass. */
    shape.bt = work.tile_extent > 1 ? oocc_min(2 * shape.ct, most) : shape.ct;
    if (work.tile_extent > 1 && (shape.bz == 0 || shape.bz > slab_planes(&work, shape.ct))) shape.bz = slab_planes(&work, shape.ct);
    while (!trial_compute(run, &shape, room, seconds, &result)) {
        if (shape.bt > shape.ct)
            shape.bt = shape.ct;
        else if (shape.bz > 1)
            shape.bz /= 2;
        else
            return false;
    }
    const double expected = probe_untimed_seconds(run, &shape, result.updates);
    if (!(result.updates > 0) || !(result.seconds > 0) || !(expected > 0)) return false;
    figures_add_point(kernel, cost_kernel_point(&work, &shape, result.seconds / expected));
    return true;
}

/* Tiles that are to fill about so much of what a core has of the caches; whole rounds of the threads. 0: none is legal. */
static int64_t tiles_filling(const struct oocc_run *run, const struct workload *work, int64_t ct, double share) {
    const struct shape all = {.ct = ct, .tiles = 1, .pieces = 1, .columns = 1};
    const double cache = share * (double)(run->machine.l2_bytes + run->machine.l3_bytes);
    const double rounds = cost_tile_bytes(work, &all) / cache / (double)work->threads;
    const int64_t most = tiles_most(run->program, work->tile_extent, ct) / work->threads;
    return work->threads * oocc_min(rounds < 1 ? 1 : rounds < 1e6 ? (int64_t)(rounds + 0.5) : 1000000, most);
}

/* Depths and widths all over what may be chosen; those that the program or the budget rules out are passed by. */
static void time_some(const struct oocc_run *run, double until, struct kernel_figures *kernel) {
    static const struct {
        int64_t ct;
        double share; /* of the caches, 1-D: of 16 blocks for every thread */
    } some[] = {{8, 0.5}, {4, 0.5}, {16, 0.5}, {12, 0.35}, {8, 1}, {2, 0.5}, {1, 1}, {24, 0.7}, {16, 1}, {4, 1}, {32, 0.5}};
    const struct workload work = workload_of(run->program, &run->grid, &run->machine, &run->plan);
    for (size_t i = 0; i < sizeof some / sizeof *some && machine_seconds() < until; i++) {
        struct shape shape = {.ct = some[i].ct, .pieces = 1};
        if (work.tile_extent > 1) {
            if ((shape.tiles = tiles_filling(run, &work, shape.ct, some[i].share)) == 0) continue;
        } else {
            shape.tiles = 1;
            shape.bz = oocc_min((int64_t)(16 * some[i].share) * work.threads, cost_wave_planes(&work, shape.ct));
        }
        probe_shape(run, &shape, one_seconds, kernel);
    }
}

static bool timed(const struct kernel_figures *kernel, struct kernel_point point) {
    for (int i = 0; i < kernel->points; i++)
        if (kernel->point[i].ct == point.ct && kernel->point[i].rows == point.rows && kernel->point[i].planes == point.planes) return true;
    return false;
}

/* Times the first shape once more. */
static bool is_steady(const struct oocc_run *run, const struct kernel_figures *kernel) {
    const struct workload work = workload_of(run->program, &run->grid, &run->machine, &run->plan);
    const bool tiled = work.tile_extent > 1;
    const struct kernel_point first = kernel->point[0];
    struct kernel_figures again = {.points = 0};
    const struct shape shape = {.ct = (int64_t)first.ct,
                                .bz = (int64_t)(tiled ? first.planes : first.rows),
                                .tiles = tiled ? (int64_t)((double)work.tile_extent / first.rows + 0.5) : 1,
                                .pieces = 1};
    enum { ATTEMPTS = 3 };
    for (int attempt = 0; attempt < ATTEMPTS; attempt++)
        if (probe_shape(run, &shape, one_seconds, &again) && probe_steady(first.factor, again.point[0].factor)) return true;
    return false;
}

int probe_kernel(struct oocc_run *run, struct kernel_figures *kernel) {
    const double until = machine_seconds() + all_seconds;
    memset(kernel, 0, sizeof *kernel);
    time_some(run, until, kernel);
    for (int round = 0; round < ROUNDS && machine_seconds() < until; round++) {
        const int status = plan_make(run->program, &run->options, &run->machine, &run->grid,
                                     run->steps - run->level, &run->plan);
        if (status) return status;
        const struct plan *plan = &run->plan;
        const struct workload work = workload_of(run->program, &run->grid, &run->machine, plan);
        struct shape shape = {plan->bt, plan->bz, plan->ct, plan->tiles, plan->pieces, plan->columns};
        if (work.tile_extent <= 1) shape.ct = shape.bt;
        if (work.tile_extent > 1) shape.bz = oocc_min(shape.bz, slab_planes(&work, shape.ct));
        if (timed(kernel, cost_kernel_point(&work, &shape, 1)) || !probe_shape(run, &shape, one_seconds, kernel)) break;
    }
    if (kernel->points > 0 && is_steady(run, kernel)) {
        figures_stamp(kernel->date);
        return 0;
    }
    kernel->points = 0;
    return 0;
}
