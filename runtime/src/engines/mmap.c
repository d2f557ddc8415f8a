/*
 * The files are mapped, and copied to and from the window: works on every file system, at the price of a copy
 * and of the page cache. After each copy the range is unmapped again, so that the process's resident memory
 * stays the window.
 *
 * A read error, or a file that has become shorter, arrives as SIGBUS in the thread that copies; it jumps back
 * to the copy, which reports an ordinary I/O error.
 */
#include "engines/workers.h"
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { COPY_THREADS = 2 };

static _Thread_local sigjmp_buf copy_failed;
static _Thread_local volatile sig_atomic_t copying;

static void on_bus_error(int number) {
    if (copying) siglongjmp(copy_failed, 1);
    signal(number, SIG_DFL);
    raise(number);
}

static int copy_bytes(char *to, const char *from, int64_t bytes) {
    if (sigsetjmp(copy_failed, 1)) {
        copying = 0;
        return EIO;
    }
    copying = 1;
    memcpy(to, from, (size_t)bytes);
    copying = 0;
    return 0;
}

static void copy(struct engine *engine, struct io_request *request) {
    char *stored = request->file->map + request->offset;
    const size_t bytes = (size_t)request->bytes;
    int error;
    if (request->write) {
        error = copy_bytes(stored, request->data, request->bytes);
        if (!error &&
            sync_file_range(request->file->fd, request->offset, request->bytes, SYNC_FILE_RANGE_WRITE))
            error = errno == EINVAL || errno == ENOSYS ? 0 : errno; /* only a hint: sync() is what counts */
    } else {
        madvise(stored, bytes, MADV_WILLNEED);
        error = copy_bytes(request->data, stored, request->bytes);
    }
    madvise(stored, bytes, MADV_DONTNEED);
    request->done = error ? 0 : request->bytes;
    io_request_end(engine, request, error);
}

static const char *mmap_probe(const char *directory) {
    (void)directory;
    return NULL;
}

static int mmap_open(struct engine *engine) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_bus_error;
    sigaction(SIGBUS, &action, NULL);
    engine->state = workers_start(COPY_THREADS, engine, copy);
    return engine->state ? 0 : run_fail(OOCC_NO_MEMORY, NULL, "cannot start the threads of engine mmap");
}

static int mmap_attach(struct engine *engine, struct io_file *file) {
    (void)engine;
    void *map = mmap(NULL, (size_t)file->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, 0);
    if (map == MAP_FAILED)
        return run_fail(OOCC_IO_ERROR, "use --engine aio", "cannot map %s: %s", file->name, strerror(errno));
    file->map = map;
    return 0;
}

static void mmap_submit(struct engine *engine, struct io_batch *batch) {
    workers_submit(engine->state, batch);
}

static int mmap_sync(struct engine *engine, struct io_file *file) {
    (void)engine;
    return msync(file->map, (size_t)file->bytes, MS_SYNC) || fdatasync(file->fd) ? errno : 0;
}

static void mmap_detach(struct engine *engine, struct io_file *file) {
    (void)engine;
    munmap(file->map, (size_t)file->bytes);
}

static void mmap_close(struct engine *engine) {
    workers_stop(engine->state);
}

const struct engine_ops engine_mmap = {
    .name = "mmap",
    .durable = true,
    .probe = mmap_probe,
    .open = mmap_open,
    .attach = mmap_attach,
    .submit = mmap_submit,
    .sync = mmap_sync,
    .detach = mmap_detach,
    .close = mmap_close,
};
