/*
 * probe_core.c: what a core does to rows of cells in its first cache, in a millisecond. Of programs whose loops were never timed, as those
 * of short runs, this is what cores differ by: nominally they are all alike, and there are some that take twice as long.
 */
#include "support/vector.h"
#include "tuning/probe.h"

#include <math.h>

/* Rows of so many cells, with a line before them and one after them, several at a time. */
enum { CELLS = 256, LINE = 8, PITCH = CELLS + 2 * LINE, ROWS = 10, TIMES = 64, ROUNDS = 8 };

typedef void row_loop(double *restrict to, const double *const *row, int64_t cells);

/* Seconds a cell, of the best of a few rounds: whatever else runs on the core makes it slower, nothing makes it faster. */
static double cell_seconds(row_loop *loop, double *memory) {
    const double *row[ROWS - 1];
    for (int r = 0; r < ROWS - 1; r++)
        row[r] = memory + (r + 1) * PITCH + LINE;
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        const double began = machine_seconds();
        for (int i = 0; i < TIMES; i++)
            loop(memory + LINE, row, CELLS);
        best = fmin(best, (machine_seconds() - began) / TIMES / CELLS);
    }
    return best;
}

void probe_core(struct core_figures *figures) {
    _Alignas(64) double memory[ROWS * PITCH];
    for (int i = 0; i < ROWS * PITCH; i++)
        memory[i] = 1 + 0.001 * i; /* no number that is hardly there */
    const struct vector_loops *loops = vector_loops();
    const double cheap = cell_seconds(loops->row_7_points, memory), dear = cell_seconds(loops->row_27_points, memory);
    if (!(cheap > 0) || !(dear > 0)) return; /* the clock does not tell such times apart */
    *figures = (struct core_figures){.measured = true, .flops = FLOPS_OF_27_POINTS / dear, .cells = 1 / cheap};
}
