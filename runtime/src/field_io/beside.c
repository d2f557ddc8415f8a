#include "beside.h"

#include "calls.h"
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NAMES = 100 };

int beside_cannot_write(const char *path, int error) {
    return run_fail(run_io_status(error), run_io_help(error), "cannot write %s: %s", path, strerror(error));
}

int beside_create(struct beside *beside, const char *path) {
    const size_t size = strlen(path) + 48;
    *beside = (struct beside){.fd = -1, .path = path, .temporary = malloc(size)};
    if (beside->temporary == NULL) return run_fail(OOCC_NO_MEMORY, NULL, "no memory to create %s", path);
    for (int i = 0; i < MOST_NAMES; i++) {
        snprintf(beside->temporary, size, "%s.%ld-%d.tmp", path, (long)getpid(), i);
        beside->fd = calls_openat(AT_FDCWD, beside->temporary,
                                  O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (beside->fd >= 0) return OOCC_OK;
        if (errno != EEXIST) break;
    }
    const int error = errno;
    free(beside->temporary);
    beside->temporary = NULL;
    return run_fail(error == EIO                        ? OOCC_IO_ERROR
                    : error == EACCES || error == EPERM ? OOCC_DENIED
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

int beside_close(struct beside *beside, bool keep) {
    int status = OOCC_OK;
    if (beside->temporary == NULL) return status;
    if (keep && (calls_fsync(beside->fd) != 0 ||
                 calls_renameat(AT_FDCWD, beside->temporary, AT_FDCWD, beside->path) != 0)) {
        const int error = errno;
        status = error == EISDIR || error == ENOTEMPTY || error == EEXIST
                     ? run_fail(OOCC_NO_SPACE, NULL, "cannot create %s: %s", beside->path, strerror(error))
                     : beside_cannot_write(beside->path, error);
    } else if (keep) {
        const int error = sync_directory(beside->path);
        if (error) status = beside_cannot_write(beside->path, error);
    }
    if ((!keep || status != OOCC_OK) && calls_unlinkat(AT_FDCWD, beside->temporary, 0) != 0 &&
        errno != ENOENT)
        run_note("cannot remove %s: %s", beside->temporary, strerror(errno));
    close(beside->fd);
    free(beside->temporary);
    *beside = (struct beside){.fd = -1};
    return status;
}
