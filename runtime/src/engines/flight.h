/*
 * flight.h: the requests that are with the kernel, at most so many at a time: as many as were asked for, or a number
 * that adapts itself. It begins moderate and grows by half as long as that makes more bytes move; what a device
 * does with more requests at once differs too much for one number.
 *
 * A slot is taken by the thread that submits and given back by the one that collects.
 */
#ifndef OOCC_ENGINES_FLIGHT_H
#define OOCC_ENGINES_FLIGHT_H

#include "engines/engine.h"
#include "support/calls.h"

struct flight_slot {
    int index; /* 0 .. IO_DEPTH_MOST - 1 */
    struct io_request *request;
    /* The transfer, read off the request while it was nobody else's: as soon as the kernel has it, the thread that
     * collects may be done with the request. */
    const struct io_file *file;
    bool write;
    int vectors;
    int64_t offset, bytes;
    struct iovec vector[IO_REQUEST_PIECES];
    struct call call;
    bool made;   /* false: the transfer is not made at all, and call.result is told */
    bool handed; /* atomic: from the thread that submits to the one that collects */
    struct flight_slot *next;
};

struct flight;

/* For at most `most` requests; fewer when engine->depth is, or has not grown that far. NULL: out of memory. */
struct flight *flight_open(struct engine *engine, int most);
void flight_close(struct flight *flight);

/* Waits for a slot, and fills it with what is left of the request. */
struct flight_slot *flight_take(struct flight *flight, struct io_request *request);
/* The kernel is about to be handed the transfer, and will pass the slot on to whoever collects; that this orders memory, neither C
 * nor ThreadSanitizer knows. Whoever submits looks at nothing of the run's from here on. */
void flight_hand(struct flight_slot *slot);
/* The request's transfer has been handed to the kernel: whoever waits in flight_wait() goes on. */
void flight_submitted(struct flight *flight);
/* Gives the slot back when *moved bytes (or a negative errno) have been moved, or what is told in place of that; returns
 * its request. */
struct io_request *flight_land(struct flight *flight, struct flight_slot *slot, int64_t *moved);

/* Waits until something is in flight; false: it is time to stop, and nothing is. */
bool flight_wait(struct flight *flight);
void flight_stop(struct flight *flight);

/* The rule by which a depth grows, by itself for tests. */
struct depth {
    int now, most;
    int64_t landed, waited, bytes; /* of the present round: requests, those that waited for a slot, bytes */
    double since;                  /* when it began */
    double best;                   /* bytes per second at the depth before */
    int before;                    /* that depth; 0: not trying a larger one */
    int settled;                   /* rounds until a larger one is tried again */
};

/* Takes in that a request of so many bytes has landed at a time in seconds; how many may fly now. */
int depth_landed(struct depth *depth, int64_t bytes, bool waited, double now);

#endif
