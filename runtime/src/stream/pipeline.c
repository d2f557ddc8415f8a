/*
 * One lane per stored level of a field: how far it has been read into the window and how far it has been
 * written out. Level 0 of a field must be there below plane hi - delay when slab [lo, hi) is computed, level
 * -l as if step -l had made it, below hi + l*R - delay. What lies below hi - bt*R - delay after a slab is
 * done and leaves the window.
 *
 * Every lane has a transfer (parts.h) for the reads of slab i, the one of i mod (read_ahead + 1), and one for its writes,
 * that of i mod (write_behind + 1). Before slab j's reads are asked for, slab j - 2 - write_behind must have been written:
 * slab j - 1 is computed at that time, and the writes of write_behind slabs before that may still be under way. The rings
 * have room for the slab that is computed and for the larger of what is read ahead and written behind (window_size.c): what is
 * read into a ring that is also written from takes places that these writes leave, so each part of it comes after the
 * parts that are written from there. All of them are under way when it is asked for, and no write comes after a read, so
 * every part begins at last.
 *
 * Under schedule overlap, blocks take the place of slabs, whole with their halos, and a pass is one call per block: slab 0
 * of that call is the block that it is for, and slab 1 the one after it.
 */
#include "stream/pipeline.h"

#include "observe/observe.h"
#include "run/interrupt.h"
#include "storage/store.h"
#include "stream/lanes.h"
#include "stream/slab_checks.h"
#include "stream/strips.h"
#include "stream/wedge.h"
#include "support/point.h"
#include "tuning/adapt.h"
#include "tuning/trial.h"

/* Adds the reads of a lane's unrolled planes to a batch. */
static int add_reads(struct oocc_pass *pass, const struct lane *lane, struct span span, struct place place,
                     struct io_batch *batch) {
    struct oocc_run *run = pass->run;
    int status = 0;
    for (int64_t v = span.lo, end; v < span.hi && !status; v = end) {
        end = wedge_run_end(pass->grid, pass->head, v, span.hi, &place.first);
        status = store_add(run, batch, lane->region, run->store->generation, false,
                           column_reads(run, lane->region, v - place.first, end - place.first), place);
    }
    return status;
}

/* -- reads -------------------------------------------------------------------------------------------- */

/* Transfers that nobody waits for any more are idle; to come after them is nothing. */
static int submit_read(struct oocc_pass *pass, const struct lane *lane, struct transfer *read, int part) {
    struct pipeline *p = pass->run->pipeline;
    int status = add_reads(pass, lane, transfer_part(read, part), read->place, &read->batch[part]);
    slab_checks_begin_read(pass, lane, read, part);
    for (int64_t i = 0; i < p->writes * p->lanes && !status; i++)
        status = transfer_after(read, part, &p->write[i]);
    if (!status) io_batch_submit(pass->run->store->engine, &read->batch[part]);
    return status;
}

static int submit_reads(struct oocc_pass *pass, int64_t slab) {
    struct pipeline *p = pass->run->pipeline;
    struct transfer *read = pipeline_reads(p, slab);
    int status = 0;
    for (int i = 0; i < p->lanes && !status; i++, read++) {
        struct lane *lane = &p->lane[i];
        lane_begin_transfer(pass, lane, slab, 0, lane_read_span(pass, lane, slab), read);
        for (int part = 0; part < read->parts && !status; part++)
            status = submit_read(pass, lane, read, part);
        lane->read_to = read->span.hi;
    }
    return status;
}

static int wait_for_writes(struct oocc_run *run, int64_t slab) {
    struct transfer *write = pipeline_writes(run->pipeline, slab);
    const double began = machine_seconds();
    int status = 0;
    for (int i = 0; i < run->pipeline->lanes && !status; i++)
        status = transfer_wait(&write[i]);
    run->stats.write_wait_seconds += machine_seconds() - began;
    return status;
}

int oocc_read_ahead(struct oocc_pass *pass, int64_t i) {
    struct oocc_run *run = pass->run;
    struct pipeline *p = run->pipeline;
    if (!pipeline_moves(run)) return 0;
    int status = 0;
    i += p->block;
    const int64_t written = i - 2 - run->plan.write_behind;
    if (written >= p->next_free) { /* its transfers may belong to a later slab by now */
        status = wait_for_writes(run, written);
        p->next_free = written + 1;
    }
    const int64_t end = oocc_min(i + run->plan.read_ahead, pipeline_slabs(pass)); /* none: oocc_wait_for reads */
    while (!status && p->next_read < end)
        status = submit_reads(pass, p->next_read++);
    return p->status = status;
}

static int wait_for_reads(struct oocc_pass *pass, int64_t slab) {
    struct oocc_run *run = pass->run;
    struct pipeline *p = run->pipeline;
    struct transfer *read = pipeline_reads(p, slab);
    const double began = machine_seconds();
    int status = 0;
    while (!status && p->next_read <= slab)
        status = submit_reads(pass, p->next_read++);
    for (int l = 0; l < p->lanes && !status; l++)
        status = transfer_wait(&read[l]);
    run->stats.read_wait_seconds += machine_seconds() - began;
    return status ? status : slab_checks_finish_reads(pass, slab);
}

/* What a slab is going to write, for threads that may seal it while others compute. */
static void begin_writes(const struct oocc_pass *pass, int64_t slab) {
    struct pipeline *p = pass->run->pipeline;
    struct transfer *write = pipeline_writes(p, slab);
    for (int i = 0; i < p->lanes; i++) {
        const struct lane *lane = &p->lane[i];
        if (lane->region->coef) continue;
        const struct span span = lane_write_span(pass, lane, slab);
        lane_begin_transfer(pass, lane, slab, pass->bt, (struct span){span.lo + pass->head, span.hi + pass->head}, &write[i]);
        slab_checks_begin_seal(pass, lane, &write[i]);
    }
}

