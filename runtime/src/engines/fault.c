/*
 * An engine around another one that makes mistakes on purpose (fault.h), for tests. What is to become of a request is
 * decided when it is submitted, in the order of submission; threads of its own then have the engine inside
 * make the transfer that is really made: another one, none, or one of other bytes.
 */
#include "support/fault.h"

#include "engines/engine.h"
#include "engines/workers.h"
#include "oocc/oocc.h"
#include "support/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, KNOWN = 64 };

/* Where a record was written, or read. */
struct place_known {
    struct io_file *file;
    int64_t offset, bytes;
};

struct fault_engine {
    struct engine *inner;
    struct engine_ops ops; /* the inner one's name and promises */
    struct workers *workers;
    pthread_mutex_t lock;
    struct place_known known[KNOWN];
    int64_t seen;
};

/* -- mistakes ---------------------------------------------------------------------------------------------------- */

/* Has the engine inside move bytes that lie together in memory. 0 or an errno. */
static int move(struct fault_engine *f, struct io_file *file, bool write, char *data, int64_t bytes,
                int64_t offset) {
    struct io_batch batch;
    io_batch_init(&batch);
    int error = io_batch_add(&batch, file, write, data, bytes, offset) ? ENOMEM : 0;
    if (!error) io_batch_submit(f->inner, &batch);
    if (!error) error = io_batch_error(&batch);
    io_batch_free(&batch);
    return error;
}

/* The request itself, as it was asked for; *done: up to where it came. */
static int move_request(struct fault_engine *f, const struct io_request *r, int64_t *done) {
    struct io_batch batch;
    io_batch_init(&batch);
    int error = io_batch_add_pieces(&batch, r->file, r->write, r->data, r->bytes / r->piece_bytes,
                                    r->piece_bytes, r->stride_bytes, r->offset)
                    ? ENOMEM
                    : 0;
    if (!error) io_batch_submit(f->inner, &batch);
    if (!error) error = io_batch_error(&batch);
    *done = error ? batch.failed.offset + batch.failed.done - r->offset : r->bytes;
    io_batch_free(&batch);
    return error;
}

/* Between the request's pieces and bytes that lie together. */
static void copy_pieces(const struct io_request *r, char *together, bool gather) {
    for (int64_t at = 0, bytes; at < r->bytes; at += bytes) {
        char *piece = io_request_at(r, at, &bytes);
        memcpy(gather ? together + at : piece, gather ? piece : together + at, (size_t)bytes);
    }
}

static void flip(char *data, int64_t bytes, uint64_t draw) {
    const uint64_t bit = draw % (uint64_t)(8 * bytes);
    data[bit / 8] = (char)(data[bit / 8] ^ 1 << bit % 8);
}

static int mistake(struct fault_engine *f, const struct io_request *r) {
    const struct io_fault *fault = &r->fault;
    void *mine = NULL, *other = NULL;
    int error = 0;
    if (posix_memalign(&mine, 4096, (size_t)r->bytes) || posix_memalign(&other, 4096, (size_t)r->bytes)) {
        free(mine);
        return ENOMEM;
    }
    if (r->write) copy_pieces(r, mine, true);
    switch ((enum fault_kind)fault->kind) {
    case FAULT_FLIP:
        if (r->write) flip(mine, r->bytes, fault->draw);
        error = move(f, r->file, r->write, mine, r->bytes, r->offset);
        if (!r->write) flip(mine, r->bytes, fault->draw);
        break;
    case FAULT_SWAP:
        error = move(f, fault->file, false, other, r->bytes, fault->offset);
        if (!error) error = move(f, fault->file, true, mine, r->bytes, fault->offset);
        if (!error) error = move(f, r->file, true, other, r->bytes, r->offset);
        break;
    case FAULT_MISDIRECT:
        error = move(f, fault->file, true, mine, r->bytes, fault->offset);
        break;
    case FAULT_MISREAD:
        error = move(f, fault->file, false, mine, r->bytes, fault->offset);
        break;
    default: /* FAULT_STALE */
        break;
    }
    if (!r->write && !error) copy_pieces(r, mine, false);
    free(mine);
    free(other);
    return error;
}

