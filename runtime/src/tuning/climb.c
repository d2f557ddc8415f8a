#include "tuning/climb.h"

#include <math.h>

/* Shorter measurements say little: slabs are taken together until they have taken so long. */
static const double least_seconds = 5e-3;
/* What a step must win at least; how sure it has to be, in standard deviations; by how much a look is off where nothing is known. */
static const double worth = 1.02, sure = 1.5, usual_unrest = 0.03;
static const double hopeless = 1 / 1.5;
static const double rest_seconds = 60;
enum { REST_SLABS = 200, MOST_PATIENCE = 16, LEAST_LOOKS = 2, LAST_LOOKS = 8, MOST_LOOKS = 16, USUAL_WEIGHT = 2 };

/* -- neighbours ------------------------------------------------------------------------------------ */

static int64_t groups_of(const struct climb_space *space, int64_t aim) {
    aim = oocc_min(aim, space->steps);
    if (!space->equal_groups) return aim;
    const int64_t groups = (space->steps - 1) / aim + 1;
    return (space->steps - 1) / groups + 1;
}

/* The nearest depth above (way 1) or below (-1); 0 when there is none. */
static int64_t depth_from(const struct climb_space *space, int64_t ct, int way) {
    int64_t found = 0;
    for (int64_t aim = 1; aim <= TILES_DEEPEST; aim = next_notch(aim)) {
        const int64_t depth = groups_of(space, aim);
        if (way < 0 && depth < ct) found = oocc_max(found, depth);
        if (way > 0 && depth > ct) return depth;
    }
    return found;
}

/* The same for counts of tiles: whole rounds of the threads, or as many as there can be. */
static int64_t count_from(const struct climb_space *space, int64_t count, int64_t most, int way) {
    int64_t found = 0;
    if (most < space->threads) return way > 0 ? (most > count ? most : 0) : most < count ? most : 0;
    for (int64_t rounds = 1; rounds <= most / space->threads; rounds = next_notch(rounds)) {
        const int64_t tiles = rounds * space->threads;
        /* Of counts that are nearly the same, one was tried with the other. */
        if (way < 0 && tiles < count - count / 8) found = tiles;
        if (way > 0 && tiles > count + count / 8) return tiles;
    }
    return found;
}

bool climb_neighbour(const struct climb_space *space, struct tiles from, int direction, struct tiles *to) {
    /* The depth and the number of tiles; neither: the same tiles, fetching or not. With both up or down, what a tile has in cache stays
     * about the same; the last two lead out of corners, where tiles are as narrow as their depth allows. */
    static const int ways[CLIMB_DIRECTIONS][2] = {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {-1, 1}, {1, -1}};
    const int depth = ways[direction][0], count = ways[direction][1];
    *to = from;
    if (!depth && !count) {
        to->fetch = !from.fetch;
        return space->choose_fetch;
    }
    if (depth && (to->ct = depth_from(space, from.ct, depth)) == 0) return false;
    const int64_t most = tiles_most(space->program, space->rows, to->ct);
    if (count && (to->count = count_from(space, from.count, most, count)) == 0) return false;
    /* Deep tiles are wide. */
    if (to->count > most) to->count = most < space->threads ? most : count_from(space, most + most / 4 + 1, most, -1);
    return to->ct != from.ct || to->count != from.count;
}

/* -- which is next --------------------------------------------------------------------------------- */

static struct climb_tried *find(struct climb *c, struct tiles tiles) {
    for (int i = 0; i < c->tried; i++)
        if (tiles_same(c->at[i].tiles, tiles)) return &c->at[i];
    return NULL;
}

static void note(struct climb *c, struct tiles tiles, double rate) {
    struct climb_tried *there = find(c, tiles);
    if (!there && c->tried < CLIMB_TRIED) there = &c->at[c->tried++];
    if (there) *there = (struct climb_tried){tiles, rate, c->round};
}

static double best_rate(const struct climb *c) {
    for (int i = 0; i < c->tried; i++)
        if (tiles_same(c->at[i].tiles, c->best)) return c->at[i].rate;
    return 1;
}

static void rest(struct climb *c) {
    c->patience = tiles_same(c->best, c->start) ? (c->patience * 2 < MOST_PATIENCE ? c->patience * 2 : MOST_PATIENCE) : 1;
    c->stage = CLIMB_REST;
    c->slabs = 0;
    c->rested = 0;
}

/* On in the direction that helped, then the others; in the end what the round began with, since speeds that were
 * compared one by one may have led astray. Of the many that were looked at the best is likely to have been lucky: what was won
 * is what that comparison shows. */
static void choose(struct climb *c) {
    c->looks = 0;
    c->sum = 0;
    for (int i = 0; i < CLIMB_DIRECTIONS && c->tried < CLIMB_TRIED; i++) {
        struct tiles to;
        const int direction = (c->direction + i) % CLIMB_DIRECTIONS;
        if (!climb_neighbour(&c->space, c->best, direction, &to)) continue;
        const struct climb_tried *tried = find(c, to);
        if (tried && tried->round == c->round) continue;
        c->candidate = to;
        c->towards = direction;
        return;
    }
    if (c->last || tiles_same(c->best, c->start)) {
        rest(c);
        return;
    }
    c->last = true;
    c->candidate = c->start;
}

