/*
 * climb.h: looks for the tiles that are fastest among neighbours, when every measurement is work that has to be done anyway
 * and the machine's speed drifts. A candidate is looked at between two measurements of the best so far, and looked at
 * again until it is clear whether it is faster; how much a look may be off is seen in how much the best differ from each
 * other. It knows no clock and computes nothing: it says which tiles come next, and is told what they took.
 */
#ifndef OOCC_CLIMB_H
#define OOCC_CLIMB_H

#include "plan/tiles.h"

enum { CLIMB_TRIED = 64 };

/* What may be tried: tiles of `rows` rows (2-D: cells, 4-D: layers) in all, for passes of `steps` steps. */
struct climb_space {
    const struct oocc_program *program;
    int64_t steps;
    bool equal_groups; /* the steps of a pass are given, and groups share them evenly: 20 steps by 16 are two of 10 */
    int64_t rows;
    int threads;
    bool choose_fetch; /* otherwise tiles fetch ahead, or do not, as they began */
};

struct climb_tried {
    struct tiles tiles;
    double rate; /* over that of the first */
    int round;
};

enum climb_stage {
    CLIMB_WARM,    /* the first slab finds cold caches, and pages that nobody has touched */
    CLIMB_BEFORE,  /* the best */
    CLIMB_LOOK,    /* the candidate */
    CLIMB_AFTER,   /* the best once more; it is also what comes before the next look */
    CLIMB_REST
};

struct climb {
    struct climb_space space;
    enum climb_stage stage;
    struct tiles best, candidate;
    struct tiles start;  /* of this round */
    bool last;           /* the candidate is `start`: whether what was won is still there */
    int direction;       /* that helped last, and the candidate's */
    int towards;
    int round;
    double before, look; /* rates: of the best when it was measured last, and of the candidate */
    int looks;           /* at the candidate */
    double sum;          /* of what they showed: logarithms of how many times as fast as the best it was */
    double unrest;       /* sum of squares of how much looks of this round may have been off */
    int weighed;         /* so many */
    double updates, seconds; /* of the measurement under way */
    int64_t slabs;           /* of it; at rest: since the round ended */
    double rested;           /* seconds */
    int patience;            /* rest lasts so many times as long: rounds that find nothing become rare */
    int tried;
    struct climb_tried at[CLIMB_TRIED]; /* [0]: the first */
};

void climb_begin(struct climb *c, const struct climb_space *space, struct tiles first);
/* The tiles of the next slab. */
struct tiles climb_next(const struct climb *c);
/* What it took, of the cores' time, and how many cells it advanced by a step. */
void climb_take(struct climb *c, double updates, double seconds);
/* Nothing is being looked for. */
bool climb_rests(const struct climb *c);
/* All neighbours have been tried, now or before. */
bool climb_done(const struct climb *c);
/* How many times as fast as the first tiles the best are. */
double climb_gain(const struct climb *c);

/* Exposed for the tests: the neighbour in one of CLIMB_DIRECTIONS directions; false where there is none. */
enum { CLIMB_DIRECTIONS = 9 };
bool climb_neighbour(const struct climb_space *space, struct tiles from, int direction, struct tiles *to);

#endif
