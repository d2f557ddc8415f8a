/*
 * probe_memory.c: how fast all threads together update arrays of their own, against how large these are. Small ones are
 * in a core's own cache, larger ones in the shared cache, the largest in memory; where the rate falls halfway from the
 * one to the other, the shared cache is full: what others leave of it, not what the data sheet says.
 */
#include "support/vector.h"
#include "tuning/probe.h"

#include <math.h>
#include <omp.h>
#include <string.h>
#include <sys/mman.h>

enum { ROUNDS = 4, MEETINGS = 10, ATTEMPTS = 3 };
static const double least_seconds = 4e-3; /* of one measurement */
static const double long_seconds = 50e-3; /* of all rounds of one: so long a measurement needs no third round */
static const double most_seconds = 2;     /* of all; then the machine is too busy to measure anything */
static const double slow_meeting = 200e-6;
static const int64_t MiB = 1 << 20;

/* Seconds in which each of the threads goes `sweeps` times through its part of all bytes. */
static double time_sweeps(char *memory, int64_t bytes, int threads, int64_t sweeps) {
    double began = 0, ended = 0;
    const int64_t part = bytes / threads / 64 * 64;
    void (*const update)(double *, int64_t) = vector_loops()->update;
#pragma omp parallel num_threads(threads)
    {
        double *mine = (double *)(void *)(memory + omp_get_thread_num() * part);
        update(mine, part / (int64_t)sizeof *mine);
#pragma omp barrier
#pragma omp master
        began = machine_seconds();
#pragma omp barrier
        for (int64_t i = 0; i < sweeps; i++)
            update(mine, part / (int64_t)sizeof *mine);
#pragma omp barrier
#pragma omp master
        ended = machine_seconds();
    }
    return ended - began;
}

/* Bytes per second, read and written. */
static double bandwidth(char *memory, int64_t bytes, int threads) {
    int64_t sweeps = 1;
    double seconds = time_sweeps(memory, bytes, threads, sweeps);
    while (seconds < least_seconds && sweeps < (int64_t)1 << 30) {
        sweeps *= seconds > 0 ? oocc_max(2, (int64_t)(1.2 * least_seconds / seconds)) : 16;
        seconds = time_sweeps(memory, bytes, threads, sweeps);
    }
    for (int i = 1; i < ROUNDS && (i == 1 || i * seconds < long_seconds); i++)
        seconds = fmin(seconds, time_sweeps(memory, bytes, threads, sweeps));
    return seconds > 0 ? 2.0 * (double)bytes * (double)sweeps / seconds : 0;
}

/* The least of a few, each of some meetings; on a machine that is busy already one takes milliseconds. */
static double meeting_seconds(int threads) {
    double best = 1;
    const double until = machine_seconds() + least_seconds;
    do {
        const double began = machine_seconds();
        for (int i = 0; i < MEETINGS; i++) {
#pragma omp parallel num_threads(threads)
            {
#pragma omp barrier
            }
        }
        best = fmin(best, (machine_seconds() - began) / MEETINGS / 2);
    } while (machine_seconds() < until);
    return best;
}

void probe_shared_cache(const struct cache_curve *curve, int64_t own_bytes, int64_t all_bytes, int threads, struct machine_figures *f) {
    double best = 0;
    for (int i = 0; i < curve->sizes; i++)
        best = fmax(best, curve->rate[i]);
    f->shared_cache = best / threads;
    f->shared_bytes = 0;
    if (best < 1.3 * f->memory_bandwidth) { /* where it ends is not seen */
        f->shared_cache = f->memory_bandwidth / threads;
        return;
    }
    const double halfway = sqrt(best * f->memory_bandwidth);
    f->shared_bytes = (double)own_bytes;
    for (int i = 0; i < curve->sizes; i++)
        if (curve->rate[i] >= halfway) f->shared_bytes = (double)curve->size[i];
    f->shared_bytes = fmin(f->shared_bytes, (double)all_bytes); /* where memory is fast, the curve hardly falls */
}

