/*
 * io_uring on files opened for direct I/O: bytes go straight between the window and the device.
 *
 * Two threads on one ring: one submits (its side of the ring is its own, and a kernel that is out of something keeps
 * it waiting, not the run), one collects completions. How many requests are in flight is up to flight.h. Files
 * are registered; so is the window's memory where the limits allow it, which spares the kernel looking up and
 * holding pages with every request. Either is done without when it cannot be had.
 */
#include "engines/direct.h"
#include "oocc/oocc.h"
#include "support/error.h"
#include "support/units.h"
#include "support/urgent.h"

#ifdef OOCC_HAVE_LIBURING

#include "engines/flight.h"
#include "engines/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FILES = 16, BUFFERS = 1024 };

/* The kernel registers no larger pieces of memory. */
static const int64_t BUFFER_BYTES = (int64_t)1 << 30;

struct uring {
    struct io_uring ring;
    struct flight *flight;
    struct workers *submitter;
    pthread_t collector;
    bool file_taken[FILES], files_registered;
    char *registered; /* memory, in pieces of BUFFER_BYTES; NULL: none */
    int64_t registered_bytes;
};

/* The registered piece that all of the data lies in, or -1. */
static int buffer_of(const struct uring *u, const char *data, int64_t bytes) {
    if (!u->registered || data < u->registered || data - u->registered > u->registered_bytes - bytes) return -1;
    const int64_t at = data - u->registered;
    return at / BUFFER_BYTES == (at + bytes - 1) / BUFFER_BYTES ? (int)(at / BUFFER_BYTES) : -1;
}

static void prepare(const struct uring *u, struct io_uring_sqe *sqe, struct flight_slot *slot) {
    const bool registered = slot->file->index >= 0;
    const int fd = registered ? slot->file->index : slot->file->fd;
    const __u64 offset = (__u64)slot->offset;
    char *data = slot->vector[0].iov_base;
    const int buffer = slot->vectors == 1 ? buffer_of(u, data, slot->bytes) : -1;
    if (buffer >= 0 && slot->write)
        io_uring_prep_write_fixed(sqe, fd, data, (unsigned)slot->bytes, offset, buffer);
    else if (buffer >= 0)
        io_uring_prep_read_fixed(sqe, fd, data, (unsigned)slot->bytes, offset, buffer);
    else if (slot->write)
        io_uring_prep_writev(sqe, fd, slot->vector, (unsigned)slot->vectors, offset);
    else
        io_uring_prep_readv(sqe, fd, slot->vector, (unsigned)slot->vectors, offset);
    if (registered) sqe->flags |= IOSQE_FIXED_FILE;
    io_uring_sqe_set_data(sqe, slot);
}

static void land(struct engine *engine, struct flight_slot *slot, int64_t moved) {
    struct uring *u = engine->state;
    struct io_request *request = flight_land(u->flight, slot, &moved);
    if (io_request_moved(engine, request, moved)) workers_push(u->submitter, request);
}

static int submit(struct uring *u) {
    const int instead = calls_instead(CALL_SUBMIT);
    return instead <= 0 ? instead : io_uring_submit(&u->ring);
}

/* One entry is in the submission queue until the kernel has taken it; then the next one is made. */
static void submit_one(struct engine *engine, struct io_request *request) {
    struct uring *u = engine->state;
    struct flight_slot *slot = flight_take(u->flight, request);
    struct io_uring_sqe *sqe = slot->made ? io_uring_get_sqe(&u->ring) : NULL;
    if (!sqe) { /* full of entries that the kernel has refused to take */
        land(engine, slot, -EIO);
        return;
    }
    prepare(u, sqe, slot);
    flight_hand(slot);
    int sent;
    while ((sent = submit(u)) == -EAGAIN || sent == -EBUSY || sent == -EINTR || sent == 0)
        usleep(1000); /* completions are to be collected first, or the kernel is out of something */
    if (sent > 0) {
        flight_submitted(u->flight);
        return;
    }
    /* The entry stays in the queue and must not be taken later, when the slot is another request's. */
    io_uring_prep_nop(sqe);
    io_uring_sqe_set_data(sqe, NULL);
    land(engine, slot, sent);
}

