/*
 * subnormal.h: numbers that are less than the least normal one of their type. Arithmetic with them takes many processors a hundred
 * times as long, and fields that die away, or have not been reached by a wave yet, may have many. With --subnormals zero a step takes
 * them as 0, as operands and as results; so a run says how many there are when there are enough of them to matter.
 */
#ifndef OOCC_SUBNORMAL_H
#define OOCC_SUBNORMAL_H

#include "run/run.h"

/* Whether this processor can take them as 0. */
bool subnormal_can_be_zero(void);

/* The calling thread begins its part of a slab, and has done it: what it computes in between is as the user asked for, and what
 * it computes elsewhere, which may be an application's, as it was. */
void subnormal_enter(const struct oocc_pass *pass);
void subnormal_leave(const struct oocc_pass *pass);

/* Counts those of a row of the present level, which is looked at for nan in any case. By any thread. */
void subnormal_count(struct oocc_run *run, enum oocc_type type, const char *cells, int64_t count);
/* The pass is done: says once what there is to be said. */
void subnormal_tell(struct oocc_run *run);

#endif
