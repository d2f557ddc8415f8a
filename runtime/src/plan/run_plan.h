/* run_plan.h: what a run is going to do: model.c chooses it, plan.c prints it. */
#ifndef OOCC_RUN_PLAN_H
#define OOCC_RUN_PLAN_H

#include "oocc/oocc.h"
#include "plan/cut.h"
#include "run/options.h"
#include "tuning/machine.h"

#include <stdio.h>

struct plan {
    enum schedule schedule;     /* never AUTO */
    const char *engine;         /* chosen; "memory", "swap", "uring", "aio", "threads", "mmap" */
    const char *engine_reason;  /* why this one, in a few words */
    const char *probed;         /* what was asked for when the engine was found to work on the scratch; NULL: it was not tried there */
    bool in_place;              /* everything stays in the window: no generations (engines memory and swap, sweep or
                                   resident) */
    int io_depth;               /* requests in flight at most; 0: adapts itself */
    int64_t io_request_bytes;
    int threads;
    int64_t steps;
    int64_t bt, bz, ct, yt, xt, tiles, chains, pieces;
    bool can_fetch;             /* tiles may fetch planes ahead, */
    bool fetch;                 /* and do, to begin with */
    struct cut cut;
    int64_t strip_bytes;        /* on the scratch, besides the store: what leaning columns leave to the next one */
    int64_t read_ahead, write_behind; /* slabs or blocks in flight: 1 and 1 when streaming, 0 and 0 in place */
    int64_t passes;
    int64_t budget_bytes;       /* --memory */
    int64_t fixed_bytes;        /* program, stacks, tables, points, I/O buffers */
    int64_t observed_bytes;     /* of which buffers of records and watches for a pass */
    int64_t window_bytes;
    int64_t swapped_bytes;      /* engine swap: what the kernel may swap out, which the budget does not count */
    const char *scratch;        /* as in options; NULL: nothing is kept on disk */
    int64_t store_bytes;        /* on the scratch, two generations and the coefficients */
    bool third_generation;      /* is of use, and made where there is plenty of room: not every pass need be committed then */
    int64_t read_bytes, write_bytes; /* of all passes together, predicted (import and export apart) */
    int64_t import_read_bytes, import_write_bytes, export_read_bytes; /* read: coefficients that others are made from */
    double seconds, io_seconds, compute_seconds; /* predicted */
    double check_seconds;       /* of compute_seconds: checksums, and looking for nan */
    double commit_seconds;      /* of seconds: making generations durable */
    double commit_every;        /* as in options */
    double one_commit_seconds;
    const char *basis;          /* of the prediction: "nominal", "partly measured", "measured" */
    char tuned[24];             /* the date on which this plan won, or "" */
    const char *bound;          /* "disk", "cores" or "memory": what takes the time */
    char why[384];              /* why not deeper: the budget arithmetic in words */
};

/* Chooses schedule, engine, bt, bz, ct, tiles for the budget, honouring what was asked for; refuses with the numbers
 * when nothing fits. `remaining` is the number of steps still to do. */
int plan_make(const struct oocc_program *program, const struct options *options, const struct machine *machine,
              const struct oocc_grid *grid, int64_t remaining, struct plan *plan);
void plan_print(FILE *out, const struct oocc_program *program, const struct oocc_grid *grid, const struct plan *plan,
                const struct machine *machine);
void plan_print_json(FILE *out, const struct oocc_program *program, const struct oocc_grid *grid,
                     const struct plan *plan, const struct machine *machine);

#endif
