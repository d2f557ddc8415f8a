/*
 * calls.h: the system calls by which a run touches its files: scratch, inputs, outputs, traces. All of them come through
 * here, so that a test may watch them (io_log.h) or stand in their way (fault.h); otherwise they are what they are
 * called. A call that a signal interrupts before it has done anything is made again, but for transfers, whose callers
 * go on from where they are.
 */
#ifndef OOCC_CALLS_H
#define OOCC_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

enum call_kind {
    CALL_READ,
    CALL_WRITE,
    CALL_SYNC,
    CALL_OPEN,
    CALL_RENAME,
    CALL_UNLINK,
    CALL_MAKE_DIRECTORY,
    CALL_REMOVE_DIRECTORY,
    CALL_ALLOCATE,
    CALL_TRUNCATE,
    CALL_SUBMIT, /* an engine hands requests to the kernel */
    CALL_COLLECT /* an engine asks the kernel for completions */
};

struct call {
    enum call_kind kind;
    bool of_engine;              /* a transfer or a sync by an engine */
    bool apart;                  /* of an engine, and not of the store's files */
    bool mapped;                 /* a copy to or from mapped memory: all or nothing */
    int fd, flags;               /* flags: of an open; else 0 */
    int directory, to_directory; /* of an open, rename, unlink, ... */
    const char *name, *to;
    const struct iovec *vector; /* of a transfer */
    int vectors;
    int64_t offset, bytes; /* calls_begin() may make the bytes less */
    int64_t result;        /* what the caller is told when the call is not made */
    int64_t told;    /* a watcher's own: bytes that the caller is told have been moved; -1: as many as have */
    uint64_t number; /* a watcher's own */
};

/* Who watches. begin() is called before a call, and when it returns false the call is not made and call->result told
 * instead; end() after it, with its result (a negative errno when it failed), and returns what is told. Any thread. */
struct calls_watcher {
    bool (*begin)(struct call *call);
    int64_t (*end)(struct call *call, int64_t result);
};

/* The one that may stand in the way, and the one that writes down what is done; NULL: nobody. */
void calls_watch(const struct calls_watcher *fault, const struct calls_watcher *log);

/* For engines, which make their transfers themselves. False: it is not to be made, and call->result is its result. */
bool calls_begin(struct call *call);
/* What the caller is to be told: bytes or a negative errno. */
int64_t calls_end(struct call *call, int64_t result);
/* For CALL_SUBMIT and CALL_COLLECT: 1: go on; otherwise what the caller is told. */
int calls_instead(enum call_kind kind);
/* Makes a vector no longer than so many bytes. */
int calls_cut(struct iovec *vector, int vectors, int64_t bytes);

/* As the functions of these names: -1 with errno; calls_allocate() as posix_fallocate(), with EINTR only
 * when the run is to end. */
int calls_openat(int directory, const char *name, int flags, mode_t mode);
int calls_renameat(int from, const char *name, int to, const char *new_name);
int calls_rename_new(int directory, const char *name, const char *new_name); /* never replaces: RENAME_NOREPLACE */
int calls_unlinkat(int directory, const char *name, int flags);
int calls_mkdir(const char *path, mode_t mode);
int calls_rmdir(const char *path);
ssize_t calls_pread(int fd, void *data, size_t bytes, int64_t offset);
ssize_t calls_pwrite(int fd, const void *data, size_t bytes, int64_t offset);
int calls_fsync(int fd);
int calls_fdatasync(int fd);
int calls_allocate(int fd, int64_t bytes);
int calls_reserve(int fd, int64_t bytes); /* fallocate(), the size stays */
int calls_extend(int fd, int64_t bytes);  /* fallocate(), the size, too */
int calls_truncate(int fd, int64_t bytes);

/* pread() and pwrite() of all bytes, however many calls it takes: 0 or an errno, ENODATA when the file ends before; *done
 * is how many bytes have been moved. `unit`: calls begin at multiples of it (direct I/O), 1 otherwise. */
int calls_read_all(int fd, void *data, int64_t bytes, int64_t offset, int64_t unit, int64_t *done);
int calls_write_all(int fd, const void *data, int64_t bytes, int64_t offset, int64_t unit, int64_t *done);

/* Transfers that move something, but not a whole unit, are tried again so often. */
enum { CALLS_TRIES = 100 };

#endif
