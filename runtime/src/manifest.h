/* manifest.h: what a scratch directory holds, as text (docs/formats/manifest.md). */
#ifndef OOCC_MANIFEST_H
#define OOCC_MANIFEST_H

#include "store.h"

struct manifest {
    int64_t level; /* of the whole generation */
    int generation;
    int64_t steps; /* the level at which the run ends */
};

/* Replaces DIRECTORY/manifest: temporary file, fsync, rename, fsync of the directory. Sums are the store's.
 */
int manifest_write(const struct oocc_run *run, const struct store *store, const struct manifest *manifest);

/* Reads and checks a manifest against this run. The store's sums are filled in when store is not NULL.
 * Errors: 65 for another version, program, parameter or size, 73 when there is none, 76 when it is damaged.
 */
int manifest_read(const struct oocc_run *run, const char *directory, struct manifest *manifest,
                  struct store *store);

#endif
