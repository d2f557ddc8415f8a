/*
 * model.c: chooses the plan. First what moves the bytes (engine, schedule), then what is left of the budget
 * for the window, then the shape that the cost model finds fastest.
 */
#include "plan/planner.h"

#include "engines/engine.h"
#include "observe/observe.h"
#include "plan/columns.h"
#include "plan/plan_json.h"
#include "plan/strip.h"
#include "plan/tiles.h"
#include "stream/overlap.h"
#include "stream/wedge.h"

#include <stdlib.h>
#include <string.h>

/* Once engine and schedule are known. */
static void begin_search(struct planner *p) {
    struct plan *plan = p->plan;
    plan->read_ahead = plan->write_behind = plan->in_place || plan->schedule == SCHEDULE_RESIDENT ? 0 : 1;
    planner_count_bytes(p);
    p->search.work = workload_of(p->program, p->grid, p->machine, plan);
    p->search.read_ahead = plan->read_ahead;
    p->search.write_behind = plan->write_behind;
    p->search.room_bytes =
        (planner_swaps(plan) && plan->in_place ? p->machine->swappable_bytes : plan->budget_bytes) -
        plan->fixed_bytes;
}

/* -- engine and schedule ----------------------------------------------------------------------- */

/* Trying writes to the scratch, which takes long while others do. */
static bool tried_before(const struct planner *p, const char *scratch, const char *wanted) {
    const struct plan *before = &p->before;
    return before->probed != NULL && strcmp(before->probed, wanted) == 0 && before->scratch != NULL && strcmp(before->scratch, scratch) == 0;
}

static int probe(struct planner *p, const char *wanted) {
    const char *scratch = p->options->scratch != NULL ? p->options->scratch : ".";
    struct plan *plan = p->plan;
    int status = OOCC_OK;
    if (tried_before(p, scratch, wanted)) {
        plan->engine = p->before.engine;
        plan->engine_reason = p->before.engine_reason;
    } else {
        plan->engine = engine_probe(scratch, wanted, &plan->engine_reason, &status);
    }
    plan->probed = plan->engine != NULL ? wanted : NULL;
    plan->scratch = p->options->scratch;
    return plan->engine != NULL ? OOCC_OK : status;
}

/* In the arrays of an engine or, unless the grid is streamed through a window, in the window itself. */
static void use_memory(struct planner *p, const char *engine, const char *reason) {
    p->plan->engine = engine;
    p->plan->engine_reason = reason;
    p->plan->in_place =
        p->plan->schedule != SCHEDULE_STREAM && p->plan->schedule != SCHEDULE_OVERLAP;
}

static bool in_place_fits(struct planner *p) {
    const struct plan before = *p->plan;
    p->plan->schedule = SCHEDULE_RESIDENT;
    use_memory(p, "memory", "");
    begin_search(p);
    const struct shape *wanted = &p->search.wanted;
    const int64_t bt = oocc_min(oocc_max(1, wanted->bt), search_most_steps(&p->search));
    const bool fits = search_fits(&p->search, bt, oocc_max(1, wanted->bz));
    *p->plan = before;
    return fits;
}

static int choose_engine(struct planner *p) {
    const char *wanted = p->options->engine;
    struct plan *plan = p->plan;
    const bool any = strcmp(wanted, "auto") == 0, memory = strcmp(wanted, "memory") == 0;
    const bool swap = strcmp(wanted, "swap") == 0;
    plan->schedule = p->options->schedule;
    const bool columns = p->options->columns > 1; /* which only planes that are streamed have */
    if (plan->schedule == SCHEDULE_AUTO && columns) plan->schedule = SCHEDULE_STREAM;
    if (plan->schedule == SCHEDULE_AUTO)
        plan->schedule = memory || (any && in_place_fits(p)) ? SCHEDULE_RESIDENT : SCHEDULE_STREAM;
    if (memory || swap)
        use_memory(p, memory ? "memory" : "swap", "asked for");
    else if (any && plan->schedule == SCHEDULE_RESIDENT)
        use_memory(p, "memory",
                   p->options->schedule == SCHEDULE_AUTO ? "the whole grid fits" : "schedule resident");
    else if (any && plan->schedule == SCHEDULE_SWEEP && !columns && in_place_fits(p))
        use_memory(p, "memory", "the whole grid fits");
    else
        return probe(p, wanted);
    return OOCC_OK;
}

/* -- the shape --------------------------------------------------------------------------------- */

/* The widest slab whose window fits, 0 when none does. The whole grid is in the window, so one slab is best; in
 * place the rings of temps grow with it. */
static int64_t widest_slab(const struct planner *p, int64_t bt) {
    const struct search *search = &p->search;
    int64_t bz = search->wanted.bz > 0 ? search->wanted.bz : cost_wave_planes(&search->work, bt);
    while (!search_fits(search, bt, bz)) {
        if (search->wanted.bz > 0 || !p->plan->in_place || bz == 1) return 0;
        bz /= 2;
    }
    return bz;
}

