/*
 * loops.c: how long a cell and step take, by model. The cores are held up by arithmetic or by memory, whichever is slower:
 * with ct levels done while a tile is in cache, memory sees the tile's perimeter over its area; and a core draws from the
 * shared cache what its own cannot hold. What the program's own loops took when they were timed says how far that is off.
 */
#include "plan/loops.h"

#include "plan/tiles.h"
#include "stream/overlap.h"
#include "stream/shares.h"

#include <math.h>

double longer_of(double a, double b) {
    const double apart = a - b, shorter = fmin(a, b);
    return (a + b + sqrt(apart * apart + 0.08 * shorter * shorter)) / 2;
}

/* Cells of one index of the dimension that tiles cut. */
static double row_cells(const struct oocc_grid *grid, int64_t pieces) {
    double cells = grid->ndim > 2 ? (double)grid->cells / (double)oocc_max(1, pieces) : 1;
    for (int d = 2; d < grid->ndim - 1; d++)
        cells *= (double)grid->extent[d];
    return cells;
}

/* Longest queue of work items over the mean one: 10 tiles on 4 threads take as long as 12. */
static double imbalance(int64_t items, int threads) {
    return (double)((items + threads - 1) / threads * threads) / (double)items;
}

/* What threads wait for each other, of the time that they compute, when each has so many chains of a slab: 16% with one, 5% with one
 * and a half, 2% with two, less than 1% with three. (Measured with 7 points on four cores of which one or another is slower for a
 * while; on cores that are alike it is less.) */
static double waiting(int64_t chains, int threads) {
    const double each = (double)chains / threads;
    return threads <= 1 || each < 1 ? 0 : 0.16 / (each * each * each);
}

/* So much is counted on for the data of a tile: of a core's own cache; and of the shared one, when what others leave of it was
 * measured, and when they may have most of it. */
static const double own_share = 0.35, measured_share = 0.6, unknown_share = 0.15;

/* Of all columns. */
static double tiles_in_all(const struct shape *shape) {
    return (double)shape->tiles * (double)oocc_max(1, shape->cut.columns);
}

/* Of a tile; a column has its halo besides (half of it, as it shrinks), unless it leans. */
static double rows_of_tile(const struct workload *work, const struct shape *shape) {
    const struct oocc_tiling *t = &work->program->tiling;
    const double rows = (double)work->tile_extent / tiles_in_all(shape);
    const double sides = shape->cut.columns > 1 && !shape->cut.leans ? 2 - 2 / (double)shape->cut.columns : 0; /* inner ones, of a column */
    return rows + sides * (double)shape->bt * (double)(t->slope_lo + t->slope_hi) / 4 / (double)shape->tiles;
}

/* Of a column. */
static int64_t chains_in(const struct workload *work, const struct shape *shape) {
    return chains_of(work->program, work->tile_extent / oocc_max(1, shape->cut.columns), shape->ct, shape->tiles, work->threads, 0);
}

double loops_tile_bytes(const struct workload *work, const struct shape *shape) {
    const struct oocc_grid *grid = work->grid;
    const double R = (double)work->program->step_delay, ct = (double)shape->ct, reach = work->reach_planes;
    if (work->tile_extent <= 1) { /* 1-D: the slab is shared out, and all of it is at work */
        const double bz = (double)oocc_min(shape->bz, grid->planes);
        return (bz + reach) * (double)grid->cells * work->slot_bytes / work->threads;
    }
    const struct oocc_tiling *t = &work->program->tiling;
    const double lean = shape->tiles > 1 ? (double)(t->slope_lo + t->slope_hi) : 0; /* rows that a step meets beside the tile's */
    const double rows = rows_of_tile(work, shape) + lean;
    return (ct * R + reach) * rows * row_cells(grid, shape->pieces) * work->slot_bytes;
}

