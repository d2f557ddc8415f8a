#include "engines/direct.h"

#include "oocc/oocc.h"
#include "support/calls.h"
#include "support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the file system knows no nameless files: a named one that is removed at once. */
int direct_probe_file(const char *directory, int flags) {
    struct stat info;
    if (!stat(directory, &info) && S_ISBLK(info.st_mode)) return open(directory, O_RDONLY | O_CLOEXEC | flags);
    const int fd = open(directory, O_RDWR | O_TMPFILE | O_CLOEXEC | flags, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return fd;
    char name[4096];
    if (snprintf(name, sizeof name, "%s/.oocc-probe-XXXXXX", directory) >= (int)sizeof name)
        return errno = ENAMETOOLONG, -1;
    const int named = mkostemp(name, O_CLOEXEC | flags);
    if (named >= 0) unlink(name);
    return named;
}

const char *direct_refusal(int error) {
    return error == EINVAL ? "its file system takes no direct I/O" : strerror(error);
}

int direct_attach(struct engine *engine, struct io_file *file) {
    (void)engine;
    const int flags = fcntl(file->fd, F_GETFL);
    if (flags >= 0 && !fcntl(file->fd, F_SETFL, flags | O_DIRECT)) return 0;
    return run_fail(OOCC_IO_ERROR, "use --engine threads", "cannot use direct I/O on %s: %s", file->name,
                    strerror(errno));
}

int direct_sync(struct engine *engine, struct io_file *file) {
    (void)engine;
    struct call call = {.kind = CALL_SYNC, .of_engine = true, .fd = file->fd};
    if (!calls_begin(&call)) return (int)-call.result;
    return (int)-calls_end(&call, fdatasync(file->fd) ? -errno : 0);
}

void direct_detach(struct engine *engine, struct io_file *file) {
    (void)engine;
    (void)file;
}

bool direct_trial_writes(int fd) {
    struct stat info;
    return !fstat(fd, &info) && S_ISREG(info.st_mode);
}

char *direct_trial_data(void) {
    static _Alignas(4096) char pages[2 * DIRECT_TRIAL_BYTES];
    return pages + 512;
}

const char *direct_try(const char *directory, int flags) {
    const int fd = direct_probe_file(directory, flags);
    if (fd < 0) return direct_refusal(errno);
    const ssize_t moved = direct_trial_writes(fd) ? pwrite(fd, direct_trial_data(), DIRECT_TRIAL_BYTES, 0)
                                                  : pread(fd, direct_trial_data(), DIRECT_TRIAL_BYTES, 0);
    const int error = moved < 0 ? errno : EFBIG; /* of fewer bytes: files may not grow */
    close(fd);
    return moved == DIRECT_TRIAL_BYTES ? NULL : direct_refusal(error);
}