static int refuse_resident(const struct planner *p, int64_t bt) {
    const struct plan *plan = p->plan;
    const struct search *search = &p->search;
    const int64_t steps = plan->in_place && search->wanted.bt == 0 ? 1 : bt;
    const int64_t bz = search->wanted.bz > 0 ? search->wanted.bz
                       : plan->in_place      ? 1
                                             : cost_wave_planes(&search->work, steps);
    char what[128];
    snprintf(what, sizeof what, "schedule %s on engine %s", schedule_name(plan->schedule), plan->engine);
    return planner_refuse(p, what, search_needs(search, steps, bz),
                  strcmp(p->options->engine, "memory") == 0 || planner_swaps(plan)
                      ? "--engine auto streams from disk"
                      : "--schedule stream");
}

static const double pass_seconds = 2; /* in place, about */
/* Where tiles adapt, that many steps may be worth a pass, and passes end when it is time (adapt.h). */
enum { ADAPTING_STEPS = 128 };

/* A pass of all steps, unless that makes the window too large (temps) or too much to compute twice (periodic). In
 * place a pass costs next to nothing, so a long run is cut into passes of about two seconds (whole groups): there is
 * progress to show, and the wave's way into and out of the grid stays short. */
static int choose_resident(struct planner *p, struct found *found) {
    const struct search *search = &p->search;
    const struct shape *wanted = &search->wanted;
    const int64_t most = search_most_steps(search), from = wanted->bt > 0 ? oocc_min(wanted->bt, most) : most;
    const bool thin = search->work.tile_extent <= 1; /* nothing is tiled: thin slabs are what stays in cache */
    double least_seconds = 1e300;
    for (int64_t bt = from; bt > 0; bt -= 1 + bt / 16) {
        const int64_t widest = widest_slab(p, bt);
        for (int64_t bz = widest; bz > 0; bz = thin && wanted->bz == 0 ? bz / 2 : 0)
            search_tiles(search, bt, bz, &least_seconds, found);
        if (wanted->bt > 0 || (found->cost.bound != NULL && !p->program->wedge.periodic && !thin)) break;
    }
    if (found->cost.bound == NULL) return refuse_resident(p, from);
    if (!p->plan->in_place || wanted->bt > 0) return OOCC_OK;
    struct shape *shape = &found->shape;
    const double fit = pass_seconds * (double)oocc_max(p->plan->steps, 1) / found->cost.seconds;
    if (fit < (double)shape->bt) {
        const bool adapts = options_adapt(p->program, p->options) && search->work.tile_extent > 1;
        const int64_t least = adapts && !p->program->wedge.periodic ? oocc_max(2, ADAPTING_STEPS / shape->ct) : 2;
        shape->bt = oocc_min(shape->bt, oocc_max(least, (int64_t)fit / shape->ct) * shape->ct);
        if (wanted->bz == 0) shape->bz = oocc_min(shape->bz, cost_wave_planes(&search->work, shape->bt));
        found->cost = cost_of_run(&search->work, shape);
    }
    return OOCC_OK;
}

static int choose_stream(struct planner *p, struct found *found) {
    const struct search *search = &p->search;
    const bool blocks = p->plan->schedule == SCHEDULE_OVERLAP;
    if (search_all(search, found)) return OOCC_OK;
    const int64_t bt = oocc_min(oocc_max(1, search->wanted.bt), search_most_steps(search));
    const int64_t bz = oocc_max(1, search->wanted.bz);
    char what[128];
    if (bt > 1 || bz > 1) {
        snprintf(what, sizeof what, blocks ? "a block with its halo (bt %lld, bz %lld)" : "bt %lld with bz %lld",
                 (long long)bt, (long long)bz);
        return planner_refuse(p, what, search_least(search, bt, bz), "smaller --bt and --bz");
    }
    return planner_refuse(p, "the smallest window (bt 1, bz 1)", search_least(search, 1, 1), NULL);
}

int planner_open(struct planner *p, const struct oocc_program *program, const struct options *options,
                 const struct machine *machine, const struct oocc_grid *grid, int64_t remaining,
                 struct plan *plan) {
    const struct plan before = *plan;
    *plan = (struct plan){.threads = options->threads > 0 ? options->threads : machine->cores,
                          .steps = remaining,
                          .commit_every = options->commit_every,
                          .io_depth = options->io_depth,
                          .io_request_bytes =
                              options->io_request_bytes > 0 ? options->io_request_bytes : IO_REQUEST_BYTES};
    *p = (struct planner){program, options, machine, grid, plan, {.cut = {1, false}}, before};
    planner_choose_budget(p);
    int status = planner_check_wanted(p);
    if (status != OOCC_OK || (status = choose_engine(p)) != OOCC_OK) return status;
    begin_search(p);
    status = planner_check_columns(p);
    return status != OOCC_OK ? status : planner_check_tiles(p);
}

