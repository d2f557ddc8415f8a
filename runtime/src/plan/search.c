/*
 * search.c: goes through all shapes worth a look and asks the cost model. Among shapes that differ by less
 * than the model can tell, the one with fewer passes, then the deeper one, is taken: disks are slower than
 * nominal more often than cores are.
 */
#include "plan/search.h"

#include "observe/observe.h"
#include "plan/columns.h"
#include "plan/loops.h"
#include "plan/tiles.h"
#include "stream/overlap.h"
#include "stream/wedge.h"

static const double tie = 1.005;

/* Caches are shared with others, whom the probe met or not. What fills less than `safe` of its share stays there; a tile that needs
 * all of it is counted as slower by `premium`, for the risk (docs/speed.md, "Tiles, and who else is there"). */
static const double premium = 0.1, safe = 0.4;

static double risk(const struct search *search, const struct shape *shape) {
    return premium * oocc_max_f64(0, loops_filled(&search->work, shape) - safe) / (1 - safe);
}

int64_t search_window(const struct search *search, int64_t bt, int64_t bz) {
    const struct workload *work = &search->work;
    const int64_t bytes = window_most_bytes(work->program, work->grid, work->steps, bt, bz, search->cut,
                                            search->read_ahead, search->write_behind, work->window);
    return bytes < 0 ? INT64_MAX : bytes;
}

int64_t search_needs(const struct search *search, int64_t bt, int64_t bz) {
    const int64_t observed = observe_bytes(search->work.program, search->work.threads, bt);
    int64_t bytes;
    return __builtin_add_overflow(search_window(search, bt, bz), observed, &bytes) ? INT64_MAX : bytes;
}

bool search_fits(const struct search *search, int64_t bt, int64_t bz) {
    return search_needs(search, bt, bz) <= search->room_bytes && columns_allow(search->work.program, search->work.grid, search->cut, bt);
}

int64_t search_most_steps(const struct search *search) {
    const struct workload *work = &search->work;
    return oocc_min(oocc_min(oocc_max(work->steps, 1), wedge_deepest(work->program, work->grid)),
                    cut_steps(work->program, work->in_place, 0));
}

/* So many depths that the halving has passed over are looked at, and programs of no longer periods. */
enum { DEPTHS_MOST = 256, PERIOD_MOST = 64 };

/* Whether passes of just bt steps fit: of the steps there are, a shorter one may be left. */
static bool fits_alone(const struct search *search, int64_t bt, int64_t bz) {
    const struct workload *work = &search->work;
    const int64_t observed = observe_bytes(work->program, work->threads, bt);
    const int64_t bytes = window_bytes(work->program, work->grid, bt, bz, search->cut, search->read_ahead,
                                       search->write_behind, work->window);
    return bytes >= 0 && columns_allow(work->program, work->grid, search->cut, bt) && observed <= search->room_bytes && bytes <= search->room_bytes - observed;
}

/* The deepest that fits alone: windows grow with bt from period to period, whatever they do in between. */
static int64_t deepest_alone(const struct search *search, int64_t bz, int64_t most) {
    const int64_t period = window_period(search->work.program);
    int64_t deepest = 0;
    if (period > PERIOD_MOST) return 0;
    for (int64_t first = 1; first <= oocc_min(period, most); first++) {
        int64_t periods = -1; /* first + periods*period fits */
        for (int64_t step = (int64_t)1 << 61; step > 0; step /= 2)
            if (step <= (most - first) / period - periods &&
                fits_alone(search, first + (periods + step) * period, bz))
                periods += step;
        if (periods >= 0) deepest = oocc_max(deepest, first + periods * period);
    }
    return deepest;
}

/* From there down, since the pass that is left over, or any shorter one that a run may ask for, must fit as well. What
 * fits when it is looked for by halves is a lower bound. */
int64_t search_deepest(const struct search *search, int64_t bz, int64_t most) {
    int64_t fits = 0;
    for (int64_t step = (int64_t)1 << 62; step > 0; step /= 2)
        if (step <= most - fits && search_fits(search, fits + step, bz)) fits += step;
    const int64_t deepest = deepest_alone(search, bz, most);
    for (int64_t bt = deepest; bt > oocc_max(fits, deepest - DEPTHS_MOST); bt--)
        if (search_fits(search, bt, bz)) return bt;
    return fits;
}

/* When the disk holds everything up, idle cores are still better than busy ones. */
static double score(const struct found *found) {
    return found->rank + 0.01 * found->cost.compute_seconds;
}