/* From where the threads' own caches are full to where the shared one is, too; larger arrays tell nothing more, and take longest. */
static void follow_curve(char *memory, int64_t most_bytes, int64_t own_bytes, int64_t all_bytes, int threads,
                         double until, struct machine_figures *f) {
    const double end = fmin(1.25 * (double)all_bytes, (double)most_bytes / 1.2);
    struct cache_curve curve = {.sizes = 0};
    for (double bytes = 1.5 * (double)own_bytes; bytes < end && curve.sizes < CURVE_SIZES && machine_seconds() < until; bytes *= 1.25) {
        curve.size[curve.sizes] = (int64_t)bytes;
        curve.rate[curve.sizes++] = bandwidth(memory, (int64_t)bytes, threads);
    }
    probe_shared_cache(&curve, own_bytes, all_bytes, threads, f);
}

/* Everything once; false when it cannot be so, or the time is up. */
static bool measure(char *memory, int64_t bytes, int64_t own, int64_t shared, int threads, struct machine_figures *f) {
    const double until = machine_seconds() + most_seconds;
    f->memory_bandwidth = bandwidth(memory, bytes, threads);
    f->core_bandwidth = fmin(bandwidth(memory, bytes, 1), f->memory_bandwidth);
    f->own_cache = bandwidth(memory, own / 2, threads) / threads;
    follow_curve(memory, bytes, own, own + shared, threads, until, f);
    /* A core's own cache is the fastest there is, on any machine that is not busy with something else. */
    return machine_seconds() < until && f->own_cache > 0.8 * f->shared_cache &&
           f->own_cache * threads > 0.8 * f->memory_bandwidth && f->core_bandwidth > 0;
}

/* Whether what was measured first is still so. */
static bool lasts(char *memory, int64_t bytes, int64_t own, int threads, const struct machine_figures *f) {
    return probe_steady(f->memory_bandwidth, bandwidth(memory, bytes, threads)) &&
           probe_steady(f->own_cache * threads, bandwidth(memory, own / 2, threads));
}

/* A thread may use what other cores leave of the shared cache. */
static int64_t own_cache_bytes(const struct machine *machine, int threads) {
    return machine->l2_bytes * threads;
}

static int64_t shared_cache_bytes(const struct machine *machine) {
    return machine->l3_bytes * machine->cores;
}

int64_t probe_memory_least_bytes(const struct machine *machine, int threads) {
    return oocc_max(4 * own_cache_bytes(machine, threads), 16 * MiB);
}

int64_t probe_memory_bytes(const struct machine *machine, int threads, int64_t room_bytes) {
    const int64_t least = probe_memory_least_bytes(machine, threads);
    const int64_t wanted = oocc_min(oocc_max(4 * (own_cache_bytes(machine, threads) + shared_cache_bytes(machine)), 64 * MiB), 1024 * MiB);
    if (wanted <= room_bytes) return wanted;
    int64_t bytes = 1;
    while (bytes <= room_bytes / 2)
        bytes *= 2;
    return bytes < least ? 0 : bytes;
}

bool probe_memory(const struct machine *machine, int threads, int64_t bytes, struct machine_figures *figures) {
    const int64_t own = own_cache_bytes(machine, threads), shared = shared_cache_bytes(machine);
    char *memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    madvise(memory, (size_t)bytes, MADV_HUGEPAGE);
    struct machine_figures f = figures_nominal.machine;
    f.core = figures->core;
    time_sweeps(memory, bytes, threads, 0); /* each thread touches its part first */
    f.barrier_seconds = meeting_seconds(threads);
    bool measured = false;
    f.unsteady = true;
    for (int attempt = 0; attempt < ATTEMPTS && f.unsteady && f.barrier_seconds <= slow_meeting; attempt++) {
        if (!measure(memory, bytes, own, shared, threads, &f)) continue;
        f.unsteady = !lasts(memory, bytes, own, threads, &f);
        figures_stamp(f.date);
        *figures = f;
        measured = true;
    }
    munmap(memory, (size_t)bytes);
    return measured;
}
