/* manifest.h: what a scratch directory holds, as text (docs/formats/manifest.md). */
#ifndef OOCC_MANIFEST_H
#define OOCC_MANIFEST_H

#include "storage/store.h"

struct manifest {
    int64_t level; /* of the whole generation */
    int generation;
    int64_t steps; /* the level at which the run ends */
};

/* Replaces the manifest of the store's home, as a whole or not at all. Sums are the store's. */
int manifest_write(const struct oocc_run *run, struct store *store, const struct manifest *manifest);

/* No manifest of this run is longer. */
int manifest_most_bytes(const struct oocc_run *run, const struct store *store, int64_t *bytes);

/* Reads the home's manifest and checks it against this run; with `fill`, the reductions' values and the store's
 * sums are taken from it. Errors: 65 for another version, program, parameter or size, 73 when there is none, 76
 * when it is damaged. */
int manifest_read(const struct oocc_run *run, struct store *store, struct manifest *manifest, bool fill);

/* Of a manifest of whichever program: its text, which the caller frees, be it an error or not, once its seal and its store have been
 * checked; *at is the line after these. */
int manifest_get(struct store *store, char **text, char **at);
/* The line of trace `index`: its length, or 0 when it is not there. */
struct trace_line {
    int64_t rows, row_bytes;
    uint64_t sum;
};
int manifest_read_trace(const char *text, int index, struct trace_line *line);
/* The checksums from `text` on, to the end, into those of the store. */
int manifest_read_sums(const struct oocc_run *run, struct store *store, int generation, char *text);

#endif
