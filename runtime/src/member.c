#include "member.h"

#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int member_cannot(const char *what, const char *directory, const char *file, int error) {
    return run_fail(error == EIO                        ? OOCC_IO_ERROR
                    : error == EACCES || error == EPERM ? OOCC_DENIED
                                                        : OOCC_NO_SPACE,
                    "choose another place with --scratch", "cannot %s %s%s%s: %s", what, directory,
                    file ? "/" : "", file ? file : "", strerror(error));
}

int member_failed(const char *what, const char *directory, const char *file, int64_t at, int error) {
    char where[48] = "";
    if (at >= 0) snprintf(where, sizeof where, " at byte %" PRId64, at);
    return run_fail(run_io_status(error), run_io_help(error), "cannot %s %s%s%s%s: %s", what, directory,
                    file ? "/" : "", file ? file : "", where, strerror(error));
}

int member_in_use(const char *path, const char *pid) {
    return run_fail(OOCC_DENIED, "wait for it, or choose another place with --scratch",
                    "the scratch %s is in use by process %s", path, *pid ? pid : "(unknown)");
}

int member_nothing(const char *what) {
    return run_fail(OOCC_NO_SPACE, "leave out --resume to begin a run, or name its scratch with --scratch",
                    "there is nothing to resume: %s", what);
}

int members_split(const char *list, struct member member[MEMBERS_MOST], int *members) {
    *members = 0;
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        struct stat info;
        if (!length)
            return run_fail(OOCC_USAGE, "write --scratch DIR, or --scratch DIR1,DIR2,...",
                            "--scratch: a path is empty");
        if (*members == MEMBERS_MOST)
            return run_fail(OOCC_USAGE, NULL, "--scratch: more than %d places", MEMBERS_MOST);
        struct member *m = &member[(*members)++];
        *m = (struct member){.fd = -1, .lock_fd = -1, .path = strndup(at, length)};
        for (int i = 0; i < STORE_FILES; i++)
            m->file[i].fd = -1;
        if (!m->path) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
        m->ops = !stat(m->path, &info) && S_ISBLK(info.st_mode) ? &member_device : &member_directory;
        at += length;
        if (!*at) return 0;
    }
}

void members_forget(struct member *member, int members) {
    for (int m = 0; m < members; m++) {
        free(member[m].path);
        for (int i = 0; i < STORE_FILES; i++)
            free(member[m].file_path[i]);
        member[m] = (struct member){0};
    }
}
