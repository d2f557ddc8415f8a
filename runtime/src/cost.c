/*
 * cost.c: how long a schedule takes, by model. A pass streams the grid: while the wave enters, planes are
 * read and only half of the levels are at work; while it leaves, planes are written; in between disk and
 * cores work at the same time and the slower one counts. The cores are held up by arithmetic or by memory,
 * whichever is slower: with ct levels done while a tile is in cache, memory sees the tile's perimeter over
 * its area; and a core draws from the shared cache what its own cannot hold. Where the streamed dimension is
 * periodic, planes beyond the grid are read, too, and half of them are computed in every step, on average. The
 * same holds for the rows of the halos of columns, of which each is a small pass of its own.
 */
#include "cost.h"

#include "columns.h"
#include "wedge.h"

#include <string.h>

/* Not measured: figures of an ordinary machine. Probes of the machine and its disk are to replace them. */
const struct nominal nominal = {
    .disk_read = 2.0e9,
    .disk_write = 2.0e9,
    .memory_bandwidth = 20e9,
    .core_bandwidth = 10e9,
    .shared_cache = 40e9,
    .core_flops = 10e9,
    .core_cells = 2.0e9,
    .row_start_seconds = 120e-9,
    .barrier_seconds = 5e-6,
    .slab_seconds = 100e-6,
};

struct workload workload_of(const struct oocc_program *program, const struct oocc_grid *grid,
                            const struct machine *machine, const struct plan *plan) {
    const bool disk = strcmp(plan->engine, "memory") != 0;
    struct workload work = {
        .program = program,
        .grid = grid,
        .machine = machine,
        .threads = plan->threads,
        .steps = plan->steps,
        .in_place = plan->in_place,
        .tile_extent = 1,
        .reach_planes = 1,
        .read_rate = disk ? nominal.disk_read : nominal.core_bandwidth / 2,
        .write_rate = disk ? nominal.disk_write : nominal.core_bandwidth / 2,
    };
    if (program->tiled && grid->ndim > 1) work.tile_extent = grid->extent[1];
    for (int f = 0; f < program->fields; f++) {
        const struct oocc_field *field = &program->field[f];
        const double element = (double)grid->layout[f].element_bytes;
        work.slot_bytes += element * field->slots;
        work.touched_bytes += element * field->slots * (field->coef ? 1 : 2);
        work.reach_planes =
            (double)oocc_max((int64_t)work.reach_planes, field->keep_planes - field->delay_planes);
    }
    if (!plan->in_place) {
        work.write_bytes = (double)grid_state_bytes(program, grid);
        work.read_bytes = work.write_bytes + (double)grid_coef_bytes(program, grid);
    }
    return work;
}

int64_t cost_wave_planes(const struct workload *work, int64_t bt) {
    const struct oocc_program *program = work->program;
    int64_t planes;
    if (__builtin_mul_overflow(bt - 1, program->step_delay, &planes) ||
        __builtin_add_overflow(
            planes, wedge_planes(program, work->grid, bt) + program->delay_max - program->delay_min, &planes))
        return INT64_MAX;
    return planes;
}

int64_t tile_least(const struct oocc_program *program, int64_t ct) {
    const struct oocc_tiling *t = &program->tiling;
    return t->shift_lo + t->shift_hi + (ct - 1) * (t->slope_lo + t->slope_hi) + t->reach + 1;
}

const char *tile_unit(const struct oocc_grid *grid) {
    return grid->ndim == 2 ? "cells" : grid->ndim == 3 ? "rows" : "layers";
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

const double cost_cache_share = 0.35;

/* Of all columns. */
static double tiles_in_all(const struct shape *shape) {
    return (double)shape->tiles * (double)oocc_max(1, shape->columns);
}

double cost_tile_bytes(const struct workload *work, const struct shape *shape) {
    const struct oocc_grid *grid = work->grid;
    const double R = (double)work->program->step_delay, ct = (double)shape->ct, reach = work->reach_planes;
    if (work->tile_extent <= 1) { /* 1-D: the slab's blocks are shared out */
        const double bz = (double)oocc_min(shape->bz, grid->planes);
        return (bz + reach) * (double)grid->cells * work->slot_bytes / work->threads;
    }
    const struct oocc_tiling *t = &work->program->tiling;
    const double skew = shape->tiles > 1 ? ct * (double)(t->slope_lo + t->slope_hi) : 0;
    const double rows = (double)work->tile_extent / tiles_in_all(shape) - skew / 2;
    return (ct * R + reach) * rows * row_cells(grid, shape->pieces) * work->slot_bytes;
}

/* How much of the reuse a cache of that size loses: none while the data fit well, all when they do not. */
static double lost(double bytes, double cache) {
    const double over = bytes / cache;
    return over <= cost_cache_share ? 0
           : over >= 1.2            ? 1
                                    : (over - cost_cache_share) / (1.2 - cost_cache_share);
}

/* Bytes per cell and step: with the reuse of ct levels, only the perimeter of what is worked on is loaded. */
struct traffic {
    double memory, cache; /* to and from memory; to and from the cache beyond the core's own */
};

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
    double rows = touched * (bz + ct * R + reach) / (bz * ct);
    if (tiled && shape->tiles > 1)
        rows *=
            1 + ct * (double)(t->slope_lo + t->slope_hi) * tiles_in_all(shape) / (double)work->tile_extent;
    rows = rows < touched ? rows : touched;
    double pieces = rows;
    if (piece.pieces > 1)
        pieces *= 1 + 2 * ct * (double)t->piece_slope * (double)piece.pieces / (double)work->grid->cells;
    pieces = pieces < touched ? pieces : touched;

    const double own = (double)work->machine->l2_bytes, all = own + (double)work->machine->l3_bytes;
    const double piece_lost = lost(cost_tile_bytes(work, &piece), own);
    const double all_lost = lost(cost_tile_bytes(work, &whole), all),
                 piece_all = lost(cost_tile_bytes(work, &piece), all);
    struct traffic traffic = {.cache = pieces + (touched - pieces) * piece_lost};
    const double by_rows = rows + (touched - rows) * all_lost;
    const double by_pieces = pieces + (touched - pieces) * piece_all;
    traffic.memory = by_rows < by_pieces ? by_rows : by_pieces;
    return traffic;
}

