#include "support/io_log.h"

#include "oocc/oocc.h"
#include "support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    FILE *out;
    const char *path;
    uint64_t calls;
    pthread_mutex_t lock;
} io_log = {.lock = PTHREAD_MUTEX_INITIALIZER};

int io_log_open(const char *path) {
    io_log.path = path;
    io_log.calls = 0;
    io_log.out = fopen(path, "we");
    if (!io_log.out) return run_fail(OOCC_NO_SPACE, NULL, "cannot create %s: %s", path, strerror(errno));
    fputs("oocc-io-log 1\n", io_log.out);
    return OOCC_OK;
}

int io_log_close(void) {
    if (!io_log.out) return OOCC_OK;
    const bool failed = ferror(io_log.out);
    const bool closed = fclose(io_log.out) == 0;
    io_log.out = NULL;
    return !failed && closed ? OOCC_OK : run_fail(OOCC_IO_ERROR, NULL, "cannot write %s", io_log.path);
}

/* A name below a directory, as an absolute path where the system tells that; the caller frees it. */
static char *path_of(int directory, const char *name) {
    char *path = NULL, below[4096], link[64];
    if (*name == '/') return strdup(name);
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    const ssize_t length = directory == AT_FDCWD ? (getcwd(below, sizeof below) ? (ssize_t)strlen(below) : -1)
                                                 : readlink(link, below, sizeof below - 1);
    if (length < 0 || asprintf(&path, "%.*s/%s", (int)length, below, name) < 0) return strdup(name);
    return path;
}

static void put_vector(const struct call *call) {
    int64_t left = call->bytes;
    for (int i = 0; i < call->vectors && left > 0; i++) {
        const int64_t bytes = oocc_min(left, (int64_t)call->vector[i].iov_len);
        fwrite(call->vector[i].iov_base, 1, (size_t)bytes, io_log.out);
        left -= bytes;
    }
}

static void put_head(const struct call *call, const char *kind, int64_t first, int64_t second,
                     int64_t bytes) {
    fprintf(io_log.out, "begin %" PRIu64 " %s %d %" PRId64 " %" PRId64 " %" PRId64 "\n", call->number, kind,
            call->fd, first, second, bytes);
}

static void put_path(const struct call *call, const char *kind, int64_t first, int64_t second) {
    char *path = path_of(call->directory, call->name);
    put_head(call, kind, first, second, (int64_t)strlen(path));
    fprintf(io_log.out, "%s\n", path);
    free(path);
}

static void put_rename(const struct call *call) {
    char *from = path_of(call->directory, call->name), *to = path_of(call->to_directory, call->to);
    const int64_t length = (int64_t)strlen(from);
    put_head(call, "rename", length, 0, length + (int64_t)strlen(to));
    fprintf(io_log.out, "%s%s\n", from, to);
    free(from);
    free(to);
}

static void put_open(const struct call *call) {
    const bool made =
        (call->flags & O_CREAT) && faccessat(call->directory, call->name, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
    put_path(call, "open", made, !made && (call->flags & O_TRUNC) != 0);
}

static bool begin(struct call *call) {
    if (call->kind == CALL_READ || call->kind == CALL_SUBMIT || call->kind == CALL_COLLECT) return true;
    pthread_mutex_lock(&io_log.lock);
    call->number = ++io_log.calls;
    switch (call->kind) {
    case CALL_WRITE:
        put_head(call, "write", call->offset, 0, call->bytes);
        put_vector(call);
        fputc('\n', io_log.out);
        break;
    case CALL_SYNC:
        put_head(call, "sync", 0, 0, 0);
        fputc('\n', io_log.out);
        break;
    case CALL_OPEN:
        put_open(call);
        break;
    case CALL_RENAME:
        put_rename(call);
        break;
    case CALL_UNLINK:
        put_path(call, "unlink", 0, 0);
        break;
    case CALL_MAKE_DIRECTORY:
        put_path(call, "mkdir", 0, 0);
        break;
    case CALL_REMOVE_DIRECTORY:
        put_path(call, "rmdir", 0, 0);
        break;
    case CALL_ALLOCATE:
    case CALL_TRUNCATE:
        put_head(call, call->kind == CALL_ALLOCATE ? "allocate" : "truncate", call->bytes, call->flags != 0,
                 0);
        fputc('\n', io_log.out);
        break;
    default:
        break;
    }
    pthread_mutex_unlock(&io_log.lock);
    return true;
}

static int64_t end(struct call *call, int64_t result) {
    if (call->number == 0) return result;
    pthread_mutex_lock(&io_log.lock);
    fprintf(io_log.out, "end %" PRIu64 " %" PRId64 "\n", call->number, result);
    pthread_mutex_unlock(&io_log.lock);
    return result;
}

const struct calls_watcher io_log_watcher = {.begin = begin, .end = end};
