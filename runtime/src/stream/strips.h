/* strips.h: what columns that lean leave to the next one (plan/strip.h), in nameless files of the scratch: one record a slab. A strip is
 * put in the window before its slab is computed, and the one that the slab makes is taken out afterwards; files are read and written
 * meanwhile. Nothing of them outlives a pass. Where columns do not lean all of this does nothing. */
#ifndef OOCC_STRIPS_H
#define OOCC_STRIPS_H

#include "run/run.h"

struct strips;

/* Makes the files, with room for the plan's passes. Errors: 71, 73. */
int strips_open(struct oocc_run *run);
void strips_close(struct oocc_run *run);

/* A column of the pass begins: the first record that it is given begins to be read. */
int strips_begin(struct oocc_run *run, const struct oocc_pass *pass);
/* Before a slab is computed: waits for its record, which may be damaged (76), puts it in the window, and begins to read the next one. */
int strips_take(const struct oocc_pass *pass, int64_t slab);
/* When it has been computed: takes out what the next column is given, and begins to write it. */
int strips_leave(const struct oocc_pass *pass, int64_t slab);
/* Waits for what is being written. */
int strips_finish(struct oocc_run *run);
/* The same of a column that is given up. */
void strips_abandon(struct oocc_run *run);

#endif
