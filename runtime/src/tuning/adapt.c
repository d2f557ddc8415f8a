#include "tuning/adapt.h"

#include "observe/observe.h"
#include "plan/tiles.h"
#include "stream/flow.h"
#include "stream/overlap.h"
#include "tuning/climb.h"
#include "tuning/probe.h"

#include <stdlib.h>
#include <string.h>

/* Of a pass in place, about: while tiles are looked for at most, and when they have been found. */
static const double look_seconds = 0.25, long_seconds = 2;
/* In place, looks are slabs of so many steps at least, where a pass has so many of them: a pass of one group would take longer. Slabs
 * are three times as thick as groups are deep, so that what a group reads anew at a slab's border does not tell against it. */
enum { LOOK_STEPS = 16, LOOK_SLABS = 8, LOOK_GROUPS = 3 };
/* Most tiles that are looked at are slower than those at work. What better ones win must be more than that, so a look may take such
 * a part of what is left of the run. */
static const double look_share = 0.01;
/* A slab counts when about as much of the wave is at work as can be. */
static const double at_work = 0.95;

struct adapt {
    struct climb climb;
    bool cuts_passes;
    int64_t look_bt, look_bz; /* in place, where looks are slabs: of a pass that is made of them; 0: looks are passes */
    bool thin;                /* the pass at work is made of such slabs */
    uint64_t random;          /* state of the generator */
    struct tiles now;         /* of the slab being computed */
    double updates;           /* cells that it advances, times steps; 0: it is not like the others, and says nothing */
    double full;              /* updates of a slab with all steps at work, in the column of the pass that is at work */
    double typical;           /* of the last one that was like others */
    double best_seconds;      /* of a cell's update with the best tiles, measured last */
    int64_t slabs;
    /* One is kept until a slab needs another: which of the pass, and of its tiles, it is for. */
    struct oocc_flow *flow;
    struct oocc_pass flow_pass;
};

/* Groups of a shorter pass share its steps evenly, too. */
static int64_t depth_in(int64_t bt, int64_t ct) {
    const int64_t groups = (bt - 1) / oocc_min(ct, bt) + 1;
    return (bt - 1) / groups + 1;
}

/* By what cells took until now; before that, by the plan. */
static double step_seconds(const struct oocc_run *run) {
    const struct adapt *a = run->adapt;
    return a->best_seconds > 0 ? a->best_seconds * (double)grid_points(&run->grid)
                               : run->plan.seconds / (double)run->plan.steps;
}

static double longest_look(const struct oocc_run *run) {
    return look_share * step_seconds(run) * (double)(run->steps - run->level);
}

static double look_of_slab(const struct oocc_run *run, int64_t bt) {
    return step_seconds(run) * (double)bt * (double)run->adapt->look_bz / (double)run->grid.planes;
}

/* A pass has twice as many steps where the run has time for twice as many of its looks. */
static void choose_looks(struct oocc_run *run) {
    struct adapt *a = run->adapt;
    const struct plan *plan = &run->plan;
    const int64_t least = oocc_max(LOOK_STEPS, plan->ct), bz = LOOK_GROUPS * least;
    const bool given = run->options.bz > 0 || run->program->bz > 0;
    if (!a->cuts_passes || given || run->grid.planes / LOOK_SLABS < bz) return;
    a->look_bz = bz;
    const int64_t bt = look_of_slab(run, 4 * least) <= longest_look(run) ? 2 * least : least;
    a->look_bt = oocc_min(oocc_min(bt, plan->bt), cut_steps(run->program, true, run->level));
    a->now.ct = depth_in(a->look_bt, a->now.ct);
}

int adapt_open(struct oocc_run *run) {
    const struct oocc_program *program = run->program;
    const struct plan *plan = &run->plan;
    if (!options_adapt(program, &run->options) || plan->schedule == SCHEDULE_SWEEP || plan->steps == 0 ||
        !program->tiled || run->grid.ndim < 2 || run->grid.extent[1] <= 1)
        return 0;
    /* What slabs take then is what the kernel's swapping takes. */
    if (run->options.adapt == ADAPT_ON && strcmp(plan->engine, "swap") == 0) return 0;
    struct adapt *a = calloc(1, sizeof *a);
    if (!a) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    run->adapt = a;
    a->random = run->options.adapt_seed;
    a->now = (struct tiles){plan->ct, plan->tiles, plan->fetch};
    a->cuts_passes = plan->in_place && run->options.bt == 0 && program->bt == 0 && plan->bt > 1 &&
                     (run->options.adapt == ADAPT_RANDOM || plan->seconds > long_seconds);
    choose_looks(run);
    const struct climb_space space = {.program = program,
                                      .steps = a->look_bt > 0 ? a->look_bt : plan->bt,
                                      .equal_groups = !a->cuts_passes || a->look_bt > 0,
                                      .rows = columns_narrowest(program, &run->grid, plan->cut, plan->bt),
                                      .threads = plan->threads,
                                      .choose_fetch = plan->can_fetch && run->options.prefetch == PREFETCH_AUTO};
    climb_begin(&a->climb, &space, a->now);
    return 0;
}

