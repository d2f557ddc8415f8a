/*
 * tune.c: the model orders the candidates, the clock decides. What a trial measures is one slab when all steps are at
 * work; the ratio to what the model says of the same slab carries over to the run, so that the wave's way in and out, the
 * number of passes and the commits count as well. First the best few by the model, then, while there is time, the
 * neighbours of the best so far.
 */
#include "tuning/tune.h"

#include "plan/planner.h"
#include "plan/tiles.h"
#include "run/interrupt.h"
#include "tuning/figures.h"
#include "tuning/probe.h"
#include "tuning/trial.h"

#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 96, FIRST = 10 };
static const double loops_seconds = 0.15; /* of one trial in place */

struct candidate {
    struct shape shape;
    double predicted, seconds; /* of the run; seconds 0: not tried */
};

struct tuning {
    struct oocc_run *run;
    struct planner planner;
    int candidates;
    struct candidate candidate[CANDIDATES];
    double until;
    bool stream;
    struct trial_memory memory;
};

static bool same(const struct shape *a, const struct shape *b) {
    return a->bt == b->bt && a->bz == b->bz && a->ct == b->ct && a->tiles == b->tiles &&
           a->pieces == b->pieces && a->cut.columns == b->cut.columns && a->cut.leans == b->cut.leans;
}

/* Takes a shape in if it is legal, fits, and is not there yet. */
static void add(struct tuning *t, struct shape shape) {
    struct search with = t->planner.search;
    const struct search *search = &with;
    const struct workload *work = &search->work;
    with.cut = shape.cut;
    if (shape.bt < 1 || shape.bz < 1 || shape.ct < 1 || shape.ct > shape.bt || shape.tiles < 1 ||
        t->candidates == CANDIDATES)
        return;
    if (work->tile_extent <= 1 && shape.tiles != 1) return;
    if (shape.tiles > tiles_most(work->program, search_tile_extent(search, shape.bt), shape.ct)) return;
    if (!search_fits(search, shape.bt, shape.bz)) return;
    for (int i = 0; i < t->candidates; i++)
        if (same(&t->candidate[i].shape, &shape)) return;
    t->candidate[t->candidates++] =
        (struct candidate){.shape = shape, .predicted = cost_of_run(work, &shape).seconds};
}

/* The best tiles for every ct, in slabs of bz planes. */
static void add_all(struct tuning *t, int64_t bt, int64_t bz) {
    static const int64_t depths[] = {0, 1, 2, 4, 6, 8, 12, 16, 24, 32};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        struct search search = t->planner.search;
        struct found found = {.cost.bound = NULL};
        double least = 1e300;
        if (depths[i] > bt) break;
        if (depths[i] > 0) search.wanted.ct = depths[i];
        search_tiles(&search, bt, bz, &least, &found);
        if (found.cost.bound != NULL) add(t, found.shape);
    }
}

static void add_first(struct tuning *t) {
    const struct plan *plan = &t->run->plan;
    const struct search *search = &t->planner.search;
    t->planner.search.cut = plan->cut; /* as the model has it */
    add(t, (struct shape){plan->bt, plan->bz, plan->ct, plan->tiles, plan->pieces, plan->cut});
    if (!t->stream) {
        add_all(t, plan->bt, plan->bz);
        return;
    }
    for (int64_t bz = oocc_max(1, plan->bz / 4); bz <= 4 * plan->bz && bz <= search->work.grid->planes;
         bz *= 2) {
        const int64_t deepest = search_deepest(search, bz, search_most_steps(search));
        if (deepest < 1) break;
        add_all(t, deepest, bz);
        if (deepest > plan->bt) add_all(t, plan->bt, bz);
    }
}

static void add_neighbours(struct tuning *t, struct shape best) {
    const int threads = t->run->plan.threads;
    for (int change = -1; change <= 1; change += 2) {
        struct shape shape = best;
        shape.tiles = best.tiles + change * oocc_max(threads, best.tiles / threads / 4 * threads);
        add(t, shape);
        shape = best;
        shape.ct = change < 0 ? best.ct * 3 / 4 : (best.ct * 4 + 2) / 3;
        add(t, shape);
        if (!t->stream) continue;
        shape = best;
        shape.bz = change < 0 ? best.bz * 3 / 4 : best.bz * 4 / 3 + 1;
        shape.bt = search_deepest(&t->planner.search, shape.bz, search_most_steps(&t->planner.search));
        shape.ct = oocc_min(shape.ct, shape.bt);
        add(t, shape);
    }
}

