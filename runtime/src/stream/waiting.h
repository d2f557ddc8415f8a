/*
 * waiting.h: how the threads that compute a slab wait for each other. Whoever waits looks for something else to do meanwhile
 * (pipeline_spare), and goes to sleep when that takes long.
 */
#ifndef OOCC_WAITING_H
#define OOCC_WAITING_H

#include "oocc/oocc.h"

/* Of all threads of a slab; zero when it begins. */
struct waiting {
    int sleeping;  /* threads, or about to */
    uint32_t news; /* changes when one of them is to look again */
};

/* Whether what is counted up to `*done` has come so far; then all that was written before is there. */
static inline bool waiting_is_done(const int64_t *done, int64_t goal) {
    return __atomic_load_n(done, __ATOMIC_ACQUIRE) >= goal;
}

/* Until it is done by another thread, which tells of it. */
void waiting_until(const struct oocc_pass *p, struct waiting *w, const int64_t *done, int64_t goal);
/* The same, for a thread that has nothing to compute any more: what else there is to do comes first. */
void waiting_idle(const struct oocc_pass *p, struct waiting *w, const int64_t *done, int64_t goal);
/* After something was marked as done. */
void waiting_tell(struct waiting *w);

#endif
