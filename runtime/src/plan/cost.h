/* cost.h: predicts the time of a schedule; model.c searches the cheapest. The formulas are those of
 * docs/schedule.md. */
#ifndef OOCC_COST_H
#define OOCC_COST_H

#include "plan/run_plan.h"
#include "stream/window_size.h"
#include "tuning/figures.h"

/* What is to be computed, and with what: everything the prediction needs besides the shape of the schedule.
 */
struct workload {
    const struct oocc_program *program;
    const struct oocc_grid *grid;
    const struct machine *machine;
    const struct figures *figures;
    struct kernel_factors factors; /* of figures->kernel */
    int threads;
    bool in_place;                  /* nothing is read or written */
    enum window_kind window;
    int64_t steps;                  /* remaining */
    int64_t tile_extent;            /* of the dimension that tiles cut; 1: not tiled */
    double read_bytes, write_bytes; /* of one pass; without planes that are read twice */
    double read_rate, write_rate;   /* bytes per second of the store: the disk's, or the memory's */
    double both_rate;               /* the same of reads and writes together, as much of each */
    double stretch, cores_share;    /* while both are at work: by how much transfers take longer; what is left of the cores' speed */
    double commit_seconds;          /* of one */
    double commit_every;            /* as in options */
    double check_bytes_read, check_bytes_written; /* of one pass, gone through by cores: checksums, nan */
    double slot_bytes;              /* of one cell: all slots of all fields, as the window keeps them */
    double touched_bytes; /* of one cell and step without any reuse: every slot read and written, coefficients
                             read */
    double reach_planes;
};

struct shape {
    int64_t bt, bz, ct, tiles, pieces; /* tiles: of a column */
    struct cut cut;
};

struct cost {
    double seconds, io_seconds, compute_seconds; /* of the whole run */
    double check_seconds;                        /* of compute_seconds */
    double commits, commit_seconds;              /* how many, or less than one; all of them, of seconds */
    const char *bound;                           /* "disk", "memory" or "cores" */
};

/* What a pass of bt steps goes through, and what of it does not depend on how tiles are cut. Seconds are of transfers by themselves. */
struct pass_volume {
    int64_t bt;
    double planes, beyond; /* that it reads; that are beyond the grid, of a periodic one */
    double slabs, cells;   /* cells: times steps, those that are computed twice included */
    double again, strips;  /* what columns read over what there is; bytes of their strips */
    double reading, writing, io_seconds;
};

/* The same of all passes of a run: the last may be shorter. */
struct run_volume {
    int64_t passes;
    struct pass_volume whole, last;
    double io_seconds; /* of all */
};

/* One slab in the middle of a pass, all of whose steps are at work. */
struct slab_cost {
    double seconds, io_seconds, compute_seconds;
};

/* Seconds from one commit to the next, at least: as wanted, or, of -1, a hundred times what one takes, ten minutes at most. */
double commit_every(double wanted, double commit_seconds);

struct workload workload_of(const struct oocc_program *program, const struct oocc_grid *grid,
                            const struct machine *machine, const struct plan *plan);
struct cost cost_of_run(const struct workload *work, const struct shape *shape);
/* The same in two parts, for many shapes that differ only in how tiles are cut. No run takes less than its volume's io_seconds. */
struct run_volume cost_volume_of(const struct workload *work, int64_t bt, int64_t bz, struct cut cut);
struct cost cost_of_volume(const struct workload *work, const struct run_volume *volume, const struct shape *shape);
struct slab_cost cost_of_slab(const struct workload *work, const struct shape *shape, double updates);
/* Wave positions of a pass of bt levels; a slab of that many planes is the whole grid. */
int64_t cost_wave_planes(const struct workload *work, int64_t bt);
#endif
