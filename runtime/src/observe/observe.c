#include "observe/observe.h"

#include <inttypes.h>

static int check_every(const struct oocc_program *program, const char *what, const char *name,
                       const int64_t *every) {
    if (every == NULL || *every >= 1) return OOCC_OK;
    return run_fail(OOCC_BAD_INPUT, "'every' counts steps: at least 1", "%s: %s %s: every is %" PRId64,
                    program->source, what, name, *every);
}

static int check_all(const struct oocc_program *program) {
    int status = OOCC_OK;
    for (int i = 0; i < program->outputs && !status; i++)
        status = check_every(program, "output", program->output[i].path, program->output[i].every);
    for (int i = 0; i < program->records && !status; i++)
        status = check_every(program, "record", program->record[i].path, program->record[i].every);
    for (int i = 0; i < program->watches && !status; i++)
        status = check_every(program, "monitor", program->watch[i].name, program->watch[i].every);
    return status;
}

int observe_read(const struct oocc_program *program, const struct oocc_grid *grid) {
    int status = check_all(program);
    for (int i = 0; i < program->point_sets && !status; i++)
        status = points_read(program, grid, &program->points[i]);
    for (int i = 0; i < program->signals && !status; i++)
        status = signal_read(program, &program->signal[i]);
    return status;
}

void observe_forget(const struct oocc_program *program) {
    for (int i = 0; i < program->point_sets; i++)
        points_free(&program->points[i]);
    for (int i = 0; i < program->signals; i++)
        signal_free(&program->signal[i]);
}