int oocc_wait_for(struct oocc_pass *pass, int64_t i) {
    struct pipeline *p = pass->run->pipeline;
    if (pipeline_moves(pass->run)) p->status = wait_for_reads(pass, p->block + i);
    if (pipeline_moves(pass->run) && !p->status) p->status = strips_take(pass, i);
    if (!p->status && adapt_takes(pass->run, pass)) p->status = adapt_cut(pass->run, pass, i);
    oocc_point(POINT_PASS_READ);
    if (pipeline_moves(pass->run) && !p->status && pass->bt > 0) {
        begin_writes(pass, p->block + i);
        slab_checks_spare(pass, p->block + i);
    }
    p->computing_since = machine_seconds();
    return p->status;
}

static int submit_write(const struct oocc_pass *pass, const struct lane *lane, struct transfer *write) {
    struct oocc_run *run = pass->run;
    int status = 0;
    for (int i = 0; i < write->parts && !status; i++) {
        status = store_add(run, &write->batch[i], lane->region, run->store->next, true, column_writes(pass, transfer_part(write, i)),
                           write->place);
        if (!status) io_batch_submit(run->store->engine, &write->batch[i]);
    }
    return status;
}

static int submit_writes(struct oocc_pass *pass, int64_t slab) {
    struct oocc_run *run = pass->run;
    struct pipeline *p = run->pipeline;
    struct transfer *write = pipeline_writes(p, slab);
    int status = slab_checks_finish_seals(pass, slab);
    for (int i = 0; i < p->lanes && !status; i++) {
        struct lane *lane = &p->lane[i];
        if (lane->region->coef) continue;
        status = submit_write(pass, lane, &write[i]);
        lane->written_to = write[i].span.hi - pass->head;
    }
    return status || run->plan.write_behind ? status : wait_for_writes(run, slab);
}

/* How much of the pass is done after a slab. */
static double share_done(const struct oocc_pass *pass, int64_t slab) {
    const struct oocc_run *run = pass->run;
    return ((double)run->pipeline->index + (double)(slab + 1) / (double)pipeline_slabs(pass)) / (double)run->plan.cut.columns;
}

/* A run that is to stop finishes the pass, with its commit, when that is a matter of seconds. Otherwise what the pass has done is
 * given up: the generation that it reads is whole. In place there is nothing to finish it for. */
static const double patience_seconds = 3;

static bool gives_up(const struct oocc_pass *pass, int64_t slab) {
    struct oocc_run *run = pass->run;
    const struct pipeline *p = run->pipeline;
    /* In place, an application wants to go on from where the pass ends. */
    if (!interrupt_seen() || (run->program->embedded && run->plan.in_place)) return false;
    const double elapsed = machine_seconds() - p->began, share = share_done(pass, slab);
    const double commit = run->plan.in_place ? 0 : store_commit_seconds(run);
    const bool last = slab + 1 == pipeline_slabs(pass) && p->index + 1 == run->plan.cut.columns;
    if (last || (!run->plan.in_place && interrupt_age() + elapsed * (1 - share) / share + commit <= patience_seconds))
        return false;
    run->stats.given_up_level = run->level + pass->bt;
    run->stats.given_up_seconds = elapsed;
    return true;
}

static void show_progress(const struct oocc_pass *pass, int64_t slab) {
    struct oocc_run *run = pass->run;
    char phase[64];
    const double done = (double)run->stats.steps_done + (double)pass->bt * share_done(pass, slab);
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
    oocc_point(POINT_PASS_COMPUTED);
    p->spares = 0;
    run->stats.compute_seconds += computed;
    if (adapt_takes(run, pass)) adapt_learn(run, computed);
    i += p->block;
    if (pipeline_moves(run) && pass->bt > 0) p->status = submit_writes(pass, i);
    if (pipeline_moves(run) && !p->status) p->status = strips_leave(pass, i - p->block);
    if (p->status) return p->status;
    if (run->trial) {
        if (i + 1 == run->trial->warm) run->trial->since = machine_seconds();
        return p->status = interrupt_seen() ? OOCC_STOPPED : 0;
    }
    /* The pass is of no use; of one step, it is wanted to its end, to name the first cell. */
    if (run->observer->bad.found && pass->bt > 1) return p->status = OOCC_BAD_INPUT;
    show_progress(pass, i);
    oocc_point(POINT_PASS_SLAB);
    if (gives_up(pass, i)) p->status = OOCC_STOPPED;
    return p->status;
}

int oocc_finish(struct oocc_pass *pass) {
    struct oocc_run *run = pass->run;
    struct pipeline *p = run->pipeline;
    if (p->status) {
        pipeline_abandon(run);
        return p->status;
    }
    if (pipeline_overlaps(run) && p->block + 1 < pipeline_slabs(pass)) return 0; /* the next block goes on */
    int status = 0;
    for (int64_t i = 0; i < p->writes && !status; i++)
        status = wait_for_writes(run, i);
    if (!status) status = strips_finish(run);
    for (int i = 0; i < p->lanes && !status && !run->trial; i++)
        if (pass->bt > 0 && !p->lane[i].region->coef && p->lane[i].written_to != run->grid.planes)
            status = run_fail(OOCC_INTERNAL, NULL, "a pass ended before field %s was written",
                              run->program->field[p->lane[i].region->field].name);
    return status;
}
