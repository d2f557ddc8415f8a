/*
 * The lock of a directory: flock() on its file `lock`, which says who holds it, and on the directory itself, which those who only
 * read share without changing anything. The kernel gives both back when the process ends, however it ends; the file
 * may stay, and then says of whom.
 */
#include "storage/member.h"

#include "oocc/oocc.h"
#include "storage/holder.h"
#include "support/calls.h"
#include "support/error.h"
#include "support/point.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT = 1024 };

/* 0 or an errno. */
static int read_holder(int fd, char text[TEXT]) {
    int64_t length = 0;
    const int error = fd < 0 ? 0 : calls_read_all(fd, text, TEXT - 1, 0, 1, &length);
    text[length] = 0;
    return error == ENODATA ? 0 : error; /* it is shorter */
}

static int in_use(const struct member *m, int fd) {
    char text[TEXT];
    read_holder(fd, text);
    return member_in_use(m->path, text);
}

/* Whoever has it may not have said so yet, or be a process that is just ending: a moment later it is known, or the lock is free. */
static bool unsettled(int fd, int *times) {
    enum { TIMES = 200, MICROSECONDS = 5000 };
    char text[TEXT];
    read_holder(fd, text);
    const struct holder holder = holder_parse(text);
    const enum holder_state state = holder_state(&holder);
    if (state == HOLDER_ALIVE || state == HOLDER_AWAY || ++*times > TIMES) return false;
    usleep(MICROSECONDS);
    return true;
}

/* Whoever verifies the scratch shares this one. File systems on which a directory cannot be locked do without. */
static int lock_whole(const struct member *m, int how) {
    if (!flock(m->fd, how | LOCK_NB) || errno != EWOULDBLOCK) return 0;
    const int fd = calls_openat(m->fd, "lock", O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);
    const int status = how == LOCK_SH ? in_use(m, fd)
                                      : run_fail(OOCC_DENIED, "wait for it, or choose another place with --scratch",
                                                 "the scratch %s is being verified by another process", m->path);
    if (fd >= 0) close(fd);
    return status;
}

static int hold(struct member *m, int fd, bool empty) {
    char text[TEXT] = "";
    oocc_point(POINT_LOCK_TAKEN);
    m->lock_fd = fd;
    const int unread = empty ? 0 : read_holder(fd, text);
    int status = unread ? member_failed("read", m->path, "lock", 0, unread) : member_take_over(m, text);
    if (!status) status = lock_whole(m, LOCK_EX);
    if (status) { /* the file says what it said */
        close(fd);
        m->lock_fd = -1;
        return status;
    }
    const size_t length = holder_text(text, sizeof text);
    int64_t done;
    if (calls_truncate(fd, 0)) return member_failed("empty", m->path, "lock", -1, errno);
    const int error = calls_write_all(fd, text, (int64_t)length, 0, 1, &done);
    if (error && run_io_status(error) == OOCC_NO_SPACE) /* nothing has been touched yet */
        return run_fail(OOCC_NO_SPACE, "make room there, and give the same command again", "cannot write %s/lock at byte %" PRId64 ": %s",
                        m->path, done, strerror(error));
    if (error) return member_failed("write", m->path, "lock", done, error);
    oocc_point(POINT_LOCK_WRITTEN);
    return 0;
}

/* The run that held the lock removes the file when it ends: a lock on a file that is no longer there is none. */
int lock_directory(struct member *m) {
    for (int times = 0;;) {
        struct stat held, named;
        const int fd = calls_openat(m->fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 && errno == ENOENT) return m->gone = true, 0; /* the directory itself is no more */
        if (fd < 0) return member_cannot("create", m->path, "lock", errno);
        oocc_point(POINT_LOCK_OPENED);
        if (flock(fd, LOCK_EX | LOCK_NB)) {
            const int error = errno;
            if (error == EWOULDBLOCK && unsettled(fd, &times)) {
                close(fd);
                continue;
            }
            const int status = error == EWOULDBLOCK ? in_use(m, fd) : member_cannot("lock", m->path, "lock", error);
            close(fd);
            return status;
        }
        if (!fstat(fd, &held) && (!S_ISREG(held.st_mode) || held.st_nlink > 1)) {
            close(fd);
            return run_fail(OOCC_DENIED, "remove it", "%s/lock is not a file of its own", m->path);
        }
        if (!fstat(fd, &held) && !fstatat(m->fd, "lock", &named, AT_SYMLINK_NOFOLLOW) &&
            held.st_ino == named.st_ino && held.st_dev == named.st_dev)
            return hold(m, fd, held.st_size == 0);
        close(fd);
    }
}

int lock_share(struct member *m) {
    return lock_whole(m, LOCK_SH);
}

int lock_release(struct member *m) {
    if (m->lock_fd < 0) return 0;
    oocc_point(POINT_LOCK_RELEASING);
    flock(m->fd, LOCK_UN);
    const int error = calls_unlinkat(m->fd, "lock", 0) && errno != ENOENT ? errno : 0;
    oocc_point(POINT_LOCK_RELEASED);
    close(m->lock_fd);
    m->lock_fd = -1;
    return error;
}
