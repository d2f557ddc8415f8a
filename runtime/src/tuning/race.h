/*
 * race.h: which plan to try next, and which has won, on a machine that changes its speed while they are tried. The fastest
 * of many single trials is the luckiest as often as the best, so first trials only choose the finalists; these are then
 * tried by turns, and what brought them there does not count. It knows no clock and runs nothing.
 */
#ifndef OOCC_RACE_H
#define OOCC_RACE_H

#include "plan/cost.h"

enum { RACE_MOST = 96, RACE_FINALISTS = 4, RACE_ROUNDS = 5 };

struct racer {
    struct shape shape;
    double predicted; /* seconds of the run by the model */
    double first;     /* and by the first trial; 0: not tried, infinite: it could not be */
    double round[RACE_ROUNDS]; /* and by those of the final */
};

struct race {
    int count;
    struct racer racer[RACE_MOST]; /* [0]: what the model chose, which is a finalist in any case */
    int finalists, finalist[RACE_FINALISTS];
    int turns; /* of the final, taken */
};

/* Takes a shape in unless it is there, or there is no room. */
void race_add(struct race *race, const struct shape *shape, double predicted);
/* Of those not tried yet the model's choice, then the most promising; NULL: all have been. */
struct racer *race_next(struct race *race);
/* By first trials; NULL: none could be tried. */
const struct racer *race_fastest(const struct race *race);

/* The fastest so far, and the model's choice, no more than RACE_FINALISTS in all. */
void race_choose_finalists(struct race *race, int most);
/* The finalist whose turn it is; NULL: they have had their rounds. */
struct racer *race_turn(struct race *race);
/* What it took: seconds of the run, infinite if it could not be tried. */
void race_take(struct race *race, double seconds);
/* By the geometric mean over whole rounds, in which all have seen the same machine; by first trials, if there is none. NULL: none
 * could be tried. `seconds` of the run. */
const struct racer *race_winner(const struct race *race, double *seconds);

#endif