/* Bytes of cache that a thread can have: of what was measured, its part. */
static double cache_of_thread(const struct workload *work) {
    const double own = (double)work->machine->l2_bytes, shared = work->figures->machine.shared_bytes;
    return shared > 0 ? oocc_max_f64(own, shared / work->threads) : own + (double)work->machine->l3_bytes;
}

double loops_filled(const struct workload *work, const struct shape *shape) {
    const double cache = cache_of_thread(work);
    return work->tile_extent <= 1 || cache <= 0 ? 0 : oocc_min_f64(1, loops_tile_bytes(work, shape) / cache);
}

/* How much of the reuse a cache of that size loses: none up to a share of it, all when the data do not fit. */
static double lost(double bytes, double cache, double share) {
    const double over = bytes / cache;
    return over <= share ? 0 : over >= 1.2 ? 1 : (over - share) / (1.2 - share);
}

/* Bytes per cell and step: with the reuse of ct levels, only the perimeter of what is worked on is loaded. */
struct traffic {
    double memory, cache; /* to and from memory; to and from the cache beyond the core's own */
};

/* What is met more than once, of all rows: borders meet what their chains have met before, and a tile those that it leans
 * over. */
struct met {
    double borders, leaning;
};

static struct met met_twice(const struct workload *work, const struct shape *shape, double ct) {
    const struct oocc_tiling *t = &work->program->tiling;
    if (work->tile_extent <= 1 || shape->tiles <= 1) return (struct met){0, 0};
    const double chains = (double)chains_in(work, shape), extent = (double)work->tile_extent / (double)oocc_max(1, shape->cut.columns);
    return (struct met){.borders = ct * (double)(t->slope_lo + t->slope_hi) * chains / extent,
                        .leaning = ct * (double)t->slope_hi * ((double)shape->tiles - chains) / extent};
}

/* How much the shared cache may hold for sure. */
static double all_share(const struct workload *work) {
    return work->figures->machine.shared_bytes > 0 ? measured_share : unknown_share;
}

/* Of the rows that a tile has left for the next one, which leans over them, what is not in cache any more: nothing when slabs are
 * thin. */
static double leaning_lost(const struct workload *work, const struct shape *shape, struct met met) {
    const double deep = (double)(shape->ct * work->program->step_delay) + work->reach_planes;
    const double bz = (double)oocc_min(shape->bz, work->grid->planes);
    const double left = loops_tile_bytes(work, shape) / deep * (bz + deep);
    return met.leaning * lost(left, cache_of_thread(work), all_share(work));
}

static struct traffic traffic_of(const struct workload *work, const struct shape *shape, int64_t bt) {
    const struct oocc_tiling *t = &work->program->tiling;
    const double R = (double)work->program->step_delay, reach = work->reach_planes;
    const double bz = (double)oocc_min(shape->bz, work->grid->planes);
    const bool tiled = work->tile_extent > 1;
    struct shape whole = *shape; /* whole rows */
    whole.ct = tiled ? oocc_min(shape->ct, bt) : bt;
    whole.pieces = 1;
    struct shape piece = whole;
    piece.pieces = oocc_max(1, shape->pieces);
    const double ct = (double)whole.ct, touched = work->touched_bytes;
    const double own = (double)work->machine->l2_bytes, all = cache_of_thread(work), share = all_share(work);

    const struct met met = met_twice(work, &whole, ct);
    const double once = touched * (bz + ct * R + reach) / (bz * ct);
    double rows = once * (1 + met.borders + leaning_lost(work, &whole, met));
    rows = rows < touched ? rows : touched;
    double pieces = once * (1 + met.borders + met.leaning);
    if (piece.pieces > 1)
        pieces *= 1 + 2 * ct * (double)t->piece_slope * (double)piece.pieces / (double)work->grid->cells;
    pieces = pieces < touched ? pieces : touched;