static double stored_bytes(const struct workload *work) {
    return (double)grid_state_bytes(work->program, work->grid) +
           (double)grid_coef_bytes(work->program, work->grid);
}

struct pass_cost {
    double seconds, io_seconds, compute_seconds;
    bool memory_bound;
};

static struct pass_cost cost_of_pass(const struct workload *work, const struct shape *shape, int64_t bt) {
    const struct oocc_program *program = work->program;
    const struct oocc_grid *grid = work->grid;
    const bool tiled = work->tile_extent > 1;
    const struct wedge wedge = wedge_of(program, bt);
    const double threads = work->threads, beyond = (double)(wedge.head + wedge.tail);
    const double planes = (double)grid->planes + beyond;
    const int64_t wave = cost_wave_planes(work, bt);
    const int64_t columns = oocc_max(1, shape->columns);
    const double slabs = (double)columns * (double)((wave - 1) / shape->bz + 1);
    const double groups = (double)((bt - 1) / shape->ct + 1);

    int64_t element = 8;
    for (int f = 0; f < program->fields; f++)
        if (!program->field[f].coef) element = oocc_min(element, oocc_max(4, grid->layout[f].element_bytes));
    const double width =
        8 / (double)element; /* a vector holds twice as many f32 or i32; u8 is computed as i32 */
    const double run = grid->ndim == 2 ? (double)work->tile_extent / (double)shape->tiles
                                       : (double)grid->cells / (double)oocc_max(1, shape->pieces);
    const double flops = program->flops_per_cell / (nominal.core_flops * width);
    const double least = program->stages / (nominal.core_cells * width);
    const struct traffic traffic = traffic_of(work, shape, bt);
    const double fetch = traffic.cache / nominal.shared_cache;
    const double cell = flops > least ? flops : least;
    const double cell_seconds =
        ((cell > fetch ? cell : fetch) + program->stages * nominal.row_start_seconds / run) / threads;
    double bandwidth = threads * nominal.core_bandwidth;
    if (bandwidth > nominal.memory_bandwidth) bandwidth = nominal.memory_bandwidth;
    const double traffic_seconds = traffic.memory / bandwidth;

    struct pass_cost cost = {.memory_bound = traffic_seconds > cell_seconds};
    const double redundancy =
        (1 + beyond / 2 / (double)grid->planes) * columns_redundancy(program, grid, columns, bt);
    const double cells = (double)grid_points(grid) * (double)bt * redundancy;
    const double spread = imbalance(tiled ? shape->tiles : oocc_min(shape->bz, grid->planes), work->threads);
    const double waits = slabs * (tiled ? 2 * groups : (double)bt * program->stages);
    cost.compute_seconds = cells * spread * (cost.memory_bound ? traffic_seconds : cell_seconds) +
                           (work->threads > 1 ? waits * nominal.barrier_seconds : 0);
    if (work->in_place) { /* planes beyond the grid are copied */
        cost.compute_seconds += 2 * beyond / (double)grid->planes * stored_bytes(work) / bandwidth;
        cost.seconds = cost.compute_seconds;
        return cost;
    }
    const double read = (double)columns_read_bytes(program, grid, columns, bt) * planes / work->read_rate;
    const double write = work->write_bytes / work->write_rate;
    cost.io_seconds = read + write + slabs * nominal.slab_seconds;
    if (slabs <= 1) {
        cost.seconds = cost.io_seconds + cost.compute_seconds;
        return cost;
    }
    /* Shares of the pass: the wave enters, all is at work, the wave leaves. */
    double part = (double)bt * (double)program->step_delay / planes;
    part = part > 1 ? 1 : part;
    const double half = part / 2 * cost.compute_seconds;
    const double entering = part * read > half ? part * read : half;
    const double leaving = part * write > half ? part * write : half;
    const double both = cost.io_seconds > cost.compute_seconds ? cost.io_seconds : cost.compute_seconds;
    const double alone =
        (double)oocc_min(shape->bz, grid->planes) / planes; /* the first slab's read, the last one's write */
    cost.seconds = entering + (1 - part) * both + leaving + alone * (read + write);
    return cost;
}

struct cost cost_of_run(const struct workload *work, const struct shape *shape) {
    struct cost cost = {.bound = "cores"};
    if (work->steps <= 0) return cost;
    const int64_t passes = (work->steps - 1) / shape->bt + 1;
    const struct pass_cost whole = cost_of_pass(work, shape, shape->bt);
    const int64_t rest = work->steps - (passes - 1) * shape->bt;
    const struct pass_cost last = rest == shape->bt ? whole : cost_of_pass(work, shape, rest);
    const double others = (double)(passes - 1);
    cost.seconds = others * whole.seconds + last.seconds;
    cost.io_seconds = others * whole.io_seconds + last.io_seconds;
    cost.compute_seconds = others * whole.compute_seconds + last.compute_seconds;
    if (cost.io_seconds > cost.compute_seconds)
        cost.bound = "disk";
    else if (whole.memory_bound)
        cost.bound = "memory";
    return cost;
}
