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

#include "oocc/oocc.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* -- errors (error.c) --------------------------------------------------------------------------------------------------- */

/* Prints "NAME: error: ..." and, when help is not NULL, "NAME: help: ..." to stderr; returns status. */
int run_fail(int status, const char *help, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* What an I/O error of this errno ends a run with (73 where there is no space, 77 where it is denied, else 74), and what to
 * do about it. */
int run_io_status(int error);
const char *run_io_help(int error);
void run_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The run has failed, and said so: errors are notes from now on, of what it does all the same. NULL: they are errors again. */
void run_errors_after(const char *what);
void run_set_name(const char *name);
const char *run_name(void);
/* From now on libraries that end the process for want of memory end it with status 71. */
void run_watch_end(void);
/* Whether all that was printed has arrived: a reader that has gone away is noted, anything else is an error (74). */
int run_check_stdout(void);

/* Where messages go instead of stderr: what an application asks for with ..._error(), and notes that it is told. */
struct run_messages {
    char text[1024];                      /* the last error, its help after "; "; without a line break at the end */
    void (*note)(void *data, const char *text); /* NULL: notes are dropped */
    void *data;
};
/* From now on, whatever the thread; NULL: to stderr again. */
void run_catch_messages(struct run_messages *to);

/* Sizes that follow from the parameters, and what kernels need of the layout: the program's setup() and use_grid(), out of which
 * oocc_overflow() and oocc_zero_division() lead here. 0 or OOCC_BAD_INPUT. */
int run_setup(const struct oocc_program *program, int64_t extent[OOCC_MAX_DIMS], int64_t *steps);
int run_use_grid(const struct oocc_program *program, const struct oocc_grid *grid);

/* -- how planes are cut (plan/columns.h) ---------------------------------------------------------------------------------- */

/* What lies at the side of a column: a halo that is computed twice, or, where columns lean, what the one before has made there. */
enum sides { SIDES_AUTO, SIDES_HALO, SIDES_LEAN };

struct cut {
    int64_t columns; /* 1: planes are streamed whole */
    bool leans;      /* the columns lean */
};

/* -- options (options.c) ------------------------------------------------------------------------------------------------ */

enum schedule { SCHEDULE_AUTO, SCHEDULE_SWEEP, SCHEDULE_STREAM, SCHEDULE_RESIDENT, SCHEDULE_OVERLAP };
enum progress_mode { PROGRESS_AUTO, PROGRESS_ON, PROGRESS_OFF };
enum probe_mode { PROBE_AUTO, PROBE_OFF, PROBE_NOW, PROBE_ONCE };
enum bind_mode { BIND_AUTO, BIND_ON, BIND_OFF };
/* Whether tiles fetch planes ahead (oocc/ahead.h): they do at first, unless an earlier run has found that
 * to be slower, and no longer when this one does; or always; or never. */
enum prefetch_mode { PREFETCH_AUTO, PREFETCH_ON, PREFETCH_OFF };
enum adapt_mode { ADAPT_ON, ADAPT_OFF, ADAPT_RANDOM };

struct options {
    int64_t steps;          /* -1: the program's */
    int64_t memory_bytes;   /* 0: default share of what the machine has */
    int threads;            /* 0: all this process may use */
    const char *scratch;    /* DIR1,DIR2,...: directories and devices; NULL: NAME.scratch in the working directory */
    const char *engine;     /* "auto" or an engine's name */
    int io_depth;           /* requests in flight at most; 0: adapts itself */
    int64_t io_request_bytes; /* requests are cut to this size */
    enum schedule schedule;
    int64_t bt, bz, ct, yt, xt, columns, chains; /* 0: the planner chooses */
    enum sides column_sides;
    double commit_every;    /* seconds between commits at least; 0: after every pass; -1: by what one takes */
    bool plan_only, machine_only, json, resume, restart, keep;
    bool take_over;         /* a lock of another host */
    enum progress_mode progress;
    enum probe_mode probe;
    bool tune;
    double tune_seconds;    /* about how long tuning may take */
    enum bind_mode bind;
    enum prefetch_mode prefetch;
    bool barriers;          /* what studies switch on */
    bool dense;             /* likewise: rows and planes without padding against cache conflicts */
    bool subnormals_zero;   /* a step takes numbers below the least normal one as 0 (subnormal.h) */
    enum adapt_mode adapt;
    uint64_t adapt_seed; /* of ADAPT_RANDOM */
    const char *report;     /* path of the JSON report, or NULL */
    const char *fault;      /* errors on purpose (fault.h), or NULL */
    const char *record_io;  /* path of a log of what is done to files (io_log.h), or NULL */
};

/* What holds when nothing is said. */
struct options options_default(void);
/* One option of an application's by its name on the command line, without the dashes; a switch has no value (NULL). The value must
 * outlive the options. Options that ask for text on stdout are refused. */
int options_set(const struct oocc_program *program, struct options *options, const char *name, const char *value);
/* Whether the options contradict each other. */
int options_check(const struct oocc_program *program, const struct options *options);

/* Fills options and the program's parameters (-D name=value). On --help or --version prints and sets *stop. */
int options_parse(const struct oocc_program *program, int argc, char **argv, struct options *options, bool *stop);

/* Whether tiles are chosen anew as the run goes on, where there are any (adapt.h): not where they are given. */
bool options_adapt(const struct oocc_program *program, const struct options *options);

/* Whether any part of the plan's shape is given, here or when the program was compiled. */
bool options_fix_shape(const struct oocc_program *program, const struct options *options);

/* "4G", "512MiB", "1.5G", "1000000" to bytes; false when it is not a size or does not fit 63 bits. */
bool parse_bytes(const char *text, int64_t *bytes);
/* "8.0 GiB" into buffer (at least 32 bytes), returned. */
const char *format_bytes(char *buffer, int64_t bytes);
/* "16,000" into buffer (at least 32 bytes), returned. */
const char *format_count(char *buffer, int64_t count);

/* -- machine (machine.c) ------------------------------------------------------------------------------------------------ */

struct machine {
    int cores;                     /* this process may use (affinity, cgroup cpu quota, OMP_NUM_THREADS) */
    int64_t memory_total_bytes;
    int64_t memory_available_bytes; /* min of MemAvailable, cgroup (v1, v2) limit minus use, RLIMIT_AS, RLIMIT_DATA */
    const char *memory_bound;      /* which of them it is: "MemAvailable", "cgroup", "RLIMIT_AS" */
    int64_t swappable_bytes;       /* what memory and swap together still hold, by the same limits */
    int64_t l1_bytes, l2_bytes, l3_bytes; /* data cache: per core, per core, the share of one core */
    int64_t page_bytes;
    int64_t memlock_bytes;         /* RLIMIT_MEMLOCK, INT64_MAX: no limit */
    int64_t resident_bytes;        /* of this process before anything was probed; 0: as it is now */
    const struct figures *figures; /* figures.h; NULL: nominal */
    const struct tuned *tuned;     /* what tuning found for runs like this one, or NULL */
};

/* The plan that was measured to be the fastest for runs of one key (tune.h). */
struct tuned {
    char date[24];
    int64_t bt, bz, ct, tiles, pieces; /* bt and bz 0: left to the planner, as in place */
    struct cut cut;
    double step_seconds;
};

void machine_read(struct machine *machine);
/* The same with another root in front of /proc and /sys, and of the mount points found there. */
void machine_read_under(const char *root, struct machine *machine);
int64_t machine_resident_bytes(void); /* this process now: VmRSS */
int64_t machine_peak_bytes(void);     /* this process so far: VmHWM */
double machine_seconds(void);         /* monotonic clock */
/* memory.stat of this process's control group, opened for reading; -1: there is none. The caller closes it. Below
 * another root, as machine_read_under() has it, or "". */
int machine_open_memory_counts(const char *root);

/* -- layout (grid.c) ---------------------------------------------------------------------------------------------------- */

/* Rows are padded to whole cache lines and away from multiples of 4096 bytes (neighbouring rows would share cache sets);
 * planes to whole 4096 bytes for direct I/O. With `dense`, what keeps rows and planes out of each other's cache sets is left
 * out, and the rest stays. Checks every product; the layouts are allocated. */
int grid_layout(const struct oocc_program *program, const int64_t extent[], bool dense, struct oocc_grid *grid);
/* Bytes of all levels of the state, and of the coefficients, as stored. */
int64_t grid_state_bytes(const struct oocc_program *program, const struct oocc_grid *grid);
int64_t grid_coef_bytes(const struct oocc_program *program, const struct oocc_grid *grid);
int64_t grid_points(const struct oocc_grid *grid); /* cells */
/* Where the first cell of a plane is, in the plane. */
static inline int64_t grid_origin_bytes(const struct oocc_layout *layout) {
    return layout->origin_elements * layout->element_bytes;
}
/* How far planes of so many bytes (3-D, 4-D) lie apart in memory; -1 when it is not a size. */
int64_t grid_stride_bytes(const struct oocc_grid *grid, int64_t plane_bytes);
/* Where band `band` of a field's plane begins in the plane's record; band grid->bands: the record's end, padding included. */
int64_t grid_band_offset(const struct oocc_grid *grid, int field, int64_t band);
/* The whole blocks of 4096 bytes of a record that hold bands [band_lo, band_hi). */
struct block_range {
    int64_t from, to; /* bytes */
};
struct block_range grid_blocks(const struct oocc_grid *grid, int field, int64_t band_lo, int64_t band_hi);

/* -- plan (plan.c prints, model.c chooses) ------------------------------------------------------------------------------- */

struct plan {
    enum schedule schedule;     /* never AUTO */
    const char *engine;         /* chosen; "memory", "swap", "uring", "aio", "threads", "mmap" */
    const char *engine_reason;  /* why this one, in a few words */
    const char *probed;         /* what was asked for when the engine was found to work on the scratch; NULL: it was not tried there */
    bool in_place;              /* everything stays in the window: no generations (engines memory and swap, sweep or
                                   resident) */
    int io_depth;               /* requests in flight at most; 0: adapts itself */
    int64_t io_request_bytes;
    int threads;
    int64_t steps;
    int64_t bt, bz, ct, yt, xt, tiles, chains, pieces;
    bool can_fetch;             /* tiles may fetch planes ahead, */
    bool fetch;                 /* and do, to begin with */
    struct cut cut;
    int64_t strip_bytes;        /* on the scratch, besides the store: what leaning columns leave to the next one */
    int64_t read_ahead, write_behind; /* slabs or blocks in flight: 1 and 1 when streaming, 0 and 0 in place */
    int64_t passes;
    int64_t budget_bytes;       /* --memory */
    int64_t fixed_bytes;        /* program, stacks, tables, points, I/O buffers */
    int64_t observed_bytes;     /* of which buffers of records and watches for a pass */
    int64_t window_bytes;
    int64_t swapped_bytes;      /* engine swap: what the kernel may swap out, which the budget does not count */
    const char *scratch;        /* as in options; NULL: nothing is kept on disk */
    int64_t store_bytes;        /* on the scratch, two generations and the coefficients */
    bool third_generation;      /* is of use, and made where there is plenty of room: not every pass need be committed then */
    int64_t read_bytes, write_bytes; /* of all passes together, predicted (import and export apart) */
    int64_t import_write_bytes, export_read_bytes;
    double seconds, io_seconds, compute_seconds; /* predicted */
    double check_seconds;       /* of compute_seconds: checksums, and looking for nan */
    double commit_seconds;      /* of seconds: making generations durable */
    double commit_every;        /* as in options */
    double one_commit_seconds;
    const char *basis;          /* of the prediction: "nominal", "partly measured", "measured" */
    char tuned[24];             /* the date on which this plan won, or "" */
    const char *bound;          /* "disk", "cores" or "memory": what takes the time */
    char why[384];              /* why not deeper: the budget arithmetic in words */
};

/* Chooses schedule, engine, bt, bz, ct, tiles for the budget, honouring what was asked for; refuses with the numbers
 * when nothing fits. `remaining` is the number of steps still to do. */
int plan_make(const struct oocc_program *program, const struct options *options, const struct machine *machine,
              const struct oocc_grid *grid, int64_t remaining, struct plan *plan);
void plan_print(FILE *out, const struct oocc_program *program, const struct oocc_grid *grid, const struct plan *plan,
                const struct machine *machine);
void plan_print_json(FILE *out, const struct oocc_program *program, const struct oocc_grid *grid,
                     const struct plan *plan, const struct machine *machine);

/* -- window (window_size.c) --------------------------------------------------------------------------------------------------- */

/* What a window holds: planes that stream by; in place, all planes; or whole blocks (schedule overlap). */
enum window_kind { WINDOW_STREAM, WINDOW_IN_PLACE, WINDOW_BLOCKS };
enum window_kind plan_window(const struct plan *plan);

/* Planes of one slot of one field, for a pass of bt levels: the formula of docs/schedule.md. */
int64_t window_ring_planes(const struct oocc_program *program, const struct oocc_grid *grid, int field, int slot,
                           int64_t bt, int64_t bz, int64_t read_ahead, int64_t write_behind, enum window_kind kind);
/* Bytes of all rings, and of the buffers for strips (strips.h), checked; -1 on overflow. */
int64_t window_bytes(const struct oocc_program *program, const struct oocc_grid *grid, int64_t bt, int64_t bz,
                     struct cut cut, int64_t read_ahead, int64_t write_behind, enum window_kind kind);

/* After so many steps every field's levels are in the same slots again. Windows grow with the steps of a pass only among
 * passes whose lengths differ by whole periods: a slot that is both read into and written from takes no more than one that
 * is either, so which levels share a slot matters. */
int64_t window_period(const struct oocc_program *program);

/* The bytes of all rings for the largest of all passes that it may take to do `steps` by at most bt at a time; import and export go
 * through the window, too, a whole plane at least. */
int64_t window_most_bytes(const struct oocc_program *program, const struct oocc_grid *grid, int64_t steps, int64_t bt,
                          int64_t bz, struct cut cut, int64_t read_ahead, int64_t write_behind, enum window_kind kind);

/* -- measured figures ------------------------------------------------------------------------------------------------------ */

/* What became of the tiles while the run was going on (adapt.h). */
struct adapted {
    bool on;
    int64_t tried;         /* shapes */
    int64_t ct, tiles, yt; /* that the run came to */
    bool fetch;            /* these fetch planes ahead */
    double gain;           /* how many times as fast as the planned shape */
};

/* A part of a run's passes: what they have made, how long that took, and how long of it they waited for transfers and committed. */
struct passes {
    int64_t steps;
    double seconds, wait_seconds, commit_seconds;
};

struct stats {
    double started;                         /* machine_seconds() when the passes began */
    double pass_seconds, compute_seconds, read_wait_seconds, write_wait_seconds, commit_seconds;
    double last_commit_seconds;             /* of a pass or the import */
    double check_seconds;                   /* checksums made and verified */
    double import_seconds, export_seconds;
    int64_t read_bytes, write_bytes;        /* of the passes, counted by the engine */
    int64_t import_write_bytes, export_read_bytes;
    int64_t requests;
    int io_depth;        /* requests that were in flight at once, at most */
    char io_note[160];   /* what the engine had to do without, or empty */
    int64_t steps_done, passes_done, commits;
    double subnormal_share;                 /* of the cells that were looked at after a pass, at most */
    uint64_t result_hash;                   /* XXH3-64 of the per-plane hashes of the real cells of the final level */
    const char *stop_text; /* the condition that ended the run before its last step, or NULL */
    int64_t stop_level;    /* the level at which it held */
    int64_t given_up_level; /* at which a pass would have ended that was left when the run was stopped; 0: none */
    double given_up_seconds; /* of work on it */
    struct adapted adapted;
    /* It writes the generation that the import has left alone, which many disks do more slowly than they write it again. No steps: there is
     * none yet, or passes are in place, write nothing, and end as tiles are looked for. */
    struct passes first_pass;
};
/* All passes so far. */
struct passes stats_passes(const struct stats *stats);

/* -- progress and report (progress.c, report.c) ------------------------------------------------------------------------------ */

/* phase is "import", "pass 3/12" or "export", fraction how much of it, or of all passes, is done; updates: cells times
 * steps made so far, 0 outside the passes. On a terminal one line is redrawn at most ten times a second; otherwise a
 * line is printed at most every two seconds. */
void progress_begin(enum progress_mode mode, const char *name);
void progress_update(const char *phase, double fraction, const struct stats *stats, double updates);
void progress_end(void);
/* Tells an application instead of a terminal, of every slab; a status that is not 0 asks the run to stop. NULL: nobody. */
void progress_tell(int (*tell)(void *data, const char *phase, double fraction), void *data);

/* Clears the line on a terminal: something else is about to be printed, and the line comes back. */
void progress_clear(void);

int report_write(const char *path, const struct oocc_program *program, const struct oocc_grid *grid,
                 const struct plan *plan, const struct machine *machine, const struct stats *stats);
/* The closing table on stdout: grid, budget, passes, bytes moved, GLUP/s, waiting, peak memory, result hash. */
void report_print(FILE *out, const struct oocc_program *program, const struct oocc_grid *grid, const struct plan *plan,
                  const struct stats *stats);

/* -- field files (field_io/) --------------------------------------------------------------------------------------------------- */

/* One open .npy or .raw file, read or written a plane at a time; memory used is a buffer of a few MiB at most. */
struct field_file;
/* Opens for reading; checks header, type, shape and length against the field before anything is read: 65 with what the
 * file has and what is wanted. Little-endian, C order. */
int field_file_open(const char *path, const struct oocc_program *program, int field, const struct oocc_grid *grid,
                    struct field_file **file);
/* Creates beside the final name; field_file_close(.., true) renames it into place, (.., false) removes it. */
int field_file_create(const char *path, const struct oocc_program *program, int field, const struct oocc_grid *grid,
                      struct field_file **file);
/* Plane z, real cells only, to or from the plane's place in the window layout (cell (0, 0) at `cells`). Any order of z. */
int field_file_read_plane(struct field_file *file, int64_t z, void *cells);
int field_file_write_plane(struct field_file *file, int64_t z, const void *cells);
int field_file_close(struct field_file *file, bool keep);

/* -- the run -------------------------------------------------------------------------------------------------------------------- */

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
