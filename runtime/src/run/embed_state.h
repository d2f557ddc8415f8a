/* embed_state.h: a run that an application drives, and its calls (oocc/embed.h). */
#ifndef OOCC_EMBED_STATE_H
#define OOCC_EMBED_STATE_H

#include "oocc/embed.h"

#include "observe/observe.h"
#include "tuning/figures.h"

#include <locale.h>

enum embed_state { SETTING_UP, READY, FINISHED, FAILED };

/* A parameter as it was. */
union param_value {
    bool truth;
    int64_t whole;
    float single;
    double real;
};

struct oocc_embed {
    struct oocc_run run;
    struct observer observer;
    struct figures figures;
    struct tuned tuned;
    struct run_messages messages;
    enum embed_state state;
    bool whole;                /* there are levels to be read, and were when a later call failed */
    int status;                /* of the last run, or of what failed */
    bool written;              /* planes, since the last commit */
    union param_value *before; /* per parameter */
    struct given *given;       /* per field */
    char **texts;              /* values of options, which outlive the caller's */
    int texts_count;
    oocc_progress *progress;
    void *progress_data;
    double steps_before, steps_wanted; /* of the call: what progress is a share of */
    bool catch_signals;
    int threads, dynamic; /* the application's, and so is its locale: files have decimal points everywhere */
    locale_t locale;
    struct oocc_embed *next;
};

#define EMBED_IN_A_CALLBACK "a callback cannot make this call; return from it first"

/* One call at a time. False within a callback; otherwise until embed_left(). */
bool embed_may_enter(void);
void embed_left(void);
/* The same, with what belongs to the process taken over and given back. 77 within a callback. */
int embed_enter(struct oocc_embed *e);
/* Returns `status`. */
int embed_leave(struct oocc_embed *e, int status);
/* 2, with that message. */
int embed_refuse(const char *what);
/* What the application has written becomes part of what is committed. 0 or an exit status. */
int embed_settle(struct oocc_embed *e);

#endif
