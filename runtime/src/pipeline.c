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
 * Planes are counted unrolled (wedge.h) as they are read, and go to disk as planes of the grid.
 */
#include "pipeline.h"

#include "interrupt.h"
#include "observe.h"
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

void pipeline_begin(struct oocc_run *run) {
    struct pipeline *p = run->pipeline;
    p->next_read = 0;
    p->status = 0;
    for (int i = 0; i < p->lanes; i++)
        p->lane[i].read_to = p->lane[i].written_to = 0;
}

void pipeline_begin_at(struct oocc_run *run, const struct oocc_pass *pass) {
    struct pipeline *p = run->pipeline;
    const int64_t planes = wedge_planes(run->program, &run->grid, pass->bt);
    const int64_t done = pass->wave_lo - pass->bt * run->program->step_delay - pass->head;
    pipeline_begin(run);
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

/* The ring that holds a lane's level when `steps` steps of the pass have been made. */
static struct place place_of(const struct oocc_pass *pass, const struct lane *lane, int64_t steps) {
    const struct oocc_ring *ring =
        window_ring(pass->run->rings, lane->region->field, steps - lane->region->level);
    return (struct place){ring->base, ring->planes, pass->head};
}

/* Adds the reads of a lane's unrolled planes to a batch. */
static int add_reads(struct oocc_pass *pass, const struct lane *lane, struct span span,
                     struct io_batch *batch) {
    struct store *store = pass->run->store;
    struct place place = place_of(pass, lane, 0);
    int status = 0;
    for (int64_t v = span.lo, end; v < span.hi && !status; v = end) {
        end = wedge_run_end(pass->grid, pass->head, v, span.hi, &place.first);
        status = store_add(store, batch, lane->region, store->generation, false, v - place.first,
                           end - place.first, place);
    }
    return status;
}

static int verify_reads(struct oocc_pass *pass, const struct lane *lane, struct span span) {
    struct oocc_run *run = pass->run;
    struct place place = place_of(pass, lane, 0);
    int status = 0;
    for (int64_t v = span.lo, end; v < span.hi && !status; v = end) {
        end = wedge_run_end(pass->grid, pass->head, v, span.hi, &place.first);
        status = store_verify(run, lane->region, run->store->generation, pass->t0, v - place.first,
                              end - place.first, place);
    }
    return status;
}

static int submit_reads(struct oocc_pass *pass, int64_t slab) {
    struct oocc_run *run = pass->run;
    struct pipeline *p = run->pipeline;
    struct transfer *read = &p->read[slab % p->reads];
    const int64_t planes = wedge_planes(run->program, &run->grid, pass->bt);
    for (int i = 0; i < p->lanes; i++) {
        struct lane *lane = &p->lane[i];
        const int64_t lo = lane->read_to;
        const int64_t hi = oocc_max(lo, oocc_min(planes, oocc_slab_hi(pass, slab) - lane->delay));
        read->span[i] = (struct span){lo, hi};
        const int status = add_reads(pass, lane, read->span[i], &read->batch);
        if (status) return status;
        lane->read_to = hi;
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
    const int64_t written = i - 2 - run->plan.write_behind;
    if (written >= 0) status = wait_for_write(run, &p->write[written % p->writes]);
    const int64_t end = oocc_min(i + run->plan.read_ahead, pass->slabs); /* none ahead: oocc_wait_for reads */
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
        status = verify_reads(pass, &p->lane[l], read->span[l]);
    run->stats.read_wait_seconds += arrived - began;
    run->stats.check_seconds += machine_seconds() - arrived;
    return status;
}

int oocc_wait_for(struct oocc_pass *pass, int64_t i) {
    struct pipeline *p = pass->run->pipeline;
    if (moves(pass->run)) p->status = wait_for_read(pass, i);
    p->computing_since = machine_seconds();
    return p->status;
}

static int submit_writes(struct oocc_pass *pass, int64_t slab) {
    struct oocc_run *run = pass->run;
    struct pipeline *p = run->pipeline;
    struct store *store = run->store;
    struct transfer *write = &p->write[slab % p->writes];
    const double began = machine_seconds();
    const int64_t done = oocc_slab_hi(pass, slab) - pass->bt * run->program->step_delay - pass->head;
    for (int i = 0; i < p->lanes; i++) {
        struct lane *lane = &p->lane[i];
        if (lane->region->coef) continue;
        const int64_t lo = lane->written_to;
        const int64_t delay = run->program->field[lane->region->field].delay_planes;
        const int64_t hi = oocc_max(lo, oocc_min(run->grid.planes, done - delay));
        const struct place place = place_of(pass, lane, pass->bt);
        store_seal(store, lane->region, 1 - store->generation, pass->t0 + pass->bt, lo, hi, place);
        const int status =
            store_add(store, &write->batch, lane->region, 1 - store->generation, true, lo, hi, place);
        if (status) return status;
        lane->written_to = hi;
        if (lane->region->level == 0) finite_look(run, lane->region->field, lo, hi, place);
    }
    run->stats.check_seconds += machine_seconds() - began;
    io_batch_submit(store->engine, &write->batch);
    return run->plan.write_behind ? 0 : wait_for_write(run, write);
}

static void show_progress(const struct oocc_pass *pass, int64_t slab) {
    struct oocc_run *run = pass->run;
    char phase[64];
    const double done =
        (double)run->stats.steps_done + (double)pass->bt * (double)(slab + 1) / (double)pass->slabs;
    run_count_bytes(run);
    if (run->observer->single_to > run->level) /* not as planned: step by step, to find the first bad cell */
        snprintf(phase, sizeof phase, "looking for the first nan");
    else
        snprintf(phase, sizeof phase, "pass %lld/%lld", (long long)run->stats.passes_done + 1,
                 (long long)run->plan.passes);
    progress_update(phase, done / (double)(run->stats.steps_done + run->steps - run->level), &run->stats,
                    done * (double)grid_points(&run->grid));
}

int oocc_write_back(struct oocc_pass *pass, int64_t i) {
    struct oocc_run *run = pass->run;
    struct pipeline *p = run->pipeline;
    run->stats.compute_seconds += machine_seconds() - p->computing_since;
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
    if (interrupt_seen() && i + 1 < pass->slabs) p->status = OOCC_STOPPED;
    return p->status;
}

int oocc_finish(struct oocc_pass *pass) {
    struct oocc_run *run = pass->run;
    struct pipeline *p = run->pipeline;
    if (p->status) {
        pipeline_abandon(run);
        return p->status;
    }
    int status = 0;
    for (int64_t i = 0; i < p->writes && !status; i++)
        status = wait_for_write(run, &p->write[i]);
    for (int i = 0; i < p->lanes && !status && !run->trial; i++)
        if (pass->bt > 0 && !p->lane[i].region->coef && p->lane[i].written_to != run->grid.planes)
            status = run_fail(OOCC_INTERNAL, NULL, "a pass ended before field %s was written",
                              run->program->field[p->lane[i].region->field].name);
    return status;
}
