#include "storage/store.h"

#include "observe/observe.h"
#include "storage/manifest.h"
#include "storage/scratch.h"
#include "storage/stripe.h"
#include "support/checksum.h"
#include "support/fault.h"

#include <inttypes.h>
#include <stdlib.h>

const char *const store_file_name[STORE_FILES] = {"gen0", "gen1", "gen2", "coef"};

/* Regions and checksums; every offset fits, since grid_layout has checked the products and the sums are
 * checked here. */
int store_lay_out(const struct oocc_run *run, struct store *store) {
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
                                    .bands = run->grid.bands,
                                    .first_sum = store->sums[coef ? SUMS_COEF : 0]};
            const int status = stripe_lay_out(store, &region, first);
            if (status) return status;
            store->sums[coef ? SUMS_COEF : 0] += region.planes * region.bands;
            store->region[store->regions++] = region;
        }
    }
    for (int m = 0; m < store->members; m++)
        for (int g = 1; g < store->generations; g++)
            store->member[m].share[g] = store->member[m].share[0];
    store->sums[1] = store->sums[0];
    store->trace_sum = calloc((size_t)program->records + 1, sizeof *store->trace_sum);
    if (!store->trace_sum) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    for (int i = 0; i < SUMS; i++) {
        store->sum[i] = calloc((size_t)store->sums[i] + 1, sizeof *store->sum[i]);
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
    struct member *member = &store->member[0];
    for (int i = 0; i < STORE_FILES; i++) {
        member->file[i].fd = -1;
        member->file[i].name = store_file_name[i];
        member->file[i].bytes = member->share[i];
    }
}

int store_open(struct oocc_run *run) {
    struct store *store = calloc(1, sizeof *store);
    if (!store) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    run->store = store;
    store->strip_bytes = run->plan.strip_bytes;
    store->kept = engine_is_durable(run->plan.engine);
    store->members = 1;
    store->generations = store->kept ? STORE_GENERATIONS : 2; /* as long as there is room (scratch.c) */
    store->durable = -1;
    store->committed_at = machine_seconds();
    store->next = 1;
    store->table[1] = 1;
    int status = store->kept ? scratch_open(run, store, run->options.resume ? MEMBER_RESUME : MEMBER_BEGIN) : 0;
    if (!status) status = store_lay_out(run, store);
    if (!status && store->kept)
        status = scratch_make(run, store);
    else if (!status)
        use_memory(store);
    if (!status) status = engine_open(run->plan.engine, run->plan.io_depth, &store->engine);
    if (!status) status = fault_wrap(&store->engine);
    if (!status) status = attach(run, store);
    store->open = !status;
    return status;
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
    /* The kernel may have dropped what a sync should have kept, of the recent state too. */
    if (store->damaged || (store->failed && store->durable >= 0)) manifest_drop_recent(store);
    if (store->kept) scratch_close(store, store_can_resume(run) && (status || run->options.keep));
    for (int i = 0; i < SUMS; i++)
        free(store->sum[i]);
    free(store->trace_sum);
    free(store->region);
    free(store);
    run->store = NULL;
}

static int file_of(const struct region *region, int generation) {
    return region->coef ? STORE_COEF : generation;
}

int store_add(struct oocc_run *run, struct io_batch *batch, const struct region *region, int generation,
              bool write, struct part part, struct place place) {
    const struct block_range blocks = grid_blocks(&run->grid, region->field, part.band_lo, part.band_hi);
    const int64_t from = blocks.from, bytes = blocks.to - blocks.from;
    const bool whole = bytes == region->plane_bytes; /* planes follow each other in the file */
    int status = 0;
    for (int64_t z = part.lo; z < part.hi && !status;) {
        const struct spot spot = stripe_find(run->store, region, file_of(region, generation), z);
        const int64_t to_end = oocc_min(spot.planes, place.planes - (z + place.first) % place.planes);
        const int64_t planes = whole ? oocc_min(part.hi - z, to_end) : 1;
        status = io_batch_add_pieces(batch, spot.file, write, place_plane(place, z) + from, planes, bytes,
                                     place.stride_bytes, spot.offset + from);
        z += planes;
    }
    return status;
}

