/*
 * probe_beside.c: what the device and the program's loops take from each other when both are at work. Transfers need no thread of
 * the run, but they pass through the same memory, and in a virtual machine another thread of the host may move them, on the cores that
 * compute: loops are slower beside them, and transfers beside loops. Both are measured by turns, alone and together, on the planned
 * shape.
 */
#include "tuning/mover.h"
#include "tuning/probe.h"
#include "tuning/trial.h"

#include <math.h>

enum { ROUNDS = 3 };
static const double trial_seconds = 0.15;
/* Less of the cores is left only where something else has taken it. */
static const double least_share = 0.3;

/* The loops of a shape beside transfers: as probe_trial(). */
static bool compute_beside(struct mover *m, const struct oocc_run *run, struct shape *shape, struct trial_memory *memory,
                           struct trial_result *result) {
    if (!mover_start(m, 0)) return false;
    const bool computed = probe_trial(run, shape, memory, trial_seconds, result);
    return mover_stop(m) > 0 && computed;
}

bool probe_beside(const struct oocc_run *run, struct mover *mover, struct device_figures *figures) {
    struct shape shape = probe_planned_shape(run);
    double alone = INFINITY, beside = INFINITY, rate = 0;
    struct trial_memory memory = {.room_bytes = probe_room(run)};
    bool good = true;
    for (int round = 0; round < ROUNDS && good; round++) {
        struct trial_result result;
        good = probe_trial(run, &shape, &memory, trial_seconds, &result);
        alone = fmin(alone, good ? result.seconds : 0);
        good = good && compute_beside(mover, run, &shape, &memory, &result);
        beside = fmin(beside, good ? result.seconds : 0);
        rate += mover->rate / ROUNDS; /* what bytes take counts, and not their best moment */
    }
    trial_memory_close(&memory);
    if (!good || !(alone > 0) || !(beside > 0) || !(rate > 0)) return false;
    /* Neither is faster for the other. */
    figures->cores_share = fmin(1, fmax(least_share, alone / beside));
    figures->beside = fmin(rate, figures->both);
    return true;
}
