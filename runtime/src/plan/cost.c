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

#include "engines/engine.h"
#include "plan/columns.h"
#include "plan/loops.h"
#include "plan/strip.h"
#include "stream/overlap.h"
#include "stream/wedge.h"

#include <string.h>

/* Of a commit: of the data, of the manifest, of its directory. */
enum { COMMIT_SYNCS = 3 };
/* Devices write back what they have taken in when that is more. */
static const double most_unsynced_bytes = 2147483648.0;

/* What makes a generation durable that a pass has written. */
static double commit_seconds_of(const struct device_figures *device, double write_bytes) {
    return COMMIT_SYNCS * device->sync_seconds + device->sync_seconds_per_byte * oocc_min_f64(write_bytes, most_unsynced_bytes);
}

double commit_every(double wanted, double commit_seconds) {
    static const double times = 100, most_seconds = 600;
    return wanted >= 0 ? wanted : oocc_min_f64(times * commit_seconds, most_seconds);
}

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
        .commit_every = plan->commit_every,
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
    work.factors = figures_factors(&figures->kernel);
    for (int f = 0; f < program->fields; f++) {
        const struct oocc_field *field = &program->field[f];
        const double element = (double)grid->layout[f].element_bytes;
        if (field->unread) continue; /* which no tile touches */
        work.slot_bytes += element * field->slots;
        work.touched_bytes += element * field->slots * (field->coef ? 1 : 2);
        work.reach_planes =
            (double)oocc_max((int64_t)work.reach_planes, field->keep_planes - field->delay_planes);
    }
    if (!plan->in_place) {
        work.write_bytes = (double)grid_state_bytes(program, grid);
        work.read_bytes = work.write_bytes + (double)grid_streamed_coef_bytes(program, grid);
        work.check_bytes_read = work.read_bytes;
        work.check_bytes_written = work.write_bytes;
        if (engine_is_durable(plan->engine)) work.commit_seconds = commit_seconds_of(&figures->device, work.write_bytes);
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

/* Threads meet when a slab begins and when it is done. */
static double meeting_seconds(const struct workload *work) {
    return work->threads > 1 ? 2 * work->figures->machine.barrier_seconds : 0;
}

static double streamed_bytes(const struct workload *work) {
    return (double)grid_state_bytes(work->program, work->grid) +
           (double)grid_streamed_coef_bytes(work->program, work->grid);
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
static double read_again(const struct workload *work, struct cut cut, int64_t bt) {
    if (cut.columns <= 1) return 1;
    return (double)columns_read_bytes(work->program, work->grid, cut, bt) /
           (double)columns_read_bytes(work->program, work->grid, (struct cut){1, false}, bt);
}

/* Bytes of the strips that columns which lean leave in a pass, each for the next one, which reads them. */
static double strips_of(const struct workload *work, struct cut cut, int64_t bt, int64_t bz, double slabs) {
    if (cut.columns <= 1 || !cut.leans) return 0;
    return slabs * (1 - 1 / (double)cut.columns) * (double)strip_bytes(work->program, work->grid, cut, bt, bz);
}

/* Strips are copied from the window to a buffer and back; of each copy memory sees a read, and a place that is read and written. */
static const double strip_copies = 6;

static struct pass_volume pass_volume_of(const struct workload *work, int64_t bt, int64_t bz, struct cut cut) {
    const struct oocc_program *program = work->program;
    const struct oocc_grid *grid = work->grid;
    const struct wedge wedge = wedge_of(program, bt);
    const bool blocks = work->window == WINDOW_BLOCKS;
    struct pass_volume v = {.bt = bt, .beyond = (double)(wedge.head + wedge.tail), .again = read_again(work, cut, bt)};
    v.planes = blocks ? (double)overlap_read_planes(program, grid, bt, bz) : (double)grid->planes + v.beyond;
    v.slabs = (double)oocc_max(1, cut.columns) *
              (double)(blocks ? overlap_blocks(grid, bz) : (cost_wave_planes(work, bt) - 1) / bz + 1);
    v.cells = (double)grid_points(grid) * (double)bt *
              (blocks ? overlap_work(program, grid, bt, bz) : 1 + v.beyond / 2 / (double)grid->planes) *
              columns_redundancy(program, grid, cut, bt);
    v.strips = strips_of(work, cut, bt, bz, v.slabs);
    if (work->in_place) return v;
    const double unrolled = v.planes / (double)grid->planes;
    const double read = work->read_bytes * unrolled * v.again + v.strips, write = work->write_bytes + v.strips;
    v.reading = read / work->read_rate;
    v.writing = write / work->write_rate;
    v.io_seconds = v.slabs <= 1 ? v.reading + v.writing : both_seconds(work, read, write) + v.slabs * work->figures->device.slab_seconds;
    return v;
}

struct run_volume cost_volume_of(const struct workload *work, int64_t bt, int64_t bz, struct cut cut) {
    const int64_t steps = oocc_max(1, work->steps);
    struct run_volume volume = {.passes = (steps - 1) / bt + 1, .whole = pass_volume_of(work, bt, bz, cut)};
    const int64_t rest = steps - (volume.passes - 1) * bt;
    volume.last = rest == bt ? volume.whole : pass_volume_of(work, rest, bz, cut);
    volume.io_seconds = (double)(volume.passes - 1) * volume.whole.io_seconds + volume.last.io_seconds;
    return volume;
}

static struct pass_cost cost_of_pass(const struct workload *work, const struct pass_volume *v, const struct shape *shape) {
    const struct oocc_program *program = work->program;
    const double bandwidth = loops_bandwidth(work), planes = v->planes, grid_planes = (double)work->grid->planes;
    const bool blocks = work->window == WINDOW_BLOCKS;
    const struct rate rate = loops_rate(work, shape, v->bt);

    struct pass_cost cost = {.memory_bound = rate.memory_bound, .io_seconds = v->io_seconds};
    /* What is sealed comes from the caches, and what is verified from memory while others want it, too: together as if all of it came from
     * memory, undisturbed. */
    cost.check_seconds = (work->check_bytes_read * planes / grid_planes * v->again + work->check_bytes_written) / bandwidth;
    cost.compute_seconds = v->cells * rate.cell_seconds + v->slabs * meeting_seconds(work) + cost.check_seconds +
                           strip_copies * v->strips / bandwidth;
    if (work->in_place) { /* planes beyond the grid are copied */
        cost.compute_seconds += 2 * v->beyond / grid_planes * streamed_bytes(work) / bandwidth;
        cost.seconds = cost.compute_seconds;
        return cost;
    }
    if (v->slabs <= 1) {
        cost.seconds = v->reading + cost.compute_seconds + v->writing;
        cost.disk_bound = cost.io_seconds > cost.compute_seconds;
        return cost;
    }
    const struct together together = together_of(work, cost.compute_seconds, cost.io_seconds);
    cost.compute_seconds = together.compute_seconds;
    cost.disk_bound = together.disk_bound;
    /* The wave enters, all is at work, the wave leaves. In units of the time that all planes take to come by, entering and
     * leaving are `part` each; a wave longer than the grid has at most 1 / part of its steps at work, and then neither
     * reads nor writes. */
    const double part = blocks ? 0 : (double)v->bt * (double)program->step_delay / planes, ends = oocc_min_f64(part, 1);
    const double compute = part > 1 ? cost.compute_seconds / part : cost.compute_seconds;
    const double entering = ramp(ends * compute, ends * v->reading),
                 leaving = ramp(ends * compute, ends * v->writing);
    const double middle =
        part > 1 ? (part - 1) * compute : (1 - part) * together.seconds;
    const double alone =
        (double)oocc_min(shape->bz, work->grid->planes) / planes; /* the first slab's read, the last one's write */
    cost.seconds = entering + middle + leaving + alone * (v->reading + v->writing);
    return cost;
}

struct slab_cost cost_of_slab(const struct workload *work, const struct shape *shape, double updates) {
    const double share = (double)oocc_min(shape->bz, work->grid->planes) / (double)work->grid->planes;
    struct slab_cost cost = {.compute_seconds = updates * loops_rate(work, shape, shape->bt).cell_seconds +
                                                meeting_seconds(work)};
    if (!work->in_place) { /* of one column */
        const double part = share / (double)oocc_max(1, shape->cut.columns), again = read_again(work, shape->cut, shape->bt);
        const double strips = strips_of(work, shape->cut, shape->bt, shape->bz, 1);
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

struct cost cost_of_volume(const struct workload *work, const struct run_volume *volume, const struct shape *shape) {
    struct cost cost = {.bound = "cores"};
    if (work->steps <= 0) return cost;
    const struct pass_cost whole = cost_of_pass(work, &volume->whole, shape);
    const struct pass_cost last = volume->last.bt == shape->bt ? whole : cost_of_pass(work, &volume->last, shape);
    const double others = (double)(volume->passes - 1);
    cost.seconds = others * whole.seconds + last.seconds;
    const double every = commit_every(work->commit_every, work->commit_seconds);
    cost.commits = oocc_min_f64((double)volume->passes, every > 0 ? cost.seconds / every : (double)volume->passes);
    cost.commit_seconds = cost.commits * work->commit_seconds;
    cost.seconds += cost.commit_seconds;
    cost.io_seconds = volume->io_seconds;
    cost.compute_seconds = others * whole.compute_seconds + last.compute_seconds;
    cost.check_seconds = others * whole.check_seconds + last.check_seconds;
    if (whole.disk_bound)
        cost.bound = "disk";
    else if (whole.memory_bound)
        cost.bound = "memory";
    return cost;
}

struct cost cost_of_run(const struct workload *work, const struct shape *shape) {
    const struct run_volume volume = cost_volume_of(work, shape->bt, shape->bz, shape->cut);
    return cost_of_volume(work, &volume, shape);
}
