#include "tuning/race.h"

#include <math.h>
#include <stdbool.h>

static bool same(const struct shape *a, const struct shape *b) {
    return a->bt == b->bt && a->bz == b->bz && a->ct == b->ct && a->tiles == b->tiles &&
           a->pieces == b->pieces && a->cut.columns == b->cut.columns && a->cut.leans == b->cut.leans;
}

void race_add(struct race *race, const struct shape *shape, double predicted) {
    for (int i = 0; i < race->count; i++)
        if (same(&race->racer[i].shape, shape)) return;
    if (race->count == RACE_MOST) return;
    race->racer[race->count++] = (struct racer){.shape = *shape, .predicted = predicted};
}

struct racer *race_next(struct race *race) {
    struct racer *best = NULL;
    if (race->count > 0 && race->racer[0].first == 0) return &race->racer[0];
    for (struct racer *r = race->racer; r < race->racer + race->count; r++)
        if (r->first == 0 && (best == NULL || r->predicted < best->predicted)) best = r;
    return best;
}

static bool could_be_tried(const struct racer *racer) {
    return racer->first > 0 && isfinite(racer->first);
}

const struct racer *race_fastest(const struct race *race) {
    const struct racer *best = NULL;
    for (const struct racer *r = race->racer; r < race->racer + race->count; r++)
        if (could_be_tried(r) && (best == NULL || r->first < best->first)) best = r;
    return best;
}

static bool is_finalist(const struct race *race, int racer) {
    for (int i = 0; i < race->finalists; i++)
        if (race->finalist[i] == racer) return true;
    return false;
}

void race_choose_finalists(struct race *race, int most) {
    race->finalists = race->turns = 0;
    if (race->count > 0 && could_be_tried(&race->racer[0])) race->finalist[race->finalists++] = 0;
    while (race->finalists < most && race->finalists < RACE_FINALISTS) {
        int best = -1;
        for (int i = 0; i < race->count; i++)
            if (could_be_tried(&race->racer[i]) && !is_finalist(race, i) &&
                (best < 0 || race->racer[i].first < race->racer[best].first))
                best = i;
        if (best < 0) return;
        race->finalist[race->finalists++] = best;
    }
}

struct racer *race_turn(struct race *race) {
    if (race->turns == RACE_ROUNDS * race->finalists) return NULL;
    return &race->racer[race->finalist[race->turns % race->finalists]];
}

void race_take(struct race *race, double seconds) {
    race_turn(race)->round[race->turns / race->finalists] = seconds;
    race->turns++;
}

const struct racer *race_winner(const struct race *race, double *seconds) {
    const int rounds = race->finalists > 0 ? race->turns / race->finalists : 0;
    const struct racer *best = rounds > 0 ? NULL : race_fastest(race);
    *seconds = best ? best->first : INFINITY;
    for (int i = 0; rounds > 0 && i < race->finalists; i++) {
        const struct racer *racer = &race->racer[race->finalist[i]];
        double logs = 0;
        for (int round = 0; round < rounds; round++)
            logs += log(racer->round[round]);
        const double mean = exp(logs / rounds);
        if (mean >= *seconds) continue;
        *seconds = mean;
        best = racer;
    }
    return best;
}
