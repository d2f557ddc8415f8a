#include "engines/flight.h"

#include "oocc/oocc.h"
#include "tuning/machine.h"

#include <stdlib.h>

/* A round is so many requests per slot; a rate counts as higher from so much on. */
enum { ROUND = 4, BEGIN = 8, SETTLED_ROUNDS = 64 };
static const double RISE = 1.03;

struct flight {
    struct engine *engine;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a slot came free, a request is in flight, or it is time to stop */
    struct flight_slot *free;
    int flying, waiting;
    bool stopping, adaptive;
    struct depth depth;
    struct flight_slot slot[];
};

static void begin_round(struct depth *d, double now) {
    d->landed = d->waited = d->bytes = 0;
    d->since = now;
}

/* A round counts when requests waited for slots most of the time: otherwise it is not the depth that limits the rate.
 * A larger depth that gave nothing is taken back, and tried again much later: devices have moods. */
int depth_landed(struct depth *d, int64_t bytes, bool waited, double now) {
    if (d->since == 0) begin_round(d, now);
    d->landed++;
    d->waited += waited;
    d->bytes += bytes;
    if (d->landed < (int64_t)ROUND * d->now) return d->now;
    const double rate = now > d->since ? (double)d->bytes / (now - d->since) : 0;
    const bool counts = d->waited * 4 >= d->landed * 3 && rate > 0;
    begin_round(d, now);
    if (!counts) return d->now;
    if (d->before > 0 && rate < d->best * RISE) {
        d->now = d->before;
        d->before = 0;
        d->settled = SETTLED_ROUNDS;
    } else if (d->settled > 0) {
        d->settled--;
    } else if (d->now < d->most) {
        d->before = d->now;
        d->best = rate;
        d->now = (int)oocc_min(d->most, d->now + (d->now + 1) / 2);
    } else {
        d->before = 0;
    }
    return d->now;
}

struct flight *flight_open(struct engine *engine, int most) {
    struct flight *f = calloc(1, sizeof *f + (size_t)most * sizeof *f->slot);
    if (!f) return NULL;
    f->engine = engine;
    f->adaptive = engine->depth == 0;
    f->depth.most = f->adaptive ? most : (int)oocc_min(most, engine->depth);
    f->depth.now = f->adaptive ? (int)oocc_min(BEGIN, f->depth.most) : f->depth.most;
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->changed, NULL);
    for (int i = 0; i < most; i++) {
        f->slot[i].index = i;
        f->slot[i].next = f->free;
        f->free = &f->slot[i];
    }
    return f;
}

void flight_close(struct flight *f) {
    if (!f) return;
    pthread_cond_destroy(&f->changed);
    pthread_mutex_destroy(&f->lock);
    free(f);
}

/* What the kernel reads or writes of the window, ThreadSanitizer is told: when it begins, and when it is over. */
#if defined __has_feature
#if __has_feature(thread_sanitizer)
#define TOLD
#endif
#elif defined __SANITIZE_THREAD__
#define TOLD
#endif
#ifdef TOLD
void __tsan_read_range(void *begin, unsigned long bytes);
void __tsan_write_range(void *begin, unsigned long bytes);
static void tell_of(const struct flight_slot *slot) {
    for (int i = 0; i < slot->vectors; i++)
        if (slot->write)
            __tsan_read_range(slot->vector[i].iov_base, slot->vector[i].iov_len);
        else
            __tsan_write_range(slot->vector[i].iov_base, slot->vector[i].iov_len);
}
#else
static void tell_of(const struct flight_slot *slot) {
    (void)slot;
}
#endif

struct flight_slot *flight_take(struct flight *f, struct io_request *request) {
    pthread_mutex_lock(&f->lock);
    while (f->flying >= f->depth.now) {
        f->waiting++;
        pthread_cond_wait(&f->changed, &f->lock);
        f->waiting--;
    }
    struct flight_slot *slot = f->free;
    f->free = slot->next;
    io_flying(f->engine, ++f->flying);
    slot->request = request;
    slot->file = request->file;
    slot->write = request->write;
    slot->offset = request->offset + request->done;
    slot->vectors = io_request_vector(request, slot->vector, IO_REQUEST_PIECES, &slot->bytes);
    pthread_mutex_unlock(&f->lock);
    slot->call = (struct call){.kind = slot->write ? CALL_WRITE : CALL_READ,
                               .of_engine = true,
                               .apart = request->file->apart,
                               .fd = slot->file->fd,
                               .vector = slot->vector,
                               .vectors = slot->vectors,
                               .offset = slot->offset,
                               .bytes = slot->bytes};
    slot->made = calls_begin(&slot->call);
    if (slot->call.bytes < slot->bytes) {
        slot->bytes = slot->call.bytes;
        slot->vectors = slot->call.vectors = calls_cut(slot->vector, slot->vectors, slot->bytes);
    }
    if (slot->made) tell_of(slot);
    return slot;
}

void flight_hand(struct flight_slot *slot) {
    __atomic_store_n(&slot->handed, true, __ATOMIC_RELEASE);
}

void flight_submitted(struct flight *f) {
    pthread_mutex_lock(&f->lock);
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

struct io_request *flight_land(struct flight *f, struct flight_slot *slot, int64_t *moved) {
    (void)__atomic_exchange_n(&slot->handed, false, __ATOMIC_ACQ_REL);
    if (slot->made) tell_of(slot);
    *moved = slot->made ? calls_end(&slot->call, *moved) : slot->call.result;
    pthread_mutex_lock(&f->lock);
    struct io_request *request = slot->request;
    slot->next = f->free;
    f->free = slot;
    f->flying--;
    if (f->adaptive) depth_landed(&f->depth, oocc_max(*moved, 0), f->waiting > 0, machine_seconds());
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
    return request;
}

bool flight_wait(struct flight *f) {
    pthread_mutex_lock(&f->lock);
    while (!f->flying && !f->stopping)
        pthread_cond_wait(&f->changed, &f->lock);
    const bool any = f->flying > 0;
    pthread_mutex_unlock(&f->lock);
    return any;
}

void flight_stop(struct flight *f) {
    pthread_mutex_lock(&f->lock);
    f->stopping = true;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
}
