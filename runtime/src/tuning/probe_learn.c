/*
 * probe_learn.c: what a run has found out about tiles on its way (climb.h) goes to the figures of the program's loops, so that the
 * next plan begins with it. Only how tiles compare is taken from the run: while planes are moved, everything is a little
 * slower than in the probe's trials, and shapes that were measured in the run would look worse than those that were not.
 */
#include "tuning/probe.h"

static bool may_keep(const struct oocc_run *run) {
    const struct figures *figures = run->machine.figures;
    return run->options.probe != PROBE_OFF && figures != NULL && figures_measured(figures->machine.date);
}

void probe_learn(const struct oocc_run *run, const struct climb *c, double cell_seconds, double updates) {
    if (!may_keep(run) || c->tried < 2 || !(cell_seconds > 0) || !(updates > 0)) return;
    const struct plan *plan = &run->plan;
    const struct workload work = workload_of(run->program, &run->grid, &run->machine, plan);
    struct cache_keys keys;
    struct kernel_figures kernel = {.points = 0};
    cache_make_keys(&keys, run->program, &run->options, &run->grid, &run->machine, plan);
    cache_tie_kernel(&keys, &run->machine.figures->machine);
    cache_read_kernel(&keys, &kernel); /* another run may have added to it since this one began */
    const struct kernel_figures known = kernel;
    double scale = 1;
    for (int i = 0; i < c->tried; i++) { /* [0]: as planned */
        const struct climb_tried *tried = &c->at[i];
        struct shape shape = {plan->bt, plan->bz, tried->tiles.ct, tried->tiles.count, plan->pieces, plan->cut};
        const double expected = probe_untimed_seconds(run, &shape, updates);
        if (!(expected > 0) || !(tried->rate > 0)) return;
        const double factor = cell_seconds * updates / tried->rate / expected;
        const struct kernel_point point = cost_kernel_point(&work, &shape, factor);
        if (i == 0 && known.points > 0) scale = figures_factor(&known, point.ct, point.rows, point.planes) / factor;
        figures_add_point(&kernel, cost_kernel_point(&work, &shape, scale * factor));
    }
    figures_stamp(kernel.date);
    cache_write_kernel(&keys, &kernel);
}
