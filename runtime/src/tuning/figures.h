/*
 * figures.h: what the machine, the device behind the scratch and the program's own loops can do. Nominal figures are
 * those of an ordinary machine and stand in for what has not been measured (probe.h); measured ones are kept from
 * run to run (cache.h).
 */
#ifndef OOCC_FIGURES_H
#define OOCC_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

enum { FIGURES_DATE = 24, KERNEL_POINTS = 48 };

/* What one core does to rows of cells in its first cache, of f64. */
struct core_figures {
    bool measured;
    double flops; /* operations per second */
    double cells; /* cells per second, however cheap the cell */
};

struct machine_figures {
    char date[FIGURES_DATE];      /* "2026-01-31" when measured; empty: nominal */
    bool unsteady;                /* it came out otherwise each time: of this run, and of no later one */
    double memory_bandwidth;      /* bytes per second, all threads, read and written */
    double core_bandwidth;        /* bytes per second that one core can draw */
    double shared_cache;          /* bytes per second between a core and the cache beyond its own */
    double own_cache;             /* bytes per second between a core and its own cache */
    double shared_bytes;          /* what all threads together can keep in caches; 0: taken from sizes */
    struct core_figures core;
    double row_start_seconds;     /* to set up one row (a tile's part of it) of one stage */
    double barrier_seconds;       /* all threads meeting once */
};

struct device_figures {
    char date[FIGURES_DATE];
    double read, write;  /* bytes per second, of the one alone */
    double both;         /* bytes per second, reads and writes together, as much of each */
    double beside;       /* the same while all cores compute */
    double cores_share;  /* what is left of the cores' speed meanwhile: 1 is all of it */
    double slab_seconds; /* to start the transfers of a slab and wait for them */
    double sync_seconds; /* to make what was written survive a power failure, */
    double sync_seconds_per_byte; /* and more for each byte that the device has only taken in so far */
};

/* The program's loops, timed on some planes of the grid: how much longer a step takes than the other figures say, and nominal cores. Points are of
 * their best moments, so that shapes compare; over a whole run cores and memory have others, too. */
struct kernel_point {
    double ct, rows; /* levels done in cache; what a tile has of the dimension that tiles cut */
    double planes;   /* of a slab; 1 where nothing is tiled */
    double factor;
};
struct kernel_figures {
    char date[FIGURES_DATE];
    bool unsteady;
    bool probed;            /* shapes all over the space were timed; false: those that runs have tried are all there is */
    bool bold;              /* shapes unlike all points are taken for as good as these, to be timed next; otherwise for worse */
    bool processor_fetches; /* tiles are faster that fetch nothing ahead */
    double pace;            /* how much longer a run takes than by its points, or, where there is none, on nominal cores; 0: not known */
    int points;
    struct kernel_point point[KERNEL_POINTS];
};

struct figures {
    struct machine_figures machine;
    struct device_figures device;
    struct kernel_figures kernel;
};

extern const struct figures figures_nominal;

static inline bool figures_measured(const char date[FIGURES_DATE]) {
    return date[0] != '\0';
}
/* Whether a later run would find what this one goes by. The key of the loops' figures has the machine's in it. */
static inline bool figures_last(const struct figures *figures) {
    return !figures->machine.unsteady && !figures->kernel.unsteady;
}
/* "nominal", "measured", or "partly measured". Of a run in place the device does not count. */
const char *figures_basis(const struct figures *figures, bool in_place);
/* What is left of the cores' speed while so many bytes move in a second, both ways together. */
double figures_cores_left(const struct device_figures *device, double rate);
/* A shape's factor: 1 where nothing was measured, otherwise between the measured points, the nearer the more it counts; more than that where
 * none is near, unless points are bold. */
double figures_factor(const struct kernel_figures *kernel, double ct, double rows, double planes);
/* Logarithms to base 2, so that distances are in doublings. */
struct shape_log {
    double ct, rows, thickness;
};
/* The same of many shapes: logarithms of the points are taken once. */
struct kernel_factors {
    int points;
    bool bold;
    struct {
        struct shape_log shape;
        double factor; /* its logarithm */
    } point[KERNEL_POINTS];
};
struct kernel_factors figures_factors(const struct kernel_figures *kernel);
/* Of a shape: its factor, and whether a point is so near that it tells what the shape takes. */
struct kernel_guess {
    double factor;
    bool known;
};
struct kernel_guess figures_guess(const struct kernel_factors *factors, double ct, double rows, double planes);
/* What all loops take of what their points say: 1 where it is not known. */
static inline double figures_pace(const struct kernel_figures *kernel) {
    return kernel->pace > 0 ? kernel->pace : 1;
}
/* Adds a point, or replaces the one of that shape; the oldest goes when there is no room. */
void figures_add_point(struct kernel_figures *kernel, struct kernel_point point);
/* All points take so many times as long as they were said to. */
void figures_scale(struct kernel_figures *kernel, double by);
/* Today, into date. */
void figures_stamp(char date[FIGURES_DATE]);

#endif
