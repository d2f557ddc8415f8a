#include "engines/engine.h"

#include "engines/direct.h"
#include "oocc/oocc.h"
#include "storage/member.h"
#include "support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "auto" takes the first of the TRIED that works. */
static const struct engine_ops *const engines[] = {&engine_uring, &engine_aio,    &engine_threads,
                                                   &engine_mmap,  &engine_memory, &engine_swap};
enum { ENGINES = sizeof engines / sizeof *engines, TRIED = 4 };

static const struct engine_ops *engine_named(const char *name) {
    for (int i = 0; i < ENGINES; i++)
        if (!strcmp(engines[i]->name, name)) return engines[i];
    return NULL;
}

bool engine_is_durable(const char *name) {
    const struct engine_ops *ops = engine_named(name);
    return ops && ops->durable;
}

/* The directory or device itself, or the directory it is going to be made in. The caller frees it. */
static char *existing_directory(const char *path) {
    struct stat info;
    char *copy = strdup(path);
    if (!copy || !stat(path, &info)) return copy;
    char *parent = strdup(dirname(copy));
    free(copy);
    return parent;
}

/* Whether files can be kept in a place at all is no matter of engines, if only they keep any. 0, or an exit status with the error
 * printed. */
static int check_place(const struct engine_ops *ops, const struct member *member, const char *place) {
    struct stat info;
    if (member->ops == &member_device) return access(place, R_OK | W_OK) ? member_cannot("open", place, NULL, errno) : 0;
    if (!ops->durable) return 0;
    if (stat(place, &info)) return member_cannot("create", member->path, NULL, errno);
    return S_ISDIR(info.st_mode) ? 0 : member_cannot(strcmp(place, member->path) ? "create" : "open", member->path, NULL, ENOTDIR);
}

/* NULL when an engine works on every member of the scratch; otherwise why not, and in *where on which. */
static const char *refusal_of(const struct engine_ops *ops, const struct member *member, int members,
                              const char **where, int *status) {
    const char *refusal = NULL;
    for (int m = 0; m < members && !refusal && !*status; m++) {
        char *place = existing_directory(member[m].path);
        *where = member[m].path;
        *status = place ? check_place(ops, &member[m], place) : run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
        if (!*status) refusal = ops->probe(place);
        free(place);
    }
    return refusal;
}

/* The first engine that works on all members; text: why not those before it. */
static const struct engine_ops *first_that_works(const struct member *member, int members, char *text,
                                                 size_t size, int *status) {
    size_t length = (size_t)snprintf(text, size, "works there");
    for (int i = 0; i < TRIED; i++) {
        const char *where;
        const char *refusal = refusal_of(engines[i], member, members, &where, status);
        if (*status) return NULL;
        if (!refusal) return engines[i];
        length += (size_t)snprintf(text + length, size - length, "; %s does not: %s", engines[i]->name, refusal);
        if (length >= size) length = size - 1;
    }
    return NULL;
}

const char *engine_probe(const char *scratch, const char *wanted, const char **reason, int *status) {
    static char text[512];
    const bool any = !strcmp(wanted, "auto");
    const struct engine_ops *ops = engine_named(wanted);
    if (!any && !ops) {
        *status = run_fail(OOCC_USAGE, "engines are auto, uring, aio, threads, mmap, memory and swap",
                           "there is no engine '%s'", wanted);
        return NULL;
    }
    struct member member[MEMBERS_MOST];
    const char *where = scratch, *refusal = NULL;
    int members;
    *reason = text;
    *status = members_split(scratch, member, &members);
    if (!*status && any)
        ops = first_that_works(member, members, text, sizeof text, status);
    else if (!*status)
        refusal = refusal_of(ops, member, members, &where, status);
    if (!any) snprintf(text, sizeof text, "asked for");
    if (*status) {
        ops = NULL;
    } else if (refusal || !ops) {
        *status = run_fail(OOCC_NO_SPACE, "choose another --scratch directory or --engine auto",
                           "engine %s does not work in %s: %s", wanted, where, refusal ? refusal : text);
        ops = NULL;
    }
    members_forget(member, members);
    return ops ? ops->name : NULL;
}

int engine_survey(const char *scratch, void (*tell)(void *to, const struct engine_answer *answer), void *to) {
    struct member member[MEMBERS_MOST];
    int members, status = members_split(scratch, member, &members);
    for (int m = 0; m < members && !status; m++) {
        char *existing = existing_directory(member[m].path);
        if (!existing) status = run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
        const char *direct = existing ? direct_try(existing, O_DIRECT) : NULL;
        for (int i = 0; i < ENGINES && existing; i++) {
            const struct engine_answer answer = {.place = member[m].path,
                                                 .existing = existing,
                                                 .engine = engines[i]->name,
                                                 .refusal = engines[i]->probe(existing),
                                                 .direct_refusal = direct,
                                                 .durable = engines[i]->durable,
                                                 .device = member[m].ops == &member_device};
            tell(to, &answer);
        }
        free(existing);
    }
    members_forget(member, members);
    return status;
}

int engine_open(const char *name, int depth, struct engine **out) {
    const struct engine_ops *ops = engine_named(name);
    struct engine *engine = calloc(1, sizeof *engine);
    if (!engine) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    engine->ops = ops;
    engine->depth = depth;
    const int status = ops->open(engine);
    if (status)
        free(engine);
    else
        *out = engine;
    return status;
}

void engine_close(struct engine *engine) {
    if (!engine) return;
    engine_unpin(engine);
    engine->ops->close(engine);
    free(engine);
}

void engine_pin(struct engine *engine, char *memory, int64_t bytes) {
    if (engine->pinned || !engine->ops->pin || bytes <= 0) return;
    engine->pinned = memory;
    engine->pinned_bytes = bytes;
    engine->ops->pin(engine);
}

void engine_unpin(struct engine *engine) {
    if (!engine->pinned) return;
    engine->ops->unpin(engine);
    engine->pinned = NULL;
}

static void take(int64_t *counter, int64_t *sum) {
    const int64_t count = __atomic_exchange_n(counter, 0, __ATOMIC_RELAXED);
    if (sum) *sum += count;
}

void engine_take_counts(struct engine *engine, int64_t *read_bytes, int64_t *write_bytes, int64_t *requests) {
    take(&engine->read_bytes, read_bytes);
    take(&engine->write_bytes, write_bytes);
    take(&engine->requests, requests);
}
