/*
 * cost.c: how long a schedule takes, by model. A pass streams the grid: while the wave enters, planes are
 * read and only half of the levels are at work; while it leaves, planes are written; in between disk and
 * cores work at the same time and the slower one counts, in every slab. What the cores take is in loops.c. Where the streamed
 * dimension is periodic, planes beyond the grid are read, too, and half of them are computed in every step, on
 * average. The same holds for the rows of the halos of columns, of which each is a small pass of its own, and for
 * the planes of the halos of blocks (schedule overlap), where no wave enters or leaves: only the first block's read
 * and the last one's write have nothing to hide behind.
 */
#include "plan/cost.h"

#include "plan/columns.h"
#include "plan/loops.h"
#include "plan/strip.h"
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
    if (held_up >= beside) return (struct together){longer_of(held_up, beside), held_up, false};
    const double computing = compute / work->cores_share;
    return (struct together){longer_of(computing + moved - computing / work->stretch, computing), computing, true};
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
    const double beyond = (double)(wedge.head + wedge.tail), bandwidth = loops_bandwidth(work);
    const bool blocks = work->window == WINDOW_BLOCKS;
    const double planes = blocks ? (double)overlap_read_planes(program, grid, bt, shape->bz)
                                 : (double)grid->planes + beyond;
    const int64_t wave = cost_wave_planes(work, bt);
    const int64_t columns = oocc_max(1, shape->cut.columns);
    const double slabs =
        (double)columns * (double)(blocks ? overlap_blocks(grid, shape->bz) : (wave - 1) / shape->bz + 1);
    const struct rate rate = loops_rate(work, shape, bt);

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
    struct slab_cost cost = {.compute_seconds = updates * loops_rate(work, shape, shape->bt).cell_seconds +
                                                meeting_seconds(work, shape->bt)};
    if (!work->in_place) { /* of one column */
        const double part = share / (double)oocc_max(1, shape->cut.columns), again = read_again(work, shape, shape->bt);
        const double strips = strips_of(work, shape, shape->bt, 1);
        cost.io_seconds = both_seconds(work, part * work->read_bytes * again + strips, part * work->write_bytes + strips) +
                          work->figures->device.slab_seconds;
        cost.compute_seconds +=
            (part * (work->check_bytes_read * again + work->check_bytes_written) + strip_copies * strips) / loops_bandwidth(work);
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
