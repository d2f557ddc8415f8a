/*
 * lanes.h: what a pass has under way: one lane per stored level of a field, how far it has been read into the window and how far it has been
 * written out, and the transfers of the slabs in flight. Of pipeline.c, which decides when.
 */
#ifndef OOCC_LANES_H
#define OOCC_LANES_H

#include "plan/columns.h"
#include "stream/checks.h"
#include "stream/parts.h"

struct lane {
    const struct region *region;
    int64_t delay;   /* of its level: planes by which it lags behind the wave when it is read */
    int64_t read_to; /* unrolled planes */
    int64_t written_to;
};

struct pipeline {
    int lanes;
    struct lane *lane;
    int64_t reads, writes;         /* slabs whose transfers there are: those in flight + 1 */
    struct transfer *read, *write; /* by slab, then by lane */
    struct check **check;          /* room for those of all transfers */
    struct check **spare;          /* what threads may do while a slab is computed */
    int spares, seals; /* of these the first ones are what the slab is going to write */
    unsigned char *taken; /* of every write transfer, what threads have sealed (checks.h); NULL: planes are one band */
    int64_t next_read; /* slab whose reads have not been submitted */
    int64_t next_free; /* slab whose writes nobody has waited for */
    int64_t block;     /* that the pass is at */
    int64_t block_planes;
    struct column column;
    int64_t index; /* of the column */
    double began; /* the pass */
    double computing_since;
    int status; /* of the pass: the first error ends it */
};

/* In place, and in trials of the computation, everything stays where it is. */
bool pipeline_moves(const struct oocc_run *run);
bool pipeline_overlaps(const struct oocc_run *run);
/* Slabs of the whole pass. */
int64_t pipeline_slabs(const struct oocc_pass *pass);

/* The transfers of a slab's lanes. */
struct transfer *pipeline_reads(struct pipeline *pipeline, int64_t slab);
struct transfer *pipeline_writes(struct pipeline *pipeline, int64_t slab);

/* Unrolled planes that come with a slab; planes of the grid that are done with it. */
struct span lane_read_span(const struct oocc_pass *pass, const struct lane *lane, int64_t slab);
struct span lane_write_span(const struct oocc_pass *pass, const struct lane *lane, int64_t slab);
/* What the column reads of a region's planes [lo, hi) of the grid; what it writes of unrolled planes. */
struct part column_reads(const struct oocc_run *run, const struct region *region, int64_t lo, int64_t hi);
struct part column_writes(const struct oocc_pass *pass, struct span span);

/* Begins a transfer of a lane's unrolled planes, which lie where they do after `steps` steps of the pass. It is in parts where reads wait for
 * writes, or writes let them go on. */
void lane_begin_transfer(const struct oocc_pass *pass, const struct lane *lane, int64_t slab, int64_t steps, struct span span,
                         struct transfer *transfer);

#endif
