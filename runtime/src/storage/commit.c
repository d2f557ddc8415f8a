/*
 * A commit makes the present generation durable: its data, then a manifest that names it, each on stable storage before
 * the next begins. It waits for the disk to keep all that it has only taken in, so commits are spaced: they take a
 * hundredth of the time, and what a power failure costs is a hundred times what a commit takes. Passes in between go to
 * and fro between two generations, and leave alone the one that was committed last, so there are three. Where there is
 * room for two, the pass that follows a commit overwrites the only other one, and is committed itself.
 *
 * What ends a process more often than a power failure does leaves to the kernel what was written. So a recent manifest,
 * which is not synced, names the last pass; it counts as long as the machine has not started anew.
 *
 * A sync that failed is never tried again: the kernel may have dropped the pages, and would say that all is
 * well.
 */
#include "observe/observe.h"
#include "plan/cost.h"
#include "storage/manifest.h"
#include "support/point.h"

#include <errno.h>
#include <string.h>

/* All members' shares of a file. */
static int sync_file(const struct oocc_run *run, int index) {
    struct store *store = run->store;
    int error = 0;
    for (int m = 0; m < store->members; m++) {
        struct io_file *file = member_file(&store->member[m], index);
        if (store->member[m].share[index]) error = store->engine->ops->sync(store->engine, file);
        if (error)
            return run_fail(run_io_status(error), run_io_help(error), "cannot write %s to stable storage: %s",
                            file->name, strerror(error));
        oocc_point(POINT_COMMIT_FILE);
    }
    return 0;
}

/* The generation that the next pass may write: neither the present nor the durable one. -1: there is none. */
static int find_next(const struct store *store) {
    for (int g = 0; g < store->generations; g++)
        if (g != store->generation && g != store->durable) return g;
    return -1;
}

static void choose_next(struct store *store) {
    store->next = find_next(store);
    if (store->next >= 0) store->table[store->next] = 1 - store->table[store->generation];
}

void store_take_up(struct store *store, const struct manifest *manifest) {
    store->generation = manifest->generation;
    store->recent = true; /* one that does not count may be there, too */
    store->durable = manifest->durable;
    store->durable_level = manifest->durable_level;
    store->coef_durable = store->durable >= 0;
    store->whole = true;
    choose_next(store);
}

static struct manifest present(const struct oocc_run *run) {
    return (struct manifest){.level = run->level, .generation = run->store->generation, .steps = run->steps};
}

static int make_durable(struct oocc_run *run) {
    struct store *store = run->store;
    const struct manifest manifest = present(run);
    oocc_point(POINT_COMMIT_BEFORE_SYNC);
    int status = record_sync(run);
    if (!status && !store->coef_durable) status = sync_file(run, STORE_COEF);
    if (!status) status = sync_file(run, store->generation);
    oocc_point(POINT_COMMIT_SYNCED);
    if (!status) status = manifest_write(run, store, &manifest);
    oocc_point(POINT_MANIFEST_DONE);
    store->failed = status != 0;
    if (status) return status;
    store->durable = store->generation;
    store->durable_level = run->level;
    store->coef_durable = true;
    manifest_drop_recent(store);
    return 0;
}

int store_commit(struct oocc_run *run) {
    struct store *store = run->store;
    const double began = machine_seconds();
    const int status = store->engine->ops->durable ? make_durable(run) : 0;
    if (status) return status;
    store->committed_at = machine_seconds();
    run->stats.last_commit_seconds = store->committed_at - began;
    run->stats.commit_seconds += run->stats.last_commit_seconds;
    run->stats.commits++;
    choose_next(store);
    oocc_point(POINT_COMMIT_DONE);
    return 0;
}

/* What it cannot be is committed instead: a recent manifest that names a generation which the next pass writes counts no more then. */
static int remember(struct oocc_run *run) {
    const struct manifest manifest = present(run);
    return !run->store->kept || manifest_write_recent(run, run->store, &manifest) ? 0 : store_commit(run);
}

double store_commit_seconds(const struct oocc_run *run) {
    return run->stats.commits > 0 ? run->stats.last_commit_seconds : run->plan.one_commit_seconds;
}

static bool is_time(const struct oocc_run *run) {
    return machine_seconds() - run->store->committed_at >= commit_every(run->options.commit_every, store_commit_seconds(run));
}

int store_advance(struct oocc_run *run, int generation, int64_t t) {
    struct store *store = run->store;
    store->generation = generation;
    store->whole = true;
    run->level = t;
    choose_next(store);
    return store->next < 0 || is_time(run) ? store_commit(run) : remember(run);
}

int store_keep(struct oocc_run *run) {
    const struct store *store = run->store;
    const bool can = store && store->kept && store->open && store->whole && !store->damaged && !store->failed;
    return can && store->durable != store->generation ? store_commit(run) : 0;
}

void store_salvage(struct oocc_run *run) {
    run_errors_after("what was done last cannot be committed");
    store_keep(run);
    run_errors_after(NULL);
}

bool store_can_resume(const struct oocc_run *run) {
    const struct store *store = run->store;
    return store && (store->durable >= 0 || (store->recent && run->options.resume));
}
