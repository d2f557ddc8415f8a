#include "stream/wedge.h"

#include "stream/window.h"

#include <inttypes.h>
#include <string.h>

/* A size that no grid has; a few of them can be added. */
static const int64_t FAR_PLANES = INT64_MAX / 16;

static int64_t beyond(int64_t bt, int64_t slope, int64_t more) {
    int64_t planes;
    if (__builtin_mul_overflow(bt, slope, &planes) || __builtin_add_overflow(planes, more, &planes))
        return FAR_PLANES;
    return oocc_min(planes, FAR_PLANES);
}

struct wedge wedge_of(const struct oocc_program *program, int64_t bt) {
    return program->wedge.periodic ? wedge_around(program, bt) : (struct wedge){0};
}

struct wedge wedge_around(const struct oocc_program *program, int64_t bt) {
    const struct oocc_wedge *w = &program->wedge;
    return (struct wedge){.head = beyond(bt, w->slope_lo, w->more_lo),
                          .tail = beyond(bt, w->slope_hi, w->more_hi)};
}

int64_t wedge_planes(const struct oocc_program *program, const struct oocc_grid *grid, int64_t bt) {
    const struct wedge wedge = wedge_of(program, bt);
    return wedge.head + grid->planes + wedge.tail;
}

static int64_t deepest(int64_t planes, int64_t slope, int64_t more) {
    if (more > planes) return 0;
    return slope > 0 ? (planes - more) / slope : INT64_MAX;
}

int64_t wedge_deepest(const struct oocc_program *program, const struct oocc_grid *grid) {
    const struct oocc_wedge *w = &program->wedge;
    if (!w->periodic) return INT64_MAX;
    return oocc_min(deepest(grid->planes, w->slope_lo, w->more_lo),
                    deepest(grid->planes, w->slope_hi, w->more_hi));
}

int64_t wedge_run_end(const struct oocc_grid *grid, int64_t head, int64_t lo, int64_t hi, int64_t *first) {
    *first = head - grid->planes;
    while (lo >= *first + grid->planes)
        *first += grid->planes;
    return oocc_min(hi, *first + grid->planes);
}

const char *wedge_text(char *buffer, size_t size, const struct oocc_program *program,
                       const struct oocc_grid *grid, const struct plan *plan) {
    const struct wedge wedge = wedge_of(program, plan->bt);
    const double percent = 100 * (double)(wedge.head + wedge.tail) / (double)grid->planes;
    snprintf(buffer, size,
             "periodic along %s: each pass also %s and recomputes %" PRId64 " + %" PRId64 " %s (%.*f%%)",
             program->dim[0], plan->in_place ? "copies" : "reads", wedge.head, wedge.tail,
             grid->ndim == 1 ? "blocks" : "planes", percent < 10, percent);
    return buffer;
}

void wedge_refresh(struct oocc_run *run, int64_t bt) {
    const struct oocc_program *program = run->program;
    const int64_t planes = run->grid.planes;
    const struct wedge needed = wedge_of(program, bt);
    const int64_t head = wedge_of(program, oocc_max(run->plan.bt, 1)).head, before = needed.head;
    const int64_t copies = needed.head + needed.tail;
    for (int f = 0; f < program->fields; f++) {
        const int64_t bytes = run->grid.layout[f].plane_bytes, stride = run->grid.layout[f].stride_bytes;
        for (int level = 0; level < program->field[f].levels; level++) {
            char *base = window_ring(run->rings, f, -level)->base;
#pragma omp parallel for schedule(static)
            for (int64_t i = 0; i < copies; i++) {
                const int64_t v = i < before ? head - before + i : head + planes + i - before;
                const int64_t from = i < before ? v + planes : v - planes;
                memcpy(base + v * stride, base + from * stride, (size_t)bytes);
            }
        }
    }
}
