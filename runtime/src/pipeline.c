/*
 * One lane per stored level of a field: how far it has been read into the window and how far it has been
 * written out. Level 0 of a field must be there below plane hi - delay when slab [lo, hi) is computed, level
 * -l as if step -l had made it, below hi + l*R - delay. What lies below hi - bt*R - delay after a slab is
 * done and leaves the window.
 *
 * Reads go to the batch of slab i mod (read_ahead + 1), writes to that of slab i mod (write_behind + 1). The
 * rings have room for just these slabs (window.c), so before slab j's reads begin, slab j - 2 - write_behind
 * must have been written: they begin while slab j - 1 is computed, and the writes of write_behind slabs
 * before that may still be under way.
 *
 * Under schedule overlap, blocks take the place of slabs, whole with their halos, and a pass is one call per block: slab 0
 * of that call is the block that it is for, and slab 1 the one after it.
 *
 * Planes are counted unrolled (wedge.h) as they are read, and go to disk as planes of the grid. Of every plane, the bands
 * of one column at a time (columns.h) are read, and those that are the column's own are written.
 */
#include "pipeline.h"

#include "adapt.h"
#include "interrupt.h"
#include "observe.h"
#include "overlap.h"
#include "store.h"
#include "trial.h"
#include "wedge.h"
#include "window.h"

#include <stdlib.h>

struct lane {
    const struct region *region;
    int64_t delay;   /* of its level: planes by which it lags behind the wave when it is read */
    int64_t read_to; /* unrolled planes */
    int64_t written_to;
};

struct span {
    int64_t lo, hi;
};

struct transfer {
    struct io_batch batch;
    struct span *span; /* per lane: the unrolled planes of this batch */
};

struct pipeline {
    int lanes;
    struct lane *lane;
    int64_t reads, writes; /* batches of each kind: slabs in flight + 1 */
    struct transfer *read, *write;
    int64_t next_read; /* slab whose reads have not been submitted */
    int64_t next_free; /* slab whose writes nobody has waited for */
    int64_t block;     /* that the pass is at */
    int64_t block_planes;
    struct column column;
    int64_t index; /* of the column */
    double computing_since;
    int status; /* of the pass: the first error ends it */
};

/* In place, and in trials of the computation, everything stays where it is. */
static bool moves(const struct oocc_run *run) {
    return !run->plan.in_place && (!run->trial || run->trial->transfers);
}

static struct transfer *open_transfers(int64_t count, int lanes) {
    struct transfer *transfer = calloc((size_t)count, sizeof *transfer);
    for (int64_t i = 0; transfer && i < count; i++) {
        io_batch_init(&transfer[i].batch);
        transfer[i].span = calloc((size_t)lanes, sizeof *transfer[i].span);
        if (!transfer[i].span) return NULL;
    }
    return transfer;
}

static void close_transfers(struct transfer *transfer, int64_t count) {
    for (int64_t i = 0; transfer && i < count; i++) {
        io_batch_free(&transfer[i].batch);
        free(transfer[i].span);
    }
    free(transfer);
}

int pipeline_open(struct oocc_run *run) {
    struct pipeline *p = calloc(1, sizeof *p);
    run->pipeline = p;
    if (!p) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    if (!moves(run)) return 0;
    p->lanes = run->store->regions;
    p->reads = run->plan.read_ahead + 1;
    p->writes = run->plan.write_behind + 1;
    p->lane = calloc((size_t)p->lanes, sizeof *p->lane);
    p->read = open_transfers(p->reads, p->lanes);
    p->write = open_transfers(p->writes, p->lanes);
    if (!p->lane || !p->read || !p->write) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    for (int i = 0; i < p->lanes; i++) {
        const struct region *region = &run->store->region[i];
        p->lane[i].region = region;
        p->lane[i].delay =
            run->program->field[region->field].delay_planes - region->level * run->program->step_delay;
    }
    return 0;
}

void pipeline_close(struct oocc_run *run) {
    struct pipeline *p = run->pipeline;
    if (!p) return;
    close_transfers(p->read, p->reads);
    close_transfers(p->write, p->writes);
    free(p->lane);
    free(p);
    run->pipeline = NULL;
}