void adapt_close(struct oocc_run *run, int status) {
    struct adapt *a = run->adapt;
    if (!a) return;
    const struct climb *c = &a->climb;
    if (!status && climb_done(c)) probe_learn(run, c, a->best_seconds * climb_gain(c) * c->at[0].rate, a->typical);
    const bool random = run->options.adapt == ADAPT_RANDOM;
    const struct tiles tiles = random ? a->now : a->climb.best;
    run->stats.adapted = (struct adapted){
        .on = true,
        .tried = random ? a->slabs : a->climb.tried,
        .ct = tiles.ct,
        .tiles = tiles.count,
        .yt = tile_widest(run->program, &run->grid, &run->plan, tiles.count),
        .fetch = tiles.fetch,
        .gain = random ? 1 : climb_gain(&a->climb),
    };
    flow_close(a->flow);
    free(a);
    run->adapt = NULL;
}

/* -- shapes at random, for tests ------------------------------------------------------------------- */

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t draw(struct adapt *a) {
    uint64_t z = a->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* In [1, most]; every other time near either end, where mistakes show. */
static int64_t draw_count(struct adapt *a, int64_t most) {
    const int64_t near = oocc_min(most, 3), any = 1 + (int64_t)(draw(a) % (uint64_t)most);
    const uint64_t kind = draw(a) % 4;
    return kind == 0 ? oocc_min(any, near) : kind == 1 ? most - any % near : any;
}

static struct tiles draw_tiles(struct adapt *a, const struct oocc_program *program, int64_t bt) {
    struct tiles tiles = {.ct = draw_count(a, bt), .fetch = a->now.fetch};
    tiles.count = draw_count(a, tiles_most(program, a->climb.space.rows, tiles.ct));
    return tiles;
}

/* -- how much a slab does --------------------------------------------------------------------------- */

/* Planes that step s makes at wave positions [lo, hi), delays of stages left aside; the wedge shrinks as steps go by. */
static int64_t planes_of_step(const struct oocc_program *program, const struct oocc_pass *pass, int64_t s, int64_t lo,
                              int64_t hi) {
    const struct oocc_wedge *wedge = &program->wedge;
    const int64_t left = pass->bt - s, by = s * program->step_delay;
    const int64_t first = oocc_max(pass->first, pass->lo - left * wedge->slope_lo),
                  end = oocc_min(pass->end, pass->hi + left * wedge->slope_hi);
    return oocc_max(0, oocc_min(end, hi - by) - oocc_max(first, lo - by));
}

static int64_t rows_of_step(const struct oocc_program *program, const struct oocc_pass *pass, int64_t s) {
    const struct row_range rows = pass_rows(program, pass, s);
    return rows.hi - rows.lo;
}

static double updates_of(const struct oocc_run *run, const struct oocc_pass *pass, int64_t lo, int64_t hi) {
    double rows = 0;
    for (int64_t s = 1; s <= pass->bt; s++)
        rows += (double)planes_of_step(run->program, pass, s, lo, hi) * (double)rows_of_step(run->program, pass, s);
    return rows * (double)grid_points(&run->grid) / (double)run->grid.planes / (double)run->grid.extent[1];
}

/* In the middle of its wave a pass has the most steps at work; of blocks, the one in the middle has all of its halo. */
static double most_updates(const struct oocc_run *run, const struct oocc_pass *pass) {
    struct oocc_pass most = *pass;
    int64_t lo = pass->wave_lo + (pass->wave_hi - pass->wave_lo - oocc_min(pass->bz, pass->wave_hi - pass->wave_lo)) / 2;
    int64_t hi = oocc_min(pass->wave_hi, lo + pass->bz);
    if (run->plan.schedule == SCHEDULE_OVERLAP) {
        const int64_t bz = oocc_min(run->plan.bz, run->grid.planes);
        const struct block block =
            overlap_block(run->program, &run->grid, pass->bt, bz, overlap_blocks(&run->grid, bz) / 2);
        most.lo = block.lo;
        most.hi = block.hi;
        most.first = block.first;
        most.end = block.end;
        lo = block.first + run->program->step_delay;
        hi = block.end + pass->bt * run->program->step_delay;
    }
    return updates_of(run, &most, lo, hi);
}

/* How much a slab does if its time may be compared with that of others, otherwise 0. In place, passes of whole groups are
 * alike; elsewhere, those of as many steps as planned. */
static double comparable_updates(struct adapt *a, const struct oocc_run *run, const struct oocc_pass *pass,
                                 struct tiles tiles, int64_t slab) {
    const bool whole = a->cuts_passes && !a->thin && pass->bt % tiles.ct == 0;
    if (!whole && pass->bt != (a->thin ? a->look_bt : run->plan.bt)) return 0;
    if (slab == 0) a->full = most_updates(run, pass);
    const double updates = updates_of(run, pass, oocc_slab_lo(pass, slab), oocc_slab_hi(pass, slab));
    return updates >= at_work * a->full ? updates : 0;
}

/* -- cutting a slab -------------------------------------------------------------------------------- */

bool adapt_takes(const struct oocc_run *run, const struct oocc_pass *pass) {
    return run->adapt && !run->trial && pass->bt > 0;
}

/* Whether the run is long enough for a look at these tiles, which is a slab or in place perhaps a pass. */
static bool worth_a_look(const struct oocc_run *run, struct tiles tiles) {
    const struct adapt *a = run->adapt;
    const double look = a->thin          ? look_of_slab(run, a->look_bt)
                        : a->cuts_passes ? step_seconds(run) * (double)tiles.ct
                                         : a->best_seconds * a->full;
    return look <= longest_look(run);
}

/* The climb's, or the best so far. */
static struct tiles next_tiles(const struct oocc_run *run) {
    const struct climb *c = &run->adapt->climb;
    const struct tiles next = climb_next(c);
    return worth_a_look(run, next) ? next : c->best;
}

static struct tiles choose(struct oocc_run *run, const struct oocc_pass *pass, int64_t slab) {
    struct adapt *a = run->adapt;
    if (run->options.adapt == ADAPT_RANDOM) return draw_tiles(a, run->program, pass->bt);
    struct tiles tiles = next_tiles(run);
    a->updates = comparable_updates(a, run, pass, tiles, slab);
    if (a->updates == 0) tiles = a->climb.best;
    if (tiles.ct > pass->bt || a->cuts_passes) tiles.ct = depth_in(pass->bt, tiles.ct);
    return tiles;
}

static bool fits_flow(const struct adapt *a, const struct oocc_pass *pass) {
    const struct oocc_pass *f = &a->flow_pass;
    return a->flow && f->bt == pass->bt && f->ct == pass->ct && f->chains == pass->chains &&
           f->first_step == pass->first_step && f->outer_lo == pass->outer_lo && f->outer_hi == pass->outer_hi;
}

int adapt_cut(struct oocc_run *run, struct oocc_pass *pass, int64_t slab) {
    struct adapt *a = run->adapt;
    a->now = choose(run, pass, slab);
    pass->ct = a->now.ct;
    pass->tiles = a->now.count;
    pass->fetch_ahead = a->now.fetch;
    pass->chains = chains_of(run->program, a->climb.space.rows, pass->ct, pass->tiles, run->plan.threads, run->options.chains);
    if (!fits_flow(a, pass)) {
        flow_close(a->flow);
        a->flow = flow_open(run, pass);
        a->flow_pass = *pass;
    }
    pass->flow = a->flow;
    a->slabs++;
    return a->flow ? 0 : OOCC_NO_MEMORY;
}

void adapt_learn(struct oocc_run *run, double seconds) {
    struct adapt *a = run->adapt;
    if (a->updates == 0) return;
    if (tiles_same(a->now, a->climb.best)) a->best_seconds = seconds / a->updates;
    if (tiles_same(a->now, climb_next(&a->climb))) climb_take(&a->climb, a->updates, seconds);
    a->typical = a->updates;
    a->updates = 0;
}

/* -- passes in place ------------------------------------------------------------------------------- */

bool adapt_cuts_passes(const struct oocc_run *run) {
    return run->adapt && run->adapt->cuts_passes;
}

/* Whether the best is to be compared with others; it is measured all the time. */
static bool looks(const struct oocc_run *run, struct tiles next) {
    const struct climb *c = &run->adapt->climb;
    return !climb_rests(c) && tiles_same(next, climb_next(c)) && worth_a_look(run, next);
}

int64_t adapt_steps(const struct oocc_run *run, int64_t steps) {
    struct adapt *a = run->adapt;
    if (!adapt_cuts_passes(run)) return steps;
    if (run->options.adapt == ADAPT_RANDOM) return draw_count(a, steps);
    /* Slabs of shorter passes, which outputs may make of any length, cannot be compared. */
    a->thin = a->look_bt > 0 && steps >= a->look_bt;
    const struct tiles next = next_tiles(run);
    const bool looking = looks(run, next);
    a->thin = a->thin && looking;
    const int64_t rest = run->steps - run->level;
    if (a->thin) return a->look_bt;
    const double fit = (looking ? oocc_min_f64(look_seconds, longest_look(run)) : long_seconds) / step_seconds(run) / (double)next.ct;
    if (!(fit * (double)next.ct < (double)steps)) return steps;
    const int64_t bt = oocc_max(1, (int64_t)fit) * next.ct;
    /* What is left is not worth a pass of its own. */
    return bt >= steps || (steps == rest && steps - bt < bt / 2) ? steps : bt;
}

int64_t adapt_planes(const struct oocc_run *run, int64_t planes) {
    struct adapt *a = run->adapt;
    if (!adapt_cuts_passes(run)) return planes;
    if (run->options.adapt == ADAPT_RANDOM) return draw_count(a, planes);
    return a->thin ? oocc_min(planes, a->look_bz) : planes;
}