static void perform(struct engine *engine, struct io_request *r) {
    struct fault_engine *f = engine->state;
    int error = r->fault.error;
    if (!error && r->fault.kind == FAULT_NONE)
        error = move_request(f, r, &r->done);
    else if (!error && !(error = mistake(f, r)))
        r->done = r->bytes;
    io_flying(engine, __atomic_load_n(&f->inner->most_in_flight, __ATOMIC_RELAXED));
    io_request_end(engine, r, error);
}

/* -- decisions --------------------------------------------------------------------------------------------------- */

/* Another place of the same size, by a random number; NULL: none is known. */
static const struct place_known *other_place(const struct fault_engine *f, const struct io_request *r,
                                             uint64_t draw) {
    const int64_t count = oocc_min(f->seen, KNOWN);
    for (int64_t i = 0; i < count; i++) {
        const struct place_known *place = &f->known[(draw + (uint64_t)i) % (uint64_t)count];
        if (place->bytes == r->bytes && (place->file != r->file || place->offset != r->offset)) return place;
    }
    return NULL;
}

static void decide(struct fault_engine *f, struct io_request *r) {
    const struct place_known *any = other_place(f, r, 0);
    const struct fault_verdict verdict = fault_of_transfer(r->write, any != NULL);
    const struct place_known *other = any ? other_place(f, r, verdict.draw) : NULL;
    r->fault = (struct io_fault){.kind = verdict.kind, .error = verdict.error, .draw = verdict.draw};
    if (other) {
        r->fault.file = other->file;
        r->fault.offset = other->offset;
    }
    f->known[f->seen++ % KNOWN] =
        (struct place_known){.file = r->file, .offset = r->offset, .bytes = r->bytes};
}

static void fault_submit(struct engine *engine, struct io_batch *batch) {
    struct fault_engine *f = engine->state;
    pthread_mutex_lock(&f->lock);
    for (int64_t i = 0; i < batch->count; i++)
        decide(f, &batch->request[i]);
    pthread_mutex_unlock(&f->lock);
    workers_submit(f->workers, batch);
}

/* -- the rest is the engine's inside ------------------------------------------------------------------------------ */

static int fault_attach(struct engine *engine, struct io_file *file) {
    struct fault_engine *f = engine->state;
    const int status = f->inner->ops->attach(f->inner, file);
    memcpy(engine->note, f->inner->note, sizeof engine->note);
    return status;
}

static void fault_detach(struct engine *engine, struct io_file *file) {
    struct fault_engine *f = engine->state;
    f->inner->ops->detach(f->inner, file);
}

static void fault_pin(struct engine *engine) {
    struct fault_engine *f = engine->state;
    engine_pin(f->inner, engine->pinned, engine->pinned_bytes);
    memcpy(engine->note, f->inner->note, sizeof engine->note);
}

static void fault_unpin(struct engine *engine) {
    struct fault_engine *f = engine->state;
    engine_unpin(f->inner);
}

static int fault_sync(struct engine *engine, struct io_file *file) {
    struct fault_engine *f = engine->state;
    const int error = fault_of_operation(FAULT_SYNC);
    return error ? error : f->inner->ops->sync(f->inner, file);
}

static void fault_close(struct engine *engine) {
    struct fault_engine *f = engine->state;
    workers_stop(f->workers);
    engine_close(f->inner);
    pthread_mutex_destroy(&f->lock);
    free(f);
}

int fault_wrap(struct engine **engine) {
    if (!fault_of_engine()) return OOCC_OK;
    struct fault_engine *f = calloc(1, sizeof *f);
    struct engine *outer = calloc(1, sizeof *outer);
    struct workers *workers = f && outer ? workers_start(THREADS, false, outer, perform) : NULL;
    if (!workers) {
        free(f);
        free(outer);
        return run_fail(OOCC_NO_MEMORY, NULL, "cannot start the threads of the fault engine");
    }
    pthread_mutex_init(&f->lock, NULL);
    f->inner = *engine;
    f->workers = workers;
    f->ops = *f->inner->ops;
    f->ops.attach = fault_attach;
    f->ops.detach = fault_detach;
    f->ops.pin = fault_pin;
    f->ops.unpin = fault_unpin;
    f->ops.submit = fault_submit;
    f->ops.sync = fault_sync;
    f->ops.close = fault_close;
    outer->ops = &f->ops;
    outer->state = f;
    outer->depth = f->inner->depth;
    memcpy(outer->note, f->inner->note, sizeof outer->note);
    *engine = outer;
    return OOCC_OK;
}
