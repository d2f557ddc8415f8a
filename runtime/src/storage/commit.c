/*
 * A commit makes the generation that a pass has written the whole one: its data, then a manifest that names
 * it, each on stable storage before the next begins. With two generations the pass after this one overwrites
 * the generation that the manifest before this one named, so every pass commits; passes may be long, commits
 * may not be left out.
 *
 * A sync that failed is never tried again: the kernel may have dropped the pages, and would say that all is
 * well.
 */
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

int store_commit(struct oocc_run *run, int generation, int64_t t) {
    struct store *store = run->store;
    const double began = machine_seconds();
    int status = 0;
    if (store->engine->ops->durable) {
        const struct manifest manifest = {.level = t, .generation = generation, .steps = run->steps};
        oocc_point(POINT_COMMIT_BEFORE_SYNC);
        if ((!store->committed && (status = sync_file(run, STORE_COEF))) || (status = sync_file(run, generation)))
            return status;
        oocc_point(POINT_COMMIT_SYNCED);
        if ((status = manifest_write(run, store, &manifest))) return status;
        oocc_point(POINT_MANIFEST_DONE);
        store->committed = true;
    }
    store->generation = generation;
    run->level = t;
    run->stats.commits++;
    run->stats.last_commit_seconds = machine_seconds() - began;
    oocc_point(POINT_COMMIT_DONE);
    return 0;
}
