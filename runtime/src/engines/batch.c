/*
 * batch.c: requests that belong together. A batch that comes after others begins when the last of them is done, in the thread
 * that ends it.
 */
#include "engines/engine.h"

#include "oocc/oocc.h"
#include "support/calls.h"
#include "support/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int64_t block_bytes = 4096;

void io_batch_init(struct io_batch *batch) {
    memset(batch, 0, sizeof *batch);
    pthread_mutex_init(&batch->lock, NULL);
    pthread_cond_init(&batch->idle, NULL);
}

void io_batch_free(struct io_batch *batch) {
    pthread_cond_destroy(&batch->idle);
    pthread_mutex_destroy(&batch->lock);
    free(batch->then);
    free(batch->request);
}

static int64_t request_bytes(const struct io_file *file) {
    return file->request_bytes ? file->request_bytes : IO_REQUEST_BYTES;
}

static struct io_request *new_request(struct io_batch *batch) {
    if (batch->count == batch->capacity) {
        const int64_t capacity = batch->capacity ? 2 * batch->capacity : 4;
        struct io_request *grown = realloc(batch->request, (size_t)capacity * sizeof *grown);
        if (!grown) return NULL;
        batch->request = grown;
        batch->capacity = capacity;
    }
    return &batch->request[batch->count++];
}

int io_batch_add(struct io_batch *batch, struct io_file *file, bool write, char *data, int64_t bytes,
                 int64_t offset) {
    while (bytes > 0) {
        const int64_t part = oocc_min(bytes, request_bytes(file));
        struct io_request *request = new_request(batch);
        if (!request) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
        *request = (struct io_request){.file = file,
                                       .write = write,
                                       .data = data,
                                       .bytes = part,
                                       .offset = offset,
                                       .piece_bytes = part,
                                       .stride_bytes = part,
                                       .batch = batch};
        data += part;
        offset += part;
        bytes -= part;
    }
    return 0;
}

int io_batch_add_pieces(struct io_batch *batch, struct io_file *file, bool write, char *data, int64_t pieces,
                        int64_t piece_bytes, int64_t stride_bytes, int64_t offset) {
    if (piece_bytes == stride_bytes)
        return io_batch_add(batch, file, write, data, pieces * piece_bytes, offset);
    const int64_t together = oocc_min(request_bytes(file) / piece_bytes, IO_REQUEST_PIECES);
    for (int64_t i = 0, count; i < pieces; i += count) {
        char *const from = data + i * stride_bytes;
        const int64_t to = offset + i * piece_bytes;
        count = oocc_max(1, oocc_min(together, pieces - i));
        if (count == 1) {
            const int status = io_batch_add(batch, file, write, from, piece_bytes, to);
            if (status) return status;
            continue;
        }
        struct io_request *request = new_request(batch);
        if (!request) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
        *request = (struct io_request){.file = file,
                                       .write = write,
                                       .data = from,
                                       .bytes = count * piece_bytes,
                                       .offset = to,
                                       .piece_bytes = piece_bytes,
                                       .stride_bytes = stride_bytes,
                                       .batch = batch};
    }
    return 0;
}

char *io_request_at(const struct io_request *request, int64_t at, int64_t *bytes) {
    const int64_t within = at % request->piece_bytes;
    *bytes = request->piece_bytes - within;
    return request->data + at / request->piece_bytes * request->stride_bytes + within;
}

int io_request_vector(const struct io_request *request, struct iovec *piece, int most, int64_t *bytes) {
    int count = 0;
    *bytes = 0;
    for (int64_t at = request->done, part; at < request->bytes && count < most; at += part) {
        char *const data = io_request_at(request, at, &part);
        piece[count++] = (struct iovec){.iov_base = data, .iov_len = (size_t)part};
        *bytes += part;
    }
    return count;
}

static void take_error(struct io_batch *batch, const struct io_batch *from) {
    if (!from->error || batch->error) return;
    batch->error = from->error;
    batch->failed = from->failed;
}

static bool is_busy(const struct io_batch *batch) {
    return batch->pending || batch->after;
}

bool io_batch_complete(struct io_batch *batch) {
    pthread_mutex_lock(&batch->lock);
    const bool complete = batch->asked && !is_busy(batch) && !batch->error;
    pthread_mutex_unlock(&batch->lock);
    return complete;
}

