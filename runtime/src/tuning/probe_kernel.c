/*
 * probe_kernel.c: how long this program's loops take on some planes of the real grid, beside what the cost model says
 * with the other figures. A few shapes are timed first; then, as long as there is time, the one that the planner takes
 * with what is known so far: a shape that was taken for better than it is gets its figure, and the next one its turn. What
 * came out well is timed again. Loops of a stream are timed while bytes move, as many a second as the planned pass moves: transfers pass
 * through the caches that tiles live in, and the more there are of them, the more do tiles that fill these lose.
 */
#include "plan/loops.h"
#include "plan/planner.h"
#include "plan/tiles.h"
#include "stream/wedge.h"
#include "tuning/mover.h"
#include "tuning/probe.h"
#include "tuning/trial.h"

#include <math.h>
#include <string.h>

/* About so long, and longer where planes are of MiBs, if the run is long, too. */
static const double least_seconds = 4, most_seconds = 12, run_share = 0.1, one_seconds = 0.03;
enum { ROUNDS = 12 };
/* Of it for shapes all over the space; the rest is for those that may be the best. */
static const double some_share = 0.6;

/* What all trials may take. Who asks for a probe has the time. */
static double time_there(const struct oocc_run *run) {
    const bool asked = run->options.probe == PROBE_NOW || run->options.probe == PROBE_ONCE;
    return asked ? most_seconds : fmin(most_seconds, run_share * run->plan.seconds);
}

/* Positions of a trial's slab, at least: enough for its steps to overlap, and for every thread. */
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
    figures.kernel = (struct kernel_figures){.points = 0};
    machine.figures = &figures;
    in_place.in_place = true;
    work = workload_of(run->program, &run->grid, &machine, &in_place);
    return cost_of_slab(&work, shape, updates).compute_seconds;
}

/* A shape that was timed, and how often. Whatever else runs on the machine makes loops slower and nothing makes them faster, so the
 * least counts when shapes are compared; the second least tells how far it can be trusted, and all of them what to expect. */
struct timed {
    struct shape shape;
    double least, second, usual; /* seconds of a cell and step; usual: of all times together */
    int times;
};

/* timed[i] is what kernel->point[i] was made from. */
struct timings {
    const struct oocc_run *run;
    struct kernel_figures *kernel;
    double seconds; /* about what all of it may take */
    struct mover *mover; /* NULL: nothing moves meanwhile */
    double share;        /* of the cores' speed that transfers leave to all shapes alike */
    struct trial_memory memory;
    struct timed timed[KERNEL_POINTS];
};

static int find(const struct kernel_figures *kernel, const struct kernel_point *like) {
    for (int i = 0; i < kernel->points; i++)
        if (kernel->point[i].ct == like->ct && kernel->point[i].rows == like->rows && kernel->point[i].planes == like->planes) return i;
    return -1;
}

static void note(struct timings *t, const struct shape *shape, struct kernel_point point, double cell_seconds, double usual_seconds) {
    const int known = find(t->kernel, &point), i = known >= 0 ? known : t->kernel->points;
    if (i == KERNEL_POINTS) return;
    struct timed *timed = &t->timed[i];
    if (known < 0) *timed = (struct timed){.shape = *shape, .least = INFINITY, .second = INFINITY};
    if (cell_seconds < timed->least) {
        figures_add_point(t->kernel, point);
        timed->second = timed->least;
        timed->least = cell_seconds;
    } else {
        timed->second = fmin(timed->second, cell_seconds);
    }
    timed->usual += usual_seconds;
    timed->times++;
}

/* What a trial of a slab takes, by model. */
static double slab_seconds(const struct oocc_run *run, const struct shape *shape) {
    const double planes = (double)oocc_min(shape->bz, run->grid.planes), cells = (double)grid_points(&run->grid) / (double)run->grid.planes;
    return probe_untimed_seconds(run, shape, planes * cells * (double)shape->bt);
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
        if (slab_seconds(run, &thicker) > longest) break;
    }
    return shape;
}

/* As it is timed: of tiles two groups, which overlap as they do in a pass, in a slab as thick as a pass has them, as far as that does
 * not take long; of one group, if two leave time for a slab only that is all ends, where deep tiles look worse than they are. Beyond so
 * many planes nothing of the ends is seen any more. */
