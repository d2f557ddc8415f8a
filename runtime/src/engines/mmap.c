/*
 * The files are mapped, and copied to and from the window: works on every file system, at the price of a copy
 * and of the page cache. The copy goes piece by piece, and each piece is unmapped again with all that the kernel has
 * mapped around it, so that resident memory stays the window.
 *
 * A read error, or a file that has become shorter, arrives as SIGBUS in the thread that copies; it jumps back
 * to the copy, which reports an ordinary I/O error.
 */
#include "engines/workers.h"
#include "oocc/oocc.h"
#include "support/calls.h"
#include "support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A page that is touched is mapped with what lies around it in the page cache: 64 KiB, or whatever was read at once, but
 * nothing beyond the pages of one table. */
enum { COPY_THREADS = 2, PIECE_BYTES = 256 << 10, TABLE_BYTES = 2 << 20 };

static _Thread_local sigjmp_buf copy_failed;
static _Thread_local volatile sig_atomic_t copying;
static int engines;             /* that are open */
static struct sigaction before; /* what the process did with SIGBUS before the first */

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

/* All of the file that may have been mapped with a piece. What another thread copies there just now is mapped once more. */
static void unmap_around(const struct io_file *file, const char *stored, int64_t bytes) {
    const uintptr_t first = (uintptr_t)stored / TABLE_BYTES * TABLE_BYTES;
    const uintptr_t end = ((uintptr_t)stored + (uintptr_t)bytes + TABLE_BYTES - 1) / TABLE_BYTES * TABLE_BYTES;
    char *from = (uintptr_t)file->map > first ? file->map : (char *)first;
    char *to = file->map + file->bytes;
    if ((uintptr_t)to > end) to = (char *)end;
    madvise(from, (size_t)(to - from), MADV_DONTNEED);
}

static int copy_piece(struct io_request *request, char *stored, char *data, int64_t bytes) {
    const int error = request->write ? copy_bytes(stored, data, bytes) : copy_bytes(data, stored, bytes);
    unmap_around(request->file, stored, bytes);
    return error;
}

/* What of the request a watcher is told at once: a few pieces of memory. */
static bool tell(const struct io_request *request, struct iovec *vector, struct call *call) {
    *call = (struct call){.kind = request->write ? CALL_WRITE : CALL_READ,
                          .of_engine = true,
                          .mapped = true,
                          .fd = request->file->fd,
                          .vector = vector,
                          .offset = request->offset};
    call->vectors = io_request_vector(request, vector, IO_REQUEST_PIECES, &call->bytes);
    return calls_begin(call);
}

static void copy(struct engine *engine, struct io_request *request) {
    struct iovec vector[IO_REQUEST_PIECES];
    struct call call;
    char *stored = request->file->map + request->offset;
    int error = tell(request, vector, &call) ? 0 : (int)-call.result;
    if (!request->write) madvise(stored, (size_t)request->bytes, MADV_WILLNEED);
    while (request->done < request->bytes && !error) {
        int64_t bytes;
        char *data = io_request_at(request, request->done, &bytes);
        bytes = oocc_min(PIECE_BYTES - (int64_t)((uintptr_t)(stored + request->done) % PIECE_BYTES), bytes);
        error = copy_piece(request, stored + request->done, data, bytes);
        if (!error) request->done += bytes;
    }
    /* Starts the writing early; sync() is what counts, so where this is unknown nothing is lost. */
    if (!error && request->write &&
        sync_file_range(request->file->fd, request->offset, request->bytes, SYNC_FILE_RANGE_WRITE) &&
        errno != EINVAL && errno != ENOSYS)
        error = errno;
    calls_end(&call, error ? -error : request->done);
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
    const int threads = engine->depth ? engine->depth : COPY_THREADS;
    engine->state = workers_start(threads, false, engine, copy);
    io_flying(engine, threads);
    if (!engine->state) return run_fail(OOCC_NO_MEMORY, NULL, "cannot start the threads of engine mmap");
    if (engines++ == 0) sigaction(SIGBUS, &action, &before);
    return 0;
}

static int mmap_attach(struct engine *engine, struct io_file *file) {
    (void)engine;
    void *map = mmap(NULL, (size_t)file->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, 0);
    if (map == MAP_FAILED)
        return run_fail(errno == ENOMEM ? OOCC_NO_MEMORY : OOCC_IO_ERROR, "use --engine aio", "cannot map %s: %s", file->name, strerror(errno));
    file->map = map;
    return 0;
}

static void mmap_submit(struct engine *engine, struct io_batch *batch) {
    workers_submit(engine->state, batch);
}

static int mmap_sync(struct engine *engine, struct io_file *file) {
    (void)engine;
    struct call call = {.kind = CALL_SYNC, .of_engine = true, .fd = file->fd};
    if (!calls_begin(&call)) return (int)-call.result;
    const bool failed = msync(file->map, (size_t)file->bytes, MS_SYNC) || fdatasync(file->fd);
    return (int)-calls_end(&call, failed ? -errno : 0);
}

static void mmap_detach(struct engine *engine, struct io_file *file) {
    (void)engine;
    munmap(file->map, (size_t)file->bytes);
}

static void mmap_close(struct engine *engine) {
    workers_stop(engine->state);
    if (--engines == 0) sigaction(SIGBUS, &before, NULL);
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
