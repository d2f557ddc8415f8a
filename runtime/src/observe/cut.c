/* cut.c: where passes must end, whatever their length would be otherwise. */
#include "observe/observe.h"

#include <inttypes.h>

/* Passes are counted one by one so far, and by proportion beyond. */
enum { MOST_COUNTED = 1 << 20 };

static int64_t to_multiple(int64_t level, const int64_t *every) {
    const int64_t e = observe_every(every);
    return e - level % e;
}

int64_t cut_steps(const struct oocc_program *program, bool in_place, int64_t level) {
    int64_t steps = INT64_MAX;
    for (int i = 0; i < program->outputs; i++)
        if (program->output[i].every) steps = oocc_min(steps, to_multiple(level, program->output[i].every));
    for (int i = 0; i < program->watches; i++) {
        if (program->watch[i].feeds) steps = 1;
        if (in_place && program->stop) steps = oocc_min(steps, to_multiple(level, program->watch[i].every));
    }
    return steps;
}

int64_t cut_passes(const struct oocc_program *program, bool in_place, int64_t steps, int64_t bt) {
    if (steps <= 0) return 0;
    const int64_t longest = cut_steps(program, in_place, 0);
    if (longest == INT64_MAX || longest == 1) return (steps - 1) / oocc_min(bt, longest) + 1;
    int64_t level = 0, passes = 0;
    for (; level < steps && passes < MOST_COUNTED; passes++)
        level += oocc_min(oocc_min(bt, steps - level), cut_steps(program, in_place, level));
    return level < steps ? (int64_t)((double)passes / (double)level * (double)steps) : passes;
}

static int64_t product(int64_t count, int64_t each) {
    int64_t all;
    return __builtin_mul_overflow(count, each, &all) ? INT64_MAX : all;
}

static int64_t sum(int64_t a, int64_t b) {
    int64_t all;
    return __builtin_add_overflow(a, b, &all) ? INT64_MAX : all;
}

int64_t cut_sum(const struct oocc_program *program, bool in_place, int64_t steps, int64_t bt,
                int64_t (*of)(const void *context, int64_t length), const void *context) {
    const int64_t longest = cut_steps(program, in_place, 0), length = oocc_min(bt, longest);
    if (longest == INT64_MAX || longest == 1)
        return sum(product(steps / length, of(context, length)), steps % length ? of(context, steps % length) : 0);
    int64_t level = 0, total = 0;
    for (int64_t passes = 0; level < steps && passes < MOST_COUNTED; passes++) {
        const int64_t next = oocc_min(oocc_min(bt, steps - level), cut_steps(program, in_place, level));
        total = sum(total, of(context, next));
        level += next;
    }
    return level < steps ? (int64_t)((double)total / (double)level * (double)steps) : total;
}

const char *cut_reason(const struct oocc_program *program, bool in_place, char *buffer) {
    for (int i = 0; i < program->watches; i++)
        if (program->watch[i].feeds) {
            snprintf(buffer, 128, "updates use '%.64s': every step ends a pass", program->watch[i].name);
            return buffer;
        }
    const int64_t longest = cut_steps(program, in_place, 0);
    if (longest == INT64_MAX) return NULL;
    const int64_t outputs = cut_steps(program, false, 0);
    const char *what = outputs == INT64_MAX ? "stop conditions looked at"
                       : longest < outputs  ? "outputs and stop conditions looked at"
                                            : "outputs";
    if (longest == 1)
        snprintf(buffer, 128, "%s every step end a pass", what);
    else
        snprintf(buffer, 128, "%s every %" PRId64 " steps end a pass", what, longest);
    return buffer;
}

bool cut_anywhere(const struct oocc_program *program, bool in_place) {
    return program->embedded || program->stop != NULL || cut_steps(program, in_place, 0) != INT64_MAX;
}
