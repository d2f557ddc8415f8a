#include "stream/shares.h"

#include "stream/flow.h"
#include "stream/subnormal.h"
#include "stream/waiting.h"

#include <stdlib.h>

/* More of them lose more to what each leaves behind for the next, which is not in cache any more when that one comes. */
enum { SHARES_OF_THREAD = 4 };

/* Stages that a share has been through; each on a cache line of its own. */
struct progress {
    int64_t stages;
    char apart[56];
};

struct shares {
    struct waiting waiting;
    int64_t count;      /* in this slab; no more than in the whole wave */
    int64_t from, to;   /* its positions */
    int64_t next, done; /* shares that were taken; that are done */
    struct progress *progress;
};

int64_t shares_of(const struct oocc_program *program, int threads, int64_t positions) {
    return oocc_max(1, oocc_min(SHARES_OF_THREAD * (int64_t)threads, positions / oocc_max(program->share_least, 1)));
}

struct shares *shares_open(const struct oocc_run *run, const struct oocc_pass *pass) {
    struct shares *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->progress = calloc((size_t)shares_of(run->program, run->plan.threads, pass->wave_hi - pass->wave_lo), sizeof *s->progress);
    if (s->progress) return s;
    free(s);
    return NULL;
}

void shares_close(struct shares *s) {
    if (!s) return;
    free(s->progress);
    free(s);
}

/* -- inside a slab --------------------------------------------------------------------------------- */

void oocc_share_positions(const struct oocc_pass *p, int64_t from, int64_t to) {
    const struct oocc_run *run = p->run;
    struct shares *s = flow_shares(p->flow);
    const int64_t positions = oocc_max(to - from, 0);
    s->from = from;
    s->to = from + positions;
    s->count = positions == 0 ? 0 : shares_of(run->program, run->plan.threads, positions);
    s->next = s->done = 0;
    for (int64_t i = 0; i < s->count; i++)
        s->progress[i].stages = 0;
}

/* The widest ones first. */
static int64_t begin_of(const struct shares *s, int64_t i) {
    const int64_t positions = s->to - s->from, more = positions % s->count;
    return s->from + i * (positions / s->count) + oocc_min(i, more);
}

bool oocc_next_share(const struct oocc_pass *p, struct oocc_share *share) {
    struct shares *s = flow_shares(p->flow);
    if (share->index < 0) subnormal_enter(p);
    if (share->index >= 0) {
        __atomic_store_n(&s->progress[share->index].stages, INT64_MAX, __ATOMIC_RELEASE);
        __atomic_fetch_add(&s->done, 1, __ATOMIC_RELEASE);
        waiting_tell(&s->waiting);
    }
    const int64_t i = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED);
    if (i >= s->count) {
        subnormal_leave(p);
        waiting_idle(p, &s->waiting, &s->done, s->count); /* what others have taken */
        return false;
    }
    *share = (struct oocc_share){.index = i, .lo = begin_of(s, i), .hi = begin_of(s, i + 1), .stages = 0};
    return true;
}

void oocc_follow(const struct oocc_pass *p, struct oocc_share *share) {
    struct shares *s = flow_shares(p->flow);
    const int64_t stages = share->stages++;
    if (stages > 0) {
        __atomic_store_n(&s->progress[share->index].stages, stages, __ATOMIC_RELEASE);
        waiting_tell(&s->waiting);
    }
    if (share->index > 0) waiting_until(p, &s->waiting, &s->progress[share->index - 1].stages, stages);
}
