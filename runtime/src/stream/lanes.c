/*
 * Planes are counted unrolled (wedge.h) as they are read, and go to disk as planes of the grid. Of every plane, the bands
 * of one column at a time (columns.h) are read, and those that are the column's own are written. Under schedule overlap, blocks take
 * the place of slabs.
 */
#include "stream/lanes.h"

#include "stream/overlap.h"
#include "stream/pipeline.h"
#include "stream/strips.h"
#include "stream/wedge.h"
#include "stream/window.h"
#include "tuning/trial.h"

#include <stdlib.h>

bool pipeline_moves(const struct oocc_run *run) {
    return !run->plan.in_place && (!run->trial || run->trial->transfers);
}

static bool is_streamed(const struct oocc_run *run, const struct region *region) {
    return !run->program->field[region->field].unread;
}

int pipeline_open(struct oocc_run *run) {
    struct pipeline *p = calloc(1, sizeof *p);
    run->pipeline = p;
    if (!p) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    if (!pipeline_moves(run)) return 0;
    for (int i = 0; i < run->store->regions; i++)
        p->lanes += is_streamed(run, &run->store->region[i]);
    p->reads = run->plan.read_ahead + 1;
    p->writes = run->plan.write_behind + 1;
    p->lane = calloc((size_t)p->lanes, sizeof *p->lane);
    p->read = transfers_open(p->reads * p->lanes);
    p->write = transfers_open(p->writes * p->lanes);
    const size_t checks = (size_t)((p->reads * PARTS_MOST + p->writes) * p->lanes) + 1;
    p->check = calloc(checks, sizeof *p->check);
    p->spare = calloc(checks, sizeof *p->spare);
    const bool banded = run->grid.bands > 1;
    if (banded) p->taken = calloc((size_t)(p->writes * p->lanes * run->grid.bands), 1);
    if (!p->lane || !p->read || !p->write || !p->check || !p->spare || (banded && !p->taken)) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    for (int i = 0, lane = 0; i < run->store->regions; i++) {
        const struct region *region = &run->store->region[i];
        if (!is_streamed(run, region)) continue;
        p->lane[lane++] = (struct lane){
            .region = region,
            .delay = run->program->field[region->field].delay_planes - region->level * run->program->step_delay};
    }
    return strips_open(run);
}

void pipeline_close(struct oocc_run *run) {
    struct pipeline *p = run->pipeline;
    if (!p) return;
    strips_close(run);
    transfers_close(p->read, p->reads * p->lanes);
    transfers_close(p->write, p->writes * p->lanes);
    free(p->check);
    free(p->spare);
    free(p->taken);
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
    if (index == 0) p->began = machine_seconds();
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
    for (int64_t i = 0; i < p->reads * p->lanes; i++)
        transfer_drain(&p->read[i]);
    for (int64_t i = 0; i < p->writes * p->lanes; i++)
        transfer_drain(&p->write[i]);
    strips_abandon(run);
}

struct transfer *pipeline_reads(struct pipeline *p, int64_t slab) {
    return p->read + slab % p->reads * p->lanes;
}

struct transfer *pipeline_writes(struct pipeline *p, int64_t slab) {
    return p->write + slab % p->writes * p->lanes;
}

void pipeline_use_block(struct oocc_run *run, const struct oocc_pass *pass, int64_t block) {
    run->pipeline->block = block;
    run->pipeline->block_planes = pass->bz;
}

bool pipeline_overlaps(const struct oocc_run *run) {
    return run->plan.schedule == SCHEDULE_OVERLAP;
}

int64_t pipeline_slabs(const struct oocc_pass *pass) {
    return pipeline_overlaps(pass->run) ? overlap_blocks(pass->grid, pass->run->pipeline->block_planes) : pass->slabs;
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

struct span lane_read_span(const struct oocc_pass *pass, const struct lane *lane, int64_t slab) {
    if (pipeline_overlaps(pass->run)) {
        const struct block block = block_of(pass, slab);
        return (struct span){block.first, block.end};
    }
    const int64_t planes = wedge_planes(pass->run->program, pass->grid, pass->bt);
    const int64_t hi = oocc_min(planes, oocc_slab_hi(pass, slab) - lane->delay);
    return (struct span){lane->read_to, oocc_max(lane->read_to, hi)};
}

struct span lane_write_span(const struct oocc_pass *pass, const struct lane *lane, int64_t slab) {
    if (pipeline_overlaps(pass->run)) {
        const struct block block = block_of(pass, slab);
        return (struct span){block.lo - pass->head, block.hi - pass->head};
    }
    const struct oocc_program *program = pass->run->program;
    const int64_t done = oocc_slab_hi(pass, slab) - pass->bt * program->step_delay - pass->head -
                         program->field[lane->region->field].delay_planes;
    return (struct span){lane->written_to, oocc_max(lane->written_to, oocc_min(pass->grid->planes, done))};
}

struct part column_reads(const struct oocc_run *run, const struct region *region, int64_t lo, int64_t hi) {
    const struct column *column = &run->pipeline->column;
    return (struct part){lo, hi, region->coef ? column->seen_lo : column->read_lo, column->seen_hi};
}

struct part column_writes(const struct oocc_pass *pass, struct span span) {
    const struct column *column = &pass->run->pipeline->column;
    return (struct part){span.lo - pass->head, span.hi - pass->head, column->band_lo, column->band_hi};
}

/* Whether the ring of a lane's level after `from` steps is, after `to` steps, that of a level of the same field which is
 * stored: what is read (0, bt) will be written from the same ring, what is written (bt, 0) has been read into it. */
static bool comes_back(const struct oocc_pass *pass, const struct lane *lane, int64_t from, int64_t to) {
    const struct pipeline *p = pass->run->pipeline;
    const char *base = place_of(pass, lane, from, 0).base;
    bool found = false;
    for (int i = 0; i < p->lanes; i++)
        found |= !p->lane[i].region->coef && p->lane[i].region->field == lane->region->field &&
                 place_of(pass, &p->lane[i], to, 0).base == base;
    return found;
}

void lane_begin_transfer(const struct oocc_pass *pass, const struct lane *lane, int64_t slab, int64_t steps,
                           struct span span, struct transfer *transfer) {
    const bool cut = !pipeline_overlaps(pass->run) && pass->bt > 0 && comes_back(pass, lane, steps, pass->bt - steps);
    transfer->span = span;
    transfer->place = place_of(pass, lane, steps, slab);
    transfer->parts =
        cut ? parts_of(span.hi - span.lo, transfer->place.stride_bytes, pass->run->plan.io_request_bytes) : 1;
}