/* Seconds that a slab takes, and is predicted to take. 0, or an exit status that ends the run. */
static int measure(struct tuning *t, const struct shape *shape, double seconds, double *ratio) {
    struct oocc_run *run = t->run;
    struct workload work = t->planner.search.work;
    struct shape slab = *shape;
    struct trial_result result;
    *ratio = 0;
    if (t->stream) {
        const struct plan before = run->plan;
        run->plan.bt = shape->bt;
        run->plan.bz = shape->bz;
        run->plan.ct = shape->ct;
        run->plan.tiles = shape->tiles;
        run->plan.pieces = oocc_max(1, shape->pieces);
        run->plan.cut = shape->cut;
        const int status = trial_stream(run, seconds, &result);
        run->plan = before;
        if (status) return status;
    } else {
        slab.bt = oocc_min(shape->bt, 2 * shape->ct);
        slab.bz = oocc_min(shape->bz, oocc_max(16, 4 * shape->ct * run->program->step_delay));
        if (!trial_compute(run, &slab, &t->memory, seconds, &result)) return interrupt_seen() ? OOCC_STOPPED : 0;
        work.in_place = true;
    }
    const double expected = cost_of_slab(&work, &slab, result.updates).seconds;
    if (expected > 0 && result.seconds > 0) *ratio = result.seconds / expected;
    return interrupt_seen() ? OOCC_STOPPED : 0;
}

/* The most promising of those not tried yet; NULL: none that could still win by a quarter of its prediction. */
static struct candidate *next(struct tuning *t) {
    struct candidate *best = NULL;
    for (int i = 0; i < t->candidates; i++)
        if (t->candidate[i].seconds == 0 && (best == NULL || t->candidate[i].predicted < best->predicted))
            best = &t->candidate[i];
    return best;
}

static struct candidate *fastest(struct tuning *t) {
    struct candidate *best = NULL;
    for (int i = 0; i < t->candidates; i++)
        if (t->candidate[i].seconds > 0 && t->candidate[i].seconds < 1e300 &&
            (best == NULL || t->candidate[i].seconds < best->seconds))
            best = &t->candidate[i];
    return best;
}

static int try_all(struct tuning *t) {
    const double each = t->stream ? t->run->options.tune_seconds / (2 * FIRST) : loops_seconds;
    int status = 0;
    for (int tried = 0; !status; tried++) {
        const struct candidate *best = fastest(t);
        if (best != NULL && tried >= FIRST) add_neighbours(t, best->shape);
        struct candidate *c = next(t);
        if (c == NULL || (tried > 0 && machine_seconds() + each > t->until)) break;
        double ratio;
        status = measure(t, &c->shape, each, &ratio);
        c->seconds = ratio > 0 ? c->predicted * ratio : 1e300;
        /* No better than what others have shown of themselves even if the model is right. */
        if (best != NULL && tried >= 3 * FIRST && c->seconds > 1.1 * best->seconds) break;
    }
    return status;
}

static int tune(struct oocc_run *run, struct tuned *tuned, bool stream) {
    struct tuning *t = calloc(1, sizeof *t);
    if (t == NULL) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    struct plan scratch = run->plan;
    t->run = run;
    t->stream = stream;
    t->memory.room_bytes = probe_room(run);
    t->until = machine_seconds() + run->options.tune_seconds;
    run->machine.tuned = NULL;
    int status = planner_open(&t->planner, run->program, &run->options, &run->machine, &run->grid,
                              run->steps - run->level, &scratch);
    if (!status) {
        run_note("tuning: tries plans for up to %.0f s", run->options.tune_seconds);
        add_first(t);
        status = try_all(t);
        trial_memory_close(&t->memory);
    }
    const struct candidate *best = status ? NULL : fastest(t);
    if (best != NULL) {
        *tuned = (struct tuned){.bt = stream ? best->shape.bt : 0,
                                .bz = stream ? best->shape.bz : 0,
                                .ct = best->shape.ct,
                                .tiles = best->shape.tiles,
                                .pieces = oocc_max(1, best->shape.pieces),
                                .cut = best->shape.cut,
                                .step_seconds = best->seconds / (double)oocc_max(1, run->plan.steps)};
        figures_stamp(tuned->date);
        struct cache_keys keys;
        cache_make_keys(&keys, run->program, &run->options, &run->grid, &run->machine, &run->plan);
        cache_write_tuned(&keys, tuned);
        run->machine.tuned = tuned;
        status = plan_make(run->program, &run->options, &run->machine, &run->grid, run->steps - run->level,
                           &run->plan);
    }
    free(t);
    return status;
}

int tune_loops(struct oocc_run *run, struct tuned *tuned) {
    return run->plan.steps > 0 ? tune(run, tuned, false) : 0;
}

int tune_stream(struct oocc_run *run, struct tuned *tuned) {
    const bool stream = run->plan.schedule == SCHEDULE_STREAM;
    return run->plan.steps > 0 ? tune(run, tuned, stream) : 0;
}
