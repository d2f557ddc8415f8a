/* tune.h: tries the plans that are predicted to be the best, each for a short time, and keeps the fastest (cache.h). */
#ifndef OOCC_TUNE_H
#define OOCC_TUNE_H

#include "run/run.h"

/* In place, before anything is allocated: times the loops. 0 or an exit status; run->plan is the winner's. */
int tune_loops(struct oocc_run *run, struct tuned *tuned);
/* Streaming, when the store is open and holds the state, and nothing else is open: times slabs, transfers included. */
int tune_stream(struct oocc_run *run, struct tuned *tuned);

#endif
