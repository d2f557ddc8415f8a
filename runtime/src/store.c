#include "store.h"

#include "checksum.h"
#include "scratch.h"

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
                                    .offset = store->file[first].bytes,
                                    .first_sum = store->records[first]};
            int64_t bytes;
            if (__builtin_mul_overflow(region.planes, region.plane_bytes, &bytes) ||
                __builtin_add_overflow(store->file[first].bytes, bytes, &store->file[first].bytes))
                return run_fail(OOCC_BAD_INPUT, "make the grid smaller",
                                "the stored grid does not fit 63 bits");
            store->records[first] += region.planes;
            store->region[store->regions++] = region;
        }
    }
    store->file[1].bytes = store->file[0].bytes;
    store->records[1] = store->records[0];
    for (int i = 0; i < STORE_FILES; i++) {
        store->file[i].fd = -1;
        store->file[i].request_bytes = run->plan.io_request_bytes;
        store->file[i].name = scratch_file_name(i);
        store->sum[i] = calloc((size_t)store->records[i] + 1, sizeof *store->sum[i]);
        if (!store->sum[i]) return run_fail(OOCC_NO_MEMORY, NULL, "no memory for the checksums");
    }
    return 0;
}

static int attach(struct store *store) {
    for (int i = 0; i < STORE_FILES; i++) {
        struct io_file *file = &store->file[i];
        const int status = file->bytes ? store->engine->ops->attach(store->engine, file) : 0;
        if (status) return status;
        file->attached = file->bytes > 0;
    }
    return 0;
}

int store_open(struct oocc_run *run) {
    struct store *store = calloc(1, sizeof *store);
    if (!store) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    store->directory_fd = store->lock_fd = -1;
    run->store = store;
    int status = lay_out(run, store);
    if (!status && engine_is_durable(run->plan.engine)) status = scratch_open(run, store);
    if (!status) status = engine_open(run->plan.engine, run->plan.io_depth, &store->engine);
    return status ? status : attach(store);
}

void store_close(struct oocc_run *run, int status) {
    struct store *store = run->store;
    if (!store) return;
    for (int i = 0; i < STORE_FILES; i++)
        if (store->file[i].attached) store->engine->ops->detach(store->engine, &store->file[i]);
    engine_close(store->engine);
    if (store->directory) scratch_close(run, store, store->committed && (status || run->options.keep));
    for (int i = 0; i < STORE_FILES; i++) {
        free(store->sum[i]);
        free(store->path[i]);
    }
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
        const int64_t run_of_planes = oocc_min(hi - z, place.planes - index);
        status = io_batch_add_pieces(batch, &store->file[file_of(region, generation)], write,
                                     place.base + index * region->stride_bytes, run_of_planes,
                                     region->plane_bytes, region->stride_bytes,
                                     region->offset + z * region->plane_bytes);
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
    const struct store *store = run->store;
    const int file = file_of(region, generation);
    const uint64_t *sum = store->sum[file] + region->first_sum;
    int64_t bad = hi;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int64_t z = lo; z < hi; z++)
        if (sum[z] != sum_of(region, t, z, place)) bad = oocc_min(bad, z);
    if (bad == hi) return 0;
    return run_fail(OOCC_CORRUPT,
                    "the device returned other bytes than were stored; begin again with --restart",
                    "%s is damaged: field %s, plane %" PRId64 ", level %" PRId64 " (byte %" PRId64
                    ") does not match its checksum",
                    store->file[file].name, run->program->field[region->field].name, bad, holds(region, t),
                    region->offset + bad * region->plane_bytes);
}
