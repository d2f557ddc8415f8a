/*
 * embed.c: a run that an application drives. Messages, progress, the number of threads and what signals do belong to the process;
 * a call takes them over when it begins (embed_enter) and gives them back when it ends (embed_leave), so calls are made one at a time.
 */
#include "run/embed_state.h"

#include "run/interrupt.h"
#include "run/steps.h"
#include "storage/manifest.h"
#include "storage/planes.h"
#include "storage/transfer.h"
#include "stream/pipeline.h"
#include "tuning/adapt.h"

#include <errno.h>
#include <inttypes.h>
#include <omp.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t one_call = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static locale_t c_locale; /* made by the first call; 0 if it could not be */

/* -- a call ---------------------------------------------------------------------------------------------------------- */

/* The runtime counts from the first call on. */
static int tell(void *data, const char *phase, double fraction) {
    struct oocc_embed *e = data;
    if (!e->progress) return 0;
    if (strncmp(phase, "pass", 4) == 0 && e->steps_wanted > 0)
        fraction = (fraction * (e->steps_before + e->steps_wanted) - e->steps_before) / e->steps_wanted;
    return e->progress(e->progress_data, phase, fraction < 0 ? 0 : fraction > 1 ? 1 : fraction);
}

bool embed_may_enter(void) {
    return pthread_mutex_lock(&one_call) != EDEADLK;
}

void embed_left(void) {
    pthread_mutex_unlock(&one_call);
}

int embed_enter(struct oocc_embed *e) {
    if (!embed_may_enter()) {
        snprintf(e->messages.text, sizeof e->messages.text, EMBED_IN_A_CALLBACK);
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

int embed_leave(struct oocc_embed *e, int status) {
    omp_set_num_threads(e->threads);
    omp_set_dynamic(e->dynamic);
    if (e->locale) uselocale(e->locale);
    interrupt_release();
    interrupt_forget();
    progress_tell(NULL, NULL);
    run_catch_messages(NULL);
    embed_left();
    return status;
}

int embed_refuse(const char *what) {
    return run_fail(OOCC_USAGE, NULL, "%s", what);
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
        return embed_refuse("the run is finished; create another one");
    case FAILED:
        break;
    }
    return embed_refuse("an earlier call failed, and there is no going on from it; create another run");
}

/* What the application has written becomes part of what is committed. */
int embed_settle(struct oocc_embed *e) {
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
    if (status || (status = embed_settle(e))) return status;
    if (__builtin_add_overflow(run->level, steps, &run->steps)) return embed_refuse("levels are 64-bit: that are too many steps");
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
    const int status = embed_enter(e);
    return status ? status : embed_leave(e, must_be_ready(e, -1));
}

int oocc_embed_run(struct oocc_embed *e, int64_t steps) {
    const int status = embed_enter(e);
    if (status) return status;
    return embed_leave(e, steps < 0 ? embed_refuse("the number of steps is negative") : advance(e, steps));
}

static int finish(struct oocc_embed *e, uint64_t *hash) {
    struct oocc_run *run = &e->run;
    int status = must_be_ready(e, -1);
    if (status || (status = embed_settle(e))) return status;
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
    const int status = embed_enter(e);
    return status ? status : embed_leave(e, finish(e, hash));
}

/* -- looking --------------------------------------------------------------------------------------------------------- */

int64_t oocc_embed_level(const struct oocc_embed *e) {
    return e->run.level;
}

int oocc_embed_extent(struct oocc_embed *e, int64_t extent[]) {
    int64_t all[OOCC_MAX_DIMS] = {0}, steps;
    int status = embed_enter(e);
    if (status) return status;
    status = run_setup(e->run.program, all, &steps);
    for (int d = 0; d < e->run.program->ndim && !status; d++)
        extent[d] = all[d];
    return embed_leave(e, status);
}

/* A pass in place that failed has left nothing whole. */
static int must_be_whole(struct oocc_embed *e) {
    if (e->state == FINISHED) return OOCC_OK;
    if (e->state == FAILED && e->whole && !e->run.plan.in_place) return OOCC_OK;
    return must_be_ready(e, -1);
}

int oocc_embed_read(struct oocc_embed *e, int field, int64_t ago, int64_t first, int64_t count, void *cells) {
    const struct planes planes = {field, ago, first, count};
    int status = embed_enter(e);
    if (status) return status;
    if (!(status = must_be_whole(e)) && !(status = planes_check(&e->run, planes)))
        status = planes_read(&e->run, planes, cells);
    return embed_leave(e, status);
}

int oocc_embed_write(struct oocc_embed *e, int field, int64_t ago, int64_t first, int64_t count, const void *cells) {
    const struct planes planes = {field, ago, first, count};
    int status = embed_enter(e);
    if (status) return status;
    if (!(status = must_be_ready(e, -1)) && !(status = planes_check(&e->run, planes))) {
        e->written = true;
        if (e->run.store) manifest_drop_recent(e->run.store); /* it is not as that has it any more */
        status = fail(e, planes_write(&e->run, planes, cells));
    }
    return embed_leave(e, status);
}

double oocc_embed_monitor(const struct oocc_embed *e, int watch) {
    return *e->run.program->watch[watch].value;
}

const char *oocc_embed_stop_reason(const struct oocc_embed *e) {
    return e->run.stats.stop_text;
}
