#include "run/steps.h"

#include "engines/engine.h"
#include "engines/fresh_counts.h"
#include "observe/observe.h"
#include "run/interrupt.h"
#include "storage/manifest.h"
#include "storage/scratch.h"
#include "storage/store.h"
#include "storage/transfer.h"
#include "stream/bind.h"
#include "stream/pipeline.h"
#include "stream/window.h"
#include "tuning/adapt.h"
#include "tuning/probe.h"
#include "tuning/tune.h"

#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* An application says later how far to go; it is planned for calls of so many steps. */
static int want_calls(struct oocc_run *run) {
    if (__builtin_add_overflow(run->level, oocc_max(run->steps, 1), &run->steps))
        return run_fail(OOCC_BAD_INPUT, NULL, "levels are 64-bit: that are too many steps");
    return 0;
}

/* From where to where: the command line, else the run that is resumed, else the program says. */
static int find_levels(struct oocc_run *run, int64_t program_steps) {
    const struct options *o = &run->options;
    struct manifest manifest;
    run->steps = o->steps >= 0 ? o->steps : program_steps;
    if (!o->resume && !run->program->embedded) return 0;
    if (!o->resume) return want_calls(run);
    const int status = scratch_peek(run, &manifest);
    if (status) return status;
    run->level = manifest.level;
    if (run->program->embedded) return want_calls(run);
    if (o->steps < 0) run->steps = manifest.steps;
    if (run->steps < run->level)
        return run_fail(OOCC_BAD_INPUT, "give more --steps, or --restart to begin again",
                        "the run in %s is at level %" PRId64 " already, beyond the %" PRId64
                        " steps asked for",
                        o->scratch, run->level, run->steps);
    if (run->steps == run->level)
        run_note("all %" PRId64 " steps of the run in %s are made; --steps N goes on to more", run->level, o->scratch);
    return 0;
}

int run_describe(struct oocc_run *run) {
    const struct oocc_program *program = run->program;
    int64_t extent[OOCC_MAX_DIMS] = {0}, steps = 0;
    int status;
    if (!run->options.scratch) {
        if (asprintf(&run->scratch_name, "%s.scratch", program->name) < 0)
            return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
        run->options.scratch = run->scratch_name;
    }
    if ((status = run_setup(program, extent, &steps)) || (status = grid_layout(program, extent, run->options.dense, &run->grid)) ||
        (status = run_use_grid(program, &run->grid)) || (status = observe_read(program, &run->grid)))
        return status;
    machine_read(&run->machine);
    return find_levels(run, steps);
}

/* A run that is resumed, or kept to be resumed, needs an engine whose files outlive the process. */
static int want_durable_engine(struct options *o, bool *chosen) {
    const char *reason;
    int status = 0;
    if ((!o->resume && !o->keep) || engine_is_durable(o->engine)) return 0;
    if (strcmp(o->engine, "auto"))
        return run_fail(OOCC_USAGE, "choose --engine auto, uring, aio, threads or mmap",
                        "engine %s keeps nothing, so --%s cannot work", o->engine,
                        o->resume ? "resume" : "keep");
    o->engine = engine_probe(o->scratch, "auto", &reason, &status);
    *chosen = true;
    return status;
}

int run_plan(struct oocc_run *run, struct figures *figures, struct tuned *tuned) {
    bool chosen = false;
    int status = want_durable_engine(&run->options, &chosen);
    if (status || (status = probe_and_plan(run, figures, tuned))) return status;
    if (chosen) run->plan.engine_reason = "its files outlive the run";
    return 0;
}

/* What a pass works on. */
static int open_passes(struct oocc_run *run) {
    int status = watch_open(run);
    if (status || (status = record_open(run)) || (status = window_open(run))) return status;
    return pipeline_open(run);
}

static void close_passes(struct oocc_run *run) {
    record_close(run);
    watch_close(run);
    pipeline_close(run);
    window_close(run);
}

int run_prepare(struct oocc_run *run, struct tuned *tuned) {
    int status = outputs_check(run);
    if (status) return status;
    interrupt_defer(); /* from here on there is something to put in order */
    omp_set_dynamic(0);
    omp_set_num_threads(run->plan.threads);
    run->program->use_grid(&run->grid);
    watch_reset(run);
    if (strcmp(run->plan.engine, "swap") == 0) run->fresh_counts = fresh_counts_open();
    if (!run->plan.in_place && (status = store_open(run))) return status;
    bind_threads(run->options.bind,
                 run->plan.threads); /* the engine's threads are there, and are not bound */
    if (run->options.tune && run->plan.in_place && (status = tune_loops(run, tuned))) return status;
    if ((status = open_passes(run)) || (!run->options.resume && (status = import_fields(run)))) return status;
    if (!run->options.tune || run->plan.in_place) return 0;
    /* The plans that are tried read what has been stored, and each has a window of its own. */
    close_passes(run);
    return (status = tune_stream(run, tuned)) ? status : open_passes(run);
}

void run_measured(struct oocc_run *run) {
    if (!run->store) return;
    const struct engine *engine = run->store->engine;
    run->stats.io_depth = engine->most_in_flight;
    memcpy(run->stats.io_note, engine->note, sizeof run->stats.io_note);
}

int run_write_report(struct oocc_run *run) {
    return run->options.report ? report_write(run->options.report, run->program, &run->grid, &run->plan, &run->machine,
                                              &run->stats)
                               : 0;
}

void run_close(struct oocc_run *run, int status) {
    adapt_close(run, status);
    close_passes(run);
    store_close(run, status);
    fresh_counts_close(run->fresh_counts);
    observe_forget(run->program);
    free((void *)(uintptr_t)run->grid.layout);
    free(run->scratch_name);
}
