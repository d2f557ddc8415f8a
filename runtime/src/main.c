/* main.c: a program on its own, from the command line to the exit status. */
#include "adapt.h"
#include "figures.h"
#include "observe.h"
#include "pipeline.h"
#include "shown.h"
#include "steps.h"
#include "store.h"
#include "survey.h"
#include "transfer.h"

#include <inttypes.h>

static int report(struct oocc_run *run) {
    progress_end();
    run_measured(run);
    struct shown shown;
    report_print(shown_begin(&shown, stdout, "\n"), run->program, &run->grid, &run->plan, &run->stats);
    shown_end(&shown);
    return run_write_report(run);
}

/* What a run that did not end well leaves behind, and how to go on. */
static void explain(const struct oocc_run *run, int status) {
    if (!status || (!run->store && status != OOCC_STOPPED)) return;
    if (run->store && run->store->committed && status != OOCC_CORRUPT)
        run_note("level %" PRId64 " of %" PRId64
                 " is safe in %s: the same command with --resume goes on from it",
                 run->level, run->steps, run->options.scratch);
    else if (status == OOCC_STOPPED)
        run_note("stopped before the initial values were stored: nothing is kept");
}

static int describe(struct oocc_run *run, int argc, char **argv, bool *stop) {
    if (run->program->abi != OOCC_ABI)
        return run_fail(OOCC_INTERNAL, "compile the program again", "it was made for another runtime");
    const int status = options_parse(run->program, argc, argv, &run->options, stop);
    return status || *stop ? status : run_describe(run);
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
        shown_end(&shown);
    }
    return 0;
}

int oocc_main(const struct oocc_program *program, int argc, char **argv) {
    struct observer observer = {0};
    struct figures figures;
    struct tuned tuned = {.bt = 0};
    struct oocc_run run = {.program = program, .observer = &observer};
    bool stop = false;
    run_set_name(program->name);
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
        if (!status && !(status = export_fields(&run)) && !(status = record_finish(&run)))
            status = report(&run);
        progress_end();
        explain(&run, status);
    }
    run_close(&run, status);
    return status;
}
