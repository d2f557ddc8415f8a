#include "engines/workers.h"

#include "support/urgent.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>

struct queue {
    struct io_request *first, *last;
    int64_t length, credit;
};

struct workers {
    struct engine *engine;
    void (*run)(struct engine *engine, struct io_request *request);
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct queue queue[2]; /* of reads, of writes */
    bool stopping, urgent;
    int most, threads;    /* that may be, and that are: more are started when more requests come than there is anyone for */
    int64_t idle, called; /* threads that wait and were not called; calls that nobody has answered yet */
    bool place_known;     /* `place` is known: the CPUs of who opened the engine, for who submits may be bound to one since */
    cpu_set_t place;
    pthread_t thread[];
};

/* The next request, or NULL; the lock is held. Both queues go down in proportion, one request at a time, by smooth weighted
 * round robin (as in nginx) with their lengths for weights: each is credited with its length, and the one with more to its
 * credit pays for both. */
static struct io_request *take(struct workers *w) {
    struct queue *read = &w->queue[false], *write = &w->queue[true];
    read->credit += read->length;
    write->credit += write->length;
    struct queue *from = !read->first || (write->first && write->credit > read->credit) ? write : read;
    struct io_request *request = from->first;
    if (!request) return NULL;
    from->credit -= read->length + write->length;
    from->length--;
    from->first = request->next;
    return request;
}

static void *work(void *argument) {
    struct workers *w = argument;
    if (w->place_known) sched_setaffinity(0, sizeof w->place, &w->place);
    if (w->urgent) urgent_thread();
    pthread_mutex_lock(&w->lock);
    for (;;) {
        struct io_request *request = take(w);
        if (!request && w->stopping) break;
        if (!request) {
            w->idle++;
            while (!w->called && !w->stopping)
                pthread_cond_wait(&w->more, &w->lock);
            if (w->called) w->called--;
            continue;
        }
        pthread_mutex_unlock(&w->lock);
        w->run(w->engine, request);
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* One more thread; the lock is held. The terminal's signals are for the run's own thread, which checks for them at every slab. */
static bool start_thread(struct workers *w) {
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = !pthread_create(&w->thread[w->threads], NULL, work, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    w->threads += started;
    return started;
}

struct workers *workers_start(int most, bool urgent, struct engine *engine,
                              void (*run)(struct engine *engine, struct io_request *request)) {
    struct workers *w = calloc(1, sizeof *w + (size_t)most * sizeof *w->thread);
    if (!w) return NULL;
    w->most = most;
    w->urgent = urgent;
    w->engine = engine;
    w->run = run;
    w->place_known = sched_getaffinity(0, sizeof w->place, &w->place) == 0;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->more, NULL);
    pthread_mutex_lock(&w->lock);
    const bool started = start_thread(w);
    pthread_mutex_unlock(&w->lock);
    if (started) return w;
    workers_stop(w);
    return NULL;
}

/* Somebody for each of so many requests, as far as there are threads: one that waits, or a new one. The lock is held. */
static void call_for(struct workers *w, int64_t requests) {
    for (; requests > 0 && w->idle > 0; requests--) {
        w->idle--;
        w->called++;
        pthread_cond_signal(&w->more);
    }
    while (requests-- > 0 && w->threads < w->most && start_thread(w))
        ;
}

/* Appends `count` requests, already linked and of one direction; the lock is held. */
static void append(struct workers *w, struct io_request *first, struct io_request *last, int64_t count) {
    struct queue *queue = &w->queue[first->write];
    last->next = NULL;
    if (queue->first)
        queue->last->next = first;
    else
        queue->first = first;
    queue->last = last;
    queue->length += count;
}

void workers_submit(struct workers *w, struct io_batch *batch) {
    for (int64_t i = 0; i + 1 < batch->count; i++)
        batch->request[i].next = &batch->request[i + 1];
    pthread_mutex_lock(&w->lock);
    append(w, &batch->request[0], &batch->request[batch->count - 1], batch->count);
    call_for(w, batch->count);
    pthread_mutex_unlock(&w->lock);
}

void workers_push(struct workers *w, struct io_request *request) {
    pthread_mutex_lock(&w->lock);
    append(w, request, request, 1);
    call_for(w, 1);
    pthread_mutex_unlock(&w->lock);
}

void workers_stop(struct workers *w) {
    if (!w) return;
    pthread_mutex_lock(&w->lock);
    w->stopping = true;
    pthread_cond_broadcast(&w->more);
    pthread_mutex_unlock(&w->lock);
    for (int i = 0; i < w->threads; i++)
        pthread_join(w->thread[i], NULL);
    pthread_cond_destroy(&w->more);
    pthread_mutex_destroy(&w->lock);
    free(w);
}
