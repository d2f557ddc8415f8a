#include "field_io/beside.h"

#include "oocc/oocc.h"
#include "support/calls.h"
#include "support/error.h"
#include "support/point.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_NAMES = 100 };

int beside_cannot_sync(const char *path, int error) {
    return run_fail(run_io_status(error), run_io_help(error), "cannot write %s to stable storage: %s", path, strerror(error));
}

/* "PATH.PID-N.tmp", of whichever process. */
static bool is_temporary(const char *name, const char *base) {
    const size_t length = strlen(base);
    if (strncmp(name, base, length) != 0 || name[length] != '.') return false;
    const char *at = name + length + 1;
    const size_t pid = strspn(at, "0123456789");
    if (pid == 0 || at[pid] != '-') return false;
    at += pid + 1;
    const size_t count = strspn(at, "0123456789");
    return count > 0 && strcmp(at + count, ".tmp") == 0;
}

/* Who writes such a file holds its lock; of one that nobody holds, the run was killed. */
static void remove_abandoned(int directory, const char *name) {
    struct stat held, named;
    const int fd = calls_openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
    if (fd < 0) return;
    if (fstat(fd, &held) == 0 && S_ISREG(held.st_mode) && held.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
        fstatat(directory, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_ino == held.st_ino &&
        named.st_dev == held.st_dev && calls_unlinkat(directory, name, 0) != 0)
        run_note("cannot remove %s, which a run that was killed has left: %s", name, strerror(errno));
    close(fd);
}

static void remove_all_abandoned(const char *path) {
    char *copy = strdup(path), *other = strdup(path);
    DIR *directory = copy != NULL && other != NULL ? opendir(dirname(copy)) : NULL;
    const char *base = other != NULL ? basename(other) : NULL;
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;)
        if (is_temporary(entry->d_name, base)) remove_abandoned(dirfd(directory), entry->d_name);
    if (directory != NULL) closedir(directory);
    free(copy);
    free(other);
}

/* A new file under a name of its own, locked. -1: errno says why not. */
static int create_temporary(char *name, size_t size, const char *path) {
    for (int i = 0; i < MOST_NAMES; i++) {
        struct stat info;
        snprintf(name, size, "%s.%ld-%d.tmp", path, (long)getpid(), i);
        const int fd = calls_openat(AT_FDCWD, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) return -1;
        if (fd < 0) continue;
        /* Between these two steps somebody may have taken it for abandoned; not every file system has locks. */
        flock(fd, LOCK_EX);
        if (fstat(fd, &info) == 0 && info.st_nlink > 0) return fd;
        close(fd);
    }
    errno = EEXIST;
    return -1;
}

int beside_create(struct beside *beside, const char *path) {
    const size_t size = strlen(path) + 48;
    *beside = (struct beside){.fd = -1, .path = path, .temporary = malloc(size)};
    if (beside->temporary == NULL) return run_fail(OOCC_NO_MEMORY, NULL, "no memory to create %s", path);
    remove_all_abandoned(path);
    beside->fd = create_temporary(beside->temporary, size, path);
    const int error = errno;
    oocc_point(POINT_EXPORT_CREATED);
    if (beside->fd >= 0) return OOCC_OK;
    free(beside->temporary);
    beside->temporary = NULL;
    return run_fail(error == EIO                        ? OOCC_IO_ERROR
                    : error == EACCES || error == EPERM ? OOCC_DENIED
                    : error == ENOMEM                   ? OOCC_NO_MEMORY
                                                        : OOCC_NO_SPACE,
                    error == ENOENT ? "create its directory first" : NULL, "cannot create %s: %s", path,
                    strerror(error));
}

/* The new name itself must survive a power failure, too. */
static int sync_directory(const char *path) {
    char *copy = strdup(path);
    const int fd =
        copy != NULL ? calls_openat(AT_FDCWD, dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) : -1;
    int error = copy == NULL ? ENOMEM : fd < 0 ? errno : 0;
    free(copy);
    /* Some file systems cannot sync a directory, and say EINVAL. */
    if (!error && calls_fsync(fd) != 0 && errno != EINVAL) error = errno;
    if (fd >= 0) close(fd);
    return error;
}

/* A name that is a directory's is where a file cannot be, however much room there is. */
static int cannot_rename(const struct beside *beside, int error) {
    const bool in_the_way = error == EISDIR || error == ENOTEMPTY || error == EEXIST;
    return run_fail(in_the_way ? OOCC_NO_SPACE : run_io_status(error), in_the_way ? NULL : run_io_help(error),
                    "cannot create %s: %s", beside->path, strerror(error));
}

int beside_close(struct beside *beside, bool keep) {
    int status = OOCC_OK;
    if (beside->temporary == NULL) return status;
    oocc_point(POINT_EXPORT_BEFORE_SYNC);
    if (keep && calls_fsync(beside->fd) != 0) status = beside_cannot_sync(beside->path, errno);
    oocc_point(POINT_EXPORT_BEFORE_RENAME);
    if (keep && status == OOCC_OK && calls_renameat(AT_FDCWD, beside->temporary, AT_FDCWD, beside->path) != 0)
        status = cannot_rename(beside, errno);
    if (keep && status == OOCC_OK) {
        oocc_point(POINT_EXPORT_RENAMED);
        const int error = sync_directory(beside->path);
        if (error) status = beside_cannot_sync(beside->path, error);
    }
    if ((!keep || status != OOCC_OK) && calls_unlinkat(AT_FDCWD, beside->temporary, 0) != 0 &&
        errno != ENOENT)
        run_note("cannot remove %s: %s", beside->temporary, strerror(errno));
    close(beside->fd);
    free(beside->temporary);
    *beside = (struct beside){.fd = -1};
    return status;
}