void pipeline_begin(struct oocc_run *run, const struct column *column, int64_t index) {
    struct pipeline *p = run->pipeline;
    p->column = *column;
    p->index = index;
    p->next_read = p->next_free = p->block = 0;
    p->status = 0;
    for (int i = 0; i < p->lanes; i++)
        p->lane[i].read_to = p->lane[i].written_to = 0;
}

void pipeline_begin_at(struct oocc_run *run, const struct oocc_pass *pass, const struct column *column,
                       int64_t index) {
    struct pipeline *p = run->pipeline;
    const int64_t planes = wedge_planes(run->program, &run->grid, pass->bt);
    const int64_t done = pass->wave_lo - pass->bt * run->program->step_delay - pass->head;
    pipeline_begin(run, column, index);
    for (int i = 0; i < p->lanes; i++) {
        struct lane *lane = &p->lane[i];
        const int64_t delay = run->program->field[lane->region->field].delay_planes;
        lane->read_to = oocc_max(0, oocc_min(planes, pass->wave_lo - lane->delay));
        lane->written_to = oocc_max(0, oocc_min(run->grid.planes, done - delay));
    }
}

void pipeline_abandon(struct oocc_run *run) {
    struct pipeline *p = run->pipeline;
    for (int64_t i = 0; i < p->reads; i++)
        io_batch_drain(&p->read[i].batch);
    for (int64_t i = 0; i < p->writes; i++)
        io_batch_drain(&p->write[i].batch);
}

void pipeline_use_block(struct oocc_run *run, const struct oocc_pass *pass, int64_t block) {
    run->pipeline->block = block;
    run->pipeline->block_planes = pass->bz;
}

static bool overlaps(const struct oocc_run *run) {
    return run->plan.schedule == SCHEDULE_OVERLAP;
}

/* Slabs of the whole pass. */
static int64_t slabs_of(const struct oocc_pass *pass) {
    return overlaps(pass->run) ? overlap_blocks(pass->grid, pass->run->pipeline->block_planes) : pass->slabs;
}

static struct block block_of(const struct oocc_pass *pass, int64_t slab) {
    return overlap_block(pass->run->program, pass->grid, pass->bt, pass->run->pipeline->block_planes, slab);
}

/* The ring that holds a lane's level of a slab when `steps` steps of the pass have been made. */
static struct place place_of(const struct oocc_pass *pass, const struct lane *lane, int64_t steps,
                             int64_t slab) {
    const struct oocc_ring ring =
        window_block_ring(pass->run->rings, lane->region->field, steps - lane->region->level, slab);
    return (struct place){.base = ring.base,
                          .planes = ring.planes,
                          .first = pass->head,
                          .stride_bytes = pass->window[lane->region->field].stride_bytes,
                          .skip_bytes = pass->run->rings->skip_bytes[lane->region->field]};
}

/* Unrolled planes that come with a slab. */
static struct span read_span(const struct oocc_pass *pass, const struct lane *lane, int64_t slab) {
    if (overlaps(pass->run)) {
        const struct block block = block_of(pass, slab);
        return (struct span){block.first, block.end};
    }
    const int64_t planes = wedge_planes(pass->run->program, pass->grid, pass->bt);
    const int64_t hi = oocc_min(planes, oocc_slab_hi(pass, slab) - lane->delay);
    return (struct span){lane->read_to, oocc_max(lane->read_to, hi)};
}

/* Planes of the grid that are done with a slab. */
static struct span write_span(const struct oocc_pass *pass, const struct lane *lane, int64_t slab) {
    if (overlaps(pass->run)) {
        const struct block block = block_of(pass, slab);
        return (struct span){block.lo - pass->head, block.hi - pass->head};
    }
    const struct oocc_program *program = pass->run->program;
    const int64_t done = oocc_slab_hi(pass, slab) - pass->bt * program->step_delay - pass->head -
                         program->field[lane->region->field].delay_planes;
    return (struct span){lane->written_to, oocc_max(lane->written_to, oocc_min(pass->grid->planes, done))};
}

