/*
 * model.c: chooses the plan. First what moves the bytes (engine, schedule), then what is left of the budget
 * for the window, then the shape that the cost model finds fastest. Whatever was asked for is honoured or
 * refused, never changed.
 */
#include "engine.h"
#include "observe.h"
#include "plan_json.h"
#include "search.h"
#include "wedge.h"

#include <stdlib.h>
#include <string.h>

enum {
    THREAD_BYTES = 256 << 10,
    BUFFER_BYTES = 2 << 20,
    HUGE_PAGE_BYTES = 2 << 20,
    EDGE_ROW_MORE_BYTES = 192
};
enum { DEFAULT_SHARE_PERCENT = 80 };

struct planner {
    const struct oocc_program *program;
    const struct options *options;
    const struct machine *machine;
    const struct oocc_grid *grid;
    struct plan *plan;
    struct search search;
};

/* -- memory ------------------------------------------------------------------------------------ */

static void choose_budget(struct planner *p) {
    const struct machine *machine = p->machine;
    if (p->options->memory_bytes == 0) {
        p->plan->budget_bytes = machine->memory_available_bytes / 100 * DEFAULT_SHARE_PERCENT;
        return;
    }
    p->plan->budget_bytes = p->options->memory_bytes;
    if (p->options->memory_bytes > machine->memory_available_bytes) {
        char budget[32], available[32];
        run_note("--memory %s is more than the %s available (%s)",
                 format_bytes(budget, p->options->memory_bytes),
                 format_bytes(available, machine->memory_available_bytes), machine->memory_bound);
    }
}

/* Everything in memory besides the window, rather too much than too little: the budget is a promise. Points and
 * signals are resident already; the buffers of records and watches are added when the pass is known. */
static int64_t fixed_bytes(const struct planner *p) {
    const struct oocc_program *program = p->program;
    const struct plan *plan = p->plan;
    int64_t row = 0, levels = 0;
    for (int f = 0; f < program->fields; f++) {
        const struct oocc_layout *layout = &p->grid->layout[f];
        row = oocc_max(row, layout->row_elements * layout->element_bytes + EDGE_ROW_MORE_BYTES);
        levels += program->field[f].levels;
    }
    int64_t bytes = machine_resident_bytes() + HUGE_PAGE_BYTES + BUFFER_BYTES;
    bytes += plan->threads * (THREAD_BYTES + program->edge_rows * row);
    bytes += p->grid->planes * program->fields * 8; /* the result's hashes */
    if (!plan->in_place) {
        /* Three tables of checksums (two generations, coefficients), and the manifest's text while it is
         * written. */
        bytes += BUFFER_BYTES + p->grid->planes * levels * (3 * 8 + 17);
        if (strcmp(plan->engine, "memory") == 0) bytes += plan->store_bytes;
        /* Pages of the files that are mapped while they are copied: those of its requests under way. */
        if (strcmp(plan->engine, "mmap") == 0) bytes += 3 * IO_REQUEST_BYTES;
    }
    return bytes;
}

static bool is_exported(const struct oocc_program *program, int field) {
    const struct oocc_field *f = &program->field[field];
    bool wanted = !f->coef && f->levels > 0;
    for (int i = 0; i < program->outputs; i++)
        wanted |= program->output[i].field == field && program->output[i].every == NULL;
    return wanted;
}

/* Of a run that nobody waits for, more than 63 bits can say: the most they can. */
static int64_t times(int64_t passes, int64_t bytes) {
    int64_t product;
    return __builtin_mul_overflow(passes, bytes, &product) ? INT64_MAX : product;
}

/* What the store holds and what is moved; known once engine and schedule are. The export reads the state
 * once, for the result's hash, and coefficients that are asked for. */
