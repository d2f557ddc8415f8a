/* bind.h: keeps each thread that computes on a core of its own. */
#ifndef OOCC_BIND_H
#define OOCC_BIND_H

#include "run/options.h"

/* Binds OpenMP's threads, the calling one among them, to different CPUs of those that this process may use: one per
 * core first, then their siblings. Auto: only when there are as many threads as CPUs, since two runs with fewer would
 * choose the same ones. Leaves everything as it is where the user has said how (OMP_PROC_BIND, OMP_PLACES,
 * GOMP_CPU_AFFINITY, KMP_AFFINITY), and where there are fewer CPUs than threads. Threads that
 * the calling one starts later are bound as it is: engines are opened before. */
void bind_threads(enum bind_mode mode, int threads);

#endif
