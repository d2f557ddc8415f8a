/* wanted.c: whatever was asked for is honoured or refused, never changed. */
#include "plan/planner.h"

#include "engines/engine.h"

#include "plan/columns.h"
#include "plan/tiles.h"
#include "storage/scratch.h"
#include "stream/wedge.h"

/* Options win over what the program was compiled with. */
static int64_t asked(int64_t option, int64_t compiled) {
    return option > 0 ? option : compiled;
}

const char *planner_feeding(const struct oocc_program *program) {
    for (int i = 0; i < program->watches; i++)
        if (program->watch[i].feeds) return program->watch[i].name;
    return NULL;
}

const char planner_feeding_text[] =
    "a reduction ('%s') is used by the step: every step waits for it, so a pass is one step";

static int check_depth(const struct planner *p, const struct shape *wanted) {
    const char *feeding = planner_feeding(p->program);
    if (feeding != NULL && (wanted->bt > 1 || wanted->ct > 1)) {
        char reason[192];
        snprintf(reason, sizeof reason, planner_feeding_text, feeding);
        return run_fail(OOCC_USAGE, "leave out --bt and --ct", "%s %lld is not possible: %s",
                        wanted->bt > 1 ? "bt" : "ct", (long long)(wanted->bt > 1 ? wanted->bt : wanted->ct),
                        reason);
    }
    const int64_t deepest = wedge_deepest(p->program, p->grid);
    const int64_t bt = oocc_min(wanted->bt, oocc_max(p->plan->steps, 1));
    if (bt <= deepest) return OOCC_OK;
    const struct wedge wedge = wedge_of(p->program, bt);
    char help[64];
    snprintf(help, sizeof help, "bt is at most %lld on this grid", (long long)deepest);
    return run_fail(
        OOCC_USAGE, help,
        "bt %lld is too deep for a periodic %s: a pass would read %lld planes before the grid and %lld "
        "after it, but the grid has %lld",
        (long long)bt, p->program->dim[0], (long long)wedge.head, (long long)wedge.tail,
        (long long)p->grid->planes);
}

int planner_check_wanted(struct planner *p) {
    const struct options *o = p->options;
    struct shape *wanted = &p->search.wanted;
    *wanted = (struct shape){.bt = asked(o->bt, p->program->bt),
                             .bz = asked(o->bz, p->program->bz),
                             .ct = asked(o->ct, p->program->ct),
                             .cut.columns = asked(o->columns, p->program->columns)};
    if (o->bt > 0 && o->ct > o->bt)
        return run_fail(OOCC_USAGE, "ct is the part of the bt levels that is done while data is in cache",
                        "--ct %lld is more than --bt %lld", (long long)o->ct, (long long)o->bt);
    if (o->schedule == SCHEDULE_SWEEP) {
        if (o->bt > 1 || o->ct > 1)
            return run_fail(OOCC_USAGE, "use --schedule stream or resident",
                            "schedule sweep advances one step per pass: --bt and --ct are 1");
        wanted->bt = wanted->ct = 1;
    }
    const int status = check_depth(p, wanted);
    if (status == OOCC_OK && planner_feeding(p->program) != NULL) wanted->bt = wanted->ct = 1;
    return status;
}

/* Columns that lean leave strips in files of the scratch, as the wave goes by. */
static const char *lean_refusal(const struct planner *p, bool device) {
    if (!p->program->tiling.leans) return "an update and what else writes its field lag differently";
    if (p->plan->schedule == SCHEDULE_OVERLAP) return "blocks of schedule overlap have halos";
    if (!engine_is_durable(p->plan->engine)) return "strips between them need files, and the engine keeps none";
    return device ? "strips between them need files, and a device has none" : NULL;
}

/* What is not possible is refused where it was asked for; otherwise halos it is. */
static int check_sides(struct planner *p, const char *reason) {
    p->search.sides = p->options->column_sides;
    if (reason == NULL || p->search.sides == SIDES_HALO) return OOCC_OK;
    if (p->search.sides == SIDES_LEAN)
        return run_fail(OOCC_USAGE, "leave out --column-sides", "columns cannot lean: %s", reason);
    p->search.sides = SIDES_HALO;
    return OOCC_OK;
}

/* What looks at every cell once cannot have halos. */
static void avoid_halos(struct planner *p) {
    char text[192];
    if (p->search.sides == SIDES_AUTO && columns_refusal(p->program, p->grid, false, text) != NULL) p->search.sides = SIDES_LEAN;
}

/* The line between two columns that lean may not reach into a third. */
static int check_lean_depth(const struct planner *p) {
    const struct shape *wanted = &p->search.wanted;
    const struct cut cut = p->search.cut;
    const int64_t bt = oocc_min(wanted->bt, search_most_steps(&p->search));
    if (bt == 0 || columns_allow(p->program, p->grid, cut, bt)) return OOCC_OK;
    int64_t deepest = 1;
    while (columns_allow(p->program, p->grid, cut, deepest + 1))
        deepest++;
    char help[96];
    snprintf(help, sizeof help, "bt is at most %lld on this grid; or --column-sides halo", (long long)deepest);
    return run_fail(OOCC_USAGE, help, "bt %lld is too deep for %lld columns that lean: each has at least %lld %s in every step",
                    (long long)bt, (long long)cut.columns, (long long)columns_least(p->program, true), tile_unit(p->grid));
}

