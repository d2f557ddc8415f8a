#include "engines/workers.h"

#include "support/urgent.h"

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
    int threads;
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
    if (w->urgent) urgent_thread();
    pthread_mutex_lock(&w->lock);
    for (;;) {
        struct io_request *request = take(w);
        if (!request && w->stopping) break;
        if (!request) {
            pthread_cond_wait(&w->more, &w->lock);
            continue;
        }
        pthread_mutex_unlock(&w->lock);
        w->run(w->engine, request);
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

struct workers *workers_start(int threads, bool urgent, struct engine *engine,
                              void (*run)(struct engine *engine, struct io_request *request)) {
    struct workers *w = calloc(1, sizeof *w + (size_t)threads * sizeof *w->thread);
    if (!w) return NULL;
    w->urgent = urgent;
    w->engine = engine;
    w->run = run;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->more, NULL);
    /* The terminal's signals are for the run's own thread, which checks for them at every slab. */
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (w->threads < threads && !pthread_create(&w->thread[w->threads], NULL, work, w))
        w->threads++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (w->threads == 0) {
        workers_stop(w);
        return NULL;
    }
    return w;
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
    pthread_cond_broadcast(&w->more);
    pthread_mutex_unlock(&w->lock);
}

void workers_push(struct workers *w, struct io_request *request) {
    pthread_mutex_lock(&w->lock);
    append(w, request, request, 1);
    pthread_cond_signal(&w->more);
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
