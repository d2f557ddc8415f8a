/*
 * flow.h: the order in which the chains of tiles and borders of a slab are handed out to the threads, and what each waits for. A
 * border waits for the two chains beside it, a chain of the next group for the borders around it: no barrier, so a late
 * thread holds up its neighbours only.
 */
#ifndef OOCC_FLOW_H
#define OOCC_FLOW_H

#include "run/run.h"

/* For a pass whose bt, ct, chains, outer sides, first_step and wave are set; owned by the caller, NULL with the error printed. Programs that
 * are not tiled have shares instead of chains (shares.h). */
struct oocc_flow *flow_open(const struct oocc_run *run, const struct oocc_pass *pass);
void flow_close(struct oocc_flow *flow);
/* NULL where there are none. */
struct shares *flow_shares(const struct oocc_flow *flow);

/* While a slab is computed: whether rows [lo, hi) have been through all steps of the pass. */
bool flow_has_finished(const struct oocc_flow *flow, int64_t lo, int64_t hi);

#endif
