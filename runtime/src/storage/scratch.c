#include "storage/scratch.h"

#include "observe/observe.h"
#include "storage/manifest.h"
#include "storage/room.h"
#include "support/point.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *scratch_manifest_name(const struct store *store, char name[4200]) {
    const struct member *home = &store->member[0];
    snprintf(name, 4200, home->ops == &member_device ? "the manifest on %s" : "%s/manifest", home->path);
    return name;
}

int scratch_has_device(const char *list, bool *has) {
    struct member member[MEMBERS_MOST];
    int members = 0;
    *has = false;
    const int status = members_split(list, member, &members);
    for (int m = 0; m < members && !status; m++)
        *has |= member[m].ops == &member_device;
    members_forget(member, members);
    return status;
}

const char *scratch_names(const struct store *store, char *names, size_t size) {
    const char *name[MEMBERS_MOST];
    for (int m = 0; m < store->members; m++)
        name[m] = store->member[m].path;
    return member_join(names, size, name, store->members, ", ");
}

/* Members of the run that is discarded which this run does not use. */
static void note_others(const struct store *store, struct label *label, struct label *old) {
    for (int i = 0; i < old->members; i++) {
        bool given = false;
        for (int m = 0; m < store->members; m++)
            given |= !strcmp(old->path[i], label->path[m]);
        if (!given) run_note("%s still holds its part of the run that is discarded", old->path[i]);
    }
}

/* Of read_label(), quiet: a label that is damaged, or of another version, or no file. Any other status is an error. */
static bool is_no_label(int status) {
    return status == OOCC_CORRUPT || status == OOCC_BAD_INPUT;
}

/* First what says that something can be resumed, last the home's label: as long as that is there without a manifest, the rest is
 * known to be of no use. */
static int discard(struct store *store, struct label *label) {
    struct member *home = &store->member[0];
    struct label old;
    oocc_point(POINT_DISCARD_BEGIN);
    int status = home->ops->read_label(home, &old, true);
    if (!status) note_others(store, label, &old);
    if (is_no_label(status)) status = 0; /* and is discarded like any other */
    label_forget(&old);
    for (int m = 0; m < store->members && !status; m++) {
        const int error = store->member[m].ops->drop_manifest(&store->member[m]);
        if (error) status = member_failed("clear", store->member[m].path, NULL, -1, error);
    }
    oocc_point(POINT_DISCARD_MANIFEST);
    for (int m = store->members - 1; m >= 0 && !status; m--) {
        status = store->member[m].ops->clear(&store->member[m]);
        oocc_point(POINT_DISCARD_MEMBER);
    }
    return status;
}

/* Whether a run has begun to make its files here, or to remove them, and was killed before there was, or when there was no
 * longer, anything to resume: the home has a label and no manifest. Other members belong to it, or have nothing: one whose
 * label cannot be read may hold the state of another run. */
static int find_unborn(struct store *store, bool *unborn) {
    struct label label[MEMBERS_MOST] = {{.present = false}};
    struct member *home = &store->member[0];
    int status = 0;
    *unborn = true;
    for (int m = 0; m < store->members && !status; m++) {
        status = store->member[m].ops->read_label(&store->member[m], &label[m], true);
        *unborn &= !status;
        if (is_no_label(status)) status = 0;
    }
    *unborn = *unborn && label[0].present && label[0].index == 0;
    if (!status && *unborn) {
        bool has;
        status = manifest_find(home, &has);
        *unborn = !has;
    }
    for (int m = 1; m < store->members; m++)
        *unborn &= !label[m].present || !strcmp(label[m].id, label[0].id);
    for (int m = 0; m < MEMBERS_MOST; m++)
        label_forget(&label[m]);
    return status;
}

/* What lies there already: nothing, or what may go, or what may not. */
static int clear_place(const struct oocc_run *run, struct store *store, struct label *label) {
    bool unborn = false;
    int status = run->options.restart ? 0 : find_unborn(store, &unborn);
    if (status) return status;
    if (unborn) run_note("what a run left in %s before its first commit is discarded", store->member[0].path);
    if (unborn || run->options.restart) return discard(store, label);
    for (int m = 0; m < store->members && !status; m++)
        status = store->member[m].ops->refuse_leftovers(&store->member[m]);
    return status;
}

static int describe(const struct store *store, struct label *label) {
    *label = (struct label){.present = true, .generations = store->generations, .members = store->members};
    strcpy(label->id, store->id);
    for (int m = 0; m < store->members; m++) {
        char *path = realpath(store->member[m].path, NULL);
        if (!path) return member_cannot("find", store->member[m].path, NULL, errno);
        label->path[m] = path;
    }
    return 0;
}

static int create(const struct oocc_run *run, struct store *store, struct label *label) {
    int status = describe(store, label);
    if (!status) status = clear_place(run, store, label);
    oocc_point(POINT_CREATE_BEGIN);
    if (!status) status = room_fit(run, store);
    label->generations = store->generations;
    for (int m = 0; m < store->members && !status; m++) {
        label->index = m;
        status = store->member[m].ops->create(&store->member[m], label);
    }
    return status;
}

static int reopen(struct oocc_run *run, struct store *store) {
    struct manifest manifest;
    int status = manifest_read(run, store, &manifest, true);
    for (int m = 0; m < store->members && !status; m++) {
        struct member *member = &store->member[m];
        if (!(status = member->ops->fit(member, false, false))) status = member->ops->reopen(member);
    }
    if (status) return status;
    store_take_up(store, &manifest);
    if (!manifest.recent) manifest_drop_recent(store);
    run->level = manifest.level;
    if (run->steps < run->level) /* it was not when the run was planned: another one has gone on meanwhile */
        return run_fail(OOCC_DENIED, "give the command again", "another run has just gone on with %s", run->options.scratch);
    oocc_point(POINT_RESUME_OPENED);
    return 0;
}

int scratch_make(struct oocc_run *run, struct store *store) {
    struct member *home = &store->member[0];
    struct label label = {.present = false};
    home->records = run->program->records;
    int status = record_most_bytes(run, &home->rows_bytes);
    if (!status) status = manifest_most_bytes(run, store, &home->manifest_bytes);
    if (!status) status = run->options.resume ? reopen(run, store) : create(run, store, &label);
    label_forget(&label);
    return status;
}

/* In the order of discard(). A manifest that stays is not to lie about the rest. */
void scratch_close(struct store *store, bool keep) {
    struct member *home = &store->member[0];
    oocc_point(POINT_CLOSE_BEGIN);
    const int error = !keep && home->ops && home->owns ? home->ops->drop_manifest(home) : 0;
    oocc_point(POINT_CLOSE_MANIFEST);
    if (error)
        run_note("cannot remove what is in %s (%s): begin the next run there with --restart", home->path,
                 strerror(error));
    keep = keep || error;
    for (int m = store->members - 1; m >= 0; m--)
        if (store->member[m].ops) store->member[m].ops->close(&store->member[m], keep);
    members_forget(store->member, store->members);
}
