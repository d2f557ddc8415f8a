/* loops.h: predicts how long the program's loops take, without disk, checks and the ends of a pass (cost.c). */
#ifndef OOCC_LOOPS_H
#define OOCC_LOOPS_H

#include "plan/cost.h"

/* The mean of the larger of two times that both vary: where they are the same on average, one or the other is late every time. Of
 * normal variables that deviate by a quarter, to within a hundredth: 1.14 of their mean when they are alike, and 1.02 of the larger
 * one when the other has 0.6 of it. */
double longer_of(double a, double b);

/* Seconds of one cell and step, all threads at work, and what holds them up. */
struct rate {
    double cell_seconds;
    bool memory_bound;
};
/* In the middle of a pass of bt steps, of which the shape has as many or more. */
struct rate loops_rate(const struct workload *work, const struct shape *shape, int64_t bt);

/* By which factor a slab takes longer because threads wait for each other: it shows in the mean of many, not in the shortest. */
double loops_waiting(const struct workload *work, const struct shape *shape);

/* How much longer loops that were never timed take on the core that was measured than on a nominal one. All shapes alike. */
double loops_core_slowness(const struct workload *work);

/* A shape as kernel figures know it: `rows` are what a tile has of the dimension that tiles cut; 1-D: blocks of a slab. */
struct kernel_point loops_kernel_point(const struct workload *work, const struct shape *shape, double factor);

/* What a core works on at a time: the planes of a group's wave, the rows of a tile, a piece of each. */
double loops_tile_bytes(const struct workload *work, const struct shape *shape);

/* Two dimensions: what a tile asks of a core's first cache to find there what the step before has left, over what it can keep of it.
 * Infinite where there is no such tile. */
double loops_first_filled(const struct workload *work, const struct shape *shape);

/* How much of a thread's share of the caches a tile fills, at most 1; 0 where nothing is tiled. Others that share them take from
 * what it counts on. */
double loops_filled(const struct workload *work, const struct shape *shape);

/* Bytes per second that all threads draw from memory, read and written. */
double loops_bandwidth(const struct workload *work);

#endif
