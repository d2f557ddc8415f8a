/* outputs.c: the names of the files a run is to write. */
#include "observe/observe.h"

#include "support/text.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of an output that is written many times, so many names are compared with the others. */
enum { MOST_NAMES = 1 << 20 };

char *output_name(const char *path, int64_t t) {
    static const char mark[] = "{t}";
    struct text name;
    FILE *out = text_begin(&name, TEXT_LIKELY);
    if (out == NULL) return NULL;
    for (const char *at; (at = strstr(path, mark)) != NULL; path = at + strlen(mark))
        fprintf(out, "%.*s%" PRId64, (int)(at - path), path, t);
    fputs(path, out);
    return text_end(&name);
}

static int check_directory(const char *what, const char *path) {
    char *copy = strdup(path);
    if (copy == NULL) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    const int error = access(dirname(copy), W_OK | X_OK) ? errno : 0;
    free(copy);
    if (error == 0) return OOCC_OK;
    return run_fail(error == EACCES ? OOCC_DENIED : OOCC_NO_SPACE, NULL, "cannot create the %s %s: %s", what,
                    path, strerror(error));
}

struct names {
    char **name;
    int64_t count;
};

static int compare(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add(struct names *names, char *name) {
    if (name == NULL) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    names->name[names->count++] = name;
    return OOCC_OK;
}

static int64_t times(const struct oocc_output *output, int64_t steps) {
    return output->every != NULL ? oocc_min(steps / *output->every, MOST_NAMES) : 1;
}

static int collect(const struct oocc_run *run, struct names *names) {
    const struct oocc_program *program = run->program;
    int status = OOCC_OK;
    for (int i = 0; i < program->outputs; i++) {
        const struct oocc_output *output = &program->output[i];
        if (program->embedded && output->every == NULL) continue; /* only written when the application wants it */
        for (int64_t k = 1; k <= times(output, run->steps) && status == OOCC_OK; k++) {
            const int64_t t = output->every != NULL ? k * *output->every : run->steps;
            status = add(names, output_name(output->path, t));
            if (status == OOCC_OK && k == 1)
                status = check_directory("output", names->name[names->count - 1]);
        }
    }
    for (int i = 0; i < program->records && status == OOCC_OK; i++) {
        status = add(names, strdup(program->record[i].path));
        if (status == OOCC_OK) status = check_directory("record", program->record[i].path);
    }
    return status;
}

int outputs_check(const struct oocc_run *run) {
    struct names names = {0};
    int64_t most = run->program->records + 1;
    for (int i = 0; i < run->program->outputs; i++)
        most += times(&run->program->output[i], run->steps);
    names.name = calloc((size_t)most, sizeof *names.name);
    int status = names.name != NULL ? collect(run, &names) : run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    if (status == OOCC_OK) qsort(names.name, (size_t)names.count, sizeof *names.name, compare);
    for (int64_t i = 1; i < names.count && status == OOCC_OK; i++)
        if (strcmp(names.name[i - 1], names.name[i]) == 0)
            status = run_fail(OOCC_BAD_INPUT,
                              "give every output a name of its own; {t} in it stands for the level",
                              "%s would be written twice", names.name[i]);
    for (int64_t i = 0; i < names.count; i++)
        free(names.name[i]);
    free(names.name);
    return status;
}
