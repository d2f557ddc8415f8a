/* manifest_text.h: a manifest as it is written (docs/formats/manifest.md). */
#ifndef OOCC_MANIFEST_TEXT_H
#define OOCC_MANIFEST_TEXT_H

#include "storage/manifest.h"

#include <stddef.h>

#define MANIFEST_VERSION "oocc-manifest 5\n"

/* `before`, then the whole text and the line that seals it; without a manifest, the lines that identify the run. Ended by 0; the caller
 * frees it. NULL: out of memory. */
char *manifest_text(const struct oocc_run *run, const struct store *store, const struct manifest *manifest, const char *before,
                    size_t *length);

#endif
