/*
 * fault.h: errors on purpose, for tests (--fault SPEC): what devices and kernels do now and then, at a place that is
 * chosen. SPEC is KIND@K (the K-th time, from 1), KIND:every=N (about every N-th, as a seed says), or both apart from
 * that; `seed=S` follows a colon or a comma.
 *
 * Three things are counted, each by itself:
 *   operations  whatever a run does with its files: reads, writes, syncs, and operations on names and sizes (meta)
 *   transfers   what the engine is asked to move of records
 *   calls       system calls, which may do less than they were asked for
 */
#ifndef OOCC_FAULT_H
#define OOCC_FAULT_H

#include "support/calls.h"

enum fault_kind {
    FAULT_NONE,
    FAULT_EIO,
    FAULT_ENOSPC,    /* from then on */
    FAULT_EDQUOT,    /* from then on */
    FAULT_FLIP,      /* of transfers: one bit is wrong */
    FAULT_SWAP,      /* a written record and one written before change places */
    FAULT_STALE,     /* a write is not made */
    FAULT_MISDIRECT, /* a write goes to the place of another record */
    FAULT_MISREAD,   /* a read comes from the place of another record */
    FAULT_SHORT,     /* of calls: some of the bytes are moved */
    FAULT_ZERO,      /* none is */
    FAULT_FAIL,      /* what an engine has asked the kernel for ends with EIO */
    FAULT_EINTR,
    FAULT_EAGAIN,
    FAULT_PARTIAL /* a request is not taken this time */
};

/* What is counted. */
enum fault_event { FAULT_READ, FAULT_WRITE, FAULT_SYNC, FAULT_META, FAULT_EVENTS };

/* What becomes of one transfer. */
struct fault_verdict {
    enum fault_kind kind;
    int error;     /* of kind EIO, ENOSPC and EDQUOT */
    uint64_t draw; /* a random number for details */
};

/* Sets the faults of this run: 0, or 2 with the error printed. */
int fault_set(const char *spec);
/* Whether the engine is to be wrapped (engines/fault.c). */
bool fault_of_engine(void);
/* Says in a note what happened, and how much was counted. */
void fault_report(void);

/* An operation is about to be made: 0, or the errno that it is to fail with. */
int fault_of_operation(enum fault_event event);
/* A transfer: as an operation, and as a transfer. `known`: there is another record whose place it could be mixed up with. */
struct fault_verdict fault_of_transfer(bool write, bool known);

extern const struct calls_watcher fault_watcher;

struct engine;
/* Puts a fault engine around an engine, when one is wanted. 0 or an exit status, the error printed. */
int fault_wrap(struct engine **engine);

#endif
