/* pipeline.h: the passes of a run. Behind the four functions that a pass calls (oocc_read_ahead,
 * oocc_wait_for, oocc_write_back, oocc_finish), reads run ahead of the computation and writes follow it. */
#ifndef OOCC_PIPELINE_H
#define OOCC_PIPELINE_H

#include "plan/columns.h"
#include "run/run.h"
#include "stream/checks.h"

/* Planes of a slab in a pass of bt steps: the plan's, but no more than the wave has. */
int64_t pass_slab_planes(const struct oocc_run *run, int64_t bt);

/* A pass of bt steps from the present level on, in slabs of bz planes; the window has been laid out for it. */
struct oocc_pass pass_make(struct oocc_run *run, int64_t bt, int64_t bz);

/* Tells a pass, and the window, which rows it is for from now on: those of a column. Returns the column. */
struct column pass_use_column(struct oocc_run *run, struct oocc_pass *pass, int64_t index);

/* Makes passes from run->level to run->steps, committed once in a while (store.h). OOCC_STOPPED when a signal asked to stop. */
int run_passes(struct oocc_run *run);

/* Brings the statistics of bytes moved up to date. */
void run_count_bytes(struct oocc_run *run);

int pipeline_open(struct oocc_run *run);
void pipeline_close(struct oocc_run *run);

/* Begins column `index` of a pass; gives one up that failed: returns when nothing is in flight. */
void pipeline_begin(struct oocc_run *run, const struct column *column, int64_t index);
/* The same for a pass that begins somewhere in the grid (trial.h): what lies before is taken as moved. */
void pipeline_begin_at(struct oocc_run *run, const struct oocc_pass *pass, const struct column *column, int64_t index);
void pipeline_abandon(struct oocc_run *run);

/* While a slab is computed, by any of its threads that has nothing to compute just then: something that would be done later. */
enum spare pipeline_spare(const struct oocc_pass *pass);

/* The same, by a thread that has made the last of rows [lo, hi): seals what is ready of them, while caches have it. */
void pipeline_seal_ready(const struct oocc_pass *pass, int64_t lo, int64_t hi);

/* Schedule overlap: the calls that follow are for this block of the whole pass. */
void pipeline_use_block(struct oocc_run *run, const struct oocc_pass *pass, int64_t block);

#endif
