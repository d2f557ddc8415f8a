/*
 * embed.c: a run that an application drives. Messages, progress, the number of threads and what signals do belong to the process;
 * a call takes them over when it begins (enter) and gives them back when it ends (leave), so calls are made one at a time.
 * Generated code has its parameters and its grid in static variables: one instance of a program at a time, which puts
 * the parameters back in the end.
 */
#include "oocc/embed.h"

#include "observe/observe.h"
#include "run/interrupt.h"
#include "run/param.h"
#include "run/steps.h"
#include "storage/manifest.h"
#include "storage/planes.h"
#include "storage/transfer.h"
#include "stream/pipeline.h"
#include "tuning/adapt.h"
#include "tuning/figures.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum state { SETTING_UP, READY, FINISHED, FAILED };

/* A parameter as it was. */
union value {
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
    enum state state;
    bool whole;    /* there are levels to be read, and were when a later call failed */
    int status;    /* of the last run, or of what failed */
    bool written;  /* planes, since the last commit */
    union value *before; /* per parameter */
    struct given *given; /* per field */
    char **texts;        /* values of options, which outlive the caller's */
    int texts_count;
    oocc_progress *progress;
    void *progress_data;
    double steps_before, steps_wanted; /* of the call: what progress is a share of */
    bool catch_signals;
    int threads, dynamic; /* the application's, and so is its locale: files have decimal points everywhere */
    locale_t locale;
    struct oocc_embed *next;
};

static pthread_mutex_t one_call = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static locale_t c_locale; /* made by the first call; 0 if it could not be */
static struct oocc_embed *all_open;
static _Thread_local char why_not_created[256];

/* -- a call ---------------------------------------------------------------------------------------------------------- */

/* The runtime counts from the first call on. */
static int tell(void *data, const char *phase, double fraction) {
    struct oocc_embed *e = data;
    if (!e->progress) return 0;
    if (strncmp(phase, "pass", 4) == 0 && e->steps_wanted > 0)
        fraction = (fraction * (e->steps_before + e->steps_wanted) - e->steps_before) / e->steps_wanted;
    return e->progress(e->progress_data, phase, fraction < 0 ? 0 : fraction > 1 ? 1 : fraction);
}

static int enter(struct oocc_embed *e) {
    if (pthread_mutex_lock(&one_call) == EDEADLK) {
        snprintf(e->messages.text, sizeof e->messages.text, "a callback cannot make this call; return from it first");
        return OOCC_DENIED;
    }
    run_set_name(e->run.program->name);
    run_catch_messages(&e->messages);
    progress_tell(tell, e);
    interrupt_forget();
    interrupt_defer(); /* a call ends in its own good time */
    if (e->catch_signals) interrupt_catch("");
    if (!c_locale) c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    e->locale = c_locale ? uselocale(c_locale) : (locale_t)0;
    e->threads = omp_get_max_threads();
    e->dynamic = omp_get_dynamic();
    if (e->state != SETTING_UP) {
        omp_set_dynamic(0);
        omp_set_num_threads(e->run.plan.threads > 0 ? e->run.plan.threads : e->threads);
    }
    return OOCC_OK;
}

static int leave(struct oocc_embed *e, int status) {
    omp_set_num_threads(e->threads);
    omp_set_dynamic(e->dynamic);
    if (e->locale) uselocale(e->locale);
    interrupt_release();
    interrupt_forget();
    progress_tell(NULL, NULL);
    run_catch_messages(NULL);
    pthread_mutex_unlock(&one_call);
    return status;
}

static int refuse(const char *what) {
    return run_fail(OOCC_USAGE, NULL, "%s", what);
}

/* -- beginning ------------------------------------------------------------------------------------------------------- */

static union value value_of(const struct oocc_param *param) {
    union value v = {.whole = 0};
    if (param->type == OOCC_BOOL) v.truth = *(const bool *)param->value;
    if (param->type == OOCC_INT) v.whole = *(const int64_t *)param->value;
    if (param->type == OOCC_F32) v.single = *(const float *)param->value;
    if (param->type == OOCC_F64) v.real = *(const double *)param->value;
    return v;
}

static void put_back(const struct oocc_param *param, union value v) {
    if (param->type == OOCC_BOOL) *(bool *)param->value = v.truth;
    if (param->type == OOCC_INT) *(int64_t *)param->value = v.whole;
    if (param->type == OOCC_F32) *(float *)param->value = v.single;
    if (param->type == OOCC_F64) *(double *)param->value = v.real;
    if (param->given) *param->given = false;
}

static void forget(struct oocc_embed *e) {
    for (int i = 0; i < e->texts_count; i++)
        free(e->texts[i]);
    free(e->texts);
    free(e->before);
    free(e->given);
    free(e);
}

static int not_created(int status, const char *text) {
    snprintf(why_not_created, sizeof why_not_created, "%s", text);
    return status;
}

