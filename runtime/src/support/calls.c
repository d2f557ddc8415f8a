#include "support/calls.h"

#include "run/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct calls_watcher *in_the_way, *log_of;

void calls_watch(const struct calls_watcher *fault, const struct calls_watcher *log) {
    in_the_way = fault;
    log_of = log;
}

/* What does not happen is not written down. */
bool calls_begin(struct call *call) {
    call->told = -1;
    if (in_the_way && !in_the_way->begin(call)) return false;
    return !log_of || log_of->begin(call);
}

int64_t calls_end(struct call *call, int64_t result) {
    if (log_of) result = log_of->end(call, result);
    return in_the_way ? in_the_way->end(call, result) : result;
}

int calls_instead(enum call_kind kind) {
    struct call call = {.kind = kind, .fd = -1};
    return !in_the_way || in_the_way->begin(&call) ? 1 : (int)call.result;
}

int calls_cut(struct iovec *vector, int vectors, int64_t bytes) {
    int count = 0;
    for (; count < vectors && bytes > 0; bytes -= (int64_t)vector[count++].iov_len)
        if ((int64_t)vector[count].iov_len > bytes) vector[count].iov_len = (size_t)bytes;
    return count;
}

/* What system calls say, as a number or a negative errno. */
static int64_t with_errno(int64_t result) {
    return result < 0 ? -errno : result;
}

static int64_t as_told(int64_t told) {
    if (told >= 0) return told;
    errno = (int)-told;
    return -1;
}

/* Makes a call and brings what it said to the caller. */
#define MAKE(call, said) as_told(calls_begin(&(call)) ? calls_end(&(call), with_errno(said)) : (call).result)

int calls_openat(int directory, const char *name, int flags, mode_t mode) {
    int fd;
    do {
        struct call call = {
            .kind = CALL_OPEN, .fd = -1, .flags = flags, .directory = directory, .name = name};
        fd = (int)MAKE(call, openat(directory, name, flags, mode));
    } while (fd < 0 && errno == EINTR);
    return fd;
}

int calls_renameat(int from, const char *name, int to, const char *new_name) {
    struct call call = {
        .kind = CALL_RENAME, .fd = -1, .directory = from, .name = name, .to_directory = to, .to = new_name};
    return (int)MAKE(call, renameat(from, name, to, new_name));
}

/* Where the file system cannot rename in this way, nobody else is at work either: its owner holds the lock. */
static int rename_new(int directory, const char *name, const char *new_name) {
    if (!renameat2(directory, name, directory, new_name, RENAME_NOREPLACE)) return 0;
    if (errno != EINVAL) return -1;
    if (!faccessat(directory, new_name, F_OK, AT_SYMLINK_NOFOLLOW)) return errno = EEXIST, -1;
    return renameat(directory, name, directory, new_name);
}

int calls_rename_new(int directory, const char *name, const char *new_name) {
    struct call call = {.kind = CALL_RENAME,
                        .fd = -1,
                        .directory = directory,
                        .name = name,
                        .to_directory = directory,
                        .to = new_name};
    return (int)MAKE(call, rename_new(directory, name, new_name));
}

int calls_unlinkat(int directory, const char *name, int flags) {
    struct call call = {.kind = CALL_UNLINK, .fd = -1, .directory = directory, .name = name};
    return (int)MAKE(call, unlinkat(directory, name, flags));
}

int calls_mkdir(const char *path, mode_t mode) {
    struct call call = {.kind = CALL_MAKE_DIRECTORY, .fd = -1, .directory = AT_FDCWD, .name = path};
    return (int)MAKE(call, mkdir(path, mode));
}

int calls_rmdir(const char *path) {
    struct call call = {.kind = CALL_REMOVE_DIRECTORY, .fd = -1, .directory = AT_FDCWD, .name = path};
    return (int)MAKE(call, rmdir(path));
}

