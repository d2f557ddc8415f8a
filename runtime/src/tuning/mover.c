#include "tuning/mover.h"

bool mover_open(struct mover *m, const struct plan *plan, const char *scratch, int64_t room_bytes) {
    *m = (struct mover){.stop = true};
    return probing_open(&m->files, plan, scratch, room_bytes) && probing_fill(&m->files);
}

void mover_close(struct mover *m) {
    probing_close(&m->files);
}

static void *keep_moving(void *of) {
    struct mover *m = of;
    struct stream s[PROBING_FILES * PROBING_MEMBERS];
    const int members = m->files.members, streams = 2 * members;
    const double began = machine_seconds();
    probing_aim(&m->files, s, 0, false, m->files.filled[0]);
    probing_aim(&m->files, s + members, 1, true, m->files.filled[1]);
    probing_begin(s, streams);
    for (int64_t round = 0; m->good && !__atomic_load_n(&m->stop, __ATOMIC_RELAXED); round++)
        for (int i = 0; i < streams && m->good; i++)
            m->good = probing_turn(&m->files, &s[i], (int)(round % PROBING_BATCHES), true);
    probing_end(&m->files, s, streams);
    m->rate = probing_bytes(s, streams) / (machine_seconds() - began);
    return NULL;
}

bool mover_start(struct mover *m) {
    m->stop = false;
    m->good = true;
    m->rate = 0;
    return pthread_create(&m->thread, NULL, keep_moving, m) == 0;
}

double mover_stop(struct mover *m) {
    __atomic_store_n(&m->stop, true, __ATOMIC_RELAXED);
    pthread_join(m->thread, NULL);
    return m->good ? m->rate : 0;
}
