/*
 * probe.h: measures, in a few seconds, what the planner goes by: a core (probe_core.c), memory and caches (probe_memory.c), the device behind the
 * scratch (probe_device.c), the program's own loops (probe_kernel.c, in slabs of probe_slab.c). All of it stays within the budget; a part that
 * has too little room for a sound figure keeps the nominal one; what comes out otherwise each time, since the machine is busy,
 * is for this run alone.
 */
#ifndef OOCC_PROBE_H
#define OOCC_PROBE_H

#include "plan/cost.h"
#include "tuning/cache.h"
#include "tuning/climb.h"
#include "tuning/trial.h"

struct mover; /* mover.h */

/* Makes the plan, with figures from the cache or measured now as --probe says; then with what tuning found before. */
int probe_and_plan(struct oocc_run *run, struct figures *figures, struct tuned *tuned);

/* Bytes that measuring may use: the budget, or what there is where that is less, without what the process has already. */
int64_t probe_room(const struct oocc_run *run);

/* Whether two measurements of one thing agree: when they do not, others are at work on the machine, and what is measured
 * now says nothing about later. */
bool probe_steady(double first, double second);

/* How fast a core is. Where the clock is too coarse for that, the figures are as before. */
void probe_core(struct core_figures *figures);

/* How fast all threads together update so many bytes; from just beyond the cores' own caches on. */
enum { CURVE_SIZES = 40 };
struct cache_curve {
    int sizes;
    int64_t size[CURVE_SIZES];
    double rate[CURVE_SIZES];
};
/* How fast the shared cache is, and how much of it there is, of what caches have in all; 0, which is "taken from sizes", where it is no
 * faster than memory, as in moments when others use it: what tiles keep there is not asked of memory all the same. */
void probe_shared_cache(const struct cache_curve *curve, int64_t own_bytes, int64_t all_bytes, int threads, struct machine_figures *figures);

/* Bytes that memory and caches are measured in: arrays several times as large as all caches. In less room, a power of two, so that what
 * comes out is what a run sees that has no more than that. 0: it would be the cores' own caches and nothing else. */
int64_t probe_memory_bytes(const struct machine *machine, int threads, int64_t room_bytes);
/* The least that it can be measured in. */
int64_t probe_memory_least_bytes(const struct machine *machine, int threads);
/* In so many bytes, and all but what a core does. False: the figures are as before. */
bool probe_memory(const struct machine *machine, int threads, int64_t bytes, struct machine_figures *figures);
bool probe_device(const struct plan *plan, const char *scratch, int64_t room_bytes, struct device_figures *figures);
/* Adds to the device's figures what it and the program's loops take from each other. False: they are as before. */
bool probe_beside(const struct oocc_run *run, struct mover *mover, struct device_figures *figures);
/* What timing shapes may take in all. Who asks for a probe has the time. */
double probe_time_there(const struct oocc_run *run);
/* Steps that a pass may have, whatever the budget says. */
int64_t probe_deepest(const struct oocc_run *run);
/* What a trial of a slab takes, by model. */
double probe_slab_seconds(const struct oocc_run *run, const struct shape *shape);
/* As it is timed: of tiles two groups, which overlap as they do in a pass, in a slab as thick as a pass has them, as far as that does
 * not take long; of one group, if two leave time for a slab only that is all ends, where deep tiles look worse than they are. Beyond so
 * many planes nothing of the ends is seen any more. */
struct shape probe_timed_shape(const struct oocc_run *run, const struct workload *work, const struct shape *wanted);
/* The plan's shape, so. */
struct shape probe_planned_shape(const struct oocc_run *run);
/* Of a large plane a deep shape may take so long that there is no time left for the others: it is timed in a thinner slab then, as what is
 * not timed at all is taken to be as slow as the rest. False: even of the thinnest slab it would take too long, of `seconds` in all. */
bool probe_thinner(const struct oocc_run *run, double seconds, struct shape *shape);
/* As trial_compute(), of a shape that is made smaller until the budget has room for it. */
bool probe_trial(const struct oocc_run *run, struct shape *shape, struct trial_memory *memory, double seconds,
                 struct trial_result *result);
/* Times this program's loops until the plan, made anew after each, is one that has been timed, and the best ones several times; the
 * figures are unsteady unless the fastest was as fast twice. Beside transfers of the mover unless that is NULL, as many bytes a
 * second as the plan moves: what they slow all shapes down by, as far as the device's figures say so, is no part of the figures. 0 or an
 * exit status. */
int probe_kernel(struct oocc_run *run, struct mover *mover, struct kernel_figures *kernel);
/* The analytic prediction of a slab's loops, as if nothing had been timed: what the factors of points are of. */
double probe_untimed_seconds(const struct oocc_run *run, const struct shape *shape, double updates);
/* Keeps how the tiles that a run has tried compare. The first ones took `cell_seconds` for a cell and step; a slab
 * makes `updates` of them. */
void probe_learn(const struct oocc_run *run, const struct climb *climb, double cell_seconds, double updates);

/* Keeps how much longer all of the run took than was predicted, for the next prediction. Of runs to the end whose loops were the
 * bound, for several seconds. */
void probe_learn_pace(const struct oocc_run *run);

#endif
