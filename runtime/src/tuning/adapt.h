/*
 * adapt.h: the tiles of a slab, chosen anew before each as the run goes on. A slab does all its steps before the next one
 * begins, so ct and the number of tiles may change from slab to slab without changing a bit of any result; and what the
 * run has to do anyway is the best trial of a shape that there is (docs/schedule.md, "Tiles that adapt").
 */
#ifndef OOCC_ADAPT_H
#define OOCC_ADAPT_H

#include "plan/columns.h"

/* Begins with the planned tiles; run->adapt stays NULL where there is nothing to choose, or tiles were given. */
int adapt_open(struct oocc_run *run);
/* Puts what became of it into the statistics; what a run that ended well has learnt is kept for later ones. */
void adapt_close(struct oocc_run *run, int status);

/* Whether the slabs of a pass are cut by adapt_cut(): its flow is then owned here, and set there. */
bool adapt_takes(const struct oocc_run *run, const struct oocc_pass *pass);
/* Cuts the next slab of a column: sets ct, tiles, what they share, and a flow that fits. 0 or an exit status. */
int adapt_cut(struct oocc_run *run, struct oocc_pass *pass, int64_t slab);
/* How long the computation of that slab took. */
void adapt_learn(struct oocc_run *run, double seconds);

/* Steps of the next pass, of at most `steps`: in place a pass is one slab, and short ones are tried before long ones are made; or,
 * where a pass of one group takes long, passes are cut into slabs as long as tiles are looked for. */
int64_t adapt_steps(const struct oocc_run *run, int64_t steps);
/* Planes of the slabs of that pass, of at most `planes`. */
int64_t adapt_planes(const struct oocc_run *run, int64_t planes);
/* Whether passes are not as long as planned, so that nobody knows how many there will be. */
bool adapt_cuts_passes(const struct oocc_run *run);

#endif