ssize_t calls_pread(int fd, void *data, size_t bytes, int64_t offset) {
    const struct iovec vector = {.iov_base = data, .iov_len = bytes};
    struct call call = {.kind = CALL_READ,
                        .fd = fd,
                        .vector = &vector,
                        .vectors = 1,
                        .offset = offset,
                        .bytes = (int64_t)bytes};
    return MAKE(call, pread(fd, data, (size_t)call.bytes, offset));
}

ssize_t calls_pwrite(int fd, const void *data, size_t bytes, int64_t offset) {
    const struct iovec vector = {.iov_base = (void *)(uintptr_t)data, .iov_len = bytes};
    struct call call = {.kind = CALL_WRITE,
                        .fd = fd,
                        .vector = &vector,
                        .vectors = 1,
                        .offset = offset,
                        .bytes = (int64_t)bytes};
    return MAKE(call, pwrite(fd, data, (size_t)call.bytes, offset));
}

int calls_fsync(int fd) {
    struct call call = {.kind = CALL_SYNC, .fd = fd};
    return (int)MAKE(call, fsync(fd));
}

int calls_fdatasync(int fd) {
    struct call call = {.kind = CALL_SYNC, .fd = fd};
    return (int)MAKE(call, fdatasync(fd));
}

int calls_allocate(int fd, int64_t bytes) {
    int64_t error;
    do {
        struct call call = {.kind = CALL_ALLOCATE, .fd = fd, .bytes = bytes};
        error = calls_begin(&call) ? calls_end(&call, -(int64_t)posix_fallocate(fd, 0, bytes)) : call.result;
    } while (error == -EINTR && !interrupt_seen()); /* large files take their time */
    return (int)-error;
}

static int reserve(int fd, int flags, int64_t bytes) {
    int result;
    do {
        struct call call = {.kind = CALL_ALLOCATE, .fd = fd, .flags = flags, .bytes = bytes};
        result = (int)MAKE(call, fallocate(fd, flags, 0, bytes));
    } while (result && errno == EINTR);
    return result;
}

int calls_reserve(int fd, int64_t bytes) {
    return reserve(fd, FALLOC_FL_KEEP_SIZE, bytes);
}

int calls_extend(int fd, int64_t bytes) {
    return reserve(fd, 0, bytes);
}

int calls_truncate(int fd, int64_t bytes) {
    int result;
    do {
        struct call call = {.kind = CALL_TRUNCATE, .fd = fd, .bytes = bytes};
        result = (int)MAKE(call, ftruncate(fd, bytes));
    } while (result && errno == EINTR);
    return result;
}

/* What a transfer of `bytes` that says `moved` means: 0, or the errno with which it is over. Progress is counted in whole
 * units, and the same place is not tried for ever. */
static int take(int64_t moved, int64_t unit, int64_t bytes, int at_end, int64_t *done, int *tries) {
    if (moved < 0) return errno == EINTR ? 0 : errno;
    if (moved == 0) return at_end;
    const int64_t whole = *done + moved == bytes ? moved : moved - moved % unit;
    *done += whole;
    *tries = whole > 0 ? 0 : *tries + 1;
    return *tries > CALLS_TRIES ? at_end : 0;
}

int calls_read_all(int fd, void *data, int64_t bytes, int64_t offset, int64_t unit, int64_t *done) {
    int error = 0, tries = 0;
    for (*done = 0; *done < bytes && !error;) {
        const ssize_t got = calls_pread(fd, (char *)data + *done, (size_t)(bytes - *done), offset + *done);
        error = take(got, unit, bytes, ENODATA, done, &tries);
    }
    return error;
}

int calls_write_all(int fd, const void *data, int64_t bytes, int64_t offset, int64_t unit, int64_t *done) {
    int error = 0, tries = 0;
    for (*done = 0; *done < bytes && !error;) {
        const ssize_t put =
            calls_pwrite(fd, (const char *)data + *done, (size_t)(bytes - *done), offset + *done);
        error = take(put, unit, bytes, EIO, done, &tries);
    }
    return error;
}