static void begin_round(struct climb *c) {
    c->round++;
    c->start = c->best;
    c->last = false;
    c->stage = CLIMB_BEFORE;
    c->unrest = 0;
    c->weighed = 0;
    note(c, c->best, best_rate(c));
    choose(c);
}

void climb_begin(struct climb *c, const struct climb_space *space, struct tiles first) {
    *c = (struct climb){.space = *space, .best = first, .start = first, .candidate = first, .patience = 1};
    note(c, first, 1);
}

struct tiles climb_next(const struct climb *c) {
    return c->stage == CLIMB_LOOK ? c->candidate : c->best;
}

bool climb_rests(const struct climb *c) {
    return c->stage == CLIMB_REST;
}

bool climb_done(const struct climb *c) {
    return c->stage == CLIMB_REST || c->round > 1;
}

double climb_gain(const struct climb *c) {
    return best_rate(c) / c->at[0].rate;
}

/* -- what they took -------------------------------------------------------------------------------- */

static void begin_measuring(struct climb *c, enum climb_stage stage) {
    c->stage = stage;
    c->updates = c->seconds = 0;
    c->slabs = 0;
}

/* What the candidate's rate is of the best's does not make it the best. */
static void reject(struct climb *c, double ratio) {
    note(c, c->candidate, best_rate(c) * ratio);
    begin_measuring(c, CLIMB_LOOK);
    choose(c);
}

static void accept(struct climb *c, double ratio) {
    const struct climb_tried *known = c->last ? find(c, c->start) : NULL;
    if (known) /* the way up led nowhere */
        note(c, c->best, known->rate / ratio);
    else
        note(c, c->candidate, best_rate(c) * ratio);
    c->best = c->candidate;
    c->last = false;
    c->direction = c->towards;
    begin_measuring(c, CLIMB_BEFORE);
    choose(c);
}

/* A look is compared with the mean of two measurements of the best. Where all three differ by chance alone, the variance of
 * that ratio's logarithm is three quarters of the mean square of how far apart the logarithms of the two are. */
static void weigh(struct climb *c, double after) {
    const double apart = log(after / c->before);
    c->sum += log(c->look) - log((c->before + after) / 2);
    c->looks++;
    c->unrest += 0.75 * apart * apart;
    c->weighed++;
    c->before = after;
}

static void compare(struct climb *c) {
    const double unrest = (USUAL_WEIGHT * usual_unrest * usual_unrest + c->unrest) / (USUAL_WEIGHT + c->weighed);
    const double mean = c->sum / c->looks, doubt = sure * sqrt(unrest / c->looks);
    const bool enough = c->looks >= (c->last ? LAST_LOOKS : LEAST_LOOKS), most = c->looks >= MOST_LOOKS;
    /* To go back to what the round began with, it is enough that nothing was won for certain. */
    const bool take = c->last ? most || mean > doubt : mean > doubt && mean > log(worth);
    const bool drop = c->last ? enough && mean + doubt < 0 : most || mean + doubt < log(worth);
    if (enough && take)
        accept(c, exp(mean));
    else if (drop)
        reject(c, exp(mean));
    else
        begin_measuring(c, CLIMB_LOOK);
}

static void measured(struct climb *c, double rate) {
    switch (c->stage) {
    case CLIMB_BEFORE:
        c->before = rate;
        begin_measuring(c, CLIMB_LOOK);
        break;
    case CLIMB_LOOK:
        c->look = rate;
        begin_measuring(c, CLIMB_AFTER);
        break;
    default:
        weigh(c, rate);
        compare(c);
        break;
    }
}

static void take_at_rest(struct climb *c, double seconds) {
    c->slabs++;
    c->rested += seconds;
    const bool enough = c->slabs >= c->patience * REST_SLABS && c->rested >= c->patience * REST_SLABS * least_seconds;
    if (enough || c->rested >= c->patience * rest_seconds) begin_round(c);
}

void climb_take(struct climb *c, double updates, double seconds) {
    if (!(updates > 0) || !(seconds > 0)) return;
    if (c->stage == CLIMB_REST) {
        take_at_rest(c, seconds);
        return;
    }
    c->updates += updates;
    c->seconds += seconds;
    c->slabs++;
    if (c->stage == CLIMB_WARM) {
        if (c->seconds >= least_seconds) begin_round(c);
        return;
    }
    const double rate = c->updates / c->seconds;
    const bool slow = c->stage == CLIMB_LOOK && !c->last && c->seconds > least_seconds / 4 && rate < hopeless * c->before;
    if (c->seconds >= least_seconds || slow) measured(c, rate);
}
