#include "tuning/mover.h"

#include <time.h>

/* What a batch moves: at a pace, bytes are to come evenly, a few ms of them at a time, so that the shortest trial sees as many as the others. */
static const int64_t batch_bytes = 8 << 20;

bool mover_open(struct mover *m, const struct plan *plan, const char *scratch, int64_t room_bytes) {
    *m = (struct mover){.stop = true};
    return probing_open(&m->files, plan, scratch, room_bytes, batch_bytes) && probing_fill(&m->files);
}

void mover_close(struct mover *m) {
    probing_close(&m->files);
}

/* So often the pace, and whether it is over, are looked at: a pass of many steps moves next to nothing for seconds. */
static const double look_seconds = 5e-3;

static bool stopped(const struct mover *m) {
    return __atomic_load_n(&m->stop, __ATOMIC_RELAXED);
}

/* Bytes that have moved ahead of their time, as of `at`. */
struct debt {
    double bytes, at;
};

/* Until the pace has caught up. What was late is not made up for by more than a batch. */
static void pay(const struct mover *m, struct debt *debt) {
    for (double pace; !stopped(m);) {
        __atomic_load(&m->pace, &pace, __ATOMIC_RELAXED);
        const double now = machine_seconds();
        debt->bytes = pace > 0 ? oocc_max_f64(debt->bytes - pace * (now - debt->at), -(double)batch_bytes) : 0;
        debt->at = now;
        if (debt->bytes <= 0) return;
        nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * oocc_min_f64(debt->bytes / pace, look_seconds))}, NULL);
    }
}

static void *keep_moving(void *of) {
    struct mover *m = of;
    struct stream s[PROBING_FILES * PROBING_MEMBERS];
    const int members = m->files.members, streams = 2 * members;
    const double began = machine_seconds();
    struct debt debt = {.at = began};
    probing_aim(&m->files, s, 0, false, m->files.filled[0]);
    probing_aim(&m->files, s + members, 1, true, m->files.filled[1]);
    probing_begin(s, streams);
    for (int64_t round = 0; m->good && !stopped(m); round++) {
        const double before = probing_bytes(s, streams);
        for (int i = 0; i < streams && m->good; i++)
            m->good = probing_turn(&m->files, &s[i], (int)(round % PROBING_BATCHES), true);
        debt.bytes += probing_bytes(s, streams) - before;
        pay(m, &debt);
    }
    probing_end(&m->files, s, streams);
    m->rate = probing_bytes(s, streams) / (machine_seconds() - began);
    return NULL;
}

void mover_set_pace(struct mover *m, double pace) {
    __atomic_store(&m->pace, &pace, __ATOMIC_RELAXED);
}

bool mover_start(struct mover *m, double pace) {
    m->stop = false;
    m->good = true;
    m->pace = pace;
    m->rate = 0;
    return pthread_create(&m->thread, NULL, keep_moving, m) == 0;
}

double mover_stop(struct mover *m) {
    __atomic_store_n(&m->stop, true, __ATOMIC_RELAXED);
    pthread_join(m->thread, NULL);
    return m->good ? m->rate : 0;
}
