#include "storage/room.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* Room for the file system's own. */
static const int64_t SPARE_BYTES = 1 << 20;

/* Directories of one file system share its space. */
static int check_space(const struct store *store, int first, bool plenty) {
    const struct member *member = &store->member[first];
    const char *name[MEMBERS_MOST];
    struct stat info, other;
    struct statvfs space;
    int names = 0;
    int64_t bytes = 0, free_bytes;
    if (fstat(member->fd, &info) || fstatvfs(member->fd, &space))
        return member_cannot("ask for the free space of", member->path, NULL, errno);
    for (int m = 0; m < store->members; m++) {
        const struct member *at = &store->member[m];
        if (at->ops != &member_directory || fstat(at->fd, &other) || other.st_dev != info.st_dev) continue;
        if (m < first) return 0; /* was checked with that one */
        name[names++] = at->path;
        int64_t wanted = SPARE_BYTES;
        bool fits = !__builtin_add_overflow(wanted, 4 * at->manifest_bytes, &wanted); /* two, and while either is replaced */
        for (int i = 0; i < STORE_FILES; i++)
            fits &= !__builtin_add_overflow(wanted, at->share[i], &wanted);
        if (plenty) fits &= !__builtin_add_overflow(wanted, at->share[0], &wanted);
        fits &= !__builtin_add_overflow(wanted, (store->strip_bytes - 1) / store->members + 1, &wanted);
        if (!fits || __builtin_add_overflow(bytes, wanted, &bytes)) bytes = INT64_MAX;
    }
    if (__builtin_mul_overflow((int64_t)space.f_bavail, (int64_t)space.f_frsize, &free_bytes) ||
        bytes <= free_bytes)
        return 0;
    if (plenty) return OOCC_NO_SPACE;
    char wanted[32], there[32], list[4200];
    return run_fail(OOCC_NO_SPACE, "choose another directory with --scratch, or a smaller grid",
                    "the run needs %s in %s, which %s %s free", format_bytes(wanted, bytes),
                    member_join(list, sizeof list, name, names, " and "), names == 1 ? "has" : "have together",
                    format_bytes(there, free_bytes));
}

/* 0, or 73 when a member has no room. `plenty`: only whether there is, with as much left on directories' file systems as another
 * generation takes, for outputs and whatever else is written there; nothing is told. */
static int fit(struct store *store, bool plenty) {
    int status = 0;
    for (int m = 0; m < store->members && !status; m++) {
        struct member *member = &store->member[m];
        status = member->ops->fit(member, true, plenty);
        if (!status && member->ops == &member_directory) status = check_space(store, m, plenty);
    }
    return status;
}

int room_fit(const struct oocc_run *run, struct store *store) {
    const int status = run->plan.third_generation ? fit(store, true) : OOCC_NO_SPACE;
    if (status != OOCC_NO_SPACE) return status;
    store->generations = 2;
    for (int m = 0; m < store->members; m++)
        store->member[m].share[2] = 0;
    return fit(store, false);
}
