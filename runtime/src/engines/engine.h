/*
 * engine.h: how bytes move between the window and the store. One table of functions per engine, one file each
 * under engines/; only that file knows the library it uses.
 *
 * The pipeline fills a batch with requests, submits it, goes on computing and later waits for the batch. An
 * engine moves the requests with threads of its own, so a submit never waits for the device: a full device
 * queue would otherwise stop the computation. A batch may come after others: it then begins when these are complete, by
 * itself. Every function is called from one thread, the run's, but submit(), which whoever ends the last request that
 * a batch comes after calls as well, and io_batch_complete().
 */
#ifndef OOCC_ENGINE_H
#define OOCC_ENGINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

/* Requests are cut to this size unless --io-request says otherwise: large enough for full bandwidth, small
 * enough that many are in flight. */
#define IO_REQUEST_BYTES ((int64_t)4 << 20)
/* Pieces of memory that one request may consist of. */
#define IO_REQUEST_PIECES 64

/* --io-depth is at most this; a depth that adapts itself stays below IO_DEPTH_ADAPTIVE. */
enum { IO_DEPTH_MOST = 256, IO_DEPTH_ADAPTIVE = 64 };

/* One file of the store. The store opens it (fd) and says its size; attach() prepares it for the engine. */
struct io_file {
    const char *name; /* for messages */
    int fd;           /* -1: an engine that keeps nothing on disk */
    int64_t bytes;
    bool apart;            /* not one of the store: a field's, in or out */
    int64_t request_bytes; /* requests are cut to this size; 0: IO_REQUEST_BYTES */
    char *map;             /* the engine's own: where the file lies in memory, or NULL */
    int index;             /* the engine's own: its place among registered files, or -1 */
    bool attached;         /* between attach() and detach() */
};

struct io_batch;

/* The fault engine's own (engines/fault.c): what is to become of a request. */
struct io_fault {
    int kind, error;
    uint64_t draw;
    struct io_file *file; /* another place, and */
    int64_t offset;       /* where there */
};

struct io_request {
    struct io_file *file;
    bool write;
    char *data;            /* a multiple of 512, as is the stride */
    int64_t bytes, offset; /* multiples of 4096 */
    /* In memory a request is `bytes / piece_bytes` pieces (planes) that begin `stride_bytes` apart; one piece of all bytes
     * where that is the same. */
    int64_t piece_bytes, stride_bytes;
    int64_t done; /* bytes moved so far */
    int tries;    /* that moved nothing, or no whole block, one after the other */
    struct io_fault fault;
    struct io_batch *batch;
    struct io_request *next; /* the engine's queue */
};

/* Requests that are submitted together and waited for together. What follows the lock is written under it. */
struct io_batch {
    struct io_request *request;
    int64_t count, capacity;
    pthread_mutex_t lock;
    pthread_cond_t idle;
    bool asked;               /* by its caller, to be submitted */
    int64_t pending;          /* asked for and not complete */
    int64_t after;            /* batches that are to be complete before its requests go to the engine */
    struct io_batch **then;   /* batches that come after this one */
    int64_t thens, then_capacity;
    int error;                /* errno of the first request that failed, here or in a batch that it comes after, or 0 */
    struct io_request failed; /* that request */
};

struct engine {
    const struct engine_ops *ops;
    void *state;
    int depth;                                 /* requests in flight at most; 0: it adapts itself */
    int64_t read_bytes, write_bytes, requests; /* counted when a request is complete, by any thread */
    int most_in_flight;                        /* so far */
    char *pinned;                              /* memory given to pin(), or NULL */
    int64_t pinned_bytes;
    char note[160];                            /* what could not be had and what is done without; or empty */
};

struct engine_ops {
    const char *name;
    /* The files outlive the process: a run can be resumed. */
    bool durable;
    /* Tries whether the engine works on a directory or a block device, which is only read: NULL, or why not
     * (static storage). */
    const char *(*probe)(const char *place);
    /* Starts threads and contexts in engine->state. 0 or an exit status, the error printed. */
    int (*open)(struct engine *engine);
    /* Prepares a file: file->fd is open for reading and writing and file->bytes long, or -1. 0 or an exit
     * status. */
    int (*attach)(struct engine *engine, struct io_file *file);
    /* NULL, or: data of requests lies in engine->pinned from now on, whose pages stay where they are until unpin().
     * What cannot be had goes into engine->note and is done without. Nothing is in flight, in unpin() either. */
    void (*pin)(struct engine *engine);
    void (*unpin)(struct engine *engine);
    /* Takes over all requests of a batch; each ends in one io_request_end(). The batch stays where it is
     * until then. From any thread: the run's, or one of the engine's own that is in io_request_end(). */
    void (*submit)(struct engine *engine, struct io_batch *batch);
    /* Makes everything that was written to the file survive a power failure. 0 or an errno; never tried
     * again. */
    int (*sync)(struct engine *engine, struct io_file *file);
    /* Undoes attach(); the store closes file->fd. Nothing is in flight. */
    void (*detach)(struct engine *engine, struct io_file *file);
    void (*close)(struct engine *engine);
};

