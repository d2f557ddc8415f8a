#include "engines/fresh_counts.h"

#include "tuning/machine.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Half a second apart, one of three runs was still ended. */
static const long nanoseconds_apart = 20000000;

struct fresh_counts {
    int file;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ends;
    bool ending;
};

static struct timespec next_time(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_nsec += nanoseconds_apart;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

static void *keep_fresh(void *argument) {
    struct fresh_counts *counts = argument;
    pthread_mutex_lock(&counts->lock);
    while (!counts->ending) {
        char some[16]; /* the kernel makes them all for that */
        const ssize_t got = pread(counts->file, some, sizeof some, 0);
        const struct timespec next = next_time();
        if (got < 0) break;
        pthread_cond_timedwait(&counts->ends, &counts->lock, &next);
    }
    pthread_mutex_unlock(&counts->lock);
    return NULL;
}

static bool start(struct fresh_counts *counts) {
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&counts->ends, &clock);
    pthread_condattr_destroy(&clock);
    pthread_mutex_init(&counts->lock, NULL);
    /* The terminal's signals are for the run's own thread. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = !pthread_create(&counts->thread, NULL, keep_fresh, counts);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void release(struct fresh_counts *counts) {
    pthread_cond_destroy(&counts->ends);
    pthread_mutex_destroy(&counts->lock);
    close(counts->file);
    free(counts);
}

struct fresh_counts *fresh_counts_open(void) {
    const int file = machine_open_memory_counts("");
    if (file < 0) return NULL;
    struct fresh_counts *counts = calloc(1, sizeof *counts);
    if (!counts) {
        close(file);
        return NULL;
    }
    counts->file = file;
    if (start(counts)) return counts;
    release(counts);
    return NULL;
}

void fresh_counts_close(struct fresh_counts *counts) {
    if (!counts) return;
    pthread_mutex_lock(&counts->lock);
    counts->ending = true;
    pthread_cond_signal(&counts->ends);
    pthread_mutex_unlock(&counts->lock);
    pthread_join(counts->thread, NULL);
    release(counts);
}
