#include "store.h"

#include "checksum.h"
#include "scratch.h"
#include "stripe.h"

#include <inttypes.h>
#include <stdlib.h>

/* Regions and checksums; every offset fits, since grid_layout has checked the products and the sums are
 * checked here. */
static int lay_out(const struct oocc_run *run, struct store *store) {
    const struct oocc_program *program = run->program;
    int regions = 0;
    for (int f = 0; f < program->fields; f++)
        regions += program->field[f].levels;
    store->region = calloc((size_t)regions, sizeof *store->region);
    if (!store->region) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    for (int f = 0; f < program->fields; f++) {
        const bool coef = program->field[f].coef;
        for (int level = 0; level < program->field[f].levels; level++) {
            const int first = coef ? STORE_COEF : 0;
            struct region region = {.field = f,
                                    .level = level,
                                    .coef = coef,
                                    .planes = run->grid.planes,
                                    .plane_bytes = run->grid.layout[f].plane_bytes,
                                    .stride_bytes = run->grid.layout[f].stride_bytes,
                                    .first_sum = store->records[first]};
            const int status = stripe_lay_out(store, &region, first);
            if (status) return status;
            store->records[first] += region.planes;
            store->region[store->regions++] = region;
        }
    }
    for (int m = 0; m < store->members; m++)
        store->member[m].share[1] = store->member[m].share[0];
    store->records[1] = store->records[0];
    for (int i = 0; i < STORE_FILES; i++) {
        store->sum[i] = calloc((size_t)store->records[i] + 1, sizeof *store->sum[i]);
        if (!store->sum[i]) return run_fail(OOCC_NO_MEMORY, NULL, "no memory for the checksums");
    }
    return 0;
}

static int attach(const struct oocc_run *run, struct store *store) {
    for (int m = 0; m < store->members; m++)
        for (int i = 0; i < STORE_FILES; i++) {
            struct io_file *file = &store->member[m].file[i];
            file->request_bytes = run->plan.io_request_bytes;
            const int status = file->bytes ? store->engine->ops->attach(store->engine, file) : 0;
            if (status) return status;
            file->attached = file->bytes > 0;
        }
    return 0;
}

/* The one member of an engine that keeps nothing. */
static void use_memory(struct store *store) {
    static const char *const name[STORE_FILES] = {"gen0", "gen1", "coef"};
    struct member *member = &store->member[0];
    for (int i = 0; i < STORE_FILES; i++) {
        member->file[i].fd = -1;
        member->file[i].name = name[i];
        member->file[i].bytes = member->share[i];
    }
}

int store_open(struct oocc_run *run) {
    struct store *store = calloc(1, sizeof *store);
    if (!store) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    run->store = store;
    store->kept = engine_is_durable(run->plan.engine);
    store->members = 1;
    int status = store->kept ? scratch_open(run, store, run->options.resume ? MEMBER_RESUME : MEMBER_BEGIN) : 0;
    if (!status) status = lay_out(run, store);
    if (!status && store->kept)
        status = scratch_make(run, store);
    else if (!status)
        use_memory(store);
    if (!status) status = engine_open(run->plan.engine, run->plan.io_depth, &store->engine);
    return status ? status : attach(run, store);
}

void store_close(struct oocc_run *run, int status) {
    struct store *store = run->store;
    if (!store) return;
    for (int m = 0; m < store->members; m++)
        for (int i = 0; i < STORE_FILES; i++) {
            struct io_file *file = &store->member[m].file[i];
            file->request_bytes = run->plan.io_request_bytes;
            if (file->attached) store->engine->ops->detach(store->engine, file);
        }
    engine_close(store->engine);
    if (store->kept) scratch_close(store, store->committed && (status || run->options.keep));
    for (int i = 0; i < STORE_FILES; i++)
        free(store->sum[i]);
    free(store->region);
    free(store);
    run->store = NULL;
}

static int file_of(const struct region *region, int generation) {
    return region->coef ? STORE_COEF : generation;
}

int store_add(struct store *store, struct io_batch *batch, const struct region *region, int generation,
              bool write, int64_t lo, int64_t hi, struct place place) {
    int status = 0;
    for (int64_t z = lo; z < hi && !status;) {
        const int64_t index = (z + place.first) % place.planes;
        const struct spot spot = stripe_find(store, region, file_of(region, generation), z);
        const int64_t run_of_planes = oocc_min(spot.planes, oocc_min(hi - z, place.planes - index));
        status = io_batch_add_pieces(batch, spot.file, write, place.base + index * region->stride_bytes,
                                     run_of_planes, region->plane_bytes, region->stride_bytes, spot.offset);
        z += run_of_planes;
    }
    return status;
}

/* The level that a region of a generation of level t holds. */
static int64_t holds(const struct region *region, int64_t t) {
    return region->coef ? 0 : t - region->level;
}

static uint64_t sum_of(const struct region *region, int64_t t, int64_t z, struct place place) {
    const struct record_identity identity = {
        .field = region->field, .level = region->level, .plane = z, .t = holds(region, t)};
    return checksum_record(place.base + (z + place.first) % place.planes * region->stride_bytes,
                           region->plane_bytes, &identity);
}

void store_seal(struct store *store, const struct region *region, int generation, int64_t t, int64_t lo,
                int64_t hi, struct place place) {
    uint64_t *sum = store->sum[file_of(region, generation)] + region->first_sum;
#pragma omp parallel for schedule(static)
    for (int64_t z = lo; z < hi; z++)
        sum[z] = sum_of(region, t, z, place);
}

int store_verify(struct oocc_run *run, const struct region *region, int generation, int64_t t, int64_t lo,
                 int64_t hi, struct place place) {
    struct store *store = run->store;
    const int file = file_of(region, generation);
    const uint64_t *sum = store->sum[file] + region->first_sum;
    int64_t bad = hi;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int64_t z = lo; z < hi; z++)
        if (sum[z] != sum_of(region, t, z, place)) bad = oocc_min(bad, z);
    if (bad == hi) return 0;
    const struct spot spot = stripe_find(store, region, file, bad);
    return run_fail(OOCC_CORRUPT,
                    "the device returned other bytes than were stored; begin again with --restart",
                    "%s is damaged: field %s, plane %" PRId64 ", level %" PRId64 " (byte %" PRId64
                    ") does not match its checksum",
                    spot.file->name, run->program->field[region->field].name, bad, holds(region, t), spot.offset);
}
