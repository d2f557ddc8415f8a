/*
 * store.h: where the grid is between passes: two generations of the state and one copy of the coefficients,
 * as records of one plane of one level of one field (docs/formats/scratch.md). A pass reads one generation
 * and writes the other; the commit makes the other one the whole one.
 */
#ifndef OOCC_STORE_H
#define OOCC_STORE_H

#include "engine.h"
#include "run.h"

/* Files of a store; the first two are the generations. */
enum { STORE_COEF = 2, STORE_FILES = 3 };

/* All planes of one stored level of one field: contiguous in their file, so adjacent planes make large
 * requests. */
struct region {
    int field;
    int level; /* 0: the present one, 1: the one before, ... */
    bool coef;
    int64_t planes, plane_bytes, stride_bytes;
    int64_t offset;    /* of plane 0 in its file */
    int64_t first_sum; /* of plane 0 among its file's checksums */
};

struct store {
    struct engine *engine;
    struct io_file file[STORE_FILES];
    int regions;
    struct region *region; /* by field, then by level */
    int64_t records[STORE_FILES];
    uint64_t *sum[STORE_FILES]; /* checksum of every record */
    int generation;             /* the whole one */
    bool committed;             /* the manifest names it */
    char *path[STORE_FILES];    /* of the files, for messages */
    char *directory;            /* NULL: an engine that keeps nothing on disk */
    int directory_fd, lock_fd;
    bool made_directory, owns_files;
};

/* Where planes lie in memory: z at base + ((z + first) mod planes) * stride_bytes of its field; z + first is never negative. */
struct place {
    char *base;
    int64_t planes;
    int64_t first; /* the unrolled plane (wedge.h) that is plane 0 here */
};

/* Creates the scratch with its space reserved, or (--resume) opens it and sets run->level. Errors: 65 it
 * belongs to another run, 73 no space or something is there, 76 damaged, 77 in use; nothing new is left
 * behind then. */
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