/* Tuning has found a shape for runs like this one: it is taken where it fits, and not more steps than there are. In
 * place it says only how the slab is cut. */
static void take_tuned(struct planner *p) {
    const struct tuned *tuned = p->machine->tuned;
    struct shape *wanted = &p->search.wanted;
    const struct workload *work = &p->search.work;
    if (tuned == NULL || wanted->bt > 0 || wanted->bz > 0 || wanted->ct > 0 || wanted->tiles > 0 ||
        wanted->pieces > 0 || wanted->cut.columns > 0 || (tuned->bt > 0) != (p->plan->schedule == SCHEDULE_STREAM))
        return;
    const int64_t most = search_most_steps(&p->search);
    const struct shape shape = {.bt = oocc_min(tuned->bt, most),
                                .bz = tuned->bz,
                                .ct = oocc_min(tuned->ct, tuned->bt > 0 ? oocc_min(tuned->bt, most) : most),
                                .tiles = tuned->tiles,
                                .pieces = tuned->pieces,
                                 .cut = {oocc_max(1, tuned->cut.columns), tuned->cut.leans}};
    if (shape.cut.columns > columns_most(p->program, p->grid, shape.cut.leans) || (shape.cut.leans && p->search.sides == SIDES_HALO) ||
        (!shape.cut.leans && shape.cut.columns > 1 && p->search.sides == SIDES_LEAN))
        return;
    p->search.cut = shape.cut;
    const int64_t rows = search_tile_extent(&p->search, oocc_max(1, shape.bt));
    const bool legal = work->tile_extent > 1
                           ? shape.tiles > 0 && shape.tiles <= tiles_most(p->program, rows, shape.ct)
                           : shape.tiles == 1;
    if (legal && (shape.bt == 0 || search_fits(&p->search, shape.bt, shape.bz))) {
        *wanted = shape;
        wanted->tiles *= shape.cut.columns; /* as --yt says it */
        if (shape.cut.columns > 1) p->search.sides = shape.cut.leans ? SIDES_LEAN : SIDES_HALO;
        memcpy(p->plan->tuned, tuned->date, sizeof p->plan->tuned);
    } else {
        p->search.cut = (struct cut){1, false};
    }
}

int plan_make(const struct oocc_program *program, const struct options *options,
              const struct machine *machine, const struct oocc_grid *grid, int64_t remaining,
              struct plan *plan) {
    struct planner p;
    struct found found = {.cost.bound = NULL};
    int status = planner_open(&p, program, options, machine, grid, remaining, plan);
    if (status != OOCC_OK) return status;
    take_tuned(&p);
    const bool whole = plan->in_place || plan->schedule == SCHEDULE_RESIDENT;
    if ((status = whole ? choose_resident(&p, &found) : choose_stream(&p, &found)) != OOCC_OK) return status;

    const struct shape *shape = &found.shape;
    plan->bt = shape->bt;
    plan->bz = shape->bz;
    plan->ct = shape->ct;
    plan->tiles = shape->tiles;
    plan->pieces = oocc_max(1, shape->pieces);
    plan->xt = piece_widest(grid, plan->pieces);
    /* For each piece of its rows a tile would fetch the whole rows; planes of 2-D grids are too short. */
    plan->can_fetch = options->prefetch != PREFETCH_OFF && plan->pieces == 1 && grid->ndim >= 3;
    const bool slower = options->prefetch == PREFETCH_AUTO && machine->figures && machine->figures->kernel.processor_fetches;
    plan->fetch = plan->can_fetch && !slower;
    plan->cut = p.search.cut = shape->cut;
    plan->yt = tile_widest(program, grid, plan, plan->tiles);
    plan->chains = chains_of(program, search_tile_extent(&p.search, oocc_max(1, plan->bt)), plan->ct, plan->tiles, plan->threads, options->chains);
    plan->passes = cut_passes(program, plan->in_place, remaining, shape->bt);
    plan->window_bytes = search_window(&p.search, shape->bt, shape->bz);
    planner_count_moved(&p);
    plan->seconds = found.cost.seconds;
    plan->io_seconds = found.cost.io_seconds;
    plan->compute_seconds = found.cost.compute_seconds;
    plan->check_seconds = found.cost.check_seconds;
    plan->commit_seconds = found.cost.commit_seconds;
    plan->one_commit_seconds = p.search.work.commit_seconds;
    /* Before the first commit two generations are enough, and so they are for two passes. */
    plan->third_generation = !plan->in_place && engine_is_durable(plan->engine) && plan->commit_every != 0 &&
                             (plan->passes > 2 || program->embedded);
    plan->bound = found.cost.bound;
    plan->basis = figures_basis(p.search.work.figures, plan->in_place);
    planner_explain(&p);
    plan->observed_bytes = observe_bytes(program, plan->threads, plan->bt);
    plan->fixed_bytes += plan->observed_bytes;
    return planner_check_swap(&p);
}
