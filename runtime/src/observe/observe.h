/*
 * observe.h: what a run looks at while it goes on: points (points.c) and signals (signal.c), which are read before the plan
 * is made; traces (record.c); reductions and stop conditions (watch.c); numbers that are none (finite.c); and where
 * passes must end because of all that (cut.c).
 */
#ifndef OOCC_OBSERVE_H
#define OOCC_OBSERVE_H

#include "run/run.h"
#include "storage/store.h"

/* The first cell of the state, by field and then in the grid's order, that is found to be nan or infinite. */
struct bad_cell {
    bool found;
    int field;
    int64_t plane, row, cell;
    double value;
};

struct trace;
struct watches;

struct observer {
    struct trace *trace;     /* per record */
    struct watches *watches; /* NULL: the program has none */
    struct bad_cell bad;     /* of this pass, or of the import */
    int64_t good_level;      /* in place: the last one that was looked at and had numbers only */
    double looked_seconds;   /* and when that was */
    double look_seconds;     /* and how long it took */
    int64_t replay_to;       /* up to this level, steps are done a second time, to come to where nan is */
    int64_t single_to;       /* and from there up to this one, one by one */
};

static inline int64_t observe_every(const int64_t *every) {
    return every != NULL ? *every : 1;
}

/* Levels in (t0, t0 + steps] that are multiples of every. */
static inline int64_t observe_due(int64_t t0, int64_t steps, const int64_t *every) {
    const int64_t e = observe_every(every);
    return (t0 + steps) / e - t0 / e;
}

/* -- before the plan ---------------------------------------------------------------------------------------- */

/* Reads points and signals and checks them and every `every`: 65 with what is wrong. They stay in memory until
 * observe_forget(), and are resident when the plan is made: that is how the plan counts them. */
int observe_read(const struct oocc_program *program, const struct oocc_grid *grid);
void observe_forget(const struct oocc_program *program);

/* One set: reads or takes its place(s), and makes cells, sorted, with weights (points.c). */
int points_read(const struct oocc_program *program, const struct oocc_grid *grid, struct oocc_points *set);
void points_free(struct oocc_points *set);
/* One table; its point set has been read (signal.c). */
int signal_read(const struct oocc_program *program, struct oocc_signal *signal);
void signal_free(struct oocc_signal *signal);

/* Bytes of the buffers that passes of bt steps need for records and watches; INT64_MAX when it is no size. */
int64_t observe_bytes(const struct oocc_program *program, int threads, int64_t bt);

/* Points, records and watches in the plan (observe_show.c). */
struct json;
void observe_print(FILE *out, const struct oocc_program *program, const struct plan *plan);
void observe_json(struct json *json, const struct oocc_program *program);

/* -- where passes end (cut.c) --------------------------------------------------------------------------------- */

/* Steps from `level` to the next level at which a pass must end: where an output is due, in place where a stop
 * condition is looked at (there is no way back there), after every step when updates use a reduction. From level
 * 0 it is the longest pass there can be; INT64_MAX: nothing cuts. */
int64_t cut_steps(const struct oocc_program *program, bool in_place, int64_t level);
/* Passes of at most bt steps that it takes to do `steps`. */
int64_t cut_passes(const struct oocc_program *program, bool in_place, int64_t steps, int64_t bt);
/* The sum of `of` over the lengths of these passes; INT64_MAX when it is not a size. */
int64_t cut_sum(const struct oocc_program *program, bool in_place, int64_t steps, int64_t bt,
                int64_t (*of)(const void *context, int64_t length), const void *context);
/* "outputs every 100 steps end a pass" into buffer (at least 128 bytes); NULL when nothing cuts. */
const char *cut_reason(const struct oocc_program *program, bool in_place, char *buffer);
/* Whether passes of other lengths than bt and the rest of the division may be needed, as they are when an application
 * says how many steps to make. */
bool cut_anywhere(const struct oocc_program *program, bool in_place);

/* -- records (record.c) ------------------------------------------------------------------------------------- */

/* Opens a file for every record: in the scratch when that outlives the run, where a run that is resumed goes on
 * with it, otherwise beside the final name. */
int record_open(struct oocc_run *run);
/* The run goes on to a later level than it was opened for: reserves room. */
int record_extend(const struct oocc_run *run);
/* Bytes of the rows of the longest record. */
int record_most_bytes(const struct oocc_run *run, int64_t *bytes);
/* Tells the program where this pass puts its values. */
void record_begin(struct oocc_run *run, const struct oocc_pass *pass);
/* Adds this pass's rows. */
int record_write(struct oocc_run *run, const struct oocc_pass *pass);
/* Makes durable what is in the scratch, before a manifest names it. */
int record_sync(const struct oocc_run *run);
/* The run is done: gives every file its header and its name. */
int record_finish(struct oocc_run *run);
void record_close(struct oocc_run *run);

/* -- watches (watch.c) ---------------------------------------------------------------------------------------- */

/* Where a run stops before its last step. */
struct watch_stop {
    int condition; /* -1: it does not */
    int64_t step;  /* of the pass */
};

int watch_open(struct oocc_run *run);
void watch_close(struct oocc_run *run);
/* Makes every value unknown (nan), as it is before the first step. */
void watch_reset(struct oocc_run *run);
/* Whether a pass of no steps must come first, for what updates use. */
bool watch_feeds(const struct oocc_program *program);
void watch_begin(struct oocc_run *run, const struct oocc_pass *pass);
/* Combines what the threads have gathered and stores the values step by step, up to the first step after which a stop
 * condition holds. */
struct watch_stop watch_end(struct oocc_run *run, const struct oocc_pass *pass);
/* Takes the values back to where they were when the pass began. */
void watch_undo(struct oocc_run *run);
/* Prints a line for every step of the pass after which a monitor was due. */
void watch_print(const struct oocc_run *run, const struct oocc_pass *pass);
/* The condition that holds at the level of a run that is resumed: it is over already. -1: none. */
int watch_resumed(const struct oocc_run *run);

/* -- sums (gather.c) ------------------------------------------------------------------------------------------- */

void gather_reset(struct oocc_gather *g, enum oocc_reduce op);
/* Adds what another thread has gathered; `from` is normalised on the way. */
void gather_add(struct oocc_gather *g, struct oocc_gather *from, enum oocc_reduce op);
/* The value, rounded once, to nearest, ties to even. */
double gather_value(struct oocc_gather *g, enum oocc_reduce op);

/* -- numbers (finite.c) -------------------------------------------------------------------------------------------- */

/* Looks for nan and infinity in a part of the present level of a field, if that is asked for and can be. */
void finite_look(struct oocc_run *run, int field, struct part part, struct place place);
/* Its parts, for who goes through the planes anyway: whether to look, one plane, and what to say of the first bad one. */
bool finite_wanted(const struct oocc_run *run, int field);
bool finite_plane(struct oocc_run *run, int field, int64_t z, struct part part, struct place place);
void finite_found(struct oocc_run *run, int field, int64_t z, struct part part, struct place place);
/* The same for the whole state in place, after `steps` steps of a pass. */
void finite_look_in_place(struct oocc_run *run, int64_t steps);
/* Says what was found at level t; 65. */
int finite_fail(const struct oocc_run *run, int64_t t);

/* -- names of outputs (outputs.c) ---------------------------------------------------------------------------------- */

/* `path` with every "{t}" replaced; the caller frees it. NULL: no memory. */
char *output_name(const char *path, int64_t t);
/* Whether everything the run is to write can be created, under different names, asked before hours are spent on
 * computing it. */
int outputs_check(const struct oocc_run *run);

#endif