static int open_embed(const struct oocc_program *program, struct oocc_embed **out) {
    for (const struct oocc_embed *e = all_open; e; e = e->next)
        if (e->run.program == program)
            return not_created(OOCC_DENIED, "one instance of the stencil is open already; destroy it first");
    struct oocc_embed *e = calloc(1, sizeof *e);
    if (!e) return not_created(OOCC_NO_MEMORY, "out of memory");
    e->before = calloc((size_t)program->params + 1, sizeof *e->before);
    e->given = calloc((size_t)program->fields + 1, sizeof *e->given);
    if (!e->before || !e->given) {
        forget(e);
        return not_created(OOCC_NO_MEMORY, "out of memory");
    }
    for (int i = 0; i < program->params; i++)
        e->before[i] = value_of(&program->param[i]);
    e->run.program = program;
    e->run.observer = &e->observer;
    e->run.given = e->given;
    e->run.options = options_default();
    e->run.options.bind = BIND_OFF; /* the application's own threads are among them */
    e->next = all_open;
    all_open = e;
    *out = e;
    return OOCC_OK;
}

int oocc_embed_create(const struct oocc_program *program, struct oocc_embed **out) {
    *out = NULL;
    if (program->abi != OOCC_ABI)
        return not_created(OOCC_INTERNAL, "the stencil was made for another runtime; compile it again");
    if (pthread_mutex_lock(&one_call) == EDEADLK)
        return not_created(OOCC_DENIED, "a callback cannot make this call; return from it first");
    const int status = open_embed(program, out);
    pthread_mutex_unlock(&one_call);
    return status;
}

static int set(struct oocc_embed *e, const char *name, const void *value) {
    int status = enter(e);
    if (status) return status;
    status = e->state == SETTING_UP ? param_give(e->run.program, name, value)
                                    : refuse("parameters are set before the first run");
    return leave(e, status);
}

int oocc_embed_set_bool(struct oocc_embed *e, const char *name, bool value) {
    return set(e, name, &value);
}

int oocc_embed_set_int(struct oocc_embed *e, const char *name, int64_t value) {
    return set(e, name, &value);
}

int oocc_embed_set_real(struct oocc_embed *e, const char *name, double value) {
    return set(e, name, &value);
}

/* The options point into it. */
static int keep_text(struct oocc_embed *e, const char *value, char **kept) {
    char **texts = realloc(e->texts, (size_t)(e->texts_count + 1) * sizeof *texts);
    if (!texts) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    e->texts = texts;
    *kept = strdup(value);
    if (!*kept) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    e->texts[e->texts_count++] = *kept;
    return OOCC_OK;
}

int oocc_embed_option(struct oocc_embed *e, const char *name, const char *value) {
    char *kept = NULL;
    int status = enter(e);
    if (status) return status;
    if (e->state != SETTING_UP)
        status = refuse("options are set before the first run");
    else if (!value || !(status = keep_text(e, value, &kept)))
        status = options_set(e->run.program, &e->run.options, name, kept);
    return leave(e, status);
}

int oocc_embed_init(struct oocc_embed *e, int field, oocc_fill *fill, void *data) {
    int status = enter(e);
    if (status) return status;
    if (e->state != SETTING_UP)
        status = refuse("initial values are given before the first run; write planes between runs");
    else
        e->given[field] = (struct given){fill, data};
    return leave(e, status);
}

void oocc_embed_on_progress(struct oocc_embed *e, oocc_progress *progress, void *data) {
    e->progress = progress;
    e->progress_data = data;
}

void oocc_embed_on_note(struct oocc_embed *e, oocc_note *note, void *data) {
    e->messages.note = note;
    e->messages.data = data;
}

void oocc_embed_catch_signals(struct oocc_embed *e, bool wanted) {
    e->catch_signals = wanted;
}

/* -- running --------------------------------------------------------------------------------------------------------- */

/* What cannot be gone on from. */
static int fail(struct oocc_embed *e, int status) {
    if (status) {
        e->state = FAILED;
        e->status = status;
    }
    return status;
}

/* For calls of so many steps; -1: as the option or the program says. */
static int make_ready(struct oocc_embed *e, int64_t steps) {
    struct oocc_run *run = &e->run;
    if (run->options.steps < 0) run->options.steps = steps;
    int status = options_check(run->program, &run->options);
    if (status) return status; /* there is something to be mended, and nothing has been done */
    if (!(status = run_describe(run)) && !(status = run_plan(run, &e->figures, &e->tuned)) &&
        !(status = run_prepare(run, &e->tuned)))
        status = adapt_open(run);
    if (status == OOCC_STOPPED && interrupt_seen())
        status = run_fail(status, "create another run", "stopped before the initial values were stored");
    e->whole = !status;
    if (!status) e->state = READY;
    return fail(e, status);
}

static int must_be_ready(struct oocc_embed *e, int64_t steps) {
    switch (e->state) {
    case SETTING_UP:
        return make_ready(e, steps);
    case READY:
        return OOCC_OK;
    case FINISHED:
        return refuse("the run is finished; create another one");
    case FAILED:
        break;
    }
    return refuse("an earlier call failed, and there is no going on from it; create another run");
}

