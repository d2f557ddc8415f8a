/*
 * scratch_open.c: opens and locks the members of the scratch, and finds out of which run they are: all of one, in its order.
 */
#include "storage/manifest.h"
#include "storage/scratch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The lock would find the same place, too, but call it in use by this very process. */
static int refuse_twice(const struct store *store, int m) {
    struct stat info, other;
    const struct member *member = &store->member[m];
    if (stat(member->path, &info)) return 0;
    for (int i = 0; i < store->members; i++) {
        if (i == m || store->member[i].fd < 0 || fstat(store->member[i].fd, &other)) continue;
        if (S_ISBLK(info.st_mode) && S_ISBLK(other.st_mode)
                ? info.st_rdev == other.st_rdev
                : info.st_dev == other.st_dev && info.st_ino == other.st_ino)
            return run_fail(OOCC_USAGE, "name each of them once", "--scratch: %s and %s are the same place",
                            store->member[i < m ? i : m].path, store->member[i < m ? m : i].path);
    }
    return 0;
}

static int refuse_list(const struct label *label, const char *what, const char *path) {
    char *list = malloc((size_t)MEMBERS_MOST * 4200), *help = NULL;
    if (list) member_join(list, (size_t)MEMBERS_MOST * 4200, (const char *const *)label->path, label->members, ",");
    if (!list || asprintf(&help, "the run was begun with --scratch %s", list) < 0) help = NULL;
    const int status = run_fail(OOCC_BAD_INPUT, help, "%s %s", path, what);
    free(help);
    free(list);
    return status;
}

/* Which members are not there, by the paths they once had. */
static int refuse_missing(const struct store *store, const struct label *label, const bool found[]) {
    char what[4400] = "is not the whole scratch of the run: one is missing";
    for (int i = 0; i < label->members; i++)
        if (!found[i]) {
            snprintf(what, sizeof what, "%s not the whole scratch of the run: %s is missing",
                     store->members == 1 ? "is" : "are", label->path[i]);
            break;
        }
    char names[4200];
    return refuse_list(label, what, scratch_names(store, names, sizeof names));
}

/* Puts the members in the order of their labels. */
static int put_in_order(struct store *store, struct label label[], int known) {
    struct member member[MEMBERS_MOST];
    bool found[MEMBERS_MOST] = {false};
    for (int m = 0; m < store->members; m++) {
        const char *path = store->member[m].path;
        if (!label[m].present) return refuse_list(&label[known], "holds no part of the run to resume", path);
        if (strcmp(label[m].id, label[known].id))
            return refuse_list(&label[known], "belongs to another run", path);
        if (found[label[m].index])
            return refuse_list(&label[known], "is a copy of another part of the run", path);
        found[label[m].index] = true;
        member[label[m].index] = store->member[m];
    }
    if (store->members < label[known].members) return refuse_missing(store, &label[known], found);
    memcpy(store->member, member, (size_t)store->members * sizeof *member);
    strcpy(store->id, label[known].id);
    store->generations = label[known].generations;
    return 0;
}

/* No member has a label. Of a single directory the manifest is looked for, and says what is the matter. */
static int refuse_unlabelled(const struct store *store, enum member_access access) {
    char names[4200], what[4400];
    if (access == MEMBER_VERIFY)
        return run_fail(OOCC_BAD_INPUT, "name all places that a run was given with --scratch, with commas between them",
                        "%s: there is no scratch of a run", scratch_names(store, names, sizeof names));
    if (store->members == 1 && store->member[0].ops == &member_directory) return 0;
    snprintf(what, sizeof what, "%s%s no run", scratch_names(store, names, sizeof names),
             store->members == 1 ? " holds" : " hold");
    return member_nothing(what);
}

/* Nothing was ever stored as a whole, or all of it is being removed: members may be missing, and it does not matter. */
static int refuse_unborn(struct store *store, const struct label label[], enum member_access access) {
    char what[4400];
    for (int m = 0; m < store->members; m++) {
        struct member *member = &store->member[m];
        bool has;
        if (!label[m].present || label[m].index > 0) continue;
        const int status = manifest_find(member, &has);
        if (status) return status;
        if (has) continue;
        if (access == MEMBER_VERIFY)
            return run_fail(OOCC_BAD_INPUT, "there is nothing to verify: the next run there discards it",
                            "%s: the run that made it ended before its first commit", member->path);
        snprintf(what, sizeof what, "the run that made %s ended before its first commit", member->path);
        return member_nothing(what);
    }
    return 0;
}

/* Which run's they are, if any. */
static int identify(struct store *store, enum member_access access) {
    struct label label[MEMBERS_MOST] = {{.present = false}};
    int known = -1, status = 0;
    for (int m = 0; m < store->members && !status; m++) {
        status = store->member[m].ops->read_label(&store->member[m], &label[m], false);
        if (label[m].present && known < 0) known = m;
    }
    if (!status) status = refuse_unborn(store, label, access);
    if (!status) status = known < 0 ? refuse_unlabelled(store, access) : put_in_order(store, label, known);
    for (int m = 0; m < MEMBERS_MOST; m++)
        label_forget(&label[m]);
    return status;
}

/* The members in the order in which they are locked: the same whatever order they were given in, so that of two runs that begin at once
 * one gets all of them. */
static void lock_order(const struct store *store, int order[]) {
    char *path[MEMBERS_MOST];
    for (int m = 0; m < store->members; m++) {
        path[m] = realpath(store->member[m].path, NULL); /* NULL: not made yet */
        int at = m;
        for (; at > 0 && strcmp(path[order[at - 1]] ? path[order[at - 1]] : store->member[order[at - 1]].path,
                                path[m] ? path[m] : store->member[m].path) > 0;
             at--)
            order[at] = order[at - 1];
        order[at] = m;
    }
    for (int m = 0; m < store->members; m++)
        free(path[m]);
}

int scratch_open(struct oocc_run *run, struct store *store, enum member_access access) {
    int order[MEMBERS_MOST] = {0};
    int status = members_split(run->options.scratch, store->member, &store->members);
    if (!status) lock_order(store, order);
    for (int i = 0; i < store->members && !status; i++) {
        struct member *member = &store->member[order[i]];
        member->named = !run->scratch_name;
        member->take_over = run->options.take_over;
        if (!(status = refuse_twice(store, order[i]))) status = member->ops->open(member, access);
    }
    if (status) return status;
    return access == MEMBER_BEGIN ? label_make_id(store->id) : identify(store, access);
}

int scratch_peek(struct oocc_run *run, struct manifest *manifest) {
    struct store *store = calloc(1, sizeof *store);
    if (!store) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    int status = scratch_open(run, store, MEMBER_PEEK);
    if (!status) status = manifest_read(run, store, manifest, false);
    scratch_close(store, true);
    free(store);
    return status;
}
