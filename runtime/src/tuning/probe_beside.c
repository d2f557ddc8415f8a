/*
 * probe_beside.c: what the device and the program's loops take from each other when both are at work. Transfers need no thread of
 * the run, but they pass through the same memory, and in a virtual machine another thread of the host may move them, on the cores that
 * compute: loops are slower beside them, and transfers beside loops. Both are measured by turns, alone and together, on the planned
 * shape.
 */
#include "tuning/probe.h"
#include "tuning/probe_device.h"
#include "tuning/trial.h"

#include <math.h>
#include <pthread.h>

enum { ROUNDS = 3 };
static const double trial_seconds = 0.15;
/* Less of the cores is left only where something else has taken it. */
static const double least_share = 0.3;

/* What keeps the device busy, on a thread that mostly waits. */
struct mover {
    struct probing files;
    pthread_t thread;
    bool stop, good;
    double rate; /* bytes per second */
};

static void *keep_moving(void *of) {
    struct mover *m = of;
    struct stream s[PROBING_FILES * PROBING_MEMBERS];
    const int members = m->files.members, streams = 2 * members;
    const int64_t whole = m->files.file[0][0].bytes;
    const double began = machine_seconds();
    probing_aim(&m->files, s, 0, false, whole);
    probing_aim(&m->files, s + members, 1, true, whole);
    probing_begin(s, streams);
    for (int64_t round = 0; m->good && !__atomic_load_n(&m->stop, __ATOMIC_RELAXED); round++)
        for (int i = 0; i < streams && m->good; i++)
            m->good = probing_turn(&m->files, &s[i], (int)(round % PROBING_BATCHES), true);
    probing_end(&m->files, s, streams);
    m->rate = probing_bytes(s, streams) / (machine_seconds() - began);
    return NULL;
}

/* The loops of a shape beside transfers: as probe_trial(). */
static bool compute_beside(struct mover *m, const struct oocc_run *run, struct shape *shape, struct trial_memory *memory,
                           struct trial_result *result) {
    m->stop = false;
    m->good = true;
    if (pthread_create(&m->thread, NULL, keep_moving, m) != 0) return false;
    const bool computed = probe_trial(run, shape, memory, trial_seconds, result);
    __atomic_store_n(&m->stop, true, __ATOMIC_RELAXED);
    pthread_join(m->thread, NULL);
    return computed && m->good;
}

/* What is read later must have been written. */
static bool fill(struct probing *files) {
    struct stream s[PROBING_MEMBERS];
    const int64_t whole = files->file[0][0].bytes;
    for (int64_t filled = 0; filled < whole; filled += s[0].moved) {
        probing_aim(files, s, 0, true, whole);
        for (int i = 0; i < files->members; i++)
            s[i].at = filled;
        if (probing_move(files, s, files->members, whole - filled) == 0 || s[0].moved == 0) return false;
    }
    return true;
}

bool probe_beside(const struct oocc_run *run, struct device_figures *figures) {
    struct mover m = {.stop = false};
    struct shape shape = probe_planned_shape(run);
    double alone = INFINITY, beside = INFINITY, rate = 0;
    /* The loops need the other half of the room. */
    bool good = probing_open(&m.files, &run->plan, run->options.scratch, probe_room(run) / 2) && fill(&m.files);
    struct trial_memory memory = {.room_bytes = probe_room(run)};
    for (int round = 0; round < ROUNDS && good; round++) {
        struct trial_result result;
        good = probe_trial(run, &shape, &memory, trial_seconds, &result);
        alone = fmin(alone, good ? result.seconds : 0);
        good = good && compute_beside(&m, run, &shape, &memory, &result);
        beside = fmin(beside, good ? result.seconds : 0);
        rate += m.rate / ROUNDS; /* what bytes take counts, and not their best moment */
    }
    trial_memory_close(&memory);
    probing_close(&m.files);
    if (!good || !(alone > 0) || !(beside > 0) || !(rate > 0)) return false;
    /* Neither is faster for the other. */
    figures->cores_share = fmin(1, fmax(least_share, alone / beside));
    figures->beside = fmin(rate, figures->both);
    return true;
}
