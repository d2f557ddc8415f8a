#include "stream/checks.h"

#include "observe/observe.h"
#include "stream/flow.h"
#include "stream/wedge.h"

/* What threads take one by one: of seals of several bands a band in all planes, otherwise a band of one plane. */
static int64_t units_of(const struct check *c) {
    return (c->band_hi - c->band_lo) * (c->taken ? 1 : c->hi - c->lo);
}

/* Band by band, as rows become ready to be written. */
static int64_t band_of(const struct check *c, int64_t unit) {
    return c->band_lo + (c->taken ? unit : unit / (c->hi - c->lo));
}

static int64_t band_end(const struct oocc_grid *grid, int64_t band) {
    return band + 1 == grid->bands ? grid->extent[1] : (band + 1) * grid->band_rows;
}

static bool has_arrived(struct check *c) {
    if (__atomic_load_n(&c->arrived, __ATOMIC_ACQUIRE)) return true;
    if (!io_batch_complete(c->arrives)) return false;
    __atomic_store_n(&c->arrived, true, __ATOMIC_RELEASE);
    return true;
}

static bool is_ready(const struct oocc_pass *pass, struct check *c, int64_t unit) {
    const struct oocc_grid *grid = pass->grid;
    if (!c->seal) return has_arrived(c);
    if (grid->bands == 1) return flow_has_finished(pass->flow, 0, INT64_MAX);
    const int64_t band = band_of(c, unit);
    return flow_has_finished(pass->flow, band * grid->band_rows, band_end(grid, band));
}

static void note_bad(struct check *c, int64_t place) {
    int64_t bad = __atomic_load_n(&c->bad, __ATOMIC_RELAXED);
    while (place < bad && !__atomic_compare_exchange_n(&c->bad, &bad, place, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static void do_band(const struct oocc_pass *pass, struct check *c, int64_t band, int64_t v) {
    struct oocc_run *run = pass->run;
    struct place place = c->place;
    wedge_run_end(pass->grid, c->head, v, v + 1, &place.first);
    const int64_t z = v - place.first;
    const bool good = c->seal ? store_seal_band(run, c->region, c->generation, c->t, z, band, place)
                              : store_verify_band(run, c->region, c->generation, c->t, z, band, place);
    if (!good) note_bad(c, z * c->region->bands + band);
}

static void do_unit(const struct oocc_pass *pass, struct check *c, int64_t unit) {
    const int64_t band = band_of(c, unit);
    if (!c->taken)
        do_band(pass, c, band, c->lo + unit % (c->hi - c->lo));
    else
        for (int64_t v = c->lo; v < c->hi; v++)
            do_band(pass, c, band, v);
}

/* A thread takes a unit of those that have a mark. */
static bool take(struct check *c, int64_t unit) {
    return !__atomic_load_n(&c->taken[unit], __ATOMIC_RELAXED) && !__atomic_exchange_n(&c->taken[unit], 1, __ATOMIC_RELAXED);
}

static enum spare seal_one(const struct oocc_pass *pass, struct check *c) {
    enum spare found = SPARE_NONE;
    for (int64_t unit = 0; unit < units_of(c); unit++) {
        if (__atomic_load_n(&c->taken[unit], __ATOMIC_RELAXED)) continue;
        found = SPARE_LATER;
        if (!is_ready(pass, c, unit) || !take(c, unit)) continue;
        do_unit(pass, c, unit);
        return SPARE_DONE;
    }
    return found;
}

/* Takes the next band and checks it. */
static enum spare do_one(const struct oocc_pass *pass, struct check *c) {
    if (c->taken) return seal_one(pass, c);
    int64_t unit = __atomic_load_n(&c->next, __ATOMIC_RELAXED);
    if (unit >= units_of(c)) return SPARE_NONE;
    if (!is_ready(pass, c, unit)) return c->seal ? SPARE_LATER : SPARE_NONE;
    if (__atomic_compare_exchange_n(&c->next, &unit, unit + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        do_unit(pass, c, unit);
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

static void seal_band(const struct oocc_pass *pass, struct check *const *seal, int count, int64_t band) {
    for (int i = 0; i < count; i++) {
        struct check *c = seal[i];
        if (c->taken && band >= c->band_lo && band < c->band_hi && take(c, band - c->band_lo))
            do_unit(pass, c, band - c->band_lo);
    }
}

int64_t checks_seal_rows(const struct oocc_pass *pass, struct check *const *seal, int count, int64_t lo, int64_t hi) {
    const struct oocc_grid *grid = pass->grid;
    int64_t band = (oocc_max(lo, 0) + grid->band_rows - 1) / grid->band_rows;
    for (; band < grid->bands && band_end(grid, band) <= hi; band++)
        seal_band(pass, seal, count, band);
    return oocc_max(lo, band * grid->band_rows);
}

void checks_seal_ready(const struct oocc_pass *pass, struct check *const *seal, int count, int64_t lo, int64_t hi) {
    const struct oocc_grid *grid = pass->grid;
    for (int64_t band = oocc_max(lo, 0) / grid->band_rows; band < grid->bands && band * grid->band_rows < hi; band++)
        if (flow_has_finished(pass->flow, band * grid->band_rows, band_end(grid, band))) seal_band(pass, seal, count, band);
}

void checks_finish(const struct oocc_pass *pass, struct check *const *check, int count) {
    int64_t left = 0;
    for (int i = 0; i < count; i++)
        for (int64_t unit = check[i]->next; unit < units_of(check[i]); unit++)
            left += !check[i]->taken || !check[i]->taken[unit];
    if (left == 0) return;
#pragma omp parallel
    for (int i = 0; i < count; i++) {
        struct check *c = check[i];
        for (int64_t unit; (unit = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED)) < units_of(c);)
            if (!c->taken || take(c, unit)) do_unit(pass, c, unit);
    }
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
