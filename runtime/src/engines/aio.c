/*
 * Linux asynchronous I/O (libaio) on files opened for direct I/O: bytes go straight between the window and
 * the device, past the page cache.
 *
 * Two threads: one submits, because io_submit() waits when the device's queue is full; one collects
 * completions. The requests in flight are bounded by the control blocks; the rest wait in the submitting
 * thread's queue.
 */
#include "engines/workers.h"
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <libaio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH = 64, DIRECT_IO_BYTES = 512 };

struct block {
    struct iocb control; /* first: a completion carries its address */
    struct io_request *request;
    struct iovec piece[IO_REQUEST_PIECES]; /* of the request, until it is complete */
    struct block *next;
};

struct aio {
    io_context_t context;
    int depth;
    struct workers *submitter;
    pthread_t collector;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a block came free, a request is in flight, or it is time to stop */
    struct block *free;
    int in_flight;
    bool stopping;
    struct block block[DEPTH];
};

static void prepare(struct block *block) {
    const struct io_request *request = block->request;
    const int fd = request->file->fd;
    const long long offset = request->offset + request->done;
    int64_t bytes;
    const int pieces = io_request_vector(request, block->piece, IO_REQUEST_PIECES, &bytes);
    if (request->write)
        io_prep_pwritev(&block->control, fd, block->piece, pieces, offset);
    else
        io_prep_preadv(&block->control, fd, block->piece, pieces, offset);
}

/* Waits for a free block. All of request and block is touched under the lock: the collector may be done with
 * both before io_submit() returns. */
static struct block *take_block(struct aio *a, struct io_request *request) {
    pthread_mutex_lock(&a->lock);
    while (!a->free)
        pthread_cond_wait(&a->changed, &a->lock);
    struct block *block = a->free;
    a->free = block->next;
    a->in_flight++;
    block->request = request;
    prepare(block);
    pthread_mutex_unlock(&a->lock);
    return block;
}

static struct io_request *give_block(struct aio *a, struct block *block) {
    pthread_mutex_lock(&a->lock);
    struct io_request *request = block->request;
    block->next = a->free;
    a->free = block;
    a->in_flight--;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    return request;
}

