#include "stream/slab_checks.h"

#include "storage/store.h"
#include "stream/pipeline.h"

#include <string.h>

void slab_checks_begin_read(const struct oocc_pass *pass, const struct lane *lane, struct transfer *read, int part) {
    const struct oocc_run *run = pass->run;
    const struct span span = transfer_part(read, part);
    const struct part bands = column_reads(run, lane->region, 0, 0);
    read->check[part] = (struct check){.region = lane->region,
                                       .generation = run->store->generation,
                                       .t = pass->t0,
                                       .lo = span.lo,
                                       .hi = span.hi,
                                       .band_lo = bands.band_lo,
                                       .band_hi = bands.band_hi,
                                       .place = read->place,
                                       .head = pass->head,
                                       .arrives = &read->batch[part],
                                       .bad = INT64_MAX};
}

void slab_checks_begin_seal(const struct oocc_pass *pass, const struct lane *lane, struct transfer *write) {
    const struct oocc_run *run = pass->run;
    const struct part bands = column_writes(pass, write->span);
    struct pipeline *p = run->pipeline;
    unsigned char *taken = p->taken && !pipeline_overlaps(run) ? p->taken + (write - p->write) * run->grid.bands : NULL;
    if (taken) memset(taken, 0, (size_t)run->grid.bands);
    write->check[0] = (struct check){.region = lane->region,
                                     .generation = run->store->next,
                                     .t = pass->t0 + pass->bt,
                                     .lo = write->span.lo,
                                     .hi = write->span.hi,
                                     .band_lo = bands.band_lo,
                                     .band_hi = bands.band_hi,
                                     .place = write->place,
                                     .head = pass->head,
                                     .seal = true,
                                     .taken = taken,
                                     .bad = INT64_MAX};
}

/* The checks of what a slab reads; returns how many. */
static int read_checks(struct pipeline *p, int64_t slab, struct check **check) {
    int count = 0;
    struct transfer *read = pipeline_reads(p, slab);
    for (int i = 0; i < p->lanes; i++)
        for (int part = 0; part < read[i].parts; part++)
            check[count++] = &read[i].check[part];
    return count;
}

static int seals(struct pipeline *p, int64_t slab, struct check **check) {
    int count = 0;
    struct transfer *write = pipeline_writes(p, slab);
    for (int i = 0; i < p->lanes; i++)
        if (!p->lane[i].region->coef) check[count++] = &write[i].check[0];
    return count;
}

/* Whatever threads have left of the checks; then what they have found. */
static int finish_checks(const struct oocc_pass *pass, int count) {
    struct oocc_run *run = pass->run;
    struct check **check = run->pipeline->check;
    const double began = machine_seconds();
    int status = 0;
    checks_finish(pass, check, count);
    for (int i = 0; i < count && !status; i++)
        status = check_result(pass, check[i]);
    run->stats.check_seconds += machine_seconds() - began;
    return status;
}

int slab_checks_finish_reads(const struct oocc_pass *pass, int64_t slab) {
    struct pipeline *p = pass->run->pipeline;
    return finish_checks(pass, read_checks(p, slab, p->check));
}

int slab_checks_finish_seals(const struct oocc_pass *pass, int64_t slab) {
    struct pipeline *p = pass->run->pipeline;
    return finish_checks(pass, seals(p, slab, p->check));
}

void slab_checks_spare(const struct oocc_pass *pass, int64_t slab) {
    struct pipeline *p = pass->run->pipeline;
    if (pass->bt == 0 || pipeline_overlaps(pass->run)) return;
    p->spares = p->seals = seals(p, slab, p->spare);
    for (int64_t next = slab + 1; next < p->next_read; next++)
        p->spares += read_checks(p, next, p->spare + p->spares);
}

enum spare pipeline_spare(const struct oocc_pass *pass) {
    const struct pipeline *p = pass->run->pipeline;
    return p && p->spares > 0 ? checks_spare(pass, p->spare, p->spares) : SPARE_NONE;
}

static bool may_seal(const struct oocc_pass *pass) {
    const struct pipeline *p = pass->run->pipeline;
    return p && p->spares > 0 && p->taken;
}

int64_t oocc_rows_done(const struct oocc_pass *pass, int64_t s_hi, int64_t lo, int64_t hi) {
    if (s_hi < pass->bt || !may_seal(pass)) return lo;
    return checks_seal_rows(pass, pass->run->pipeline->spare, pass->run->pipeline->seals, lo, hi);
}

void pipeline_seal_ready(const struct oocc_pass *pass, int64_t lo, int64_t hi) {
    if (may_seal(pass)) checks_seal_ready(pass, pass->run->pipeline->spare, pass->run->pipeline->seals, lo, hi);
}
