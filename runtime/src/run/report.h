/* report.h: what a run says at its end. */
#ifndef OOCC_REPORT_H
#define OOCC_REPORT_H

#include "plan/run_plan.h"
#include "run/stats.h"

#include <stdio.h>

int report_write(const char *path, const struct oocc_program *program, const struct oocc_grid *grid,
                 const struct plan *plan, const struct machine *machine, const struct stats *stats);
/* The closing table on stdout: grid, budget, passes, bytes moved, GLUP/s, waiting, peak memory, result hash. */
void report_print(FILE *out, const struct oocc_program *program, const struct oocc_grid *grid, const struct plan *plan,
                  const struct stats *stats);

#endif
