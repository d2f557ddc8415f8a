/*
 * cost.c: how long a schedule takes, by model. A pass streams the grid: while the wave enters, planes are
 * read and only half of the levels are at work; while it leaves, planes are written; in between disk and
 * cores work at the same time and the slower one counts. The cores are held up by arithmetic or by memory,
 * whichever is slower: with ct levels done while a tile is in cache, memory sees the tile's perimeter over
 * its area; and a core draws from the shared cache what its own cannot hold. Where the streamed dimension is
 * periodic, planes beyond the grid are read, too, and half of them are computed in every step, on average. The
 * same holds for the rows of the halos of columns, of which each is a small pass of its own, and for the planes of
 * the halos of blocks (schedule overlap), where no wave enters or leaves: only the first block's read and the last
 * one's write have nothing to hide behind.
 */
#include "plan/cost.h"

#include "plan/columns.h"
#include "plan/strip.h"
#include "plan/tiles.h"
#include "stream/overlap.h"
#include "stream/wedge.h"

#include <string.h>

struct workload workload_of(const struct oocc_program *program, const struct oocc_grid *grid,
                            const struct machine *machine, const struct plan *plan) {
    const struct figures *figures = machine->figures != NULL ? machine->figures : &figures_nominal;
    /* Nothing was measured of the engine that keeps files in memory: it copies them, two threads at a time. */
    const bool copies = strcmp(plan->engine, "memory") == 0 && !figures_measured(figures->device.date);
    const double copied = figures->machine.core_bandwidth / 2;
    struct workload work = {
        .program = program,
        .grid = grid,
        .machine = machine,
        .figures = figures,
        .threads = plan->threads,
        .steps = plan->steps,
        .in_place = plan->in_place,
        .window = plan_window(plan),
        .tile_extent = 1,
        .reach_planes = 1,
        .read_rate = copies ? copied : figures->device.read,
        .write_rate = copies ? copied : figures->device.write,
        .both_rate = copies ? copied : figures->device.both,
        .stretch = copies ? 1 : figures->device.both / figures->device.beside,
        .cores_share = copies ? 1 : figures->device.cores_share,
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
        work.check_bytes_read = work.read_bytes;
        work.check_bytes_written = work.write_bytes;
    }
    if (program->stop_on_nan)
        for (int f = 0; f < program->fields; f++)
            if (!program->field[f].coef && program->field[f].levels > 0)
                work.check_bytes_written += (double)grid->planes * (double)grid->layout[f].plane_bytes;
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

double cost_tile_bytes(const struct workload *work, const struct shape *shape) {
    const struct oocc_grid *grid = work->grid;
    const double R = (double)work->program->step_delay, ct = (double)shape->ct, reach = work->reach_planes;
    if (work->tile_extent <= 1) { /* 1-D: the slab's blocks are shared out */
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

double cost_filled(const struct workload *work, const struct shape *shape) {
    const double cache = cache_of_thread(work);
    return work->tile_extent <= 1 || cache <= 0 ? 0 : oocc_min_f64(1, cost_tile_bytes(work, shape) / cache);
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
    const double own = (double)work->machine->l2_bytes, all = cache_of_thread(work);
    const double share = work->figures->machine.shared_bytes > 0 ? measured_share : unknown_share;

    const struct met met = met_twice(work, &whole, ct);
    const double once = touched * (bz + ct * R + reach) / (bz * ct);
    /* The rows that the next tile leans over stay in cache when slabs are thin. */
    const double left = cost_tile_bytes(work, &whole) / (ct * R + reach) * (bz + ct * R + reach);
    const double leaning = met.leaning * lost(left, all, share);
    double rows = once * (1 + met.borders + leaning);
    rows = rows < touched ? rows : touched;
    double pieces = once * (1 + met.borders + met.leaning);
    if (piece.pieces > 1)
        pieces *= 1 + 2 * ct * (double)t->piece_slope * (double)piece.pieces / (double)work->grid->cells;
    pieces = pieces < touched ? pieces : touched;

    const double piece_lost = lost(cost_tile_bytes(work, &piece), own, own_share);
    const double all_lost = lost(cost_tile_bytes(work, &whole), all, share),
                 piece_all = lost(cost_tile_bytes(work, &piece), all, share);
    struct traffic traffic = {.cache = pieces + (touched - pieces) * piece_lost};
    const double by_rows = rows + (touched - rows) * all_lost;
    const double by_pieces = pieces + (touched - pieces) * piece_all;
    traffic.memory = by_rows < by_pieces ? by_rows : by_pieces;
    return traffic;
}

struct kernel_point cost_kernel_point(const struct workload *work, const struct shape *shape, double factor) {
    const bool tiled = work->tile_extent > 1;
    const double planes = (double)oocc_min(shape->bz, work->grid->planes);
    return (struct kernel_point){.ct = (double)(tiled ? shape->ct : shape->bt),
                                 .rows = tiled ? (double)work->tile_extent / tiles_in_all(shape) : planes,
                                 .planes = tiled ? planes : 1,
                                 .factor = factor};
}

static double bandwidth_of(const struct workload *work) {
    const struct machine_figures *m = &work->figures->machine;
    return oocc_min_f64(work->threads * m->core_bandwidth, m->memory_bandwidth);
}

/* A tile that begins a slab finds nothing of it in its cache: slabs and groups of other tiles have been there since. What it
 * needs of all planes comes at once and before anything was fetched ahead, so every page of 4 KiB begins with the time that
 * memory takes to answer, twice. (Measured with 85 GB/s: 27 points in slabs of 8, 16 and 32 planes lose 16%, 9% and 5%.) */
static const double page_seconds = 140e-9, page_bytes = 4096;

/* Of a cell and step. */
static double cold_seconds(const struct workload *work, const struct shape *shape) {
    if (work->tile_extent <= 1) return 0;
    const double R = (double)work->program->step_delay, ct = (double)shape->ct;
    const double bytes = (ct * R + work->reach_planes) * work->slot_bytes / ct / (double)oocc_min(shape->bz, work->grid->planes);
    const double times = 1 + met_twice(work, shape, ct).borders;
    return times * bytes * (1 / bandwidth_of(work) + page_seconds / page_bytes / work->threads);
}

/* Seconds of one cell and step, all threads at work, and what holds them up. */
struct rate {
    double cell_seconds;
    bool memory_bound;
};

static struct rate rate_of(const struct workload *work, const struct shape *shape, int64_t bt) {
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
    const double flops = program->flops_per_cell / (m->core_flops * width);
    const double least = program->stages / (m->core_cells * width);
    struct shape inside = *shape;
    if (work->window == WINDOW_BLOCKS) inside.bz = overlap_most_planes(program, grid, bt, shape->bz);
    const struct traffic traffic = traffic_of(work, &inside, bt);
    const double fetch = traffic.cache / m->shared_cache;
    const double cell = flops > least ? flops : least;
    const double cell_seconds =
        ((cell > fetch ? cell : fetch) + program->stages * m->row_start_seconds / run) / work->threads +
        cold_seconds(work, &inside);
    const double traffic_seconds = traffic.memory / bandwidth_of(work);
    /* Chains of one group begin while others of the group before are at work, so only the slab's last ones may be too
     * few; but a chain follows itself, so fewer chains than threads are always too few. */
    const int64_t groups = (bt - 1) / shape->ct + 1, chains = tiled ? chains_in(work, shape) : 1;
    const int64_t items = !tiled ? oocc_min(shape->bz, grid->planes)
                          : chains < work->threads
                              ? chains
                              : oocc_min(chains, INT64_MAX / 2 / groups) * groups;
    const double spread = imbalance(items, work->threads) * (tiled ? 1 + waiting(chains, work->threads) : 1);
    inside.bt = bt;
    const struct kernel_point point = cost_kernel_point(work, &inside, 1);
    const double factor = figures_factor(&work->figures->kernel, point.ct, point.rows, point.planes);
    /* Where loops were faster than predicted, that says nothing of memory, which thinner slabs than those that were timed ask
     * for more of. */
    const double loops = factor * cell_seconds, memory = oocc_max_f64(factor, 1) * traffic_seconds;
    return (struct rate){.cell_seconds = spread * figures_pace(&work->figures->kernel) * oocc_max_f64(loops, memory),
                         .memory_bound = traffic_seconds > cell_seconds};
}

/* Of what checks take, as much is left when threads make them while they wait for each other (stream/checks.h). Measured: 7 and 27
 * points, 4 threads, 1.0 s of checks in a pass of 18 s became 0.2 s. */
static const double check_share = 0.25;

/* Threads meet when a slab is done; where nothing is tiled, after every stage. */
static double meeting_seconds(const struct workload *work, int64_t bt) {
    const double meetings = work->tile_extent > 1 ? 2 : (double)bt * work->program->stages;
    return work->threads > 1 ? meetings * work->figures->machine.barrier_seconds : 0;
}

static double stored_bytes(const struct workload *work) {
    return (double)grid_state_bytes(work->program, work->grid) +
           (double)grid_coef_bytes(work->program, work->grid);
}

/* Reads and writes at the same time; what one has more than the other goes on alone. */
static double both_seconds(const struct workload *work, double read, double write) {
    const double common = oocc_min_f64(read, write);
    return 2 * common / work->both_rate + (read - common) / work->read_rate +
           (write - common) / work->write_rate;
}

/* Cores and transfers at work at the same time, each of which holds up the other (probe_beside.c); what one has more goes on alone.
 * Both in seconds, had each the machine to itself. */
struct together {
    double seconds, compute_seconds; /* until both are done; until the cores are */
    bool disk_bound;
};

static struct together together_of(const struct workload *work, double compute, double moved) {
    const double beside = moved * work->stretch, held_up = compute + beside * (1 - work->cores_share);
    if (held_up >= beside) return (struct together){held_up, held_up, false};
    const double computing = compute / work->cores_share;
    return (struct together){computing + moved - computing / work->stretch, computing, true};
}

/* The computation grows from nothing to all steps, or back, while bytes move at an even rate: whichever is behind at
 * each instant holds up the other. Both in seconds, had each the time to itself; compute at its full rate. */
static double ramp(double compute, double moved) {
    return compute <= moved ? moved : (compute + moved * moved / compute) / 2;
}

struct pass_cost {
    double seconds, io_seconds, compute_seconds, check_seconds;
    bool memory_bound, disk_bound;
};

/* What columns read over what there is. */
static double read_again(const struct workload *work, const struct shape *shape, int64_t bt) {
    if (shape->cut.columns <= 1) return 1;
    return (double)columns_read_bytes(work->program, work->grid, shape->cut, bt) /
           (double)columns_read_bytes(work->program, work->grid, (struct cut){1, false}, bt);
}

/* Bytes of the strips that columns which lean leave in a pass, each for the next one, which reads them. */
static double strips_of(const struct workload *work, const struct shape *shape, int64_t bt, double slabs) {
    const struct cut cut = shape->cut;
    if (cut.columns <= 1 || !cut.leans) return 0;
    return slabs * (1 - 1 / (double)cut.columns) * (double)strip_bytes(work->program, work->grid, cut, bt, shape->bz);
}

/* Strips are copied from the window to a buffer and back; of each copy memory sees a read, and a place that is read and written. */
static const double strip_copies = 6;

static struct pass_cost cost_of_pass(const struct workload *work, const struct shape *shape, int64_t bt) {
    const struct oocc_program *program = work->program;
    const struct oocc_grid *grid = work->grid;
    const struct wedge wedge = wedge_of(program, bt);
    const double beyond = (double)(wedge.head + wedge.tail), bandwidth = bandwidth_of(work);
    const bool blocks = work->window == WINDOW_BLOCKS;
    const double planes = blocks ? (double)overlap_read_planes(program, grid, bt, shape->bz)
                                 : (double)grid->planes + beyond;
    const int64_t wave = cost_wave_planes(work, bt);
    const int64_t columns = oocc_max(1, shape->cut.columns);
    const double slabs =
        (double)columns * (double)(blocks ? overlap_blocks(grid, shape->bz) : (wave - 1) / shape->bz + 1);
    const struct rate rate = rate_of(work, shape, bt);

    struct pass_cost cost = {.memory_bound = rate.memory_bound};
    const double unrolled = planes / (double)grid->planes;
    const double redundancy =
        (blocks ? overlap_work(program, grid, bt, shape->bz) : 1 + beyond / 2 / (double)grid->planes) *
        columns_redundancy(program, grid, shape->cut, bt);
    const double cells = (double)grid_points(grid) * (double)bt * redundancy;
    const double again = read_again(work, shape, bt);
    cost.check_seconds = (work->check_bytes_read * unrolled * again + work->check_bytes_written) / bandwidth;
    if (work->tile_extent > 1 && !blocks) cost.check_seconds *= check_share;
    const double strips = strips_of(work, shape, bt, slabs);
    cost.compute_seconds = cells * rate.cell_seconds + slabs * meeting_seconds(work, bt) + cost.check_seconds +
                           strip_copies * strips / bandwidth;
    if (work->in_place) { /* planes beyond the grid are copied */
        cost.compute_seconds += 2 * beyond / (double)grid->planes * stored_bytes(work) / bandwidth;
        cost.seconds = cost.compute_seconds;
        return cost;
    }
    const double read = work->read_bytes * unrolled * again + strips, write = work->write_bytes + strips;
    const double reading = read / work->read_rate, writing = write / work->write_rate;
    cost.io_seconds = both_seconds(work, read, write) + slabs * work->figures->device.slab_seconds;
    if (slabs <= 1) {
        cost.seconds = reading + cost.compute_seconds + writing;
        cost.io_seconds = reading + writing;
        cost.disk_bound = cost.io_seconds > cost.compute_seconds;
        return cost;
    }
    const struct together together = together_of(work, cost.compute_seconds, cost.io_seconds);
    cost.compute_seconds = together.compute_seconds;
    cost.disk_bound = together.disk_bound;
    /* The wave enters, all is at work, the wave leaves. In units of the time that all planes take to come by, entering and
     * leaving are `part` each; a wave longer than the grid has at most 1 / part of its steps at work, and then neither
     * reads nor writes. */
    const double part = blocks ? 0 : (double)bt * (double)program->step_delay / planes, ends = oocc_min_f64(part, 1);
    const double compute = part > 1 ? cost.compute_seconds / part : cost.compute_seconds;
    const double entering = ramp(ends * compute, ends * reading),
                 leaving = ramp(ends * compute, ends * writing);
    const double middle =
        part > 1 ? (part - 1) * compute : (1 - part) * together.seconds;
    const double alone =
        (double)oocc_min(shape->bz, grid->planes) / planes; /* the first slab's read, the last one's write */
    cost.seconds = entering + middle + leaving + alone * (reading + writing);
    return cost;
}

struct slab_cost cost_of_slab(const struct workload *work, const struct shape *shape, double updates) {
    const double share = (double)oocc_min(shape->bz, work->grid->planes) / (double)work->grid->planes;
    struct slab_cost cost = {.compute_seconds = updates * rate_of(work, shape, shape->bt).cell_seconds +
                                                meeting_seconds(work, shape->bt)};
    if (!work->in_place) { /* of one column */
        const double part = share / (double)oocc_max(1, shape->cut.columns), again = read_again(work, shape, shape->bt);
        const double strips = strips_of(work, shape, shape->bt, 1);
        cost.io_seconds = both_seconds(work, part * work->read_bytes * again + strips, part * work->write_bytes + strips) +
                          work->figures->device.slab_seconds;
        cost.compute_seconds +=
            (part * (work->check_bytes_read * again + work->check_bytes_written) + strip_copies * strips) / bandwidth_of(work);
    }
    const struct together together = together_of(work, cost.compute_seconds, cost.io_seconds);
    cost.compute_seconds = together.compute_seconds;
    cost.seconds = together.seconds;
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
    if (!work->in_place) cost.commit_seconds = (double)passes * work->figures->device.sync_seconds;
    cost.seconds = others * whole.seconds + last.seconds + cost.commit_seconds;
    cost.io_seconds = others * whole.io_seconds + last.io_seconds;
    cost.compute_seconds = others * whole.compute_seconds + last.compute_seconds;
    cost.check_seconds = others * whole.check_seconds + last.check_seconds;
    if (whole.disk_bound)
        cost.bound = "disk";
    else if (whole.memory_bound)
        cost.bound = "memory";
    return cost;
}
