/*
 * tune.c: the model orders the candidates, the clock decides. What a trial measures is one slab when all steps are at
 * work; the ratio to what the model says of the same slab carries over to the run, so that the wave's way in and out, the
 * number of passes and the commits count as well. First the best few by the model, then, while there is time, the
 * neighbours of the best so far; and in the rest of the time the fastest of all these, by turns (race.h).
 */
#include "tuning/tune.h"

#include "plan/planner.h"
#include "plan/tiles.h"
#include "run/interrupt.h"
#include "tuning/figures.h"
#include "tuning/probe.h"
#include "tuning/race.h"
#include "tuning/trial.h"

#include <math.h>
#include <stdlib.h>

enum { FIRST = 8, TRIALS = 30 };
static const double loops_seconds = 0.15; /* of one trial in place */
static const double first_share = 0.6;    /* of the time is for first trials */

struct tuning {
    struct oocc_run *run;
    struct planner planner;
    struct race race;
    double began;
    bool stream;
    struct trial_memory memory;
};

/* Takes a shape in if it is legal, fits, and is not there yet. */
static void add(struct tuning *t, struct shape shape) {
    struct search with = t->planner.search;
    const struct search *search = &with;
    const struct workload *work = &search->work;
    with.cut = shape.cut;
    if (shape.bt < 1 || shape.bz < 1 || shape.ct < 1 || shape.ct > shape.bt || shape.tiles < 1) return;
    if (work->tile_extent <= 1 && shape.tiles != 1) return;
    if (shape.tiles > tiles_most(work->program, search_tile_extent(search, shape.bt), shape.ct)) return;
    if (!search_fits(search, shape.bt, shape.bz)) return;
    race_add(&t->race, &shape, cost_of_run(work, &shape).seconds);
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

static double trial_seconds(const struct tuning *t) {
    return t->stream ? t->run->options.tune_seconds / TRIALS : loops_seconds;
}

/* Seconds of the run, by those that a slab takes and is predicted to take; infinite if it cannot be tried. 0, or an exit status that
 * ends the run. */
static int measure(struct tuning *t, const struct racer *racer, double *seconds) {
    struct oocc_run *run = t->run;
    struct workload work = t->planner.search.work;
    const struct shape *shape = &racer->shape;
    struct shape slab = *shape;
    struct trial_result result;
    *seconds = INFINITY;
    if (t->stream) {
        const struct plan before = run->plan;
        run->plan.bt = shape->bt;
        run->plan.bz = shape->bz;
        run->plan.ct = shape->ct;
        run->plan.tiles = shape->tiles;
        run->plan.pieces = oocc_max(1, shape->pieces);
        run->plan.cut = shape->cut;
        const int status = trial_stream(run, trial_seconds(t), &result);
        run->plan = before;
        if (status) return status;
    } else {
        slab.bt = oocc_min(shape->bt, 2 * shape->ct);
        slab.bz = oocc_min(shape->bz, oocc_max(16, 4 * shape->ct * run->program->step_delay));
        if (!trial_compute(run, &slab, &t->memory, trial_seconds(t), &result)) return interrupt_seen() ? OOCC_STOPPED : 0;
        work.in_place = true;
    }
    const double expected = cost_of_slab(&work, &slab, result.updates).seconds;
    if (expected > 0 && result.seconds > 0) *seconds = racer->predicted * (result.seconds / expected);
    return interrupt_seen() ? OOCC_STOPPED : 0;
}

/* Whether one more trial, as long as others were on the average, ends before this share of the time has passed. */
static bool has_time(const struct tuning *t, double share, int trials) {
    const double passed = machine_seconds() - t->began;
    const double each = trials > 0 ? passed / trials : trial_seconds(t);
    return passed + each <= share * t->run->options.tune_seconds;
}

static int try_all(struct tuning *t) {
    struct race *race = &t->race;
    int status = 0, tried = 0;
    for (; !status && (tried == 0 || has_time(t, first_share, tried)); tried++) {
        const struct racer *best = race_fastest(race);
        if (best != NULL && tried >= FIRST) add_neighbours(t, best->shape);
        struct racer *next = race_next(race);
        if (next == NULL) break;
        status = measure(t, next, &next->first);
        /* No better than what others have shown of themselves even if the model is right. */
        if (best != NULL && tried >= TRIALS && next->first > 1.1 * best->first) break;
    }
    /* Of few trials, so many that each has two rounds. */
    race_choose_finalists(race, (int)oocc_max(2, tried / 3));
    for (; !status && race_turn(race) != NULL && has_time(t, 1, tried); tried++) {
        double seconds;
        status = measure(t, race_turn(race), &seconds);
        race_take(race, seconds);
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
    t->began = machine_seconds();
    run->machine.tuned = NULL;
    int status = planner_open(&t->planner, run->program, &run->options, &run->machine, &run->grid,
                              run->steps - run->level, &scratch);
    if (!status) {
        run_note("tuning: tries plans for up to %.0f s", run->options.tune_seconds);
        add_first(t);
        status = try_all(t);
        trial_memory_close(&t->memory);
    }
    double seconds = 0;
    const struct racer *best = status ? NULL : race_winner(&t->race, &seconds);
    if (best != NULL) {
        *tuned = (struct tuned){.bt = stream ? best->shape.bt : 0,
                                .bz = stream ? best->shape.bz : 0,
                                .ct = best->shape.ct,
                                .tiles = best->shape.tiles,
                                .pieces = oocc_max(1, best->shape.pieces),
                                .cut = best->shape.cut,
                                .step_seconds = seconds / (double)oocc_max(1, run->plan.steps)};
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