int64_t store_level(const struct region *region, int64_t t) {
    return region->coef ? 0 : t - region->level;
}

uint64_t store_sum(const struct oocc_grid *grid, const struct region *region, int64_t t, int64_t z,
                       int64_t band, struct place place) {
    const struct record_identity identity = {
        .field = region->field, .level = region->level, .plane = z, .t = store_level(region, t), .band = band};
    const int64_t from = grid_band_offset(grid, region->field, band);
    return checksum_band(place_plane(place, z) + from, grid_band_offset(grid, region->field, band + 1) - from,
                         &identity);
}

static uint64_t *sum_of(const struct oocc_run *run, const struct region *region, int generation, int64_t z, int64_t band) {
    return &store_sums(run->store, region, generation)[z * region->bands + band];
}

bool store_seal_band(struct oocc_run *run, const struct region *region, int generation, int64_t t, int64_t z, int64_t band,
                     struct place place) {
    *sum_of(run, region, generation, z, band) = store_sum(&run->grid, region, t, z, band, place);
    return region->level > 0 || !finite_wanted(run, region->field) ||
           finite_plane(run, region->field, z, (struct part){z, z + 1, band, band + 1}, place);
}

void store_seal(struct oocc_run *run, const struct region *region, int generation, int64_t t, struct part part,
                struct place place) {
#pragma omp parallel for schedule(static) collapse(2)
    for (int64_t z = part.lo; z < part.hi; z++)
        for (int64_t band = part.band_lo; band < part.band_hi; band++)
            *sum_of(run, region, generation, z, band) = store_sum(&run->grid, region, t, z, band, place);
}

const char *store_band_text(char *buffer, size_t size, const struct oocc_run *run, int64_t band) {
    const struct oocc_grid *grid = &run->grid;
    const int64_t first = band * grid->band_rows;
    *buffer = 0;
    if (grid->bands > 1)
        snprintf(buffer, size, "%s %" PRId64 " to %" PRId64 " of ", grid->ndim == 4 ? "layers" : "rows", first,
                 oocc_min(first + grid->band_rows, grid->extent[1]) - 1);
    return buffer;
}

bool store_verify_band(const struct oocc_run *run, const struct region *region, int generation, int64_t t, int64_t z, int64_t band,
                       struct place place) {
    return *sum_of(run, region, generation, z, band) == store_sum(&run->grid, region, t, z, band, place);
}

int store_verify(struct oocc_run *run, const struct region *region, int generation, int64_t t, struct part part,
                 struct place place) {
    int64_t bad = INT64_MAX;
#pragma omp parallel for schedule(static) collapse(2) reduction(min : bad)
    for (int64_t z = part.lo; z < part.hi; z++)
        for (int64_t band = part.band_lo; band < part.band_hi; band++)
            if (!store_verify_band(run, region, generation, t, z, band, place)) bad = oocc_min(bad, z * region->bands + band);
    return bad == INT64_MAX ? 0 : store_damaged(run, region, generation, t, bad / region->bands, bad % region->bands);
}

int store_damaged(const struct oocc_run *run, const struct region *region, int generation, int64_t t, int64_t z, int64_t band) {
    const struct spot spot = stripe_find(run->store, region, file_of(region, generation), z);
    char rows[64];
    const bool older = !region->coef && run->store->durable >= 0 && run->store->durable != generation;
    run->store->damaged |= !region->coef && generation == run->store->generation;
    return run_fail(OOCC_CORRUPT,
                    older ? "the device returned other bytes than were stored; --resume goes on from the last commit, which is another file"
                          : "the device returned other bytes than were stored; begin again with --restart",
                    "%s is damaged: field %s, %splane %" PRId64 ", level %" PRId64 " (byte %" PRId64
                    ") does not match its checksum",
                    spot.file->name, run->program->field[region->field].name,
                    store_band_text(rows, sizeof rows, run, band), z, store_level(region, t),
                    spot.offset + grid_band_offset(&run->grid, region->field, band));
}
