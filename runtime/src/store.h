/*
 * store.h: where the grid is between passes: two generations of the state and one copy of the coefficients,
 * as records of one plane of one level of one field (docs/formats/scratch.md). A pass reads one generation
 * and writes the other; the commit makes the other one the whole one.
 */
#ifndef OOCC_STORE_H
#define OOCC_STORE_H

#include "member.h"
#include "run.h"

/* All planes of one stored level of one field: contiguous in their file, in stripes when there are several
 * members (stripe.h), so adjacent planes make large requests. */
struct region {
    int field;
    int level; /* 0: the present one, 1: the one before, ... */
    bool coef;
    int64_t planes, plane_bytes, stride_bytes;
    int64_t first_sum; /* of plane 0 among its file's checksums */
    int64_t stripe_planes;
    int first_member;              /* of the first stripe */
    int64_t offset[MEMBERS_MOST]; /* of its first stripe in each member's share of the file */
};

struct store {
    struct engine *engine;
    struct member member[MEMBERS_MOST]; /* where the files are; the first one is the home */
    int members;
    bool kept;             /* on disk, by the members; otherwise there is one, in memory */
    char id[STORE_ID + 1]; /* of what is kept */
    int regions;
    struct region *region; /* by field, then by level */
    int64_t records[STORE_FILES];
    uint64_t *sum[STORE_FILES]; /* checksum of every record */
    int generation;             /* the whole one */
    bool committed;             /* the manifest names it */
};

/* Where planes lie in memory: z at base + ((z + first) mod planes) * stride_bytes of its field; z + first is never negative. */
struct place {
    char *base;
    int64_t planes;
    int64_t first; /* the unrolled plane (wedge.h) that is plane 0 here */
};

/* Creates the scratch with its space reserved, or (--resume) opens it and sets run->level. Errors: 65 it
 * belongs to another run or is not all there, 73 no space or something is there, 76 damaged, 77 in use; nothing
 * new is left behind then. */
int store_open(struct oocc_run *run);

/* Closes the store. The files are removed when the run is done (unless --keep) and when nothing can be
 * resumed. */
void store_close(struct oocc_run *run, int status);

/* Adds the transfer of planes [lo, hi) of a region to a batch. */
int store_add(struct store *store, struct io_batch *batch, const struct region *region, int generation,
              bool write, int64_t lo, int64_t hi, struct place place);

/* Makes, or verifies, the checksums of planes [lo, hi) that lie in memory; `t` is the level that the
 * generation's present level is (no matter for a coefficient). A mismatch is OOCC_CORRUPT with file, field,
 * plane and byte named. */
void store_seal(struct store *store, const struct region *region, int generation, int64_t t, int64_t lo,
                int64_t hi, struct place place);
int store_verify(struct oocc_run *run, const struct region *region, int generation, int64_t t, int64_t lo,
                 int64_t hi, struct place place);

/* Makes `generation`, which holds level t, the whole one: data, then manifest, on stable storage (commit.c).
 */
int store_commit(struct oocc_run *run, int generation, int64_t t);

#endif
