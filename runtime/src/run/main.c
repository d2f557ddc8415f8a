/* main.c: a program on its own, from the command line to the exit status. */
#include "engines/engine.h"
#include "observe/observe.h"
#include "run/interrupt.h"
#include "run/steps.h"
#include "storage/store.h"
#include "storage/transfer.h"
#include "stream/pipeline.h"
#include "support/fault.h"
#include "support/io_log.h"
#include "support/patience.h"
#include "support/point.h"
#include "support/shown.h"
#include "tuning/adapt.h"
#include "tuning/figures.h"
#include "tuning/probe.h"
#include "tuning/survey.h"

#include <inttypes.h>
#include <signal.h>

/* From here on tests see what is done to files, and may stand in the way. */
static int watch_calls(const struct options *o) {
    const int status = o->record_io ? io_log_open(o->record_io) : 0;
    calls_watch(o->fault ? &fault_watcher : NULL, o->record_io && !status ? &io_log_watcher : NULL);
    return status;
}

static int unwatch_calls(const struct options *o, int status) {
    calls_watch(NULL, NULL);
    if (o->fault) fault_report();
    const int closed = io_log_close();
    return status ? status : closed;
}

static int report(struct oocc_run *run) {
    progress_end();
    oocc_point(POINT_REPORT_BEGIN);
    run_measured(run);
    struct shown shown;
    report_print(shown_begin(&shown, stdout, "\n"), run->program, &run->grid, &run->plan, &run->stats);
    const bool printed = shown_end(&shown);
    int status = printed ? run_check_stdout() : run_fail(OOCC_NO_MEMORY, NULL, "out of memory: the figures of the run cannot be printed");
    if (!status) status = run_write_report(run);
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

static void explain_stop(const struct oocc_run *run, bool kept) {
    const struct stats *stats = &run->stats;
    if (stats->given_up_level > run->level)
        run_note("the pass from level %" PRId64 " to %" PRId64 " was under way: %.1f s of work on it are given up", run->level,
                 stats->given_up_level, stats->given_up_seconds);
    if (kept) return;
    if (engine_is_durable(run->plan.engine))
        run_note("stopped before the initial values were stored: nothing is kept");
    else
        explain_nothing_kept(run);
}

/* What a run that did not end well leaves behind, and how to go on. */
static void explain(const struct oocc_run *run, int status) {
    const struct store *store = run->store;
    const bool committed = store && store->durable >= 0;
    const bool io = status == OOCC_IO_ERROR || (status == OOCC_NO_SPACE && store && store->member[0].owns);
    if (status == OOCC_STOPPED) {
        run_note("stopped by %s", interrupt_name());
        explain_stop(run, store_can_resume(run));
    }
    if (!status || status == OOCC_CORRUPT) return;
    /* Until the engine has the files, what is there may be further on than what was committed, or unknown. */
    const bool untouched = run->options.resume && ((committed && !store->open) || (io && !committed));
    if (!committed && store_can_resume(run))
        run_note("what was done is in %s, though not committed: the same command tries again", run->options.scratch);
    else if (untouched)
        run_note("what is in %s is as it was: the same command tries again", run->options.scratch);
    else if (io && !committed)
        run_note("nothing was committed: the same command, without --resume, begins again");
    else if (committed)
        run_note("level %" PRId64 " of %" PRId64
                 " is safe in %s: the same command with --resume goes on from it",
                 store->durable_level, run->steps, run->options.scratch);
}

static int describe(struct oocc_run *run, int argc, char **argv, bool *stop) {
    if (run->program->abi != OOCC_ABI)
        return run_fail(OOCC_INTERNAL, "compile the program again", "it was made for another runtime");
    int status = options_parse(run->program, argc, argv, &run->options, stop);
    if (status || *stop) return status;
    /* Nothing is lost by ending at once while the run is only being planned. */
    interrupt_catch(run->options.resume ? "the run had not gone on yet: what is to be resumed is as it was"
                                        : "nothing had begun yet, and nothing is kept");
    return (status = watch_calls(&run->options)) ? status : run_describe(run);
}

static int plan(struct oocc_run *run, struct figures *figures, struct tuned *tuned, bool *stop) {
    const int status = run_plan(run, figures, tuned);
    if (status) return status;
    *stop = run->options.plan_only;
    if (*stop && run->options.json)
        plan_print_json(stdout, run->program, &run->grid, &run->plan, &run->machine);
    else if (*stop) {
        struct shown shown;
        plan_print(shown_begin(&shown, stdout, "\n"), run->program, &run->grid, &run->plan, &run->machine);
        if (!shown_end(&shown)) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory: the plan cannot be printed");
    }
    return *stop ? run_check_stdout() : 0;
}

int oocc_main(const struct oocc_program *program, int argc, char **argv) {
    struct observer observer = {0};
    struct figures figures;
    struct tuned tuned = {.bt = 0};
    struct oocc_run run = {.program = program, .observer = &observer};
    bool stop = false;
    patience_limit(argv);
    run_set_name(program->name);
    run_watch_end();
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error like any other */
    signal(SIGPIPE, SIG_IGN); /* a reader of the output that goes away, as "| head" does, is no reason to end */
    int status = describe(&run, argc, argv, &stop);
    if (!status && !stop && run.options.machine_only) {
        status = survey_print(stdout, &run.options, &run.machine);
        stop = true;
    }
    if (!status && !stop) status = plan(&run, &figures, &tuned, &stop);
    if (!status && !stop) {
        progress_begin(run.options.progress, program->name);
        if (!(status = run_prepare(&run, &tuned)) && !(status = adapt_open(&run))) status = run_passes(&run);
        adapt_close(&run, status);
        if (!status) probe_learn_pace(&run);
        if (!status && !(status = export_fields(&run)) && !(status = record_finish(&run)))
            status = report(&run);
        progress_end();
    }
    if (status) store_salvage(&run);
    explain(&run, status);
    run_close(&run, status);
    return unwatch_calls(&run.options, status);
}
