/* transfer.h: the grid's way in and out: initial values into the store (in place: into the window; import.c), results
 * to files (export.c). */
#ifndef OOCC_TRANSFER_H
#define OOCC_TRANSFER_H

#include "run/run.h"

/* Makes every stored level of every field, and commits it as level 0. */
int import_fields(struct oocc_run *run);

/* Writes the outputs that are due at the present level of a run that goes on, under names with that level. */
int export_level(struct oocc_run *run);

/* Writes the outputs of the end and computes stats.result_hash. All outputs appear, or none. */
int export_fields(struct oocc_run *run);

#endif