static void count_bytes(struct planner *p) {
    struct plan *plan = p->plan;
    if (plan->in_place) return;
    const int64_t state = grid_state_bytes(p->program, p->grid), coef = grid_coef_bytes(p->program, p->grid);
    plan->store_bytes = 2 * state + coef;
    plan->import_write_bytes = state + coef;
    for (int f = 0; f < p->program->fields; f++)
        if (is_exported(p->program, f))
            plan->export_read_bytes += p->grid->planes * p->grid->layout[f].plane_bytes;
    for (int i = 0; i < p->program->outputs; i++) {
        const struct oocc_output *output = &p->program->output[i];
        const int64_t bytes = p->grid->planes * p->grid->layout[output->field].plane_bytes;
        int64_t *total = &plan->export_read_bytes;
        if (output->every != NULL &&
            __builtin_add_overflow(*total, times(plan->steps / *output->every, bytes), total))
            *total = INT64_MAX;
    }
}

static void begin_search(struct planner *p) {
    struct plan *plan = p->plan;
    plan->read_ahead = plan->write_behind = plan->in_place || plan->schedule == SCHEDULE_RESIDENT ? 0 : 1;
    count_bytes(p);
    plan->fixed_bytes = fixed_bytes(p);
    p->search.work = workload_of(p->program, p->grid, p->machine, plan);
    p->search.read_ahead = plan->read_ahead;
    p->search.write_behind = plan->write_behind;
    p->search.room_bytes = plan->budget_bytes - plan->fixed_bytes;
}

/* The size to give to --memory, in whole MiB. */
static const char *memory_option(char buffer[64], const char *prefix, int64_t bytes) {
    snprintf(buffer, 64, "%s--memory %lldM", prefix, (long long)((bytes - 1) / (1 << 20) + 1));
    return buffer;
}

static int refuse(const struct planner *p, const char *what, int64_t window, const char *otherwise) {
    char window_text[32], fixed_text[32], budget_text[32], option[64], help[192];
    const struct plan *plan = p->plan;
    if (window > INT64_MAX - plan->fixed_bytes)
        return run_fail(OOCC_NO_MEMORY, otherwise, "%s needs more memory than 63 bits can say", what);
    snprintf(help, sizeof help, "%s works%s%s", memory_option(option, "", window + plan->fixed_bytes),
             otherwise != NULL ? "; or " : "", otherwise != NULL ? otherwise : "");
    return run_fail(OOCC_NO_MEMORY, help, "%s needs a window of %s, and %s besides; the budget is %s%s", what,
                    format_bytes(window_text, window), format_bytes(fixed_text, plan->fixed_bytes),
                    format_bytes(budget_text, plan->budget_bytes),
                    p->options->memory_bytes == 0 ? " (80% of the memory available)" : "");
}

/* -- what was asked for ------------------------------------------------------------------------ */

/* Options win over what the program was compiled with. */
static int64_t asked(int64_t option, int64_t compiled) {
    return option > 0 ? option : compiled;
}

/* A reduction that updates use makes every step wait for the one before, all over the grid. */
static const char *feeding_reduction(const struct oocc_program *program) {
    for (int i = 0; i < program->watches; i++)
        if (program->watch[i].feeds) return program->watch[i].name;
    return NULL;
}

static const char *const feeding_text =
    "a reduction ('%s') is used by updates: every step waits for it, so a pass is one step";