/* What the application has written becomes part of what is committed. */
static int settle(struct oocc_embed *e) {
    struct oocc_run *run = &e->run;
    if (!e->written || !run->store) return OOCC_OK;
    run->store->coef_durable = false; /* it may have written to these, too */
    const int status = store_commit(run);
    e->written = status != OOCC_OK;
    return status;
}

static int advance(struct oocc_embed *e, int64_t steps) {
    struct oocc_run *run = &e->run;
    int status = must_be_ready(e, steps);
    if (status || (status = settle(e))) return status;
    if (__builtin_add_overflow(run->level, steps, &run->steps)) return refuse("levels are 64-bit: that are too many steps");
    run->stats.stop_text = NULL;
    e->steps_before = (double)run->stats.steps_done;
    e->steps_wanted = (double)steps;
    if ((status = outputs_check(run)) || (status = record_extend(run))) return status;
    status = run_passes(run);
    run->options.resume = false;
    run->steps = run->level;
    e->status = status;
    if (status == OOCC_STOPPED)
        return run_fail(status, "run again to go on", "stopped at level %" PRId64, run->level);
    return fail(e, status);
}

int oocc_embed_prepare(struct oocc_embed *e) {
    const int status = enter(e);
    return status ? status : leave(e, must_be_ready(e, -1));
}

int oocc_embed_run(struct oocc_embed *e, int64_t steps) {
    const int status = enter(e);
    if (status) return status;
    return leave(e, steps < 0 ? refuse("the number of steps is negative") : advance(e, steps));
}

static int finish(struct oocc_embed *e, uint64_t *hash) {
    struct oocc_run *run = &e->run;
    int status = must_be_ready(e, -1);
    if (status || (status = settle(e))) return status;
    adapt_close(run, 0);
    if (!(status = export_fields(run))) status = record_finish(run);
    run_measured(run);
    if (!status) status = run_write_report(run);
    if (status == OOCC_STOPPED)
        return run_fail(status, "finish again to write them", "stopped while outputs were being written");
    if (status) return fail(e, status);
    e->state = FINISHED;
    if (hash) *hash = run->stats.result_hash;
    return OOCC_OK;
}

int oocc_embed_finish(struct oocc_embed *e, uint64_t *hash) {
    const int status = enter(e);
    return status ? status : leave(e, finish(e, hash));
}

void oocc_embed_destroy(struct oocc_embed *e) {
    if (!e || enter(e)) return;
    const struct oocc_program *program = e->run.program;
    if (e->run.options.keep && e->state == READY) settle(e);
    /* Not what an application had begun to write when that failed. */
    if (!e->written && e->status)
        store_salvage(&e->run);
    else if (!e->written && e->run.options.keep)
        store_keep(&e->run);
    run_close(&e->run, e->status);
    for (int i = 0; i < program->params; i++)
        put_back(&program->param[i], e->before[i]);
    struct oocc_embed **at = &all_open;
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    leave(e, 0);
    forget(e);
}

/* -- looking --------------------------------------------------------------------------------------------------------- */

const char *oocc_embed_error(const struct oocc_embed *e) {
    return e ? e->messages.text : why_not_created;
}

int64_t oocc_embed_level(const struct oocc_embed *e) {
    return e->run.level;
}

int oocc_embed_extent(struct oocc_embed *e, int64_t extent[]) {
    int64_t all[OOCC_MAX_DIMS] = {0}, steps;
    int status = enter(e);
    if (status) return status;
    status = run_setup(e->run.program, all, &steps);
    for (int d = 0; d < e->run.program->ndim && !status; d++)
        extent[d] = all[d];
    return leave(e, status);
}

/* A pass in place that failed has left nothing whole. */
static int must_be_whole(struct oocc_embed *e) {
    if (e->state == FINISHED) return OOCC_OK;
    if (e->state == FAILED && e->whole && !e->run.plan.in_place) return OOCC_OK;
    return must_be_ready(e, -1);
}

int oocc_embed_read(struct oocc_embed *e, int field, int64_t ago, int64_t first, int64_t count, void *cells) {
    const struct planes planes = {field, ago, first, count};
    int status = enter(e);
    if (status) return status;
    if (!(status = must_be_whole(e)) && !(status = planes_check(&e->run, planes)))
        status = planes_read(&e->run, planes, cells);
    return leave(e, status);
}

int oocc_embed_write(struct oocc_embed *e, int field, int64_t ago, int64_t first, int64_t count, const void *cells) {
    const struct planes planes = {field, ago, first, count};
    int status = enter(e);
    if (status) return status;
    if (!(status = must_be_ready(e, -1)) && !(status = planes_check(&e->run, planes))) {
        e->written = true;
        if (e->run.store) manifest_drop_recent(e->run.store); /* it is not as that has it any more */
        status = fail(e, planes_write(&e->run, planes, cells));
    }
    return leave(e, status);
}

double oocc_embed_monitor(const struct oocc_embed *e, int watch) {
    return *e->run.program->watch[watch].value;
}

const char *oocc_embed_stop_reason(const struct oocc_embed *e) {
    return e->run.stats.stop_text;
}
