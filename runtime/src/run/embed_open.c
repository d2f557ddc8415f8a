/*
 * embed_open.c: how a run that an application drives begins, and its end. Generated code has its parameters and its grid in static
 * variables: one instance of a program at a time, which puts the parameters back in the end.
 */
#include "run/embed_state.h"
#include "run/interrupt.h"
#include "run/param.h"
#include "run/steps.h"
#include "storage/store.h"
#include "storage/planes.h"

#include <stdlib.h>
#include <string.h>

static struct oocc_embed *all_open;
static _Thread_local char why_not_created[256];

static union param_value value_of(const struct oocc_param *param) {
    union param_value v = {.whole = 0};
    if (param->type == OOCC_BOOL) v.truth = *(const bool *)param->value;
    if (param->type == OOCC_INT) v.whole = *(const int64_t *)param->value;
    if (param->type == OOCC_F32) v.single = *(const float *)param->value;
    if (param->type == OOCC_F64) v.real = *(const double *)param->value;
    return v;
}

static void put_back(const struct oocc_param *param, union param_value v) {
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
    if (!embed_may_enter()) return not_created(OOCC_DENIED, EMBED_IN_A_CALLBACK);
    const int status = open_embed(program, out);
    embed_left();
    return status;
}

static int set(struct oocc_embed *e, const char *name, const void *value) {
    int status = embed_enter(e);
    if (status) return status;
    status = e->state == SETTING_UP ? param_give(e->run.program, name, value)
                                    : embed_refuse("parameters are set before the first run");
    return embed_leave(e, status);
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
    int status = embed_enter(e);
    if (status) return status;
    if (e->state != SETTING_UP)
        status = embed_refuse("options are set before the first run");
    else if (!value || !(status = keep_text(e, value, &kept)))
        status = options_set(e->run.program, &e->run.options, name, kept);
    return embed_leave(e, status);
}

int oocc_embed_init(struct oocc_embed *e, int field, oocc_fill *fill, void *data) {
    int status = embed_enter(e);
    if (status) return status;
    if (e->state != SETTING_UP)
        status = embed_refuse("initial values are given before the first run; write planes between runs");
    else
        e->given[field] = (struct given){fill, data};
    return embed_leave(e, status);
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

void oocc_embed_destroy(struct oocc_embed *e) {
    if (!e || embed_enter(e)) return;
    const struct oocc_program *program = e->run.program;
    if (e->run.options.keep && e->state == READY) embed_settle(e);
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
    embed_leave(e, 0);
    forget(e);
}

const char *oocc_embed_error(const struct oocc_embed *e) {
    return e ? e->messages.text : why_not_created;
}
