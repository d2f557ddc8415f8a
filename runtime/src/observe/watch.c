/*
 * watch.c: reductions over the grid. Threads gather on their own, for every step of a pass that is due; when the pass
 * is done they are combined, and the values are stored step by step, so that stop conditions see them as they
 * would have been when the step was done. A condition that holds before the pass's last step makes the caller
 * repeat the pass with fewer steps.
 */
#include "observe/observe.h"
#include "support/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 64 };

struct watches {
    struct oocc_gather *gather; /* of due steps, of threads */
    int threads;
    int64_t *first;    /* per watch: of its due steps among all; one more: their number */
    double *value;     /* per due step */
    double *before;    /* per watch: when the pass began */
    int64_t last_step; /* after which values were stored */
};

_Static_assert(sizeof(struct oocc_gather) % LINE_BYTES == 0, "threads would share cache lines");

/* Of a pass of bt steps, wherever it begins; in the pass of no steps that comes first, one. */
static int64_t most_due(int64_t bt, const int64_t *every) {
    return (oocc_max(bt, 1) - 1) / observe_every(every) + 1;
}

static bool count(int64_t a, int64_t b, int64_t *total) {
    int64_t product;
    return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*total, product, total);
}

int64_t observe_bytes(const struct oocc_program *program, int threads, int64_t bt) {
    int64_t bytes = 0;
    bool good = true;
    for (int i = 0; i < program->watches; i++)
        good = good && count(most_due(bt, program->watch[i].every),
                             threads * (int64_t)sizeof(struct oocc_gather) + (int64_t)sizeof(double), &bytes);
    for (int i = 0; i < program->records; i++) {
        const struct oocc_points *set = &program->points[program->record[i].points];
        good = good && count(set->points + 1, sizeof(int64_t), &bytes) &&
               count(most_due(bt, program->record[i].every), set->cells * (int64_t)sizeof(double), &bytes);
    }
    return good ? bytes : INT64_MAX;
}

int watch_open(struct oocc_run *run) {
    const struct oocc_program *program = run->program;
    if (program->watches == 0) return OOCC_OK;
    int64_t steps = 0;
    for (int i = 0; i < program->watches; i++)
        steps += most_due(run->plan.bt, program->watch[i].every);
    struct watches *w = calloc(1, sizeof *w);
    run->observer->watches = w;
    if (w == NULL) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    w->threads = run->plan.threads;
    w->gather = aligned_alloc(LINE_BYTES, (size_t)(steps * w->threads) * sizeof *w->gather);
    w->first = calloc((size_t)program->watches + 1, sizeof *w->first);
    w->value = calloc((size_t)steps, sizeof *w->value);
    w->before = calloc((size_t)program->watches, sizeof *w->before);
    if (w->gather == NULL || w->first == NULL || w->value == NULL || w->before == NULL)
        return run_fail(OOCC_NO_MEMORY, NULL, "no memory for what monitors gather");
    return OOCC_OK;
}

void watch_close(struct oocc_run *run) {
    struct watches *w = run->observer->watches;
    if (w == NULL) return;
    free(w->gather);
    free(w->first);
    free(w->value);
    free(w->before);
    free(w);
    run->observer->watches = NULL;
}

void watch_reset(struct oocc_run *run) {
    for (int i = 0; i < run->program->watches; i++)
        *run->program->watch[i].value = NAN;
}

bool watch_feeds(const struct oocc_program *program) {
    for (int i = 0; i < program->watches; i++)
        if (program->watch[i].feeds) return true;
    return false;
}

/* Where among a watch's due steps of this pass step s is. */
static int64_t index_of(const struct oocc_pass *pass, const struct oocc_watch *watch, int64_t s) {
    return s > 0 ? observe_due(pass->t0, s, watch->every) - 1 : 0;
}

static bool due(const struct oocc_pass *pass, const struct oocc_watch *watch, int64_t s) {
    return s > 0 ? oocc_due(pass, s, observe_every(watch->every)) : watch->feeds;
}

struct oocc_gather *oocc_gather(const struct oocc_pass *p, int watch, int64_t s) {
    const struct watches *w = p->run->observer->watches;
    const int64_t step = w->first[watch] + index_of(p, &p->run->program->watch[watch], s);
    return &w->gather[step * w->threads + oocc_thread()];
}

void watch_begin(struct oocc_run *run, const struct oocc_pass *pass) {
    struct watches *w = run->observer->watches;
    if (w == NULL) return;
    for (int i = 0; i < run->program->watches; i++) {
        const struct oocc_watch *watch = &run->program->watch[i];
        const int64_t steps = pass->bt > 0 ? observe_due(pass->t0, pass->bt, watch->every) : watch->feeds;
        w->first[i + 1] = w->first[i] + steps;
        w->before[i] = *watch->value;
        for (int64_t g = w->first[i] * w->threads; g < w->first[i + 1] * w->threads; g++)
            gather_reset(&w->gather[g], watch->op);
    }
}

static void combine(const struct oocc_run *run, struct watches *w) {
    for (int i = 0; i < run->program->watches; i++)
        for (int64_t step = w->first[i]; step < w->first[i + 1]; step++) {
            struct oocc_gather *all = &w->gather[step * w->threads];
            for (int t = 1; t < w->threads; t++)
                gather_add(all, all + t, run->program->watch[i].op);
            w->value[step] = gather_value(all, run->program->watch[i].op);
        }
}

struct watch_stop watch_end(struct oocc_run *run, const struct oocc_pass *pass) {
    struct watches *w = run->observer->watches;
    struct watch_stop stop = {.condition = -1};
    if (w == NULL) return stop;
    combine(run, w);
    for (int64_t s = pass->first_step; s <= pass->bt && stop.condition < 0; s++) {
        bool any = false;
        for (int i = 0; i < run->program->watches; i++) {
            const struct oocc_watch *watch = &run->program->watch[i];
            if (!due(pass, watch, s)) continue;
            *watch->value = w->value[w->first[i] + index_of(pass, watch, s)];
            any = true;
        }
        w->last_step = s;
        if (any && s > 0 && run->program->stop != NULL)
            stop = (struct watch_stop){.condition = run->program->stop(), .step = s};
    }
    return stop;
}

void watch_undo(struct oocc_run *run) {
    for (int i = 0; i < run->program->watches; i++)
        *run->program->watch[i].value = run->observer->watches->before[i];
}

/* What feeds the updates changes with every step; only what was asked for by name is shown. */
void watch_print(const struct oocc_run *run, const struct oocc_pass *pass) {
    const struct watches *w = run->observer->watches;
    if (w == NULL || run->program->embedded) return;
    char text[NUMBER_TEXT];
    bool any = false;
    for (int64_t s = 1; s <= w->last_step; s++) {
        bool begun = false;
        for (int i = 0; i < run->program->watches; i++) {
            const struct oocc_watch *watch = &run->program->watch[i];
            if (watch->feeds || !due(pass, watch, s)) continue;
            if (!any) progress_clear();
            if (!begun) printf("t=%" PRId64, pass->t0 + s);
            printf("  %s = %s", watch->name, format_number(text, w->value[w->first[i] + index_of(pass, watch, s)], false));
            any = begun = true;
        }
        if (begun) putchar('\n');
    }
    if (any) fflush(stdout);
}

int watch_resumed(const struct oocc_run *run) {
    if (run->program->stop == NULL || run->level == 0) return -1;
    for (int i = 0; i < run->program->watches; i++)
        if (run->level % observe_every(run->program->watch[i].every) == 0) return run->program->stop();
    return -1;
}
