#include "engines/workers.h"

#include "support/urgent.h"

#include <signal.h>
#include <stdlib.h>

struct workers {
    struct engine *engine;
    void (*run)(struct engine *engine, struct io_request *request);
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct io_request *first, *last;
    bool stopping, urgent;
    int threads;
    pthread_t thread[];
};

static void *work(void *argument) {
    struct workers *w = argument;
    if (w->urgent) urgent_thread();
    pthread_mutex_lock(&w->lock);
    while (w->first || !w->stopping) {
        struct io_request *request = w->first;
        if (!request) {
            pthread_cond_wait(&w->more, &w->lock);
            continue;
        }
        w->first = request->next;
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

/* Appends the list first..last, already linked; the lock is held. */
static void append(struct workers *w, struct io_request *first, struct io_request *last) {
    last->next = NULL;
    if (w->first)
        w->last->next = first;
    else
        w->first = first;
    w->last = last;
}

void workers_submit(struct workers *w, struct io_batch *batch) {
    for (int64_t i = 0; i + 1 < batch->count; i++)
        batch->request[i].next = &batch->request[i + 1];
    pthread_mutex_lock(&w->lock);
    append(w, &batch->request[0], &batch->request[batch->count - 1]);
    pthread_cond_broadcast(&w->more);
    pthread_mutex_unlock(&w->lock);
}

void workers_push(struct workers *w, struct io_request *request) {
    pthread_mutex_lock(&w->lock);
    append(w, request, request);
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