static bool better(const struct search *search, const struct found *new, const struct found *old) {
    if (new->shape.bt == old->shape.bt) return score(new) < score(old);
    const int64_t steps = oocc_max(search->work.steps, 1);
    const int64_t new_passes = (steps - 1) / new->shape.bt, old_passes = (steps - 1) / old->shape.bt;
    return new_passes != old_passes ? new_passes < old_passes : new->shape.bt > old->shape.bt;
}

static void try_shape(const struct search *search, const struct run_volume *volume, struct shape shape, double *least,
                      struct found *found) {
    struct found new = {.shape = shape, .cost = cost_of_volume(&search->work, volume, &shape)};
    new.rank = new.cost.seconds + risk(search, &shape) * new.cost.compute_seconds;
    if (new.rank < *least) *least = new.rank;
    if (found->cost.bound == NULL || found->rank > *least * tie || (new.rank <= *least * tie && better(search, &new, found)))
        *found = new;
}

int64_t search_tile_extent(const struct search *search, int64_t bt) {
    const struct workload *work = &search->work;
    return search->cut.columns > 1 ? columns_narrowest(work->program, work->grid, search->cut, bt) : work->tile_extent;
}

static void try_tiles(const struct search *search, const struct run_volume *volume, struct shape shape, double *least,
                      struct found *found) {
    const struct workload *work = &search->work;
    const int64_t threads = work->threads;
    const int64_t rows = search_tile_extent(search, shape.bt);
    if (search->wanted.tiles > 0 || work->tile_extent <= 1) {
        shape.tiles = oocc_max(1, search->wanted.tiles / search->cut.columns);
        if (shape.tiles <= tiles_most(work->program, rows, shape.ct))
            try_shape(search, volume, shape, least, found);
        return;
    }
    const int64_t most = tiles_most(work->program, rows, shape.ct);
    for (shape.tiles = 1; shape.tiles < oocc_min(threads, most + 1); shape.tiles++)
        try_shape(search, volume, shape, least, found);
    /* Whole rounds of the threads; far up, steps of a tenth. */
    for (int64_t rounds = 1; rounds * threads <= most; rounds += oocc_max(1, rounds / 10)) {
        shape.tiles = rounds * threads;
        try_shape(search, volume, shape, least, found);
    }
}

void search_tiles(const struct search *search, int64_t bt, int64_t bz, double *least,
                  struct found *found) {
    struct shape shape = {
        .bt = bt, .bz = bz, .pieces = pieces_of(search->work.program, search->work.grid, search->wanted.pieces), .cut = search->cut};
    const struct run_volume volume = cost_volume_of(&search->work, bt, bz, search->cut);
    if (found->cost.bound != NULL && volume.io_seconds > *least * tie) return; /* however tiles are cut */
    if (search->wanted.ct > 0 || search->work.tile_extent <= 1) {
        shape.ct = search->wanted.ct > 0 ? oocc_min(search->wanted.ct, bt) : bt;
        try_tiles(search, &volume, shape, least, found);
        return;
    }
    for (int64_t aim = 1; aim <= oocc_min(bt, TILES_DEEPEST); aim = next_notch(aim)) {
        const int64_t groups = (bt - 1) / aim + 1;
        shape.ct = (bt - 1) / groups + 1; /* equal groups: 20 levels by 16 are two of 10 */
        try_tiles(search, &volume, shape, least, found);
    }
}

/* Depths that are looked at first: from one to the next so large a part. */
enum { COARSE = 8 };

/* All depths between those that were looked at beside the best one. */
static void search_depths(const struct search *search, double *least, struct found *found) {
    const int64_t best = found->shape.bt, bz = found->shape.bz, apart = 1 + best / COARSE;
    const int64_t most = oocc_min(best + apart, search_deepest(search, bz, search_most_steps(search)));
    for (int64_t bt = oocc_max(1, best - apart); bt <= most; bt += 1 + bt / 128)
        if (bt != best && search_fits(search, bt, bz)) search_tiles(search, bt, bz, least, found);
}

static bool search_columns(const struct search *search, struct found *found) {
    const struct shape *wanted = &search->wanted;
    const int64_t steps = search_most_steps(search);
    double least = 1e300;
    *found = (struct found){0};
    for (int64_t bz = wanted->bz > 0 ? wanted->bz : 1;; bz = next_notch(bz)) {
        const int64_t deepest = wanted->bt > 0 ? oocc_min(wanted->bt, steps) : search_deepest(search, bz, steps);
        for (int64_t bt = wanted->bt > 0 ? deepest : 1; bt < deepest; bt += 1 + bt / COARSE)
            if (search_fits(search, bt, bz)) search_tiles(search, bt, bz, &least, found);
        if (deepest > 0 && search_fits(search, deepest, bz)) search_tiles(search, deepest, bz, &least, found);
        if (wanted->bz > 0 || bz >= search->work.grid->planes) break;
    }
    if (found->cost.bound == NULL) return false;
    if (wanted->bt == 0) search_depths(search, &least, found);
    return true;
}