/* Nobody locks two batches at once but in the order in which they are to go. */
int io_batch_after(struct io_batch *batch, struct io_batch *first) {
    bool room = true;
    pthread_mutex_lock(&first->lock);
    const bool busy = is_busy(first);
    if (busy && first->thens == first->then_capacity) {
        const int64_t capacity = first->then_capacity ? 2 * first->then_capacity : 4;
        struct io_batch **grown = realloc(first->then, (size_t)capacity * sizeof(struct io_batch *));
        room = grown != NULL;
        if (room) {
            first->then = grown;
            first->then_capacity = capacity;
        }
    }
    pthread_mutex_lock(&batch->lock);
    if (!busy) {
        take_error(batch, first);
    } else if (room) {
        first->then[first->thens++] = batch;
        batch->after++;
    }
    pthread_mutex_unlock(&batch->lock);
    pthread_mutex_unlock(&first->lock);
    return room ? 0 : run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
}

static void begin_if_ready(struct engine *engine, struct io_batch *batch);

/* A batch is over, but for pending, which keeps it where it is: those that come after it lose one batch that they wait
 * for. Its lock is held, and let go meanwhile. */
static void let_go_on(struct engine *engine, struct io_batch *batch) {
    while (batch->thens) {
        struct io_batch *next = batch->then[--batch->thens];
        pthread_mutex_unlock(&batch->lock);
        pthread_mutex_lock(&next->lock);
        take_error(next, batch);
        next->after--;
        begin_if_ready(engine, next);
        pthread_mutex_lock(&batch->lock);
    }
}

/* Hands a batch to the engine when there is nothing left to wait for; where that has failed, the batch is over. Its lock is
 * held, and given back. */
static void begin_if_ready(struct engine *engine, struct io_batch *batch) {
    const bool ready = batch->asked && !batch->after, goes = ready && batch->count && !batch->error;
    if (ready && !goes) {
        let_go_on(engine, batch);
        batch->pending = 0;
    }
    if (!is_busy(batch)) pthread_cond_signal(&batch->idle);
    pthread_mutex_unlock(&batch->lock);
    if (goes) engine->ops->submit(engine, batch);
}

void io_batch_submit(struct engine *engine, struct io_batch *batch) {
    pthread_mutex_lock(&batch->lock);
    batch->asked = true;
    batch->pending = oocc_max(batch->count, 1); /* an empty one, too, is over when those before it are */
    begin_if_ready(engine, batch);
}

/* Returns the errno of the first request that failed, or 0. */
static int wait_until_idle(struct io_batch *batch) {
    pthread_mutex_lock(&batch->lock);
    while (is_busy(batch))
        pthread_cond_wait(&batch->idle, &batch->lock);
    pthread_mutex_unlock(&batch->lock);
    const int error = batch->error;
    batch->count = 0;
    batch->asked = false;
    batch->error = 0;
    return error;
}

int io_batch_error(struct io_batch *batch) {
    return wait_until_idle(batch);
}

void io_batch_drain(struct io_batch *batch) {
    wait_until_idle(batch);
}

int io_batch_wait(struct io_batch *batch) {
    const int error = wait_until_idle(batch);
    if (!error) return 0;
    const struct io_request *failed = &batch->failed;
    return run_fail(run_io_status(error), run_io_help(error), "cannot %s %s at byte %" PRId64 ": %s",
                    failed->write ? "write" : "read", failed->file->name, failed->offset + failed->done,
                    strerror(error));
}

bool io_request_moved(struct engine *engine, struct io_request *request, int64_t moved) {
    const bool again = moved == -EINTR || moved == -EAGAIN;
    const int64_t whole =
        moved < 0 ? 0 : moved - moved % block_bytes; /* direct I/O goes on from a block only */
    request->done += whole;
    request->tries = whole > 0 || moved <= 0 ? 0 : request->tries + 1;
    if (again) {
        usleep(1000); /* the kernel is out of something; what is in flight frees it */
        return true;
    }
    if (moved > 0 && request->done < request->bytes && request->tries <= CALLS_TRIES) return true;
    int error = 0;
    if (moved < 0)
        error = (int)-moved;
    else if (request->done < request->bytes)
        error = request->write ? EIO : ENODATA;
    io_request_end(engine, request, error);
    return false;
}

void io_flying(struct engine *engine, int flying) {
    int most = __atomic_load_n(&engine->most_in_flight, __ATOMIC_RELAXED);
    while (flying > most && !__atomic_compare_exchange_n(&engine->most_in_flight, &most, flying, true,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

void io_request_end(struct engine *engine, struct io_request *request, int error) {
    struct io_batch *batch = request->batch;
    __atomic_fetch_add(request->write ? &engine->write_bytes : &engine->read_bytes, request->done,
                       __ATOMIC_RELAXED);
    __atomic_fetch_add(&engine->requests, 1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&batch->lock);
    if (error && !batch->error) {
        batch->error = error;
        batch->failed = *request;
    }
    if (batch->pending == 1) let_go_on(engine, batch);
    if (--batch->pending == 0) pthread_cond_signal(&batch->idle);
    pthread_mutex_unlock(&batch->lock);
}
