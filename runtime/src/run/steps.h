/* steps.h: the steps of a run that main.c and embed.c have in common. Each returns 0 or an exit status. */
#ifndef OOCC_STEPS_H
#define OOCC_STEPS_H

#include "run/run.h"

/* The options are known: sizes, layout, points and signals, the machine, and from which level to which. */
int run_describe(struct oocc_run *run);

/* Chooses, after measuring if that is wanted. What was measured and tuned must live as long as the run. */
struct figures;
int run_plan(struct oocc_run *run, struct figures *figures, struct tuned *tuned);

/* Opens the store and the window, and makes the initial values; passes may begin. */
int run_prepare(struct oocc_run *run, struct tuned *tuned);

/* Completes the statistics. */
void run_measured(struct oocc_run *run);
/* --report, when it was asked for. */
int run_write_report(struct oocc_run *run);

/* Gives everything back, in whatever state the run is. */
void run_close(struct oocc_run *run, int status);

#endif