/* What the column reads of planes [lo, hi). */
static struct part seen(const struct oocc_run *run, int64_t lo, int64_t hi) {
    const struct column *column = &run->pipeline->column;
    return (struct part){lo, hi, column->seen_lo, column->seen_hi};
}

/* Adds the reads of a lane's unrolled planes to a batch. */
static int add_reads(struct oocc_pass *pass, const struct lane *lane, struct span span, int64_t slab,
                     struct io_batch *batch) {
    struct oocc_run *run = pass->run;
    struct place place = place_of(pass, lane, 0, slab);
    int status = 0;
    for (int64_t v = span.lo, end; v < span.hi && !status; v = end) {
        end = wedge_run_end(pass->grid, pass->head, v, span.hi, &place.first);
        status = store_add(run, batch, lane->region, run->store->generation, false,
                           seen(run, v - place.first, end - place.first), place);
    }
    return status;
}

static int verify_reads(struct oocc_pass *pass, const struct lane *lane, struct span span, int64_t slab) {
    struct oocc_run *run = pass->run;
    struct place place = place_of(pass, lane, 0, slab);
    int status = 0;
    for (int64_t v = span.lo, end; v < span.hi && !status; v = end) {
        end = wedge_run_end(pass->grid, pass->head, v, span.hi, &place.first);
        status = store_verify(run, lane->region, run->store->generation, pass->t0,
                              seen(run, v - place.first, end - place.first), place);
    }
    return status;
}

static int submit_reads(struct oocc_pass *pass, int64_t slab) {
    struct oocc_run *run = pass->run;
    struct pipeline *p = run->pipeline;
    struct transfer *read = &p->read[slab % p->reads];
    for (int i = 0; i < p->lanes; i++) {
        struct lane *lane = &p->lane[i];
        read->span[i] = read_span(pass, lane, slab);
        const int status = add_reads(pass, lane, read->span[i], slab, &read->batch);
        if (status) return status;
        lane->read_to = read->span[i].hi;
    }
    io_batch_submit(run->store->engine, &read->batch);
    return 0;
}

static int wait_for_write(struct oocc_run *run, struct transfer *write) {
    const double began = machine_seconds();
    const int status = io_batch_wait(&write->batch);
    run->stats.write_wait_seconds += machine_seconds() - began;
    return status;
}

int oocc_read_ahead(struct oocc_pass *pass, int64_t i) {
    struct oocc_run *run = pass->run;
    struct pipeline *p = run->pipeline;
    if (!moves(run)) return 0;
    int status = 0;
    i += p->block;
    const int64_t written = i - 2 - run->plan.write_behind;
    if (written >= p->next_free) { /* its batch may belong to a later slab by now */
        status = wait_for_write(run, &p->write[written % p->writes]);
        p->next_free = written + 1;
    }
    const int64_t end = oocc_min(i + run->plan.read_ahead, slabs_of(pass)); /* none: oocc_wait_for reads */
    while (!status && p->next_read < end)
        status = submit_reads(pass, p->next_read++);
    return p->status = status;
}

static int wait_for_read(struct oocc_pass *pass, int64_t slab) {
    struct oocc_run *run = pass->run;
    struct pipeline *p = run->pipeline;
    struct transfer *read = &p->read[slab % p->reads];
    const double began = machine_seconds();
    int status = 0;
    while (!status && p->next_read <= slab)
        status = submit_reads(pass, p->next_read++);
    if (status || (status = io_batch_wait(&read->batch))) return status;
    const double arrived = machine_seconds();
    for (int l = 0; l < p->lanes && !status; l++)
        status = verify_reads(pass, &p->lane[l], read->span[l], slab);
    run->stats.read_wait_seconds += arrived - began;
    run->stats.check_seconds += machine_seconds() - arrived;
    return status;
}

int oocc_wait_for(struct oocc_pass *pass, int64_t i) {
    struct pipeline *p = pass->run->pipeline;
    if (moves(pass->run)) p->status = wait_for_read(pass, p->block + i);
    if (!p->status && adapt_takes(pass->run, pass)) p->status = adapt_cut(pass->run, pass, i);
    p->computing_since = machine_seconds();
    return p->status;
}