    const double piece_lost = lost(loops_tile_bytes(work, &piece), own, own_share);
    const double all_lost = lost(loops_tile_bytes(work, &whole), all, share),
                 piece_all = lost(loops_tile_bytes(work, &piece), all, share);
    struct traffic traffic = {.cache = pieces + (touched - pieces) * piece_lost};
    const double by_rows = rows + (touched - rows) * all_lost;
    const double by_pieces = pieces + (touched - pieces) * piece_all;
    traffic.memory = by_rows < by_pieces ? by_rows : by_pieces;
    return traffic;
}

struct kernel_point loops_kernel_point(const struct workload *work, const struct shape *shape, double factor) {
    const bool tiled = work->tile_extent > 1;
    const double planes = (double)oocc_min(shape->bz, work->grid->planes);
    return (struct kernel_point){.ct = (double)(tiled ? shape->ct : shape->bt),
                                 .rows = tiled ? (double)work->tile_extent / tiles_in_all(shape) : planes,
                                 .planes = tiled ? planes : 1,
                                 .factor = factor};
}

double loops_bandwidth(const struct workload *work) {
    const struct machine_figures *m = &work->figures->machine;
    return oocc_min_f64(work->threads * m->core_bandwidth, m->memory_bandwidth);
}

double loops_waiting(const struct workload *work, const struct shape *shape) {
    return work->tile_extent > 1 ? 1 + waiting(chains_in(work, shape), work->threads) : 1;
}

/* A tile that begins a slab finds nothing of it in its cache: slabs and groups of other tiles have been there since. Its later steps
 * have what they need fetched during the step before; what comes unasked is as much as some eight steps meet, however much deeper the tile
 * is, and every page of 4 KiB of it begins with the time that memory takes to answer, twice. (Measured with 60 GB/s: slabs of bz planes
 * cost 27 points 0.5 / bz ns a cell and step with ct 8, 0.3 / bz with ct 12, 0.2 / bz with ct 24.) */
static const double page_seconds = 140e-9, page_bytes = 4096, cold_steps = 8;

/* Of a cell and step. What tiles lean over and is not in cache any more are a few rows of every plane, each found like that, too: with 7
 * points and ct 11, tiles of 8 rows are 5% faster than tiles of 16 in slabs of 22 planes, and 10% slower from 88 planes on. */
static double cold_seconds(const struct workload *work, const struct shape *shape) {
    if (work->tile_extent <= 1) return 0;
    const double R = (double)work->program->step_delay, ct = (double)shape->ct, cold = oocc_min_f64(ct, cold_steps);
    const double bytes = (cold * R + work->reach_planes) * work->slot_bytes / ct / (double)oocc_min(shape->bz, work->grid->planes);
    const double answer = page_seconds / page_bytes / work->threads;
    const struct met met = met_twice(work, shape, ct);
    return (1 + met.borders) * bytes * (1 / loops_bandwidth(work) + answer) +
           leaning_lost(work, shape, met) * work->slot_bytes / ct * answer;
}

/* In two dimensions what a step has left may be in the core's first cache when the next one reads it: the rows that its loop takes at once,
 * read and written, and one around them. Then a cell takes half of what it takes otherwise where there is little to compute (5 points in
 * f64, GLUP/s on two cores with 48 KiB each: 512 cells 6.3, 640 4.5, 768 3.7, 1024 3.2, 2048 3.1), or not as little on cores that are closer
 * to their own cache. In three dimensions tiles that are so small lean over too much: with rows of 64 cells, 8 of them make 1.8 and 32 of
 * them 2.6. */
static const double first_share = 0.6, first_gain = 0.35;
enum { ROWS_AT_ONCE = 3 };

double loops_first_filled(const struct workload *work, const struct shape *shape) {
    const double cache = (double)work->machine->l1_bytes;
    if (work->grid->ndim != 2 || cache <= 0) return INFINITY;
    return (ROWS_AT_ONCE + work->reach_planes) * rows_of_tile(work, shape) * work->slot_bytes / (first_share * cache);
}

static double first_cache(const struct workload *work, const struct shape *shape) {
    return 1 - first_gain * (1 - lost(loops_first_filled(work, shape) * first_share, 1, first_share));
}