static void *collect(void *argument) {
    struct engine *engine = argument;
    urgent_thread();
    struct uring *u = engine->state;
    while (flight_wait(u->flight)) {
        struct io_uring_cqe *cqe;
        /* Wakes now and then: a request counted as in flight may have failed to be submitted. */
        struct __kernel_timespec patience = {.tv_nsec = 100 * 1000 * 1000};
        if (calls_instead(CALL_COLLECT) <= 0 || io_uring_wait_cqe_timeout(&u->ring, &cqe, &patience))
            continue;
        struct flight_slot *slot = io_uring_cqe_get_data(cqe);
        const int moved = cqe->res;
        io_uring_cqe_seen(&u->ring, cqe);
        if (slot) land(engine, slot, moved);
    }
    return NULL;
}

/* One direct write, or a read of a device, through a ring of its own; 0 or a negative errno. */
static int try_transfer(int fd, struct io_uring *ring) {
    struct io_uring_cqe *cqe;
    if (direct_trial_writes(fd))
        io_uring_prep_write(io_uring_get_sqe(ring), fd, direct_trial_data(), DIRECT_TRIAL_BYTES, 0);
    else
        io_uring_prep_read(io_uring_get_sqe(ring), fd, direct_trial_data(), DIRECT_TRIAL_BYTES, 0);
    int result = io_uring_submit(ring);
    if (result == 1)
        while ((result = io_uring_wait_cqe(ring, &cqe)) == -EINTR)
            ;
    if (!result) result = cqe->res;
    return result == DIRECT_TRIAL_BYTES ? 0 : result < 0 ? result : -EFBIG;
}

static const char *uring_refusal(int error) {
    if (error == EPERM || error == EACCES) return "io_uring is not permitted here";
    if (error == ENOSYS) return "the kernel has no io_uring, or hides it";
    if (error == ENOMEM) return "no memory for a ring (RLIMIT_MEMLOCK)";
    return strerror(error);
}

static const char *uring_probe(const char *directory) {
    struct io_uring ring;
    int error = io_uring_queue_init(2, &ring, 0);
    if (error) return uring_refusal(-error);
    const char *refusal = NULL;
    const int fd = direct_probe_file(directory, O_DIRECT);
    if (!(ring.features & IORING_FEAT_EXT_ARG))
        refusal = "the kernel's io_uring is too old";
    else if (fd < 0)
        refusal = direct_refusal(errno);
    else if ((error = try_transfer(fd, &ring)))
        refusal = direct_refusal(-error);
    if (fd >= 0) close(fd);
    io_uring_queue_exit(&ring);
    return refusal;
}

static void register_files(struct uring *u) {
    int none[FILES];
    for (int i = 0; i < FILES; i++)
        none[i] = -1;
    u->files_registered = !io_uring_register_files(&u->ring, none, FILES);
}

static bool start_threads(struct engine *engine, int depth) {
    struct uring *u = engine->state;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    u->flight = flight_open(engine, depth);
    if (u->flight) u->submitter = workers_start(1, true, engine, submit_one);
    const bool started = u->submitter && !pthread_create(&u->collector, NULL, collect, engine);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started) return true;
    workers_stop(u->submitter);
    flight_close(u->flight);
    return false;
}

static int uring_open(struct engine *engine) {
    struct uring *u = calloc(1, sizeof *u);
    if (!u) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    int depth = engine->depth ? engine->depth : IO_DEPTH_ADAPTIVE;
    int error = io_uring_queue_init((unsigned)depth + 1, &u->ring, IORING_SETUP_CLAMP);
    while (error == -ENOMEM && depth > 1) /* rings count as locked memory */
        error = io_uring_queue_init((unsigned)(depth /= 2) + 1, &u->ring, IORING_SETUP_CLAMP);
    if (error) {
        free(u);
        return run_fail(OOCC_IO_ERROR, "use --engine auto", "cannot start engine uring: %s",
                        uring_refusal(-error));
    }
    engine->state = u;
    register_files(u);
    if (start_threads(engine, depth)) return 0;
    io_uring_queue_exit(&u->ring);
    free(u);
    return run_fail(OOCC_NO_MEMORY, NULL, "cannot start the threads of engine uring");
}