static struct shape timed_shape(const struct oocc_run *run, const struct workload *work, const struct shape *wanted) {
    enum { FOR_A_LEVEL = 8, LEAST_FOR_A_LEVEL = 4 };
    static const double thick_seconds = 0.1, thick_share = 1. / 24;
    const double longest = fmax(thick_seconds, thick_share * time_there(run));
    struct shape shape = *wanted;
    if (work->tile_extent <= 1) {
        shape.bt = shape.ct;
        return shape;
    }
    const int64_t ends = FOR_A_LEVEL * shape.ct * run->program->step_delay;
    const int64_t most = oocc_min(wanted->bz > 0 ? wanted->bz : run->plan.bz, oocc_max(ends, planes_beyond_caches(run, work)));
    shape.bt = oocc_min(2 * shape.ct, deepest(run));
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
    return timed_shape(run, &work, &shape);
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

/* A shape as timed_shape() makes it, or a thinner one. False: it is not possible, or nothing came of it. */
static bool time_shape(struct timings *t, struct shape shape) {
    const struct oocc_run *run = t->run;
    const struct workload work = workload_of(run->program, &run->grid, &run->machine, &run->plan);
    struct trial_result result;
    if (shape.ct > deepest(run)) return false;
    if (!probe_trial(run, &shape, &t->memory, one_seconds, &result)) return false;
    const double expected = probe_untimed_seconds(run, &shape, result.updates);
    if (!(result.updates > 0) || !(result.seconds > 0) || !(expected > 0)) return false;
    /* In the shortest of its slabs all threads were equally fast, by chance. A chain for each is the fastest then, and seldom else. */
    const double seconds = result.seconds * loops_waiting(&work, &shape);
    note(t, &shape, loops_kernel_point(&work, &shape, t->share * seconds / expected), seconds / result.updates,
         result.usual_seconds / result.updates);
    return true;
}

/* Tiles that are to fill about so many bytes of a core's caches; whole rounds of the threads, so many at least. 0: none is legal. */
static int64_t tiles_filling(const struct oocc_run *run, const struct workload *work, int64_t ct, double cache, double least_rounds) {
    const struct shape all = {.ct = ct, .tiles = 1, .pieces = 1, .cut = {1, false}};
    const double rounds = oocc_max_f64(least_rounds, loops_tile_bytes(work, &all) / cache / (double)work->threads);
    const int64_t most = tiles_most(run->program, work->tile_extent, ct) / work->threads;
    return work->threads * oocc_min(rounds < 1e6 ? (int64_t)(rounds + 0.5) : 1000000, most);
}

/* Of a large plane a deep shape may take so long that there is no time left for the others: it is timed in a thinner slab then, as
 * what is not timed at all is taken to be as slow as the rest. False: even of the thinnest slab it would take too long. */
static bool make_thinner(const struct timings *t, struct shape *shape) {
    enum { THIN = 8 };
    static const double longest_share = 0.06, longest = 0.25;
    while (slab_seconds(t->run, shape) > fmin(longest_share * t->seconds, longest)) {
        if (shape->bz > THIN)
            shape->bz = oocc_max(shape->bz / 2, THIN);
        else if (shape->bt > shape->ct)
            shape->bt = shape->ct;
        else
            return false;
    }
    return true;
}

/* Depths and widths all over what may be chosen, likely ones first; those that the program or the budget rules out are passed by. */
static void time_some(struct timings *t, double until) {
    static const struct {
        int64_t ct;
        double share;  /* of what a core has of all caches, 1-D: of 16 blocks for every thread */
        double own;    /* of a core's own cache, besides */
        double rounds; /* of tiles, at least: where caches would hold all planes at work, widths differ, too */
    } some[] = {{8, 0.5, 0, 2}, {4, 0.5, 0, 2},  {12, 0.2, 0, 8}, {16, 0, 1.5, 4}, {16, 0.25, 0, 6}, {12, 0.35, 0, 6}, {2, 0.5, 0, 4},
                {24, 0, 3, 4},  {24, 0.7, 0, 4}, {16, 0.5, 0, 4}, {1, 1, 0, 1},    {4, 1, 0, 1},     {32, 0.5, 0, 6}};
    const struct oocc_run *run = t->run;
    const struct workload work = workload_of(run->program, &run->grid, &run->machine, &run->plan);
    const double own = (double)run->machine.l2_bytes, all = own + (double)run->machine.l3_bytes;
    for (size_t i = 0; i < sizeof some / sizeof *some && machine_seconds() < until; i++) {
        struct shape shape = {.ct = some[i].ct, .pieces = 1};
        if (work.tile_extent > 1) {
            if ((shape.tiles = tiles_filling(run, &work, shape.ct, some[i].share * all + some[i].own * own, some[i].rounds)) == 0) continue;
        } else if (some[i].share > 0) {
            shape.tiles = 1;
            shape.bz = oocc_min((int64_t)(16 * some[i].share) * work.threads, cost_wave_planes(&work, shape.ct));
        } else {
            continue;
        }
        struct shape timed = timed_shape(run, &work, &shape);
        if (make_thinner(t, &timed)) time_shape(t, timed);
    }
}

/* The one that is to be timed again: the fastest, or what may turn out to be, the rarer it was timed. -1: the fastest one has been
 * timed often enough. */
static int in_doubt(const struct timings *t) {
    static const double doubt[] = {0, 0.7, 0.85, 0.95}; /* by how much the next time may be less, after so many */
    enum { ENOUGH = sizeof doubt / sizeof *doubt };
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < t->kernel->points; i++) {
        const struct timed *timed = &t->timed[i];
        const double hoped = timed->least * (timed->times < ENOUGH ? doubt[timed->times] : 1);
        if (hoped < least) {
            least = hoped;
            best = i;
        }
    }
    return best >= 0 && t->timed[best].times < ENOUGH ? best : -1;
}

