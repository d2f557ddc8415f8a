#include "tuning/mover.h"

#include <time.h>

/* What a batch moves: at a pace, bytes are to come evenly, a few ms of them at a time, so that the shortest trial sees as many as the others. */
static const int64_t batch_bytes = 8 << 20;

bool mover_open(struct mover *m, const struct plan *plan, const char *scratch, int64_t room_bytes) {
    *m = (struct mover){.stop = true};
    if (!probing_open(&m->files, plan, scratch, room_bytes) || !probing_fill(&m->files)) return false;
    m->files.part = oocc_min(m->files.part, batch_bytes);
    return true;
}

void mover_close(struct mover *m) {
    probing_close(&m->files);
}

/* Until so many bytes are due. What was late is not made up for by more than a batch. */
static void wait_until_due(struct mover *m, double bytes, double *due) {
    double pace;
    __atomic_load(&m->pace, &pace, __ATOMIC_RELAXED);
    const double now = machine_seconds(), late = (double)batch_bytes;
    if (pace <= 0) return;
    *due = oocc_max_f64(*due, now - late / pace) + bytes / pace;
    const double wait = *due - now;
    if (wait > 0) nanosleep(&(struct timespec){.tv_sec = (time_t)wait, .tv_nsec = (long)((wait - (double)(time_t)wait) * 1e9)}, NULL);
}

static void *keep_moving(void *of) {
    struct mover *m = of;
    struct stream s[PROBING_FILES * PROBING_MEMBERS];
    const int members = m->files.members, streams = 2 * members;
    const double began = machine_seconds();
    double due = began, before = 0;
    probing_aim(&m->files, s, 0, false, m->files.filled[0]);
    probing_aim(&m->files, s + members, 1, true, m->files.filled[1]);
    probing_begin(s, streams);
    for (int64_t round = 0; m->good && !__atomic_load_n(&m->stop, __ATOMIC_RELAXED); round++) {
        for (int i = 0; i < streams && m->good; i++)
            m->good = probing_turn(&m->files, &s[i], (int)(round % PROBING_BATCHES), true);
        const double moved = probing_bytes(s, streams);
        wait_until_due(m, moved - before, &due);
        before = moved;
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