/* A file without a place among the registered ones is named by its descriptor. */
static int uring_attach(struct engine *engine, struct io_file *file) {
    struct uring *u = engine->state;
    const int status = direct_attach(engine, file);
    file->index = -1;
    for (int i = 0; i < FILES && u->files_registered && file->index < 0 && !status; i++) {
        if (u->file_taken[i]) continue;
        if (io_uring_register_files_update(&u->ring, (unsigned)i, &file->fd, 1) != 1) break;
        u->file_taken[i] = true;
        file->index = i;
    }
    return status;
}

static void uring_detach(struct engine *engine, struct io_file *file) {
    struct uring *u = engine->state;
    int none = -1;
    if (file->index < 0) return;
    io_uring_register_files_update(&u->ring, (unsigned)file->index, &none, 1);
    u->file_taken[file->index] = false;
    file->index = -1;
}

static void note_unregistered(struct engine *engine, int error) {
    struct rlimit limit;
    char text[32], why[96];
    if (error == ENOMEM && !getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur <= INT64_MAX)
        snprintf(why, sizeof why, "RLIMIT_MEMLOCK is %s", format_bytes(text, (int64_t)limit.rlim_cur));
    else
        snprintf(why, sizeof why, "%s", strerror(error));
    snprintf(engine->note, sizeof engine->note, "window memory is not registered: %s", why);
}

static void uring_pin(struct engine *engine) {
    struct uring *u = engine->state;
    struct iovec piece[BUFFERS];
    unsigned pieces = 0;
    for (int64_t at = 0; at < engine->pinned_bytes && pieces < BUFFERS; at += BUFFER_BYTES)
        piece[pieces++] = (struct iovec){
            .iov_base = engine->pinned + at,
            .iov_len = (size_t)oocc_min(BUFFER_BYTES, engine->pinned_bytes - at)};
    const int error = io_uring_register_buffers(&u->ring, piece, pieces);
    if (error) {
        note_unregistered(engine, -error);
        return;
    }
    u->registered = engine->pinned;
    u->registered_bytes = oocc_min(engine->pinned_bytes, (int64_t)BUFFERS * BUFFER_BYTES);
}

static void uring_unpin(struct engine *engine) {
    struct uring *u = engine->state;
    if (u->registered) io_uring_unregister_buffers(&u->ring);
    u->registered = NULL;
}

static void uring_submit(struct engine *engine, struct io_batch *batch) {
    struct uring *u = engine->state;
    workers_submit(u->submitter, batch);
}

static void uring_close(struct engine *engine) {
    struct uring *u = engine->state;
    workers_stop(u->submitter);
    flight_stop(u->flight);
    pthread_join(u->collector, NULL);
    flight_close(u->flight);
    io_uring_queue_exit(&u->ring);
    free(u);
}

const struct engine_ops engine_uring = {
    .name = "uring",
    .durable = true,
    .probe = uring_probe,
    .open = uring_open,
    .attach = uring_attach,
    .pin = uring_pin,
    .unpin = uring_unpin,
    .submit = uring_submit,
    .sync = direct_sync,
    .detach = uring_detach,
    .close = uring_close,
};

#else

/* The name is known all the same, so that whoever asks for it is told what to do. */
static const char *uring_probe(const char *directory) {
    (void)directory;
    return "oocc was built without it: install liburing-dev and build again";
}

/* Never opened: the probe says no. */
const struct engine_ops engine_uring = {.name = "uring", .durable = true, .probe = uring_probe};

#endif