/* How much longer loops that were never timed take than of nominal cores. All shapes alike: cores that take longer for additions are as
 * much slower in what surrounds them, so that a shape is not as good as another because additions would hide what it asks of caches. Of
 * cores that are faster these are the limit sooner. */
double loops_core_slowness(const struct workload *work) {
    const struct oocc_program *program = work->program;
    const struct core_figures *core = &work->figures->machine.core, *nominal = &figures_nominal.machine.core;
    const double takes = oocc_max_f64(program->flops_per_cell / core->flops, program->stages / core->cells);
    return oocc_max_f64(1, takes / oocc_max_f64(program->flops_per_cell / nominal->flops, program->stages / nominal->cells));
}

/* By what all shapes are multiplied: what runs took, or otherwise what a core does in a millisecond. */
static double pace(const struct workload *work) {
    const struct kernel_figures *kernel = &work->figures->kernel;
    return kernel->points > 0 || kernel->pace > 0 ? figures_pace(kernel) : loops_core_slowness(work);
}

struct rate loops_rate(const struct workload *work, const struct shape *shape, int64_t bt) {
    const struct oocc_program *program = work->program;
    const struct oocc_grid *grid = work->grid;
    const struct machine_figures *m = &work->figures->machine;
    const bool tiled = work->tile_extent > 1;
    int64_t element = 8;
    for (int f = 0; f < program->fields; f++)
        if (!program->field[f].coef) element = oocc_min(element, oocc_max(4, grid->layout[f].element_bytes));
    const double width =
        8 / (double)element; /* a vector holds twice as many f32 or i32; u8 is computed as i32 */
    const double run = grid->ndim == 2 ? (double)work->tile_extent / (double)shape->tiles
                                       : (double)grid->cells / (double)oocc_max(1, shape->pieces);
    const struct core_figures *nominal = &figures_nominal.machine.core;
    const double flops = program->flops_per_cell / (nominal->flops * width);
    const double least = program->stages / (nominal->cells * width);
    struct shape inside = *shape;
    if (work->window == WINDOW_BLOCKS) inside.bz = overlap_most_planes(program, grid, bt, shape->bz);
    const struct traffic traffic = traffic_of(work, &inside, bt);
    const double fetch = traffic.cache / m->shared_cache;
    const double cell = oocc_max_f64(flops, least * first_cache(work, shape));
    const double cell_seconds =
        ((cell > fetch ? cell : fetch) + program->stages * m->row_start_seconds / run) / work->threads +
        cold_seconds(work, &inside);
    const double traffic_seconds = traffic.memory / loops_bandwidth(work);
    /* Chains of one group begin while others of the group before are at work, so only the slab's last ones may be too
     * few; but a chain follows itself, so fewer chains than threads are always too few. */
    const int64_t groups = (bt - 1) / shape->ct + 1, chains = tiled ? chains_in(work, shape) : 1;
    const int64_t items = !tiled ? shares_of(program, work->threads, oocc_min(shape->bz, grid->planes))
                          : chains < work->threads
                              ? chains
                              : oocc_min(chains, INT64_MAX / 2 / groups) * groups;
    const double spread = imbalance(items, work->threads) * loops_waiting(work, shape);
    inside.bt = bt;
    const struct kernel_point point = loops_kernel_point(work, &inside, 1);
    const struct kernel_guess guess = figures_guess(&work->factors, point.ct, point.rows, point.planes);
    /* Where other loops were faster than predicted, that says nothing of memory, which thinner slabs than those that were timed ask
     * for more of. Threads do not draw from it evenly: as its share of the time grows, more and more of them wait for it. */
    const double loops = guess.factor * cell_seconds;
    const double memory = (guess.known ? guess.factor : oocc_max_f64(guess.factor, 1)) * traffic_seconds;
    return (struct rate){.cell_seconds = spread * pace(work) * longer_of(loops, memory),
                         .memory_bound = traffic_seconds > cell_seconds};
}