static void submit_one(struct engine *engine, struct io_request *request) {
    struct aio *a = engine->state;
    struct block *block = take_block(a, request);
    struct iocb *control = &block->control;
    int sent;
    while ((sent = io_submit(a->context, 1, &control)) == -EAGAIN || sent == -EINTR || sent == 0)
        usleep(1000); /* the kernel is out of something; completions free it */
    if (sent < 0) {
        io_request_end(engine, give_block(a, block), -sent);
        return;
    }
    pthread_mutex_lock(&a->lock);
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

/* `moved` is what the kernel says: bytes, or a negative errno. What is missing goes through the queue once
 * more. */
static void complete(struct engine *engine, struct io_request *request, long moved) {
    struct aio *a = engine->state;
    const bool again = moved == -EINTR || moved == -EAGAIN;
    const long whole = moved < 0 ? 0 : moved - moved % DIRECT_IO_BYTES;
    request->done += whole;
    if (moved < 0 && !again)
        io_request_end(engine, request, (int)-moved);
    else if (request->done >= request->bytes)
        io_request_end(engine, request, 0);
    else if (whole > 0 || again)
        workers_push(a->submitter, request);
    else
        io_request_end(engine, request, request->write ? EIO : ENODATA);
}

static void *collect(void *argument) {
    struct engine *engine = argument;
    struct aio *a = engine->state;
    struct io_event event[DEPTH];
    for (;;) {
        pthread_mutex_lock(&a->lock);
        while (!a->in_flight && !a->stopping)
            pthread_cond_wait(&a->changed, &a->lock);
        const bool idle = !a->in_flight;
        pthread_mutex_unlock(&a->lock);
        if (idle) return NULL;
        /* Wakes now and then: a request counted as in flight may have failed to be submitted. */
        struct timespec patience = {.tv_nsec = 100 * 1000 * 1000};
        const int events = io_getevents(a->context, 1, a->depth, event, &patience);
        for (int i = 0; i < events; i++) {
            struct io_request *request = give_block(a, (struct block *)(void *)event[i].obj);
            complete(engine, request, (long)event[i].res);
        }
    }
}

/* A nameless file for direct I/O; where the file system knows none, a named one that is removed at once. */
static int open_probe_file(const char *directory) {
    const int fd = open(directory, O_RDWR | O_TMPFILE | O_DIRECT | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return fd;
    char name[4096];
    if (snprintf(name, sizeof name, "%s/.oocc-probe-XXXXXX", directory) >= (int)sizeof name)
        return errno = ENAMETOOLONG, -1;
    const int named = mkostemp(name, O_DIRECT | O_CLOEXEC);
    if (named >= 0) unlink(name);
    return named;
}

/* One direct write through a context of its own; 0 or a negative errno. */
static int try_write(int fd, io_context_t context) {
    char *data;
    if (posix_memalign((void **)&data, 4096, 2 * 4096)) return -ENOMEM;
    memset(data, 0, 2 * 4096);
    struct iocb control, *list = &control;
    struct io_event event;
    io_prep_pwrite(&control, fd, data + DIRECT_IO_BYTES, 4096, 0); /* planes lie in memory like that */
    int result = io_submit(context, 1, &list);
    if (result == 1)
        while ((result = io_getevents(context, 1, 1, &event, NULL)) == -EINTR)
            ;
    if (result == 1) result = (int)(long)event.res;
    free(data);
    return result == 4096 ? 0 : result < 0 ? result : -EIO;
}

static const char *aio_probe(const char *directory) {
    const int fd = open_probe_file(directory);
    if (fd < 0) return errno == EINVAL ? "its file system takes no direct I/O" : strerror(errno);
    io_context_t context = 0;
    int error = io_setup(1, &context);
    if (!error) {
        error = try_write(fd, context);
        io_destroy(context);
    } else if (error == -EAGAIN) {
        close(fd);
        return "the system's asynchronous requests are used up (fs.aio-max-nr)";
    }
    close(fd);
    return error ? strerror(-error) : NULL;
}

static int aio_open(struct engine *engine) {
    struct aio *a = calloc(1, sizeof *a);
    if (!a) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    a->depth = DEPTH;
    int error = io_setup(a->depth, &a->context);
    while (error == -EAGAIN && a->depth > 1)
        error = io_setup(a->depth /= 2, &a->context);
    if (error) {
        free(a);
        return run_fail(OOCC_IO_ERROR, "raise fs.aio-max-nr or use --engine mmap",
                        "cannot start engine aio: %s", strerror(-error));
    }
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    for (int i = 0; i < a->depth; i++) {
        a->block[i].next = a->free;
        a->free = &a->block[i];
    }
    engine->state = a;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    a->submitter = workers_start(1, engine, submit_one);
    const bool failed = !a->submitter || pthread_create(&a->collector, NULL, collect, engine);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failed) return 0;
    workers_stop(a->submitter);
    io_destroy(a->context);
    free(a);
    return run_fail(OOCC_NO_MEMORY, NULL, "cannot start the threads of engine aio");
}

static int aio_attach(struct engine *engine, struct io_file *file) {
    (void)engine;
    const int flags = fcntl(file->fd, F_GETFL);
    if (flags >= 0 && !fcntl(file->fd, F_SETFL, flags | O_DIRECT)) return 0;
    return run_fail(OOCC_IO_ERROR, "use --engine mmap", "cannot use direct I/O on %s: %s", file->name,
                    strerror(errno));
}

static void aio_submit(struct engine *engine, struct io_batch *batch) {
    struct aio *a = engine->state;
    workers_submit(a->submitter, batch);
}

static int aio_sync(struct engine *engine, struct io_file *file) {
    (void)engine;
    return fdatasync(file->fd) ? errno : 0;
}

static void aio_detach(struct engine *engine, struct io_file *file) {
    (void)engine;
    (void)file;
}

static void aio_close(struct engine *engine) {
    struct aio *a = engine->state;
    workers_stop(a->submitter);
    pthread_mutex_lock(&a->lock);
    a->stopping = true;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->collector, NULL);
    io_destroy(a->context);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

const struct engine_ops engine_aio = {
    .name = "aio",
    .durable = true,
    .probe = aio_probe,
    .open = aio_open,
    .attach = aio_attach,
    .submit = aio_submit,
    .sync = aio_sync,
    .detach = aio_detach,
    .close = aio_close,
};