/* What was compiled in counts where planes are streamed and can be cut; what is asked for is never left out. */
int planner_check_columns(struct planner *p) {
    struct shape *wanted = &p->search.wanted;
    const int64_t asked_for = p->options->columns;
    char text[192];
    bool device = false;
    int status = p->options->scratch ? scratch_has_device(p->options->scratch, &device) : OOCC_OK;
    if (status != OOCC_OK) return status;
    const char *const not_lean = lean_refusal(p, device);
    const bool may_lean = p->options->column_sides != SIDES_HALO && not_lean == NULL;
    const char *reason = columns_refusal(p->program, p->grid, may_lean, text);
    if (reason == NULL && (p->plan->in_place || p->plan->schedule == SCHEDULE_RESIDENT))
        reason = "the whole grid is in memory, and columns are for planes that are streamed";
    if (wanted->cut.columns > 1 && reason != NULL && asked_for > 1)
        return run_fail(OOCC_USAGE, "leave out --columns", "%lld columns are not possible: %s", (long long)asked_for,
                        reason);
    if (reason != NULL) wanted->cut.columns = 0;
    status = check_sides(p, not_lean);
    if (status != OOCC_OK) return status;
    avoid_halos(p);
    p->search.cut = (struct cut){oocc_max(1, wanted->cut.columns), p->search.sides == SIDES_LEAN};
    if (wanted->cut.columns <= 1) return OOCC_OK;
    const bool leans = p->search.sides == SIDES_LEAN;
    const int64_t least = columns_least(p->program, leans), most = columns_most(p->program, p->grid, leans);
    if (wanted->cut.columns <= most) return check_lean_depth(p);
    snprintf(text, sizeof text, "columns is at most %lld on this grid", (long long)most);
    return run_fail(OOCC_USAGE, text,
                    "%lld columns are too many: of %lld %s, each has a multiple of %lld, and at least %lld",
                    (long long)wanted->cut.columns, (long long)p->grid->extent[1], tile_unit(p->grid),
                    (long long)(p->grid->cut_bands * p->grid->band_rows), (long long)least);
}

/* Tiles from --yt: as many as keep at least yt rows each. Too narrow a tile would be used up by its own
 * slopes. */
int planner_check_tiles(struct planner *p) {
    struct shape *wanted = &p->search.wanted;
    const int64_t yt = asked(p->options->yt, p->program->yt), extent = p->search.work.tile_extent;
    if ((p->options->yt > 0 || p->options->chains > 0) && p->grid->ndim == 1)
        return run_fail(OOCC_USAGE, p->options->yt > 0 ? "leave out --yt" : "leave out --chains",
                        "a 1-D grid is not cut into tiles");
    if (p->options->xt > 0 && p->grid->ndim != 3)
        return run_fail(OOCC_USAGE, "leave out --xt", "rows are cut into pieces on 3-D grids only");
    if (extent <= 1) return OOCC_OK;
    const int64_t xt = asked(p->options->xt, p->program->xt);
    if (p->options->xt > 0 && p->program->tiling.whole_rows)
        return run_fail(
            OOCC_USAGE, "leave out --xt",
            "rows are not cut into pieces where %s is periodic: a cell at one end reads the other end",
            p->program->dim[p->grid->ndim - 1]);
    if (xt > 0 && p->grid->ndim == 3 && !p->program->tiling.whole_rows)
        wanted->pieces = oocc_max(1, p->grid->cells / xt);
    if (yt == 0) return OOCC_OK;
    wanted->tiles = oocc_max(1, extent / yt);
    const int64_t tiles = oocc_max(1, wanted->tiles / p->search.cut.columns);
    if (tiles == 1) return OOCC_OK;
    /* Of the passes that there will be: fewer levels may leave room for fewer tiles, along short grids. */
    const int64_t deepest = search_most_steps(&p->search), bt = wanted->bt > 0 ? oocc_min(wanted->bt, deepest) : deepest;
    const int64_t levels = oocc_max(1, oocc_min(wanted->ct, bt)), rows = search_tile_extent(&p->search, wanted->bt > 0 ? bt : 1);
    const int64_t most = tiles_most(p->program, rows, levels);
    if (tiles > most)
        return run_fail(OOCC_USAGE, levels > 1 ? "a wider tile, or a smaller ct" : "a wider tile",
                        "yt %lld is too narrow: with ct %lld a tile has at least %lld %s", (long long)yt,
                        (long long)levels, (long long)(extent / (most * p->search.cut.columns + 1) + 1), tile_unit(p->grid));
    return OOCC_OK;
}
