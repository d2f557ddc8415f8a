/*
 * Linux asynchronous I/O (libaio) on files opened for direct I/O: bytes go straight between the window and
 * the device, past the page cache.
 *
 * Two threads: one submits, because io_submit() waits when the device's queue is full; one collects
 * completions. How many requests are in flight is up to flight.h; the rest wait in the submitting thread's queue.
 */
#include "engines/direct.h"
#include "engines/flight.h"
#include "engines/workers.h"
#include "oocc/oocc.h"
#include "support/error.h"
#include "support/urgent.h"

#include <errno.h>
#include <fcntl.h>
#include <libaio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct aio {
    io_context_t context;
    int depth; /* of the context */
    struct flight *flight;
    struct workers *submitter;
    pthread_t collector;
    struct iocb control[IO_DEPTH_MOST]; /* by index of the slot; a completion carries the slot */
};

static void prepare(struct iocb *control, struct flight_slot *slot) {
    if (slot->write)
        io_prep_pwritev(control, slot->file->fd, slot->vector, slot->vectors, slot->offset);
    else
        io_prep_preadv(control, slot->file->fd, slot->vector, slot->vectors, slot->offset);
    control->data = slot;
}

static int submit(struct aio *a, struct iocb *control) {
    const int instead = calls_instead(CALL_SUBMIT);
    return instead <= 0 ? instead : io_submit(a->context, 1, &control);
}

static void land(struct engine *engine, struct flight_slot *slot, int64_t moved) {
    struct aio *a = engine->state;
    struct io_request *request = flight_land(a->flight, slot, &moved);
    if (io_request_moved(engine, request, moved)) workers_push(a->submitter, request);
}

static void submit_one(struct engine *engine, struct io_request *request) {
    struct aio *a = engine->state;
    struct flight_slot *slot = flight_take(a->flight, request);
    struct iocb *control = &a->control[slot->index];
    if (!slot->made) {
        land(engine, slot, 0);
        return;
    }
    prepare(control, slot);
    flight_hand(slot);
    int sent;
    while ((sent = submit(a, control)) == -EAGAIN || sent == -EINTR || sent == 0)
        usleep(1000); /* the kernel is out of something; completions free it */
    if (sent < 0)
        land(engine, slot, sent);
    else
        flight_submitted(a->flight);
}

static void *collect(void *argument) {
    struct engine *engine = argument;
    urgent_thread();
    struct aio *a = engine->state;
    struct io_event event[IO_DEPTH_MOST];
    while (flight_wait(a->flight)) {
        /* Wakes now and then: a request counted as in flight may have failed to be submitted. */
        struct timespec patience = {.tv_nsec = 100 * 1000 * 1000};
        const int instead = calls_instead(CALL_COLLECT);
        const int events = instead <= 0 ? instead : io_getevents(a->context, 1, a->depth, event, &patience);
        for (int i = 0; i < events; i++)
            land(engine, event[i].data, (long)event[i].res);
    }
    return NULL;
}

/* One direct write, or a read of a device, through a context of its own; 0 or a negative errno. */
static int try_transfer(int fd, io_context_t context) {
    struct iocb control, *list = &control;
    struct io_event event;
    (direct_trial_writes(fd) ? io_prep_pwrite : io_prep_pread)(&control, fd, direct_trial_data(), DIRECT_TRIAL_BYTES, 0);
    int result = io_submit(context, 1, &list);
    if (result == 1)
        while ((result = io_getevents(context, 1, 1, &event, NULL)) == -EINTR)
            ;
    if (result == 1) result = (int)(long)event.res;
    return result == DIRECT_TRIAL_BYTES ? 0 : result < 0 ? result : -EFBIG;
}

static const char *aio_probe(const char *directory) {
    const int fd = direct_probe_file(directory, O_DIRECT);
    if (fd < 0) return direct_refusal(errno);
    io_context_t context = 0;
    int error = io_setup(1, &context);
    if (!error) {
        error = try_transfer(fd, context);
        io_destroy(context);
    } else if (error == -EAGAIN) {
        close(fd);
        return "the system's asynchronous requests are used up (fs.aio-max-nr)";
    }
    close(fd);
    return error ? direct_refusal(-error) : NULL;
}

static int aio_open(struct engine *engine) {
    struct aio *a = calloc(1, sizeof *a);
    if (!a) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    a->depth = engine->depth ? engine->depth : IO_DEPTH_ADAPTIVE;
    int error = io_setup(a->depth, &a->context);
    while (error == -EAGAIN && a->depth > 1)
        error = io_setup(a->depth /= 2, &a->context);
    if (error) {
        free(a);
        return run_fail(OOCC_IO_ERROR, "raise fs.aio-max-nr or use --engine threads",
                        "cannot start engine aio: %s", strerror(-error));
    }
    engine->state = a;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    a->flight = flight_open(engine, a->depth);
    if (a->flight) a->submitter = workers_start(1, true, engine, submit_one);
    const bool failed = !a->submitter || pthread_create(&a->collector, NULL, collect, engine);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failed) return 0;
    workers_stop(a->submitter);
    flight_close(a->flight);
    io_destroy(a->context);
    free(a);
    return run_fail(OOCC_NO_MEMORY, NULL, "cannot start the threads of engine aio");
}

static void aio_submit(struct engine *engine, struct io_batch *batch) {
    struct aio *a = engine->state;
    workers_submit(a->submitter, batch);
}

static void aio_close(struct engine *engine) {
    struct aio *a = engine->state;
    workers_stop(a->submitter);
    flight_stop(a->flight);
    pthread_join(a->collector, NULL);
    flight_close(a->flight);
    io_destroy(a->context);
    free(a);
}

const struct engine_ops engine_aio = {
    .name = "aio",
    .durable = true,
    .probe = aio_probe,
    .open = aio_open,
    .attach = direct_attach,
    .submit = aio_submit,
    .sync = direct_sync,
    .detach = direct_detach,
    .close = aio_close,
};
