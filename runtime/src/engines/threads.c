/*
 * Threads that read and write with preadv() and pwritev(): needs no library and no help of the kernel's. Direct I/O
 * where the file system takes it; otherwise through the page cache, which costs a copy.
 */
#include "engines/direct.h"
#include "engines/flight.h"
#include "engines/workers.h"
#include "oocc/oocc.h"
#include "support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = 32 }; /* of a pool whose depth adapts itself */

struct threads {
    struct flight *flight;
    struct workers *workers;
};

static void transfer(struct engine *engine, struct io_request *request) {
    struct threads *t = engine->state;
    bool more = true;
    while (more) {
        struct flight_slot *slot = flight_take(t->flight, request);
        const int fd = slot->file->fd;
        const ssize_t result = !slot->made   ? 0
                               : slot->write ? pwritev(fd, slot->vector, slot->vectors, slot->offset)
                                             : preadv(fd, slot->vector, slot->vectors, slot->offset);
        int64_t moved = result < 0 ? -errno : result;
        flight_land(t->flight, slot, &moved);
        more = io_request_moved(engine, request, moved);
    }
}

static const char *threads_probe(const char *directory) {
    return direct_try(directory, 0);
}

static int threads_open(struct engine *engine) {
    struct threads *t = calloc(1, sizeof *t);
    if (!t) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    const int count = engine->depth ? engine->depth : MOST_THREADS;
    engine->state = t;
    t->flight = flight_open(engine, count);
    if (t->flight) t->workers = workers_start(count, true, engine, transfer);
    if (t->workers) return 0;
    flight_close(t->flight);
    free(t);
    return run_fail(OOCC_NO_MEMORY, NULL, "cannot start the threads of engine threads");
}

/* Some file systems take the flag and refuse the transfers, so one is tried. */
static bool takes_direct(int fd) {
    return pread(fd, direct_trial_data(), DIRECT_TRIAL_BYTES, 0) >= 0 || errno != EINVAL;
}

static int threads_attach(struct engine *engine, struct io_file *file) {
    const int flags = fcntl(file->fd, F_GETFL);
    if (flags >= 0 && !fcntl(file->fd, F_SETFL, flags | O_DIRECT)) {
        if (takes_direct(file->fd)) return 0;
        fcntl(file->fd, F_SETFL, flags);
    }
    snprintf(engine->note, sizeof engine->note, "through the page cache: the file system takes no direct I/O");
    return 0;
}

static void threads_submit(struct engine *engine, struct io_batch *batch) {
    struct threads *t = engine->state;
    workers_submit(t->workers, batch);
}

static void threads_close(struct engine *engine) {
    struct threads *t = engine->state;
    workers_stop(t->workers);
    flight_close(t->flight);
    free(t);
}

const struct engine_ops engine_threads = {
    .name = "threads",
    .durable = true,
    .probe = threads_probe,
    .open = threads_open,
    .attach = threads_attach,
    .submit = threads_submit,
    .sync = direct_sync,
    .detach = direct_detach,
    .close = threads_close,
};
