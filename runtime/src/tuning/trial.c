#include "tuning/trial.h"

#include "observe/observe.h"
#include "plan/columns.h"
#include "stream/flow.h"
#include "stream/pipeline.h"
#include "stream/wedge.h"
#include "stream/window.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Cells that the positions [lo, hi) of a pass's wave advance in a column, times steps; delays of stages do not matter here. */
static double updates_of(const struct oocc_pass *pass, const struct column *column, const struct oocc_run *run, int64_t lo,
                         int64_t hi) {
    const struct oocc_program *program = run->program;
    const bool cut = run->plan.cut.columns > 1;
    const double share = cut ? column_rows(program, column, pass->bt) / (double)pass->grid->extent[1] : 1;
    double planes = 0;
    for (int64_t s = 1; s <= pass->bt; s++) {
        const int64_t from = oocc_max(pass->head, lo - s * program->step_delay),
                      to = oocc_min(pass->head + pass->grid->planes, hi - s * program->step_delay);
        planes += (double)oocc_max(0, to - from);
    }
    return share * planes * (double)grid_points(pass->grid) / (double)pass->grid->planes;
}

/* Where slabs begin that may begin in [first, last]: in the middle, then where those before have ended, after which come planes that no
 * cache holds any more, as in a pass. */
static int64_t begin_of(const struct timed_slabs *trial, int64_t first, int64_t last) {
    if (trial->place >= 0) return first + (int64_t)(trial->place * (double)(last - first));
    if (trial->end < first) return first + (last - first) / 2;
    return trial->end <= last ? trial->end : first;
}

/* Moves a pass to where all its steps are at work, or to the middle of its wave, where the most are: that many slabs. */
static void shorten(struct oocc_pass *pass, const struct oocc_program *program, int64_t slabs, struct timed_slabs *trial) {
    const int64_t wave = pass->wave_hi - pass->wave_lo, most = oocc_max(1, oocc_min(slabs, wave / pass->bz)),
                  positions = oocc_min(wave, most * pass->bz), ends = pass->bt * program->step_delay,
                  first = pass->wave_lo + ends, last = pass->wave_hi - ends - positions;
    pass->wave_lo = last <= first ? pass->wave_lo + (wave - positions) / 2 : begin_of(trial, first, last);
    pass->wave_hi = trial->end = pass->wave_lo + positions;
    pass->slabs = most;
}

/* Records need a place for what they leave; files are not opened for it. */
static bool open_records(const struct oocc_program *program, int64_t bt) {
    for (int i = 0; i < program->records; i++) {
        struct oocc_record *record = &program->record[i];
        const struct oocc_points *set = &program->points[record->points];
        const int64_t samples = (bt - 1) / observe_every(record->every) + 1;
        record->slots = set->cells;
        record->value = calloc((size_t)(samples * set->cells) + 1, sizeof *record->value);
        if (record->value == NULL) return false;
    }
    return true;
}

static void close_records(const struct oocc_program *program) {
    for (int i = 0; i < program->records; i++) {
        free(program->record[i].value);
        program->record[i].value = NULL;
    }
}

/* One pass of that many slabs; 0 or an exit status. */
static int do_slabs(struct oocc_run *run, int64_t slabs, struct trial_result *result) {
    int status = window_lay_out(run, run->plan.bt);
    if (status) return status;
    struct oocc_pass pass = pass_make(run, run->plan.bt, pass_slab_planes(run, run->plan.bt));
    shorten(&pass, run->program, slabs, run->trial);
    if (run->trial->warm >= pass.slabs) run->trial->warm = 0;
    const int64_t index = run->plan.cut.columns / 2; /* one in the middle stands for all */
    const struct column column = pass_use_column(run, &pass, index);
    if (!(pass.flow = flow_open(run, &pass))) return OOCC_NO_MEMORY;
    watch_begin(run, &pass);
    record_begin(run, &pass);
    pipeline_begin_at(run, &pass, &column, index);
    run->trial->since = machine_seconds();
    status = run->program->pass(&pass);
    const double done = machine_seconds();
    flow_close(pass.flow);
    if (status) pipeline_abandon(run);
    if (run->observer->watches != NULL) watch_undo(run);
    run->observer->bad.found = false;
    result->slabs = pass.slabs - run->trial->warm;
    result->seconds = result->usual_seconds = (done - run->trial->since) / (double)result->slabs;
    result->updates = updates_of(&pass, &column, run, oocc_slab_lo(&pass, run->trial->warm), pass.wave_hi) /
                      (double)result->slabs;
    return status;
}

/* More planes in flight make longer rings: those of a real run do not stay in any cache. False: not even the shortest have room. */
static bool lengthen_rings(struct oocc_run *run, int64_t room_bytes) {
    struct plan *plan = &run->plan;
    const int64_t aim = 4 * (run->machine.l2_bytes + run->machine.l3_bytes) * plan->threads;
    int64_t bytes = window_planned_bytes(run);
    if (bytes < 0 || bytes > room_bytes) return false;
    for (int64_t ahead = 1; bytes < aim && ahead < 1024; ahead *= 2) {
        plan->read_ahead = plan->write_behind = ahead;
        const int64_t more = window_planned_bytes(run);
        if (more == bytes) break; /* all planes are there */
        if (more < 0 || more > room_bytes) {
            plan->read_ahead = plan->write_behind = ahead / 2;
            break;
        }
        bytes = more;
    }
    return true;
}

