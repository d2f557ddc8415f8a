/* take.h: how the options of the command line are taken: from text to struct options. 0, or 2 with the error printed. */
#ifndef OOCC_TAKE_H
#define OOCC_TAKE_H

#include "oocc/oocc.h"
#include "run/options.h"

#include <stddef.h>

/* What options are taken for. */
struct line {
    const struct oocc_program *program;
    struct options *options;
    bool *stop; /* nothing more is to be done */
};

struct described;
typedef int taker(const struct described *option, const char *value, const struct line *line);

struct described {
    const char *name, *argument, *help; /* argument NULL: a switch */
    taker *take;
    size_t at;                 /* of struct options, where `take` puts it */
    const char *const *choice; /* NULL at its end; the index of one is its value */
};

/* true; a switch has no value. */
taker take_switch;
/* Of two choices; the second one is true. */
taker take_either;
/* Into an enum whose constants are numbered like the choices. */
taker take_choice;
/* A whole number of at least 1, into an int64_t. */
taker take_count;
/* Any text but an empty one. */
taker take_path;

/* Each for the one option of its name, wherever that goes. */
taker take_steps, take_threads, take_depth, take_memory, take_request, take_scratch, take_engine, take_adapt, take_tune_seconds,
    take_commit_every, take_fault, take_kill_at;

#endif
