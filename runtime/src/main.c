#include "adapt.h"
#include "bind.h"
#include "engine.h"
#include "interrupt.h"
#include "manifest.h"
#include "observe.h"
#include "pipeline.h"
#include "point.h"
#include "probe.h"
#include "scratch.h"
#include "store.h"
#include "transfer.h"
#include "tune.h"
#include "window.h"

#include <inttypes.h>
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* From where to where: the command line, else the run that is resumed, else the program says. */
static int find_levels(struct oocc_run *run, int64_t program_steps) {
    const struct options *o = &run->options;
    struct manifest manifest;
    run->steps = o->steps >= 0 ? o->steps : program_steps;
    if (!o->resume) return 0;
    const int status = scratch_peek(run, &manifest);
    if (status) return status;
    run->level = manifest.level;
    if (o->steps < 0) run->steps = manifest.steps;
    if (run->steps < run->level)
        return run_fail(OOCC_BAD_INPUT, "give more --steps, or --restart to begin again",
                        "the run in %s is at level %" PRId64 " already, beyond the %" PRId64
                        " steps asked for",
                        o->scratch, run->level, run->steps);
    return 0;
}

static int describe(struct oocc_run *run, int argc, char **argv, bool *stop) {
    const struct oocc_program *program = run->program;
    int64_t extent[OOCC_MAX_DIMS] = {0}, steps = 0;
    int status;
    if (program->abi != OOCC_ABI)
        return run_fail(OOCC_INTERNAL, "compile the program again", "it was made for another runtime");
    if ((status = options_parse(program, argc, argv, &run->options, stop)) || *stop) return status;
    /* Nothing is lost by ending at once while the run is only being planned. */
    interrupt_catch(run->options.resume ? "the run had not gone on yet: what is to be resumed is as it was"
                                        : "nothing had begun yet, and nothing is kept");
    if (!run->options.scratch) {
        if (asprintf(&run->scratch_name, "%s.scratch", program->name) < 0)
            return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
        run->options.scratch = run->scratch_name;
    }
    program->setup(extent, &steps);
    if ((status = grid_layout(program, extent, &run->grid)) || (status = observe_read(program, &run->grid)))
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

static int plan(struct oocc_run *run, struct figures *figures, struct tuned *tuned, bool *stop) {
    bool chosen = false;
    int status = want_durable_engine(&run->options, &chosen);
    if (status || (status = probe_and_plan(run, figures, tuned))) return status;
    if (chosen) run->plan.engine_reason = "its files outlive the run";
    *stop = run->options.plan_only;
    if (*stop)
        (run->options.json ? plan_print_json : plan_print)(stdout, run->program, &run->grid, &run->plan,
                                                           &run->machine);
    return *stop ? run_check_stdout() : 0;
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

static int prepare(struct oocc_run *run, struct tuned *tuned) {
    int status = outputs_check(run);
    if (status) return status;
    interrupt_defer(); /* from here on there is something to put in order */
    omp_set_dynamic(0);
    omp_set_num_threads(run->plan.threads);
    run->program->use_grid(&run->grid);
    watch_reset(run);
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

static int report(struct oocc_run *run) {
    progress_end();
    oocc_point(POINT_REPORT_BEGIN);
    if (run->store) {
        const struct engine *engine = run->store->engine;
        run->stats.io_depth = engine->most_in_flight;
        memcpy(run->stats.io_note, engine->note, sizeof run->stats.io_note);
    }
    report_print(stdout, run->program, &run->grid, &run->plan, &run->stats);
    int status = run_check_stdout();
    if (!status && run->options.report)
        status = report_write(run->options.report, run->program, &run->grid, &run->plan, &run->machine, &run->stats);
    oocc_point(POINT_REPORT_DONE);
    return status;
}

/* What becomes of a run without files when it is stopped. */
static void explain_nothing_kept(const struct oocc_run *run) {
    if (run->level > 0)
        run_note("level %" PRId64 " of %" PRId64 " was reached, and nothing can be resumed: engine %s keeps nothing on disk; "
                 "with --keep a run has files",
                 run->level, run->steps, run->plan.engine);
    else
        run_note("nothing can be resumed: engine %s keeps nothing on disk; with --keep a run has files", run->plan.engine);
}

/* What a run that did not end well leaves behind, and how to go on. */
static void explain(const struct oocc_run *run, int status) {
    const struct stats *stats = &run->stats;
    if (status == OOCC_STOPPED) run_note("stopped by %s", interrupt_name());
    if (!status || (!run->store && status != OOCC_STOPPED)) return;
    if (status == OOCC_STOPPED && stats->given_up_level > run->level)
        run_note("the pass from level %" PRId64 " to %" PRId64 " was under way: %.1f s of work on it are given up", run->level,
                 stats->given_up_level, stats->given_up_seconds);
    if (run->store && run->store->committed && status != OOCC_CORRUPT)
        run_note("level %" PRId64 " of %" PRId64
                 " is safe in %s: the same command with --resume goes on from it",
                 run->level, run->steps, run->options.scratch);
    else if (status == OOCC_STOPPED && !engine_is_durable(run->plan.engine))
        explain_nothing_kept(run);
    else if (status == OOCC_STOPPED)
        run_note("stopped before the initial values were stored: nothing is kept");
}

int oocc_main(const struct oocc_program *program, int argc, char **argv) {
    struct observer observer = {0};
    struct figures figures;
    struct tuned tuned = {.bt = 0};
    struct oocc_run run = {.program = program, .observer = &observer};
    bool stop = false;
    run_set_name(program->name);
    run_watch_end();
    signal(SIGPIPE, SIG_IGN); /* a reader of the output that goes away, as "| head" does, is no reason to end */
    int status = describe(&run, argc, argv, &stop);
    if (!status && !stop) status = plan(&run, &figures, &tuned, &stop);
    if (!status && !stop) {
        progress_begin(run.options.progress, program->name);
        if (!(status = prepare(&run, &tuned)) && !(status = adapt_open(&run))) status = run_passes(&run);
        adapt_close(&run, status);
        if (!status && !(status = export_fields(&run)) && !(status = record_finish(&run)))
            status = report(&run);
        progress_end();
        explain(&run, status);
    }
    close_passes(&run);
    store_close(&run, status);
    observe_forget(program);
    free((void *)(uintptr_t)run.grid.layout);
    free(run.scratch_name);
    return status;
}