/* The best of a few: whatever else runs on the machine makes it slower, nothing makes it faster. The first slab does not
 * count, since its caches are cold, unless it takes so long that nobody sees that. */
static bool time_compute(struct oocc_run *run, double seconds, struct trial_result *result) {
    enum { ROUNDS = 3 };
    if (do_slabs(run, 1, result) != 0) return false;
    if (result->seconds >= seconds) return true;
    const double slabs = result->seconds > 0 ? seconds / ROUNDS / result->seconds : 1;
    double all = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct trial_result next;
        if (do_slabs(run, slabs < 1 ? 1 : (int64_t)(slabs < 4096 ? slabs : 4096), &next) != 0) return false;
        all += next.seconds;
        if (round == 0 || next.seconds < result->seconds) *result = next;
    }
    result->usual_seconds = all / ROUNDS;
    return true;
}

/* The one in the middle and the others by turns, since a machine that others use is not as fast all the time. */
static bool time_places(struct oocc_run *run, double places, struct trial_result *result) {
    double there = 0, middle = 0;
    for (int i = 0; i < places; i++) {
        struct trial_result next;
        run->trial->place = 0.5;
        if (do_slabs(run, 1, &next) != 0) return false;
        middle += next.seconds / next.updates;
        run->trial->place = (i + 0.5) / places;
        if (do_slabs(run, 1, &next) != 0) return false;
        there += next.seconds / next.updates;
    }
    result->all_over = middle > 0 ? there / middle : 0;
    return true;
}

char *trial_memory_take(struct trial_memory *memory, int64_t bytes) {
    if (memory->bytes >= bytes) return memory->mapping;
    trial_memory_close(memory);
    void *mapping = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) return NULL;
    memory->mapping = mapping;
    memory->bytes = bytes;
    return mapping;
}

void trial_memory_close(struct trial_memory *memory) {
    if (memory->mapping) munmap(memory->mapping, (size_t)memory->bytes);
    memory->mapping = NULL;
    memory->bytes = 0;
}

typedef bool time_slabs(struct oocc_run *run, double amount, struct trial_result *result);

/* With a window of its own, and no transfers. */
static bool computed(const struct oocc_run *like, const struct shape *shape, struct trial_memory *memory, time_slabs *time, double amount,
                     struct trial_result *result) {
    struct observer observer = {0};
    struct timed_slabs trial = {.memory = memory, .transfers = false, .end = TRIAL_NOWHERE, .place = -1};
    struct oocc_run run = *like;
    run.observer = &observer;
    run.trial = &trial;
    run.store = NULL;
    run.rings = NULL;
    run.pipeline = NULL;
    run.plan.in_place = false;
    run.plan.schedule = SCHEDULE_STREAM;
    run.plan.bt = shape->bt;
    run.plan.bz = shape->bz;
    run.plan.ct = shape->ct;
    run.plan.tiles = shape->tiles;
    run.plan.pieces = oocc_max(1, shape->pieces);
    run.plan.cut = shape->cut;
    run.plan.read_ahead = run.plan.write_behind = 0;
    run.steps = run.level + shape->bt;
    const int64_t observed = observe_bytes(run.program, run.plan.threads, shape->bt);
    const int64_t room = memory->room_bytes - observed;
    if (room < 0 || !lengthen_rings(&run, room)) return false;
    const bool good = open_records(run.program, shape->bt) && watch_open(&run) == 0 &&
                      window_open(&run) == 0 && pipeline_open(&run) == 0 && time(&run, amount, result);
    watch_close(&run);
    pipeline_close(&run);
    window_close(&run);
    close_records(run.program);
    return good;
}

bool trial_compute(const struct oocc_run *run, const struct shape *shape, struct trial_memory *memory, double seconds,
                   struct trial_result *result) {
    return computed(run, shape, memory, time_compute, seconds, result);
}

double trial_all_over(const struct oocc_run *run, const struct shape *shape, struct trial_memory *memory, int places) {
    struct trial_result result;
    return computed(run, shape, memory, time_places, places, &result) ? result.all_over : 0;
}

int trial_stream(struct oocc_run *run, double seconds, struct trial_result *result) {
    struct timed_slabs trial = {.transfers = true, .end = TRIAL_NOWHERE, .place = -1};
    struct stats before = run->stats;
    run->trial = &trial;
    int status = OOCC_NO_MEMORY;
    if (open_records(run->program, run->plan.bt) && !(status = watch_open(run)) &&
        !(status = window_open(run)) && !(status = pipeline_open(run))) {
        /* The first slabs find an idle disk and an empty window. */
        const double began = machine_seconds();
        trial.warm = 1;
        status = do_slabs(run, 3, result);
        const double left = seconds - (machine_seconds() - began);
        if (!status && left > result->seconds * 4) {
            trial.warm = 2;
            status = do_slabs(run, 2 + (int64_t)(left / result->seconds), result);
        }
    }
    watch_close(run);
    pipeline_close(run);
    window_close(run);
    close_records(run->program);
    run_count_bytes(run); /* what trials moved is no part of the run */
    run->stats = before;
    run->trial = NULL;
    return status;
}