/* There is one at least. */
static const struct timed *fastest(const struct timings *t) {
    const struct timed *best = &t->timed[0];
    for (int i = 1; i < t->kernel->points; i++)
        if (t->timed[i].least < best->least) best = &t->timed[i];
    return best;
}

/* The plan's own shape, when it has not been timed. */
static bool time_planned(struct timings *t) {
    const struct oocc_run *run = t->run;
    const struct plan *plan = &run->plan;
    const struct workload work = workload_of(run->program, &run->grid, &run->machine, plan);
    struct shape shape = {plan->bt, plan->bz, plan->ct, plan->tiles, plan->pieces, plan->cut};
    if (work.tile_extent <= 1) shape.ct = shape.bt;
    const struct shape timed = timed_shape(run, &work, &shape);
    const struct kernel_point point = loops_kernel_point(&work, &timed, 1);
    return find(t->kernel, &point) < 0 && time_shape(t, timed);
}

/* Bytes that the planned run moves in a second. */
static double planned_pace(const struct plan *plan) {
    return plan->seconds > 0 ? ((double)plan->read_bytes + (double)plan->write_bytes) / plan->seconds : 0;
}

static void keep_pace(struct timings *t) {
    const double pace = planned_pace(&t->run->plan);
    if (t->mover == NULL) return;
    mover_set_pace(t->mover, pace);
    t->share = figures_cores_left(&t->run->machine.figures->device, pace);
}

/* What is fast by chance of the moment would win against what is fast: shapes that may be the best are timed in turn, not one after
 * the other. */
static int time_by_turns(struct oocc_run *run, struct timings *t, double until) {
    for (int planned = 0; machine_seconds() < until;) {
        const int status = plan_make(run->program, &run->options, &run->machine, &run->grid,
                                     run->steps - run->level, &run->plan);
        if (status) return status;
        keep_pace(t);
        if (planned++ < ROUNDS && time_planned(t)) continue;
        const int again = in_doubt(t);
        if (again < 0 || !time_shape(t, t->timed[again].shape)) break;
    }
    return 0;
}

/* 0 or an exit status. */
static int time_shapes(struct oocc_run *run, struct timings *t) {
    const double began = machine_seconds();
    time_some(t, began + some_share * t->seconds);
    return time_by_turns(run, t, began + t->seconds);
}

/* What many trials of the planned shape would take: with fewer, nothing comes out twice. */
static double probing_seconds(const struct oocc_run *run) {
    enum { TRIALS = 80 };
    const struct shape shape = probe_planned_shape(run);
    return fmax(least_seconds, fmin(TRIALS * slab_seconds(run, &shape), time_there(run)));
}

int probe_kernel(struct oocc_run *run, struct mover *mover, struct kernel_figures *kernel) {
    struct timings t = {.run = run, .kernel = kernel, .memory.room_bytes = probe_room(run), .share = 1,
                        .seconds = probing_seconds(run)};
    memset(kernel, 0, sizeof *kernel);
    if (mover != NULL && mover_start(mover, planned_pace(&run->plan))) t.mover = mover;
    keep_pace(&t);
    const int status = time_shapes(run, &t);
    const bool moved = !t.mover || mover_stop(mover) > 0;
    trial_memory_close(&t.memory);
    if (status) return status;
    if (kernel->points == 0) return 0;
    const struct timed *best = fastest(&t);
    kernel->pace = best->usual / best->times / best->least;
    kernel->unsteady = !moved || !probe_steady(best->least, best->second);
    figures_stamp(kernel->date);
    return 0;
}