static int check_depth(const struct planner *p, const struct shape *wanted) {
    const char *feeding = feeding_reduction(p->program);
    if (feeding != NULL && (wanted->bt > 1 || wanted->ct > 1)) {
        char reason[192];
        snprintf(reason, sizeof reason, feeding_text, feeding);
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

static int check_wanted(struct planner *p) {
    const struct options *o = p->options;
    struct shape *wanted = &p->search.wanted;
    *wanted = (struct shape){.bt = asked(o->bt, p->program->bt),
                             .bz = asked(o->bz, p->program->bz),
                             .ct = asked(o->ct, p->program->ct)};
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
    if (status == OOCC_OK && feeding_reduction(p->program) != NULL) wanted->bt = wanted->ct = 1;
    return status;
}

/* Tiles from --yt: as many as keep at least yt rows each. Too narrow a tile would be used up by its own
 * slopes. */
static int check_tiles(struct planner *p) {
    struct shape *wanted = &p->search.wanted;
    const int64_t yt = asked(p->options->yt, p->program->yt), extent = p->search.work.tile_extent;
    if (extent <= 1) {
        if (p->options->yt > 0 && p->grid->ndim == 1)
            return run_fail(OOCC_USAGE, "leave out --yt", "a 1-D grid is not cut into tiles");
        return OOCC_OK;
    }
    const int64_t xt = asked(p->options->xt, p->program->xt);
    if (p->options->xt > 0 && p->grid->ndim != 3)
        return run_fail(OOCC_USAGE, "leave out --xt", "rows are cut into pieces on 3-D grids only");
    if (p->options->xt > 0 && p->program->tiling.whole_rows)
        return run_fail(OOCC_USAGE, "leave out --xt",
                        "rows are not cut into pieces where %s is periodic: a cell at one end reads the other end",
                        p->program->dim[p->grid->ndim - 1]);
    if (xt > 0 && p->grid->ndim == 3 && !p->program->tiling.whole_rows)
        wanted->pieces = oocc_max(1, p->grid->cells / xt);
    if (yt == 0) return OOCC_OK;
    wanted->tiles = oocc_max(1, extent / yt);
    if (wanted->tiles == 1) return OOCC_OK;
    const int64_t levels = oocc_max(1, wanted->ct);
    if (tile_least(p->program, levels) > extent / wanted->tiles)
        return run_fail(OOCC_USAGE, levels > 1 ? "a wider tile, or a smaller ct" : "a wider tile",
                        "yt %lld is too narrow: with ct %lld a tile has at least %lld %s", (long long)yt,
                        (long long)levels, (long long)tile_least(p->program, levels), tile_unit(p->grid));
    return OOCC_OK;
}

/* -- engine and schedule ----------------------------------------------------------------------- */

static int probe(struct planner *p, const char *wanted) {
    const char *scratch = p->options->scratch != NULL ? p->options->scratch : ".";
    int status = OOCC_OK;
    p->plan->engine = engine_probe(scratch, wanted, &p->plan->engine_reason, &status);
    return p->plan->engine != NULL ? OOCC_OK : status;
}

static void use_memory(struct planner *p, const char *reason) {
    p->plan->engine = "memory";
    p->plan->engine_reason = reason;
    p->plan->in_place = p->plan->schedule != SCHEDULE_STREAM;
}

static bool in_place_fits(struct planner *p) {
    const struct plan before = *p->plan;
    p->plan->schedule = SCHEDULE_RESIDENT;
    use_memory(p, "");
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
    plan->schedule = p->options->schedule;
    if (plan->schedule == SCHEDULE_AUTO)
        plan->schedule = memory || (any && in_place_fits(p)) ? SCHEDULE_RESIDENT : SCHEDULE_STREAM;
    if (memory)
        use_memory(p, "asked for");
    else if (any && plan->schedule == SCHEDULE_RESIDENT)
        use_memory(p, p->options->schedule == SCHEDULE_AUTO ? "the whole grid fits" : "schedule resident");
    else if (any && plan->schedule == SCHEDULE_SWEEP && in_place_fits(p))
        use_memory(p, "the whole grid fits");
    else
        return probe(p, wanted);
    return OOCC_OK;
}

/* -- the shape --------------------------------------------------------------------------------- */

/* The window, and what passes of bt steps observe; INT64_MAX when it is not a size. */
static int64_t needed(const struct search *search, int64_t bt, int64_t bz) {
    const int64_t observed = observe_bytes(search->work.program, search->work.threads, bt);
    int64_t bytes;
    return __builtin_add_overflow(search_window(search, bt, bz), observed, &bytes) ? INT64_MAX : bytes;
}

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
    return refuse(p, what, needed(search, steps, bz),
                  strcmp(p->options->engine, "memory") == 0 ? "--engine auto streams from disk"
                                                            : "--schedule stream");
}

/* A pass of all steps, unless that makes the window too large (temps) or too much to compute twice (periodic). In
 * place a pass costs next to nothing, so a long run is cut into passes of about a second (whole groups): there is
 * progress to show, and the wave's way into and out of the grid stays short. */
static int choose_resident(struct planner *p, struct found *found) {
    const struct search *search = &p->search;
    const struct shape *wanted = &search->wanted;
    const int64_t most = search_most_steps(search), from = wanted->bt > 0 ? oocc_min(wanted->bt, most) : most;
    double least_seconds = 1e300;
    for (int64_t bt = from; bt > 0; bt -= 1 + bt / 16) {
        const int64_t bz = widest_slab(p, bt);
        if (bz > 0) search_tiles(search, bt, bz, &least_seconds, found);
        if (wanted->bt > 0 || (found->cost.bound != NULL && !p->program->wedge.periodic)) break;
    }
    if (found->cost.bound == NULL) return refuse_resident(p, from);
    if (!p->plan->in_place || wanted->bt > 0) return OOCC_OK;
    struct shape *shape = &found->shape;
    const double second = (double)oocc_max(p->plan->steps, 1) / found->cost.seconds;
    if (second < (double)shape->bt) {
        shape->bt = oocc_max(shape->ct, (int64_t)second / shape->ct * shape->ct);
        if (wanted->bz == 0) shape->bz = oocc_min(shape->bz, cost_wave_planes(&search->work, shape->bt));
        found->cost = cost_of_run(&search->work, shape);
    }
    return OOCC_OK;
}

static int choose_stream(struct planner *p, struct found *found) {
    const struct search *search = &p->search;
    if (search_all(search, found)) return OOCC_OK;
    const int64_t bt = oocc_min(oocc_max(1, search->wanted.bt), search_most_steps(search));
    const int64_t bz = oocc_max(1, search->wanted.bz);
    char what[128];
    if (bt > 1 || bz > 1) {
        snprintf(what, sizeof what, "bt %lld with bz %lld", (long long)bt, (long long)bz);
        return refuse(p, what, needed(search, bt, bz), "smaller --bt and --bz");
    }
    return refuse(p, "the smallest window (bt 1, bz 1)", needed(search, 1, 1), NULL);
}

/* -- why not deeper ---------------------------------------------------------------------------- */

static void explain(struct planner *p) {
    struct plan *plan = p->plan;
    const long long bt = plan->bt;
    char a[32], b[32], c[32];
    const char *feeding = feeding_reduction(p->program);
    if (feeding != NULL) {
        snprintf(plan->why, sizeof plan->why, feeding_text, feeding);
        return;
    }
    if (plan->in_place || plan->schedule == SCHEDULE_RESIDENT) {
        const int length =
            snprintf(plan->why, sizeof plan->why,
                     "the whole grid is in memory: %s of window and %s besides, in a budget of %s",
                     format_bytes(a, plan->window_bytes), format_bytes(b, plan->fixed_bytes),
                     format_bytes(c, plan->budget_bytes));
        if (p->program->wedge.periodic && p->search.wanted.bt == 0 && plan->bt < search_most_steps(&p->search))
            snprintf(plan->why + length, sizeof plan->why - (size_t)length,
                     "; with bt above %lld more would be computed twice than is saved", bt);
        return;
    }
    if (plan->schedule == SCHEDULE_SWEEP) {
        snprintf(plan->why, sizeof plan->why, "schedule sweep advances one step per pass");
        return;
    }
    if (plan->bt >= plan->steps) {
        snprintf(plan->why, sizeof plan->why, "bt %lld does all steps in one pass", bt);
        return;
    }
    const int64_t most = search_most_steps(&p->search);
    char reason[128];
    if (plan->bt == most && cut_steps(p->program, plan->in_place, 0) == most) {
        snprintf(plan->why, sizeof plan->why, "bt %lld: %s", bt,
                 cut_reason(p->program, plan->in_place, reason));
        return;
    }
    if (plan->bt == most) {
        snprintf(
            plan->why, sizeof plan->why,
            "bt %lld is the deepest for a periodic %s: one level more would read more planes beyond the grid "
            "than it has",
            bt, p->program->dim[0]);
        return;
    }
    const int64_t deepest = search_deepest(&p->search, plan->bz, most);
    const int64_t deeper = needed(&p->search, plan->bt + 1, plan->bz);
    if (deepest == plan->bt && deeper <= INT64_MAX - plan->fixed_bytes)
        snprintf(plan->why, sizeof plan->why,
                 "bt %lld is the deepest that fits with bz %lld: one level more needs %s of a %s budget", bt,
                 (long long)plan->bz, format_bytes(a, deeper + plan->fixed_bytes),
                 format_bytes(b, plan->budget_bytes));
    else
        snprintf(plan->why, sizeof plan->why, "bt %lld %s; up to %lld fits with bz %lld", bt,
                 p->search.wanted.bt > 0 ? "was asked for" : "is predicted to be as fast as anything deeper",
                 (long long)deepest, (long long)plan->bz);
}

/* Every pass reads all of its unrolled planes, and writes the grid. */
static void count_moved(struct planner *p) {
    struct plan *plan = p->plan;
    if (plan->in_place || plan->passes == 0) return;
    const int64_t planes = p->grid->planes, state = grid_state_bytes(p->program, p->grid);
    const int64_t plane_bytes = (state + grid_coef_bytes(p->program, p->grid)) / planes;
    const int64_t last = oocc_max(1, plan->steps - (plan->passes - 1) * plan->bt);
    const int64_t whole = times(plane_bytes, wedge_planes(p->program, p->grid, plan->bt));
    const int64_t rest = times(plane_bytes, wedge_planes(p->program, p->grid, last));
    if (__builtin_add_overflow(times(plan->passes - 1, whole), rest, &plan->read_bytes))
        plan->read_bytes = INT64_MAX;
    plan->write_bytes = times(plan->passes, state);
}

int plan_make(const struct oocc_program *program, const struct options *options,
              const struct machine *machine, const struct oocc_grid *grid, int64_t remaining,
              struct plan *plan) {
    *plan = (struct plan){.threads = options->threads > 0 ? options->threads : machine->cores,
                          .steps = remaining};
    struct planner p = {program, options, machine, grid, plan, {.room_bytes = 0}};
    struct found found = {.cost.bound = NULL};
    choose_budget(&p);
    int status = check_wanted(&p);
    if (status != OOCC_OK || (status = choose_engine(&p)) != OOCC_OK) return status;
    begin_search(&p);
    if ((status = check_tiles(&p)) != OOCC_OK) return status;
    const bool whole = plan->in_place || plan->schedule == SCHEDULE_RESIDENT;
    if ((status = whole ? choose_resident(&p, &found) : choose_stream(&p, &found)) != OOCC_OK) return status;

    const struct shape *shape = &found.shape;
    plan->bt = shape->bt;
    plan->bz = shape->bz;
    plan->ct = shape->ct;
    plan->tiles = shape->tiles;
    plan->pieces = oocc_max(1, shape->pieces);
    plan->xt = (grid->cells - 1) / plan->pieces + 1;
    plan->yt =
        p.search.work.tile_extent > 1 ? (p.search.work.tile_extent - 1) / shape->tiles + 1 : grid->rows;
    plan->passes = cut_passes(program, plan->in_place, remaining, shape->bt);
    plan->window_bytes = search_window(&p.search, shape->bt, shape->bz);
    count_moved(&p);
    plan->seconds = found.cost.seconds;
    plan->io_seconds = found.cost.io_seconds;
    plan->compute_seconds = found.cost.compute_seconds;
    plan->bound = found.cost.bound;
    explain(&p);
    plan->observed_bytes = observe_bytes(program, plan->threads, plan->bt);
    plan->fixed_bytes += plan->observed_bytes;
    return OOCC_OK;
}
