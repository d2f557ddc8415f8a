#include "tuning/probe.h"

#include "tuning/mover.h"
#include "tuning/trial.h"

#include <omp.h>
#include <string.h>

/* Measuring takes about so long; a run that is not several times as long is planned with what is known. */
static const double probe_seconds = 4, worth = 5;
static const int64_t spare_bytes = (int64_t)16 << 20;

int64_t probe_room(const struct oocc_run *run) {
    const int64_t there = oocc_min(run->plan.budget_bytes, run->machine.memory_available_bytes);
    return there - machine_resident_bytes() - spare_bytes;
}

bool probe_steady(double first, double second) {
    return first > 0.75 * second && second > 0.75 * first;
}

static int make(struct oocc_run *run) {
    return plan_make(run->program, &run->options, &run->machine, &run->grid, run->steps - run->level,
                     &run->plan);
}

/* What engine swap costs shows only when memory is short. */
static bool has_device(const struct plan *plan) {
    return !plan->in_place && strcmp(plan->engine, "swap") != 0;
}

/* Of the room, for what moves while loops are timed in the rest of it. */
enum { MOVER_PART = 4 };

struct parts {
    int64_t machine_bytes; /* to measure memory and caches in; 0: they are known, or cannot be */
    bool device, kernel;
};

/* The loops, and what the device and they take from each other. They are told by how much they miss the machine's figures, be these
 * nominal: the key says which they are. */
static int measure_loops(struct oocc_run *run, const struct cache_keys *keys, struct parts missing, struct figures *figures) {
    struct device_figures *device = &figures->device;
    struct mover mover;
    int status = 0;
    const bool beside = has_device(&run->plan) && figures_measured(device->date) && (missing.device || missing.kernel),
               moves = beside && mover_open(&mover, &run->plan, run->options.scratch, probe_room(run) / MOVER_PART);
    const struct kernel_figures learnt = figures->kernel;
    if (missing.kernel) status = probe_kernel(run, moves ? &mover : NULL, &figures->kernel);
    if (missing.device && moves && !status && (status = make(run)) == 0) {
        const double rate = mover.rate, left = figures_cores_left(device, rate); /* while loops were timed */
        if (probe_beside(run, &mover, device)) cache_write_device(keys, device);
        if (missing.kernel) figures_scale(&figures->kernel, figures_cores_left(device, rate) / left);
    }
    if (beside) mover_close(&mover);
    if (!figures->kernel.probed) figures->kernel = learnt;
    if (!status && missing.kernel && figures->kernel.probed && figures_last(figures)) cache_write_kernel(keys, &figures->kernel);
    return status;
}

/* Measures what is missing, and keeps it. */
static int measure(struct oocc_run *run, struct cache_keys *keys, struct parts missing,
                   struct figures *figures) {
    const struct plan *plan = &run->plan;
    char size[32];
    int status = 0;
    run_note("measuring%s%s%s: takes a few seconds, once", missing.machine_bytes ? " memory and caches" : "",
             missing.device ? (missing.machine_bytes ? ", the scratch" : " the scratch") : "",
             missing.kernel
                 ? (missing.machine_bytes || missing.device ? ", the program's loops" : " the program's loops")
                 : "");
    omp_set_dynamic(0);
    omp_set_num_threads(plan->threads);
    run->program->use_grid(&run->grid);
    run->machine.figures = figures;
    bool all = true;
    if (missing.machine_bytes) {
        all = probe_memory(&run->machine, plan->threads, missing.machine_bytes, &figures->machine);
        if (all && !figures->machine.unsteady) cache_write_machine(keys, &figures->machine);
    }
    cache_make_keys(keys, run->program, &run->options, &run->grid, &run->machine, plan);
    cache_tie_kernel(keys, &figures->machine);
    if (missing.device) {
        if (probe_device(plan, run->options.scratch, probe_room(run), &figures->device))
            cache_write_device(keys, &figures->device);
        else
            all = false;
    }
    if ((status = measure_loops(run, keys, missing, figures))) return status;
    all = all && (!missing.kernel || figures->kernel.probed);
    if (!all)
        run_note("not all could be measured (too little memory, or the machine is busy): nominal figures "
                 "stand in");
    else if (!figures_last(figures))
        run_note("the machine is busy: what came out otherwise each time is for this run alone");
    if (!figures_measured(figures->machine.date) && !missing.machine_bytes)
        run_note("nominal figures stand in for memory and caches: measuring them takes %s",
                 format_bytes(size, probe_memory_least_bytes(&run->machine, plan->threads)));
    return make(run);
}

/* Finds what is kept of memory and caches, measured with all the room that it takes or, where this run has less, in as much as this; the
 * key is then of what can be measured here. Returns the bytes to measure it in: 0 where it is known, or there is no room. */
static int64_t find_machine(const struct oocc_run *run, struct cache_keys *keys, bool anew, struct machine_figures *figures) {
    const int64_t whole = probe_memory_bytes(&run->machine, run->plan.threads, INT64_MAX),
                  bytes = probe_memory_bytes(&run->machine, run->plan.threads, probe_room(run));
    if (!anew && cache_read_machine(keys, figures)) return 0;
    if (bytes > 0 && bytes < whole) {
        cache_limit_machine(keys, bytes);
        if (!anew && cache_read_machine(keys, figures)) return 0;
    }
    return bytes;
}

int probe_and_plan(struct oocc_run *run, struct figures *figures, struct tuned *tuned) {
    const enum probe_mode mode = run->options.probe;
    struct cache_keys keys;
    /* Threads and buffers that probing leaves behind are counted by the plan: it must come out as without probing. */
    run->machine.resident_bytes = machine_resident_bytes();
    int status = make(run); /* says which engine and how many threads it is about */
    if (status) return status;
    cache_make_keys(&keys, run->program, &run->options, &run->grid, &run->machine, &run->plan);
    *figures = figures_nominal;
    if (mode != PROBE_OFF) {
        struct parts missing = {.device = has_device(&run->plan), .kernel = true};
        missing.machine_bytes = find_machine(run, &keys, mode == PROBE_NOW, &figures->machine);
        if (!figures->machine.core.measured) probe_core(&figures->machine.core);
        if (mode != PROBE_NOW) {
            missing.device = has_device(&run->plan) && !cache_read_device(&keys, &figures->device);
            cache_tie_kernel(&keys, &figures->machine);
            missing.kernel = !cache_read_kernel(&keys, &figures->kernel) || !figures->kernel.probed || missing.machine_bytes;
            run->machine.figures = figures;
            if ((status = make(run))) return status;
        }
        const bool any = missing.machine_bytes || missing.device || missing.kernel;
        const bool wanted =
            mode != PROBE_AUTO ||
            (!run->options.plan_only && (run->options.tune || run->plan.seconds > worth * probe_seconds));
        if (any && wanted && (status = measure(run, &keys, missing, figures))) return status;
    }
    if (run->options.tune || run->plan.schedule == SCHEDULE_SWEEP ||
        options_fix_shape(run->program, &run->options) || !cache_read_tuned(&keys, tuned))
        return 0;
    run->machine.tuned = tuned;
    if ((status = make(run)) == 0 && run->plan.tuned[0] == '\0')
        run_note("the plan that was tuned on %s does not fit this run and is left out of account",
                 tuned->date);
    return status;
}
