/*
 * probe_learn.c: what a run has found out about tiles on its way (climb.h) goes to the figures of the program's loops, so that the
 * next plan begins with it. Only how tiles compare is taken from the run: while planes are moved, everything is a little
 * slower than in the probe's trials, and shapes that were measured in the run would look worse than those that were not. How slow
 * a run is on the whole is kept apart, as the pace of all shapes. The best of many that were looked at a few times has been
 * lucky, too, so what was known counts for half, what runs find one after the other is believed, and all that was known keeps its mean.
 * Of a shape unlike all that were timed only a guess was there, for which nothing counts.
 */
#include "tuning/probe.h"

#include "plan/loops.h"

#include <math.h>
#include <string.h>

/* What was measured of a busy machine is not found again. What loops wait for pages that were swapped out, or that a mapping has lost, says
 * nothing about them. */
static bool may_keep(const struct oocc_run *run) {
    const struct figures *figures = run->machine.figures;
    return run->options.probe != PROBE_OFF && figures != NULL && figures_last(figures) &&
           strcmp(run->plan.engine, "swap") != 0 && strcmp(run->plan.engine, "mmap") != 0;
}

/* What is kept, if anything: another run may have added to it since this one began. */
static struct cache_keys read_kernel(const struct oocc_run *run, struct kernel_figures *kernel) {
    struct cache_keys keys;
    cache_make_keys(&keys, run->program, &run->options, &run->grid, &run->machine, &run->plan);
    cache_tie_kernel(&keys, &run->machine.figures->machine);
    cache_read_kernel(&keys, kernel);
    return keys;
}

/* A shape that a run has tried: what it took over what the model says of it, and what was expected of that. */
struct learnt {
    struct kernel_point point;
    double before; /* 0: nothing was known of any shape */
    bool known;    /* a shape like this one had been timed */
};

/* By how much this run's factors are to be multiplied so that on the whole they are what was expected, of shapes that were known if there
 * are any: if the planned shape's were kept as it is, what was best by luck would be planned, the next one be a little better by luck,
 * and so on, down and down. */
static double scale_of(const struct learnt *learnt, int count) {
    double sum[2] = {0, 0};
    int of[2] = {0, 0};
    for (int i = 0; i < count; i++) {
        if (!(learnt[i].before > 0)) return 1;
        sum[learnt[i].known] += log(learnt[i].before / learnt[i].point.factor);
        of[learnt[i].known]++;
    }
    return exp(sum[of[1] > 0] / of[of[1] > 0]);
}

/* Tiles that were tried fetching ahead and not: the next run tries both, too, so the faster way stands for them. */
static bool slower_twin(const struct climb *c, const struct climb_tried *tried) {
    for (int i = 0; i < c->tried; i++)
        if (c->at[i].tiles.ct == tried->tiles.ct && c->at[i].tiles.count == tried->tiles.count && c->at[i].rate > tried->rate) return true;
    return false;
}

/* By the nominal figures of a machine some tiles look twice as good beside others as they are, and those like them would be planned next: of
 * a program that was not probed there, only the pace is kept. */
static bool may_compare(const struct oocc_run *run) {
    const struct figures *figures = run->machine.figures;
    return may_keep(run) && (figures_measured(figures->machine.date) || figures->kernel.points > 0);
}

void probe_learn(const struct oocc_run *run, const struct climb *c, double cell_seconds, double updates) {
    if (!may_compare(run) || c->tried < 2 || !(cell_seconds > 0) || !(updates > 0)) return;
    const struct plan *plan = &run->plan;
    const struct workload work = workload_of(run->program, &run->grid, &run->machine, plan);
    struct kernel_figures kernel = {.points = 0};
    const struct cache_keys keys = read_kernel(run, &kernel);
    kernel.bold = true; /* a guess without caution */
    const struct kernel_factors factors = figures_factors(&kernel);
    struct learnt learnt[CLIMB_TRIED];
    int count = 0;
    if (kernel.points == 0) kernel.pace = 0; /* it was not of points */
    for (int i = 0; i < c->tried; i++) { /* [0]: as planned */
        const struct climb_tried *tried = &c->at[i];
        if (slower_twin(c, tried)) continue;
        const struct shape shape = {plan->bt, plan->bz, tried->tiles.ct, tried->tiles.count, plan->pieces, plan->cut};
        const double expected = probe_untimed_seconds(run, &shape, updates);
        if (!(expected > 0) || !(tried->rate > 0)) return;
        struct learnt *new = &learnt[count++];
        new->point = loops_kernel_point(&work, &shape, cell_seconds * updates / tried->rate / expected);
        const struct kernel_point *p = &new->point;
        const struct kernel_guess guess = figures_guess(&factors, p->ct, p->rows, p->planes);
        new->before = kernel.points > 0 ? guess.factor : 0;
        new->known = guess.known;
    }
    const double scale = scale_of(learnt, count);
    for (int i = 0; i < count; i++) {
        struct kernel_point point = learnt[i].point;
        point.factor *= scale;
        if (learnt[i].known) point.factor = sqrt(learnt[i].before * point.factor);
        figures_add_point(&kernel, point);
    }
    if (c->space.choose_fetch) kernel.processor_fetches = !c->best.fetch;
    figures_stamp(kernel.date);
    cache_write_kernel(&keys, &kernel);
}

/* Of the least such seconds and of runs that waited for less than such a share, which is not counted; and how much the latest run counts for. */
static const double telling_seconds = 5, waiting_share = 0.25, latest = 2. / 3;
/* Beyond them it is not the pace that is wrong. Where nothing was timed, of what the core lets expect. */
static const double least_pace = 0.1, most_pace = 4;

void probe_learn_pace(const struct oocc_run *run) {
    const struct plan *plan = &run->plan;
    const struct stats *stats = &run->stats;
    if (!may_keep(run) || plan->tuned[0] != '\0' || strcmp(plan->bound, "disk") == 0 || stats->steps_done != plan->steps ||
        stats->compute_seconds < telling_seconds || !(plan->compute_seconds > 0) ||
        stats->read_wait_seconds + stats->write_wait_seconds > waiting_share * stats->pass_seconds)
        return;
    const struct kernel_figures *planned = &run->machine.figures->kernel;
    struct kernel_figures kernel = {.points = 0};
    const struct cache_keys keys = read_kernel(run, &kernel);
    if (kernel.points > 0 && planned->points == 0) return; /* those of this run, which tell what it took */
    /* What better tiles have won is known of those tiles already; otherwise the next run has it to win again. */
    const double won = stats->adapted.on && may_compare(run) ? stats->adapted.gain : 1;
    const struct workload work = workload_of(run->program, &run->grid, &run->machine, plan);
    const double core = planned->points > 0 ? 1 : loops_core_slowness(&work), expected = planned->pace > 0 ? planned->pace : core,
                 took = expected * stats->compute_seconds * won / plan->compute_seconds;
    if (took < least_pace * core || took > most_pace * core) return;
    const double before = kernel.pace > 0 ? kernel.pace : planned->points > 0 ? 1 : took; /* a millisecond of a core counts for nothing */
    kernel.pace = pow(took, latest) * pow(before, 1 - latest);
    figures_stamp(kernel.date);
    cache_write_kernel(&keys, &kernel);
}
