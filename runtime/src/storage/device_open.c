/*
 * Opening a block device: nobody else may have it, nothing that counts may be on it, and while it is open its lock says whose it is.
 */
#include "storage/device.h"

#include "oocc/oocc.h"
#include "storage/device_check.h"
#include "storage/holder.h"
#include "support/calls.h"
#include "support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whoever has the device open exclusively: a run says so in the block of its owner. 0 or an errno, with which nothing is
 * known; a device too small for a label has no owner. */
static int read_owner(const struct member *m, char text[OWNER_BYTES]) {
    char *label = NULL;
    *text = 0;
    const int fd = calls_openat(AT_FDCWD, m->path, O_RDONLY | O_CLOEXEC, 0);
    const int error = fd < 0 ? errno : device_read(fd, 0, OWNER_AT + DEVICE_BLOCK, &label);
    if (!error && !strncmp(label, LABEL_MAGIC, strlen(LABEL_MAGIC)))
        snprintf(text, OWNER_BYTES, "%.*s", OWNER_BYTES - 1, label + OWNER_AT);
    free(label);
    if (fd >= 0) close(fd);
    return error == ENODATA ? 0 : error;
}

static int in_use(const struct member *m) {
    char text[OWNER_BYTES];
    read_owner(m, text);
    return *text ? member_in_use(m->path, text)
                 : run_fail(OOCC_DENIED, "choose another device with --scratch",
                            "the device %s is in use by the system or another program", m->path);
}

/* The kernel tears an io_uring down, and gives back what was registered with it, only some time after the process has
 * ended: while nobody alive says that the device is his, it is worth a little patience. */
static bool worth_waiting(const struct member *m, int *times) {
    enum { PATIENCE_TIMES = 200, PATIENCE_MICROSECONDS = 10000 };
    char text[OWNER_BYTES];
    if (++*times > PATIENCE_TIMES) return false;
    read_owner(m, text);
    const struct holder holder = holder_parse(text);
    const enum holder_state state = holder_state(&holder);
    if (state == HOLDER_ALIVE || state == HOLDER_AWAY) return false;
    usleep(PATIENCE_MICROSECONDS);
    return true;
}

static int open_exclusively(const struct member *m) {
    for (int times = 0;;) {
        const int fd = calls_openat(AT_FDCWD, m->path, O_RDWR | O_EXCL | O_CLOEXEC, 0);
        if (fd >= 0 || errno != EBUSY) return fd;
        if (!worth_waiting(m, &times)) return errno = EBUSY, -1;
    }
}

/* The lock is what udev and others respect, and those who only read share; O_EXCL is what the kernel does. */
static int lock_device(struct member *m, enum member_access access) {
    char text[OWNER_BYTES];
    if (access == MEMBER_PEEK) return 0;
    for (int times = 0; flock(m->fd, (access == MEMBER_VERIFY ? LOCK_SH : LOCK_EX) | LOCK_NB);) {
        if (errno != EWOULDBLOCK) return member_cannot("lock", m->path, NULL, errno);
        if (!worth_waiting(m, &times)) return in_use(m);
    }
    if (access == MEMBER_VERIFY) return 0;
    m->lock_fd = m->fd;
    const int error = read_owner(m, text);
    return error ? member_failed("read", m->path, NULL, 0, error) : member_take_over(m, text);
}

static bool writes(enum member_access access) {
    return access == MEMBER_RESUME || access == MEMBER_BEGIN;
}

static int read_sizes(struct member *m, enum member_access access) {
    uint64_t bytes = 0;
    int block = 0, fixed = 0;
    if (ioctl(m->fd, BLKGETSIZE64, &bytes) || ioctl(m->fd, BLKSSZGET, &block) ||
        ioctl(m->fd, BLKROGET, &fixed))
        return member_cannot("ask for the size of", m->path, NULL, errno);
    if (fixed && writes(access))
        return run_fail(OOCC_DENIED, "choose another device with --scratch", "the device %s is read-only",
                        m->path);
    if (block > DEVICE_BLOCK)
        return run_fail(OOCC_NO_SPACE, "choose another device with --scratch",
                        "the device %s has blocks of %d bytes; at most %d are possible", m->path, block,
                        DEVICE_BLOCK);
    m->device.bytes = bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes / DEVICE_BLOCK * DEVICE_BLOCK;
    return 0;
}

int device_open(struct member *m, enum member_access access) {
    struct stat named, opened;
    if (stat(m->path, &named)) return member_cannot("open", m->path, NULL, errno);
    int status = writes(access) ? device_check_free(m->path, named.st_rdev) : 0;
    if (status) return status;
    m->fd = writes(access) ? open_exclusively(m) : calls_openat(AT_FDCWD, m->path, O_RDONLY | O_CLOEXEC, 0);
    if (m->fd < 0) return errno == EBUSY ? in_use(m) : member_cannot("open", m->path, NULL, errno);
    if (fstat(m->fd, &opened) || !S_ISBLK(opened.st_mode) || opened.st_rdev != named.st_rdev)
        return run_fail(OOCC_DENIED, NULL, "the device %s has been replaced by another", m->path);
    if ((status = lock_device(m, access)) || (status = read_sizes(m, access)) || !writes(access)) return status;
    return device_check_blank(m->path, m->fd);
}
