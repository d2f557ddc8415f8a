#include "stream/waiting.h"

#include "stream/pipeline.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A thread that waits looks for something else to do every so often, and goes to sleep after about as long as it takes to be woken:
 * where other programs are at work, the thread that it waits for may have lost its core to one of them, and gets it back the sooner
 * the less this one takes. */
enum { SPINS = 4000, SPINS_IDLE = 200 };

/* Until it may be done; wakes without reason, too. */
static void sleep_until(struct waiting *w, const int64_t *done, int64_t goal) {
    __atomic_fetch_add(&w->sleeping, 1, __ATOMIC_SEQ_CST);
    const uint32_t seen = __atomic_load_n(&w->news, __ATOMIC_SEQ_CST);
    if (!waiting_is_done(done, goal)) syscall(SYS_futex, &w->news, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    __atomic_fetch_sub(&w->sleeping, 1, __ATOMIC_SEQ_CST);
}

static void pause_a_little(struct waiting *w, int spins, const int64_t *done, int64_t goal) {
    if (spins >= SPINS) {
        sleep_until(w, done, goal);
        return;
    }
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

void waiting_until(const struct oocc_pass *p, struct waiting *w, const int64_t *done, int64_t goal) {
    for (int spins = 1; !waiting_is_done(done, goal); spins++)
        if (spins % SPINS_IDLE != 0 || pipeline_spare(p) != SPARE_DONE) pause_a_little(w, spins, done, goal);
}

void waiting_idle(const struct oocc_pass *p, struct waiting *w, const int64_t *done, int64_t goal) {
    for (int spins = 1;; spins++) {
        if (pipeline_spare(p) == SPARE_DONE) continue;
        if (waiting_is_done(done, goal)) return;
        pause_a_little(w, spins, done, goal);
    }
}

/* Of two changes of `sleeping`, this one and that of a thread about to sleep, one comes first: either that thread sees what is done, or
 * it is seen here. */
void waiting_tell(struct waiting *w) {
    if (__atomic_fetch_add(&w->sleeping, 0, __ATOMIC_SEQ_CST) == 0) return;
    __atomic_fetch_add(&w->news, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &w->news, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}
