/*
 * probe_kernel.c: how long this program's loops take on some planes of the real grid, beside what the cost model says
 * with the other figures. A few shapes are timed first; then, as long as there is time, the one that the planner takes
 * with what is known so far: a shape that was taken for better than it is gets its figure, and the next one its turn. What
 * came out well is timed again. Loops of a stream are timed while bytes move, as many a second as the planned pass moves: transfers pass
 * through the caches that tiles live in, and the more there are of them, the more do tiles that fill these lose.
 */
#include "plan/loops.h"
#include "plan/tiles.h"
#include "tuning/mover.h"
#include "tuning/probe.h"
#include "tuning/trial.h"

#include <math.h>
#include <string.h>

/* About so long at least, and longer where planes are of MiBs, if the run is long, too. */
static const double least_seconds = 4, one_seconds = 0.03;
enum { ROUNDS = 12 };
/* Of it for shapes all over the space; the rest is for those that may be the best. */
static const double some_share = 0.6;

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

/* A shape as probe_timed_shape() makes it, or a thinner one. False: it is not possible, or nothing came of it. */
static bool time_shape(struct timings *t, struct shape shape) {
    const struct oocc_run *run = t->run;
    const struct workload work = workload_of(run->program, &run->grid, &run->machine, &run->plan);
    struct trial_result result;
    if (shape.ct > probe_deepest(run)) return false;
    if (!probe_trial(run, &shape, &t->memory, one_seconds, &result)) return false;
    const double expected = probe_untimed_seconds(run, &shape, result.updates);
    if (!(result.updates > 0) || !(result.seconds > 0) || !(expected > 0)) return false;
    /* In the shortest of its slabs all threads were equally fast, by chance. A chain for each is the fastest then, and seldom else. */
    const double seconds = result.seconds * loops_waiting(&work, &shape);
    note(t, &shape, loops_kernel_point(&work, &shape, t->share * seconds / expected), seconds / result.updates,
         result.usual_seconds / result.updates);
    return true;
}

/* So many rounds of the threads, or as many as are legal. 0: none is. */
static int64_t tiles_of(const struct oocc_run *run, const struct workload *work, int64_t ct, double rounds) {
    const int64_t most = tiles_most(run->program, work->tile_extent, ct) / work->threads;
    return work->threads * oocc_min(rounds < 1e6 ? (int64_t)(rounds + 0.5) : 1000000, most);
}

/* Tiles that are to fill about so many bytes of a core's caches; whole rounds of the threads, so many at least. */
static int64_t tiles_filling(const struct oocc_run *run, const struct workload *work, int64_t ct, double cache, double least_rounds) {
    const struct shape all = {.ct = ct, .tiles = 1, .pieces = run->plan.pieces, .cut = {1, false}};
    return tiles_of(run, work, ct, oocc_max_f64(least_rounds, loops_tile_bytes(work, &all) / cache / (double)work->threads));
}

/* Depths and widths all over what may be chosen, those first that fill a core's own cache (a shared one may be of any size); those that
 * the program or the budget rules out are passed by. */
