/* scratch.h: the scratch directory: its files, its lock, its space (docs/formats/scratch.md). */
#ifndef OOCC_SCRATCH_H
#define OOCC_SCRATCH_H

#include "store.h"

/* Name in the directory of a file of the store. */
const char *scratch_file_name(int index);

/* Name in the directory of the rows of a record. */
void scratch_trace_name(char name[32], int index);

/* Opens or makes the directory, locks it, and creates the store's files or opens those of the run to resume.
 */
int scratch_open(struct oocc_run *run, struct store *store);

/* Closes the files; removes them, and the directory when it was made for them, unless they are to be kept. */
void scratch_close(struct oocc_run *run, struct store *store, bool keep);

#endif
