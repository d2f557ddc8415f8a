#include "stream/checks.h"

#include "observe/observe.h"
#include "stream/flow.h"
#include "stream/wedge.h"

static int64_t bands_of(const struct check *c) {
    return (c->hi - c->lo) * (c->band_hi - c->band_lo);
}

/* Band by band, as rows become ready to be written. */
static int64_t band_of(const struct check *c, int64_t index) {
    return c->band_lo + index / (c->hi - c->lo);
}

static bool has_arrived(struct check *c) {
    if (__atomic_load_n(&c->arrived, __ATOMIC_ACQUIRE)) return true;
    if (!io_batch_complete(c->arrives)) return false;
    __atomic_store_n(&c->arrived, true, __ATOMIC_RELEASE);
    return true;
}

static bool is_ready(const struct oocc_pass *pass, struct check *c, int64_t index) {
    const struct oocc_grid *grid = pass->grid;
    if (!c->seal) return has_arrived(c);
    if (grid->bands == 1) return flow_has_finished(pass->flow, 0, INT64_MAX);
    const int64_t lo = band_of(c, index) * grid->band_rows;
    return flow_has_finished(pass->flow, lo, lo + grid->band_rows);
}

static void note_bad(struct check *c, int64_t place) {
    int64_t bad = __atomic_load_n(&c->bad, __ATOMIC_RELAXED);
    while (place < bad && !__atomic_compare_exchange_n(&c->bad, &bad, place, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static void do_band(const struct oocc_pass *pass, struct check *c, int64_t index) {
    struct oocc_run *run = pass->run;
    const int64_t band = band_of(c, index), v = c->lo + index % (c->hi - c->lo);
    struct place place = c->place;
    wedge_run_end(pass->grid, c->head, v, v + 1, &place.first);
    const int64_t z = v - place.first;
    const bool good = c->seal ? store_seal_band(run, c->region, c->generation, c->t, z, band, place)
                              : store_verify_band(run, c->region, c->generation, c->t, z, band, place);
    if (!good) note_bad(c, z * c->region->bands + band);
}

/* Takes the next band and checks it. */
static enum spare do_one(const struct oocc_pass *pass, struct check *c) {
    int64_t index = __atomic_load_n(&c->next, __ATOMIC_RELAXED);
    if (index >= bands_of(c)) return SPARE_NONE;
    if (!is_ready(pass, c, index)) return c->seal ? SPARE_LATER : SPARE_NONE;
    if (__atomic_compare_exchange_n(&c->next, &index, index + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        do_band(pass, c, index);
    return SPARE_DONE;
}

enum spare checks_spare(const struct oocc_pass *pass, struct check *const *check, int count) {
    enum spare all = SPARE_NONE;
    for (int i = 0; i < count; i++) {
        const enum spare one = do_one(pass, check[i]);
        if (one == SPARE_DONE) return one;
        if (one == SPARE_LATER) all = one;
    }
    return all;
}

void checks_finish(const struct oocc_pass *pass, struct check *const *check, int count) {
    int64_t left = 0;
    for (int i = 0; i < count; i++)
        left += oocc_max(0, bands_of(check[i]) - check[i]->next);
    if (left == 0) return;
#pragma omp parallel
    for (int i = 0; i < count; i++)
        for (int64_t index; (index = __atomic_fetch_add(&check[i]->next, 1, __ATOMIC_RELAXED)) < bands_of(check[i]);)
            do_band(pass, check[i], index);
}

int check_result(const struct oocc_pass *pass, const struct check *c) {
    struct oocc_run *run = pass->run;
    if (c->bad == INT64_MAX) return 0;
    const int64_t z = c->bad / c->region->bands, band = c->bad % c->region->bands;
    if (!c->seal) return store_damaged(run, c->region, c->generation, c->t, z, band);
    struct place place = c->place;
    place.first = c->head;
    finite_found(run, c->region->field, z, (struct part){z, z + 1, c->band_lo, c->band_hi}, place);
    return 0;
}