static void time_some(struct timings *t, double until) {
    static const struct {
        int64_t ct;
        double share;  /* of what a core has of all caches, 1-D: of 16 blocks for every thread */
        double own;    /* of a core's own cache, besides */
        double rounds; /* of tiles, at least: where caches would hold all planes at work, widths differ, too */
        bool first;    /* two dimensions: as much as a core's first cache keeps from one step to the next, instead */
    } some[] = {{16, 0, 1.5, 4, false},  {32, 0, 0, 4, true},     {8, 0, 0.4, 2, false},   {16, 0, 0, 4, true},     {8, 0.5, 0, 2, false},
                {4, 0.5, 0, 2, false},   {12, 0.2, 0, 8, false},  {24, 0, 3, 4, false},    {4, 0, 0.4, 2, false},   {16, 0.25, 0, 6, false},
                {2, 0.5, 0, 4, false},   {12, 0.35, 0, 6, false}, {24, 0.7, 0, 4, false},  {16, 0.5, 0, 4, false},  {1, 1, 0, 1, false},
                {4, 1, 0, 1, false},     {32, 0.5, 0, 6, false}};
    const struct oocc_run *run = t->run;
    const struct workload work = workload_of(run->program, &run->grid, &run->machine, &run->plan);
    const bool tiled = work.tile_extent > 1;
    const double own = (double)run->machine.l2_bytes, all = own + (double)run->machine.l3_bytes;
    for (size_t i = 0; i < sizeof some / sizeof *some && machine_seconds() < until; i++) {
        struct shape shape = {.ct = some[i].ct, .pieces = run->plan.pieces};
        if (some[i].first) {
            const struct shape all = {.ct = shape.ct, .tiles = 1, .pieces = 1, .cut = {1, false}};
            const double tiles = loops_first_filled(&work, &all);
            if (isfinite(tiles)) shape.tiles = tiles_of(run, &work, shape.ct, oocc_max_f64(some[i].rounds, tiles / work.threads));
        } else if (tiled) {
            shape.tiles = tiles_filling(run, &work, shape.ct, some[i].share * all + some[i].own * own, some[i].rounds);
        } else {
            shape.tiles = 1;
            shape.bz = oocc_min((int64_t)(16 * some[i].share) * work.threads, cost_wave_planes(&work, shape.ct));
        }
        if (shape.tiles == 0 || (!tiled && shape.bz == 0)) continue;
        struct shape timed = probe_timed_shape(run, &work, &shape);
        if (probe_thinner(t->run, t->seconds, &timed)) time_shape(t, timed);
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
    const struct workload work = workload_of(run->program, &run->grid, &run->machine, &run->plan);
    const struct shape timed = probe_planned_shape(run);
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

/* How many times as long the loops take all over the grid as in its middle, where shapes are timed: a layer at a face may ask for much more
 * than the cells between, or for nothing. 1 of a program that computes all planes alike. */
static double all_over(struct timings *t) {
    static const double share = 0.4;
    enum { LEAST = 4, MOST = 16 };
    const struct oocc_run *run = t->run;
    if (!run->program->planes_differ) return 1;
    const struct timed *best = fastest(t);
    const double planes = (double)oocc_min(best->shape.bz, run->grid.planes), cells = (double)grid_points(&run->grid) / (double)run->grid.planes,
                 slab_seconds = best->least * planes * cells * (double)best->shape.bt;
    const double places = fmax(LEAST, fmin(MOST, share * t->seconds / (2 * slab_seconds)));
    const double ratio = trial_all_over(run, &best->shape, &t->memory, (int)places);
    return ratio > 0 ? ratio : 1;
}

/* What many trials of the planned shape would take: with fewer, nothing comes out twice. */
static double probing_seconds(const struct oocc_run *run) {
    enum { TRIALS = 80 };
    const struct shape shape = probe_planned_shape(run);
    return fmax(least_seconds, fmin(TRIALS * probe_slab_seconds(run, &shape), probe_time_there(run)));
}

int probe_kernel(struct oocc_run *run, struct mover *mover, struct kernel_figures *kernel) {
    struct timings t = {.run = run, .kernel = kernel, .memory.room_bytes = probe_room(run), .share = 1,
                        .seconds = probing_seconds(run)};
    memset(kernel, 0, sizeof *kernel);
    kernel->bold = true;
    if (mover != NULL && mover_start(mover, planned_pace(&run->plan))) t.mover = mover;
    keep_pace(&t);
    const int status = time_shapes(run, &t);
    const double elsewhere = status || kernel->points == 0 ? 1 : all_over(&t);
    const bool moved = !t.mover || mover_stop(mover) > 0;
    trial_memory_close(&t.memory);
    kernel->bold = false;
    if (status) return status;
    if (kernel->points == 0) return 0;
    const struct timed *best = fastest(&t);
    kernel->pace = best->usual / best->times / best->least * elsewhere;
    kernel->probed = true;
    kernel->unsteady = !moved || !probe_steady(best->least, best->second);
    figures_stamp(kernel->date);
    return 0;
}