extern const struct engine_ops engine_uring, engine_aio, engine_threads, engine_mmap, engine_memory,
    engine_swap;

/* Resolves "auto" for a scratch (DIR1,DIR2,...; of a directory that does not exist yet, its parent): the first of uring,
 * aio, threads and mmap that works there, by trying; or checks that the engine asked for does. Returns the name, and
 * in *reason why in a few words (static storage); or NULL with the error printed and its exit status in *status. */
const char *engine_probe(const char *scratch, const char *wanted, const char **reason, int *status);

/* What all engines say of all places of a scratch. `refusal` is NULL where an engine works; `existing` is the place itself, or
 * where it is going to be made. 0 or an exit status, the error printed. */
struct engine_answer {
    const char *place, *existing, *engine, *refusal, *direct_refusal;
    bool durable, device;
};
int engine_survey(const char *scratch, void (*tell)(void *to, const struct engine_answer *answer), void *to);

/* Whether the engine of this name keeps its files when the process ends. */
bool engine_is_durable(const char *name);

/* depth: requests in flight at most; 0: begins moderate and grows while that makes more bytes move. */
int engine_open(const char *name, int depth, struct engine **engine);
void engine_close(struct engine *engine);
/* Whoever gives pages of this memory back to the system must unpin it first. Nothing may be in flight. Both do
 * nothing when it is so already. */
void engine_pin(struct engine *engine, char *memory, int64_t bytes);
void engine_unpin(struct engine *engine);
/* Adds what was moved since the last call to the three counters; NULL: not wanted. */
void engine_take_counts(struct engine *engine, int64_t *read_bytes, int64_t *write_bytes, int64_t *requests);

void io_batch_init(struct io_batch *batch);
void io_batch_free(struct io_batch *batch);
/* Adds the transfer of [data, data + bytes), cut into requests. The batch must be idle. */
int io_batch_add(struct io_batch *batch, struct io_file *file, bool write, char *data, int64_t bytes,
                 int64_t offset);
/* Adds the transfer of `pieces` pieces that lie `stride_bytes` apart in memory and one after the other in the file. */
int io_batch_add_pieces(struct io_batch *batch, struct io_file *file, bool write, char *data, int64_t pieces,
                        int64_t piece_bytes, int64_t stride_bytes, int64_t offset);
/* A batch that is not submitted yet comes after another one that is: its requests go to the engine once that one is complete,
 * without anybody waiting for it. When something of that one fails, nothing of this one is done, and it ends with the same
 * error. Nothing happens when the other one is idle; rings of batches that come after each other never end. */
int io_batch_after(struct io_batch *batch, struct io_batch *first);
void io_batch_submit(struct engine *engine, struct io_batch *batch);
/* Whether a batch that was submitted, and that nobody has waited for yet, is complete and without an error. From any thread. */
bool io_batch_complete(struct io_batch *batch);
/* Waits until all requests are complete and empties the batch. 0, or OOCC_IO_ERROR with the first error
 * printed. */
int io_batch_wait(struct io_batch *batch);
/* The same, and says nothing: 0 or an errno, and batch->failed. */
int io_batch_error(struct io_batch *batch);
/* The same for a batch that is given up: errors are dropped. */
void io_batch_drain(struct io_batch *batch);

/* For engines: where byte `at` of a request lies, and how many bytes (of the request) follow it there. */
char *io_request_at(const struct io_request *request, int64_t at, int64_t *bytes);
/* For engines: what is left of a request, as up to `most` pieces of memory; returns how many, and how long they are. */
int io_request_vector(const struct io_request *request, struct iovec *piece, int most, int64_t *bytes);
/* For engines: the request is complete; error is an errno or 0. */
void io_request_end(struct engine *engine, struct io_request *request, int error);
/* For engines: takes in what the kernel says of a transfer, bytes or a negative errno. True: what is left is to be
 * tried again; otherwise the request has ended. */
bool io_request_moved(struct engine *engine, struct io_request *request, int64_t moved);
/* For engines: `flying` requests are in flight; the most of them are kept. */
void io_flying(struct engine *engine, int flying);

#endif
