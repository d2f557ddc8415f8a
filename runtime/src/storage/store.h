/*
 * store.h: where the grid is between passes: generations of the state and one copy of the coefficients,
 * as records of one plane of one level of one field (docs/formats/scratch.md). A pass reads one generation
 * and writes another, which then is the present one; a commit makes the present one durable. A pass never writes to
 * the one that was committed last, so with a third one many passes may go by between two commits. What is moved and
 * checked are bands of records: all of them, or those of a column.
 */
#ifndef OOCC_STORE_H
#define OOCC_STORE_H

#include "run/run.h"
#include "storage/member.h"

struct manifest;

/* All planes of one stored level of one field: contiguous in their file, in stripes when there are several
 * members (stripe.h), so adjacent planes make large requests. */
struct region {
    int field;
    int level; /* 0: the present one, 1: the one before, ... */
    bool coef;
    int64_t planes, plane_bytes, bands;
    int64_t first_sum; /* of plane 0 among its file's checksums, plane by plane and band by band */
    int64_t stripe_planes;
    int first_member;              /* of the first stripe */
    int64_t offset[MEMBERS_MOST]; /* of its first stripe in each member's share of the file */
};

/* Checksums are kept of the present generation, of the one that is being written, and of the coefficients. What the manifest names has
 * its own there. */
enum { SUMS_COEF = 2, SUMS };

struct store {
    struct engine *engine;
    struct member member[MEMBERS_MOST]; /* where the files are; the first one is the home */
    int members;
    bool kept;             /* on disk, by the members; otherwise there is one, in memory */
    bool open;             /* the engine has the files */
    char id[STORE_ID + 1]; /* of what is kept */
    int regions;
    struct region *region; /* by field, then by level */
    int generations;
    int generation; /* the present one */
    int next;       /* that the next pass writes */
    int durable;    /* that was committed last: the manifest names it; -1: none yet */
    int64_t durable_level;
    bool recent;    /* a recent manifest may be there: it names the present one, or one before */
    bool whole;     /* the present one is: initial values are there */
    bool damaged;   /* the present one is not as it was written */
    bool failed;    /* a sync has, and none is to be tried again */
    double committed_at; /* machine_seconds(); before the first commit, when the store was opened */
    int64_t sums[SUMS];
    uint64_t *sum[SUMS];         /* checksum of every band of every record */
    int table[STORE_GENERATIONS]; /* of a generation that is read or written: which of the first two is its own */
    uint64_t *trace_sum; /* of every trace: of its rows up to the present level */
    int64_t strip_bytes;        /* that a run needs besides (strips.h) */
    bool coef_durable;          /* the coefficients are as the manifest has them */
};

/* The checksums of a region of a generation, from its first plane on. */
static inline uint64_t *store_sums(const struct store *store, const struct region *region, int generation) {
    return store->sum[region->coef ? SUMS_COEF : store->table[generation]] + region->first_sum;
}

/* Where planes lie in memory: byte b of z's record at base + ((z + first) mod planes) * stride_bytes + b - skip_bytes;
 * z + first is never negative. */
struct place {
    char *base;
    int64_t planes;
    int64_t first;        /* the unrolled plane (wedge.h) that is plane 0 here */
    int64_t stride_bytes; /* from plane to plane */
    int64_t skip_bytes;   /* of the record, before what is kept here of it */
};

/* What is meant of the records of a region: bands [band_lo, band_hi) of planes [lo, hi). */
struct part {
    int64_t lo, hi;
    int64_t band_lo, band_hi;
};

static inline struct part whole_planes(const struct region *region, int64_t lo, int64_t hi) {
    const struct part part = {lo, hi, 0, region->bands};
    return part;
}

static inline char *place_plane(struct place place, int64_t z) {
    return place.base + (z + place.first) % place.planes * place.stride_bytes - place.skip_bytes;
}

/* Creates the scratch with its space reserved, or (--resume) opens it and sets run->level. Errors: 65 it
 * belongs to another run or is not all there, 73 no space or something is there, 76 damaged, 77 in use; nothing
 * new is left behind then. */
int store_open(struct oocc_run *run);

/* Closes the store. The files are removed when the run is done (unless --keep) and when nothing can be
 * resumed; what a run was resumed from stays. */
void store_close(struct oocc_run *run, int status);

/* Adds the transfer of a part of a region, in whole blocks, to a batch; what is written begins and ends with one. */
int store_add(struct oocc_run *run, struct io_batch *batch, const struct region *region, int generation,
              bool write, struct part part, struct place place);

/* Makes, or verifies, the checksums of a part that lies in memory; `t` is the level that the generation's
 * present level is (no matter for a coefficient). A mismatch is OOCC_CORRUPT with file, field, plane, rows and
 * byte named. */
void store_seal(struct oocc_run *run, const struct region *region, int generation, int64_t t, struct part part,
                struct place place);
int store_verify(struct oocc_run *run, const struct region *region, int generation, int64_t t, struct part part,
                 struct place place);
/* The same of one band of a plane, by any thread; what is wrong is for the caller to tell. Sealing, nan and infinity are looked for on the
 * way (observe.h): false when there is one. */
bool store_seal_band(struct oocc_run *run, const struct region *region, int generation, int64_t t, int64_t z, int64_t band,
                     struct place place);
bool store_verify_band(const struct oocc_run *run, const struct region *region, int generation, int64_t t, int64_t z, int64_t band,
                       struct place place);
/* Prints the error: OOCC_CORRUPT. The present generation is not committed any more, if it is what is damaged. */
int store_damaged(const struct oocc_run *run, const struct region *region, int generation, int64_t t, int64_t z, int64_t band);

/* For those who look at a store from outside (store_open() does it for a run): regions, and room for checksums. */
int store_lay_out(const struct oocc_run *run, struct store *store);
/* The level that a region of a generation of level t holds. */
int64_t store_level(const struct region *region, int64_t t);
/* The checksum of a band of a plane that lies in memory. */
uint64_t store_sum(const struct oocc_grid *grid, const struct region *region, int64_t t, int64_t z, int64_t band,
                   struct place place);
/* "rows 16 to 31 of " for messages; nothing when planes have one band. */
const char *store_band_text(char *buffer, size_t size, const struct oocc_run *run, int64_t band);

/* (commit.c) `generation` is whole and holds level t: it is the present one from now on, and committed if it is time, or if the next pass
 * could not be kept from writing to the one that was committed last; otherwise a recent manifest names it. */
int store_advance(struct oocc_run *run, int generation, int64_t t);
/* The generation that a manifest names is the present one: of a run that is resumed. */
void store_take_up(struct store *store, const struct manifest *manifest);
/* Makes the present generation durable: data, then manifest, on stable storage. */
int store_commit(struct oocc_run *run);
/* The same, unless it is durable already, is damaged, or nothing can be kept: for runs that end before they are done, and with --keep. */
int store_keep(struct oocc_run *run);
/* The same of a run that has failed, and said why: a second error is a note. */
void store_salvage(struct oocc_run *run);
/* Whether there is something that --resume goes on with: committed, or recent and taken up from an earlier run. */
bool store_can_resume(const struct oocc_run *run);
/* What a commit takes, by the last one, or as planned. */
double store_commit_seconds(const struct oocc_run *run);

#endif
