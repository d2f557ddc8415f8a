/* manifest.h: what a scratch directory holds, as text (docs/formats/manifest.md). */
#ifndef OOCC_MANIFEST_H
#define OOCC_MANIFEST_H

#include "storage/store.h"

struct manifest {
    int64_t level; /* of the whole generation */
    int generation;
    int64_t steps; /* the level at which the run ends */
    /* As it is read: */
    bool recent;   /* what was committed is further back */
    int durable;   /* the generation that was committed; -1: none was */
    int64_t durable_level;
};

/* Replaces the manifest of the store's home, as a whole or not at all. Sums are the store's. */
int manifest_write(const struct oocc_run *run, struct store *store, const struct manifest *manifest);
/* The same of the recent one, which is not synced; where the kernel has no boot id nothing is written. False: it could not be. */
bool manifest_write_recent(const struct oocc_run *run, struct store *store, const struct manifest *manifest);
/* Only what was committed counts from now on. */
void manifest_drop_recent(struct store *store);

/* No manifest of this run is longer. */
int manifest_most_bytes(const struct oocc_run *run, const struct store *store, int64_t *bytes);

/* Whether there is, or may be, something to resume from: committed, or recent. */
int manifest_find(struct member *home, bool *found);

/* Reads the home's manifest, or a recent one that is further on and counts, and checks it against this run; with `fill`, the reductions'
 * values and the store's sums are taken from it. Errors: 65 for another version, program, parameter or size, 73 when there is none, 76
 * when it is damaged. */
int manifest_read(const struct oocc_run *run, struct store *store, struct manifest *manifest, bool fill);

/* The same of a manifest of whichever program: its text, which the caller frees, be it an error or not, once its seal and its store have been
 * checked; *at is the line after these. Of `manifest` it says what was committed. */
int manifest_get(struct store *store, char **text, char **at, struct manifest *manifest);
/* The lines that say where the run is: their length, or 0 when they are not there. */
int manifest_read_level(const struct store *store, const char *text, struct manifest *manifest);
/* The line of trace `index`: its length, or 0 when it is not there. */
struct trace_line {
    int64_t rows, row_bytes;
    uint64_t sum;
};
int manifest_read_trace(const char *text, int index, struct trace_line *line);
/* The checksums from `text` on, to the end, into those of the store. */
int manifest_read_sums(const struct oocc_run *run, struct store *store, int generation, char *text);

#endif
