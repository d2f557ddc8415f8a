/*
 * run.h: the state of one run and the steps of it. main.c goes through them in this order, embed.c at its application's bidding:
 *
 *     options_parse  ->  program->setup  ->  grid_layout  ->  observe_read  ->  machine_read  ->  plan_make
 *     ->  (--plan: print, stop)  ->  store_open  ->  import (or resume)
 *     ->  passes: plan_pass, window_lay_out, program->pass, watch_end, record_write, store_advance
 *     ->  export  ->  record_finish  ->  report  ->  store_close
 *
 * Every function that can fail prints one error by run_fail() and returns its exit status; 0 is success.
 */
#ifndef OOCC_RUN_H
#define OOCC_RUN_H

#include "field_io/field_file.h"
#include "oocc/oocc.h"
#include "plan/run_plan.h"
#include "run/options.h"
#include "run/progress.h"
#include "run/report.h"
#include "run/stats.h"
#include "stream/grid.h"
#include "stream/window_size.h"
#include "support/error.h"
#include "support/units.h"
#include "tuning/machine.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Sizes that follow from the parameters, and what kernels need of the layout: the program's setup() and use_grid(), out of which
 * oocc_overflow() and oocc_zero_division() lead here. 0 or OOCC_BAD_INPUT. */
int run_setup(const struct oocc_program *program, int64_t extent[OOCC_MAX_DIMS], int64_t *steps);
int run_use_grid(const struct oocc_program *program, const struct oocc_grid *grid);

struct store;  /* store.h */
struct window; /* window.h */
struct pipeline; /* pipeline.h */
struct strips; /* strips.h */
struct observer; /* observe.h */
struct timed_slabs;    /* trial.h */
struct adapt;          /* adapt.h */
struct given;          /* planes.h */

struct oocc_run {
    const struct oocc_program *program;
    struct options options;
    struct machine machine;
    struct oocc_grid grid;
    struct plan plan;
    struct store *store;   /* NULL in place */
    struct fresh_counts *fresh_counts; /* under engine swap, in place, too */
    struct window *rings;  /* the window's memory */
    struct pipeline *pipeline; /* pipeline.c */
    struct strips *strips; /* between columns that lean; otherwise NULL */
    struct observer *observer;
    struct timed_slabs *trial;   /* some slabs that are only timed; NULL: the passes are real */
    struct adapt *adapt;   /* how slabs are cut into tiles as the run goes on; NULL: as planned */
    struct subnormal {     /* numbers (subnormal.h) since the last pass */
        int64_t cells, found;
        bool told;         /* the user has been told of them */
    } subnormal;
    struct stats stats;
    int64_t level;         /* t of the present generation */
    int64_t steps;         /* t at which the run ends */
    const struct given *given; /* initial values of an application's, one per field; NULL: the program's */
    char *scratch_name;    /* options.scratch when the user has not named one, otherwise NULL */
};

#endif