/* The widest blocks that fit, evened out; 0 when none does. One or two blocks are kept in fewer copies than more
 * would be, so they may fit where narrower ones do not. */
static int64_t widest_block(const struct search *search, int64_t bt) {
    const int64_t planes = search->work.grid->planes, half = (planes - 1) / 2 + 1;
    if (search_fits(search, bt, planes)) return planes;
    if (search_fits(search, bt, half)) return half;
    int64_t fits = 0, least = 1;
    for (int64_t most = half - 1; least <= most;) {
        const int64_t middle = least + (most - least) / 2;
        if (search_fits(search, bt, middle)) {
            fits = middle;
            least = middle + 1;
        } else {
            most = middle - 1;
        }
    }
    return fits > 0 ? (planes - 1) / overlap_blocks(search->work.grid, fits) + 1 : 0;
}

/* Of schedule overlap: the larger the blocks, the less is read and computed twice. */
static bool search_blocks(const struct search *search, struct found *found) {
    const struct shape *wanted = &search->wanted;
    const int64_t steps = search_most_steps(search);
    double least = 1e300;
    *found = (struct found){0};
    const int64_t from = wanted->bt > 0 ? oocc_min(wanted->bt, steps) : 1;
    const int64_t to = wanted->bt > 0 ? from : search_deepest(search, oocc_max(1, wanted->bz), steps);
    for (int64_t bt = from; bt <= to; bt += 1 + bt / 128) {
        const int64_t bz = wanted->bz > 0 ? wanted->bz : widest_block(search, bt);
        if (bz > 0 && search_fits(search, bt, bz)) search_tiles(search, bt, bz, &least, found);
    }
    return found->cost.bound != NULL;
}

/* A column more than what is needed costs little by the model; the model is rough. */
static const double columns_gain = 0.97;

/* Whether planes may be cut so: by what was asked for of the sides, and by how narrow columns may be. */
static bool may_cut(const struct search *search, struct cut cut) {
    if (cut.columns <= 1) return !cut.leans;
    return (search->sides == SIDES_AUTO || cut.leans == (search->sides == SIDES_LEAN)) &&
           cut.columns <= columns_most(search->work.program, search->work.grid, cut.leans);
}

/* With so many columns: the sides that were asked for, or those that are faster. */
static bool search_sides(struct search *with, int64_t columns, struct found *found) {
    const bool blocks = with->work.window == WINDOW_BLOCKS;
    bool fits = false;
    *found = (struct found){0};
    for (int leans = 0; leans <= 1; leans++) {
        struct found new;
        with->cut = (struct cut){columns, leans};
        if (!may_cut(with, with->cut)) continue;
        if (!(blocks ? search_blocks : search_columns)(with, &new)) continue;
        if (!fits || new.rank < found->rank) *found = new;
        fits = true;
    }
    return fits;
}

enum { COLUMNS_MOST = 64 };

/* How many columns planes may have, and the next number of them that is looked at. */
static int64_t most_columns(const struct search *search) {
    return oocc_min(columns_most(search->work.program, search->work.grid, search->sides == SIDES_LEAN), COLUMNS_MOST);
}

static int64_t more_columns(int64_t columns) {
    return columns + 1 + columns / 4;
}

int64_t search_least(const struct search *search, int64_t bt, int64_t bz) {
    struct search with = *search;
    const int64_t wanted = search->wanted.cut.columns, most = oocc_max(wanted, most_columns(search));
    int64_t least = INT64_MAX;
    for (int64_t columns = oocc_max(wanted, 1); columns <= most; columns = wanted > 0 ? INT64_MAX : more_columns(columns))
        for (int leans = 0; leans <= 1; leans++) {
            with.cut = (struct cut){columns, leans};
            if (may_cut(&with, with.cut) && columns_allow(with.work.program, with.work.grid, with.cut, bt))
                least = oocc_min(least, search_needs(&with, bt, bz));
        }
    return least;
}

bool search_all(const struct search *search, struct found *found) {
    struct search with = *search;
    if (search->wanted.cut.columns > 0) return search_sides(&with, search->wanted.cut.columns, found);
    const int64_t most = most_columns(search);
    bool fits = false;
    *found = (struct found){0};
    for (int64_t columns = 1, worse = 0; columns <= most && worse < 3; columns = more_columns(columns)) {
        struct found new;
        if (!search_sides(&with, columns, &new)) continue;
        const bool gains = !fits || new.rank < found->rank * columns_gain;
        if (gains) *found = new;
        worse = gains ? 0 : worse + 1;
        fits = true;
    }
    return fits;
}
