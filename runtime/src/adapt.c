#include "adapt.h"

#include "cost.h"
#include "flow.h"
#include "search.h"

#include <stdlib.h>

struct adapt {
    int64_t extent;  /* rows (2-D: cells, 4-D: layers) that tiles share: of the narrowest column */
    uint64_t random; /* state of the generator */
    struct tiles now; /* of the slab being computed */
    int64_t slabs;
    /* One is kept until a slab needs another: which of the pass, and of its tiles, it is for. */
    struct oocc_flow *flow;
    struct oocc_pass flow_pass;
};

static bool is_given(const struct oocc_run *run) {
    const struct options *o = &run->options;
    const struct oocc_program *program = run->program;
    return o->ct > 0 || o->yt > 0 || program->ct > 0 || program->yt > 0;
}

int adapt_open(struct oocc_run *run) {
    const struct oocc_program *program = run->program;
    const struct plan *plan = &run->plan;
    if (run->options.adapt == ADAPT_OFF || is_given(run) || plan->schedule == SCHEDULE_SWEEP || plan->steps == 0 ||
        !program->tiled || run->grid.ndim < 2 || run->grid.extent[1] <= 1)
        return 0;
    struct adapt *a = calloc(1, sizeof *a);
    if (!a) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    run->adapt = a;
    a->extent = columns_narrowest(program, &run->grid, plan->columns);
    a->random = run->options.adapt_seed;
    a->now = (struct tiles){plan->ct, plan->tiles};
    return 0;
}

void adapt_close(struct oocc_run *run) {
    struct adapt *a = run->adapt;
    if (!a) return;
    run->stats.adapted = (struct adapted){.on = true,
                                          .tried = a->slabs,
                                          .ct = a->now.ct,
                                          .tiles = a->now.count,
                                          .yt = tile_widest(run->program, &run->grid, &run->plan, a->now.ct, a->now.count),
                                          .gain = 1};
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
    struct tiles tiles = {.ct = draw_count(a, bt)};
    tiles.count = draw_count(a, tiles_most(program, a->extent, tiles.ct));
    return tiles;
}

/* -- cutting a slab -------------------------------------------------------------------------------- */

bool adapt_takes(const struct oocc_run *run, const struct oocc_pass *pass) {
    return run->adapt && !run->trial && pass->bt > 0;
}

static bool fits_flow(const struct adapt *a, const struct oocc_pass *pass) {
    const struct oocc_pass *f = &a->flow_pass;
    return a->flow && f->bt == pass->bt && f->ct == pass->ct && f->tiles == pass->tiles &&
           f->first_step == pass->first_step && f->tiles_lo == pass->tiles_lo && f->tiles_hi == pass->tiles_hi;
}

int adapt_cut(struct oocc_run *run, struct oocc_pass *pass, const struct column *column) {
    struct adapt *a = run->adapt;
    if (run->options.adapt == ADAPT_RANDOM) a->now = draw_tiles(a, run->program, pass->bt);
    pass->ct = oocc_min(a->now.ct, pass->bt);
    pass->tiles = a->now.count;
    column_share(&run->grid, column, pass->tiles, tile_least(run->program, pass->ct), &pass->tiles_lo, &pass->tiles_hi);
    if (!fits_flow(a, pass)) {
        flow_close(a->flow);
        a->flow = flow_open(run, pass);
        a->flow_pass = *pass;
    }
    pass->flow = a->flow;
    a->slabs++;
    return a->flow ? 0 : OOCC_NO_MEMORY;
}
