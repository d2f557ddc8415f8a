/* parts.h: what one level of a field moves with one slab, cut into parts of a few planes that are a batch each. A part that
 * is read takes the places of parts that may still be being written, and begins by itself when these are complete. */
#ifndef OOCC_PARTS_H
#define OOCC_PARTS_H

#include "engines/engine.h"
#include "storage/store.h"
#include "stream/checks.h"

/* A part is at least so many requests, so that being cut makes no request much smaller. */
enum { PARTS_MOST = 16, PART_REQUESTS = 2 };

struct span {
    int64_t lo, hi;
};

struct transfer {
    struct span span;   /* unrolled planes (wedge.h) */
    struct place place; /* where they lie; of `first`, nothing is meant here */
    int parts;          /* 0: nothing has been moved yet */
    struct io_batch batch[PARTS_MOST];
    struct check check[PARTS_MOST]; /* of what is read, part by part; [0]: of all that is written */
};

/* NULL: out of memory. */
struct transfer *transfers_open(int64_t count);
void transfers_close(struct transfer *transfer, int64_t count);

/* Into how many parts `planes` planes are cut. */
int parts_of(int64_t planes, int64_t plane_bytes, int64_t request_bytes);
/* The planes of a part; may be none. */
struct span transfer_part(const struct transfer *transfer, int part);

/* Whether a plane of one span lies where a plane of the other does, in a ring of so many planes. */
bool spans_meet(struct span a, struct span b, int64_t ring_planes);

/* Lets a part of what is to be read come after what is being written from its places. */
int transfer_after(struct transfer *read, int part, struct transfer *write);

/* Waits for all parts: 0, or OOCC_IO_ERROR with the first error printed. */
int transfer_wait(struct transfer *transfer);
void transfer_drain(struct transfer *transfer);

#endif
