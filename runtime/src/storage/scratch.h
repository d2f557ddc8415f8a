/* scratch.h: the members of the scratch together: locks, labels, space, the manifest's home (docs/formats/scratch.md). */
#ifndef OOCC_SCRATCH_H
#define OOCC_SCRATCH_H

#include "storage/store.h"

/* Opens and locks the members of options.scratch (PEEK: does not lock). Of a run to resume they are put in its order;
 * refused when some are missing (65), when they are of another run (65), or damaged (76). */
int scratch_open(struct oocc_run *run, struct store *store, enum member_access access);

/* Once the store is laid out: makes its files, or opens those of the run to resume and sets run->level. */
int scratch_make(struct oocc_run *run, struct store *store);

/* Closes the members; removes what is in them, and directories that were made for them, unless they are to be kept. */
void scratch_close(struct store *store, bool keep);

/* What the manifest is called in messages: "DIR/manifest", "the manifest on DEVICE". */
const char *scratch_manifest_name(const struct store *store, char name[4200]);

/* Finds level and steps of the run that is to be resumed, before anything is locked or laid out. */
struct manifest;
int scratch_peek(struct oocc_run *run, struct manifest *manifest);

/* Whether any of DIR1,DIR2,... is a block device. 0 or an exit status, the error printed. */
int scratch_has_device(const char *list, bool *has);

/* Names of the members, as given, with commas and blanks between them. */
const char *scratch_names(const struct store *store, char *names, size_t size);

#endif
