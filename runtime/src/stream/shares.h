/*
 * shares.h: how the wave positions of a slab are shared out where nothing is tiled (1-D). Whoever takes a share goes through all
 * steps with it. Every step is made `step_delay` blocks further down than the one before, so what a share reads was made by itself or by the share
 * below, and it only follows that one, stage by stage. Nobody waits for a share above: a thread that has lost its core for a moment
 * holds up the others only when they have caught up with it.
 *
 * Why that is enough, positions of a share being at least as many as lie between any value's making, reading and being overwritten
 * (`share_least`, which the compiler finds and checks): a value read at stage q was made at a stage before q, at the same
 * position or below, so in the same share or the next one below, which has been through these stages; and it is overwritten at a stage after
 * its last reader's, at the same position or above, by the same share or the next one above, which follows the reader's.
 */
#ifndef OOCC_SHARES_H
#define OOCC_SHARES_H

#include "run/run.h"

/* Into how many shares so many positions are cut: several for every thread, so that one whose core is slower takes fewer, but none
 * narrower than the program allows. */
int64_t shares_of(const struct oocc_program *program, int threads, int64_t positions);

/* For the slabs of a pass; NULL: out of memory. */
struct shares *shares_open(const struct oocc_run *run, const struct oocc_pass *pass);
void shares_close(struct shares *shares);

#endif