static int submit_writes(struct oocc_pass *pass, int64_t slab) {
    struct oocc_run *run = pass->run;
    struct pipeline *p = run->pipeline;
    struct store *store = run->store;
    struct transfer *write = &p->write[slab % p->writes];
    const double began = machine_seconds();
    for (int i = 0; i < p->lanes; i++) {
        struct lane *lane = &p->lane[i];
        if (lane->region->coef) continue;
        const struct span span = write_span(pass, lane, slab);
        const struct place place = place_of(pass, lane, pass->bt, slab);
        const struct part part = {span.lo, span.hi, p->column.band_lo, p->column.band_hi};
        store_seal(run, lane->region, 1 - store->generation, pass->t0 + pass->bt, part, place, true);
        const int status =
            store_add(run, &write->batch, lane->region, 1 - store->generation, true, part, place);
        if (status) return status;
        lane->written_to = span.hi;
    }
    run->stats.check_seconds += machine_seconds() - began;
    io_batch_submit(store->engine, &write->batch);
    return run->plan.write_behind ? 0 : wait_for_write(run, write);
}

static void show_progress(const struct oocc_pass *pass, int64_t slab) {
    struct oocc_run *run = pass->run;
    char phase[64];
    const double columns = (double)run->plan.columns;
    const double share = ((double)run->pipeline->index + (double)(slab + 1) / (double)slabs_of(pass)) / columns;
    const double done = (double)run->stats.steps_done + (double)pass->bt * share;
    run_count_bytes(run);
    if (run->observer->single_to > run->level) /* not as planned: step by step, to find the first bad cell */
        snprintf(phase, sizeof phase, "looking for the first nan");
    else if (adapt_cuts_passes(run))
        snprintf(phase, sizeof phase, "pass %lld", (long long)run->stats.passes_done + 1);
    else
        snprintf(phase, sizeof phase, "pass %lld/%lld", (long long)run->stats.passes_done + 1,
                 (long long)run->plan.passes);
    progress_update(phase, done / (double)(run->stats.steps_done + run->steps - run->level), &run->stats,
                    done * (double)grid_points(&run->grid));
}

int oocc_write_back(struct oocc_pass *pass, int64_t i) {
    struct oocc_run *run = pass->run;
    struct pipeline *p = run->pipeline;
    const double computed = machine_seconds() - p->computing_since;
    run->stats.compute_seconds += computed;
    if (adapt_takes(run, pass)) adapt_learn(run, computed);
    i += p->block;
    if (moves(run) && pass->bt > 0) p->status = submit_writes(pass, i);
    if (p->status) return p->status;
    if (run->trial) {
        if (i + 1 == run->trial->warm) run->trial->since = machine_seconds();
        return p->status = interrupt_seen() ? OOCC_STOPPED : 0;
    }
    /* The pass is of no use; of one step, it is wanted to its end, to name the first cell. */
    if (run->observer->bad.found && pass->bt > 1) return p->status = OOCC_BAD_INPUT;
    show_progress(pass, i);
    /* After the last slab the pass is as good as done. */
    const bool last = i + 1 == slabs_of(pass) && p->index + 1 == run->plan.columns;
    if (interrupt_seen() && !last) p->status = OOCC_STOPPED;
    return p->status;
}

int oocc_finish(struct oocc_pass *pass) {
    struct oocc_run *run = pass->run;
    struct pipeline *p = run->pipeline;
    if (p->status) {
        pipeline_abandon(run);
        return p->status;
    }
    if (overlaps(run) && p->block + 1 < slabs_of(pass)) return 0; /* the next block goes on */
    int status = 0;
    for (int64_t i = 0; i < p->writes && !status; i++)
        status = wait_for_write(run, &p->write[i]);
    for (int i = 0; i < p->lanes && !status && !run->trial; i++)
        if (pass->bt > 0 && !p->lane[i].region->coef && p->lane[i].written_to != run->grid.planes)
            status = run_fail(OOCC_INTERNAL, NULL, "a pass ended before field %s was written",
                              run->program->field[p->lane[i].region->field].name);
    return status;
}
