/* options.h: what a run is asked for, on the command line or by an application. */
#ifndef OOCC_OPTIONS_H
#define OOCC_OPTIONS_H

#include "oocc/oocc.h"
#include "plan/cut.h"

#include <stdbool.h>
#include <stdint.h>

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

#endif
