#include "scratch.h"

#include "manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Room for manifests and the file system's own. */
static const int64_t SPARE_BYTES = 1 << 20;

static const char *const file_name[STORE_FILES] = {"gen0", "gen1", "coef"};
static const char *const other_name[] = {"manifest", "manifest.tmp"};
enum { OTHERS = sizeof other_name / sizeof *other_name };

const char *scratch_file_name(int index) {
    return file_name[index];
}

void scratch_trace_name(char name[32], int index) {
    snprintf(name, 32, "trace%d", index);
}

static int cannot(const char *what, const char *directory, const char *file, int error) {
    return run_fail(error == EACCES || error == EPERM ? OOCC_DENIED : OOCC_NO_SPACE,
                    "choose another directory with --scratch", "cannot %s %s%s%s: %s", what, directory,
                    file ? "/" : "", file ? file : "", strerror(error));
}

static int open_directory(struct store *store, bool resume) {
    store->made_directory = !resume && !mkdir(store->directory, 0700);
    if (!store->made_directory && !resume && errno != EEXIST)
        return cannot("create", store->directory, NULL, errno);
    store->directory_fd = open(store->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return store->directory_fd < 0 ? cannot("open", store->directory, NULL, errno) : 0;
}

static int in_use(const struct store *store, int fd) {
    char pid[32] = "";
    const ssize_t length = pread(fd, pid, sizeof pid - 1, 0);
    pid[length > 0 ? strcspn(pid, "\n") : 0] = 0;
    return run_fail(OOCC_DENIED, "wait for it, or choose another directory with --scratch",
                    "the scratch %s is in use by process %s", store->directory, *pid ? pid : "(unknown)");
}

/* The run that held the lock removes the file when it ends: a lock on a file that is no longer there is none.
 */
static int lock_directory(struct store *store) {
    for (;;) {
        struct stat held, named;
        const int fd = openat(store->directory_fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0) return cannot("create", store->directory, "lock", errno);
        if (flock(fd, LOCK_EX | LOCK_NB)) {
            const int status =
                errno == EWOULDBLOCK ? in_use(store, fd) : cannot("lock", store->directory, "lock", errno);
            close(fd);
            return status;
        }
        if (!fstat(fd, &held) && !fstatat(store->directory_fd, "lock", &named, AT_SYMLINK_NOFOLLOW) &&
            held.st_ino == named.st_ino && held.st_dev == named.st_dev) {
            char pid[32];
            const int length = snprintf(pid, sizeof pid, "%ld\n", (long)getpid());
            store->lock_fd = fd;
            if (ftruncate(fd, 0) || pwrite(fd, pid, (size_t)length, 0) != length)
                return cannot("write", store->directory, "lock", errno);
            return 0;
        }
        close(fd);
    }
}

/* Traces are counted through: another program's run may have had more of them. */
static void remove_files(const struct store *store) {
    char trace[32];
    for (int i = 0; scratch_trace_name(trace, i), unlinkat(store->directory_fd, trace, 0) == 0; i++)
        ;
    for (int i = 0; i < OTHERS; i++)
        unlinkat(store->directory_fd, other_name[i], 0);
    for (int i = 0; i < STORE_FILES; i++)
        unlinkat(store->directory_fd, file_name[i], 0);
}

static int refuse_leftovers(const struct store *store) {
    for (int i = 0; i < STORE_FILES + OTHERS; i++) {
        const char *name = i < STORE_FILES ? file_name[i] : other_name[i - STORE_FILES];
        if (!faccessat(store->directory_fd, name, F_OK, AT_SYMLINK_NOFOLLOW))
            return run_fail(OOCC_NO_SPACE, "--resume goes on with it, --restart discards it",
                            "the scratch %s holds an earlier run (%s)", store->directory, name);
    }
    return 0;
}

static int check_space(const struct store *store, int64_t bytes) {
    struct statvfs info;
    char wanted[32], there[32];
    if (fstatvfs(store->directory_fd, &info))
        return cannot("ask for the free space of", store->directory, NULL, errno);
    int64_t free_bytes;
    if (__builtin_mul_overflow((int64_t)info.f_bavail, (int64_t)info.f_frsize, &free_bytes) ||
        bytes <= free_bytes)
        return 0;
    return run_fail(OOCC_NO_SPACE, "choose another directory with --scratch, or a smaller grid",
                    "the run needs %s in %s, which has %s free", format_bytes(wanted, bytes),
                    store->directory, format_bytes(there, free_bytes));
}

static int create_file(struct store *store, int index) {
    struct io_file *file = &store->file[index];
    char text[32];
    file->fd = openat(store->directory_fd, file_name[index],
                      O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file->fd < 0) return cannot("create", store->directory, file_name[index], errno);
    int error;
    while ((error = posix_fallocate(file->fd, 0, file->bytes)) == EINTR)
        ;
    if (!error) return 0;
    return run_fail(OOCC_NO_SPACE, "choose another directory with --scratch, or a smaller grid",
                    "cannot reserve %s for %s: %s", format_bytes(text, file->bytes), file->name,
                    strerror(error));
}

static int create_files(struct oocc_run *run, struct store *store) {
    int status = 0;
    if (run->options.restart)
        remove_files(store);
    else if ((status = refuse_leftovers(store)))
        return status;
    store->owns_files = true;
    int64_t bytes = 0, sums_bytes = 0;
    for (int i = 0; i < STORE_FILES; i++)
        if (__builtin_add_overflow(bytes, store->file[i].bytes, &bytes) ||
            __builtin_add_overflow(sums_bytes, 2 * 17 * store->sums[i], &sums_bytes))
            return run_fail(OOCC_BAD_INPUT, "make the grid smaller", "the stored grid does not fit 63 bits");
    if (__builtin_add_overflow(bytes, sums_bytes + SPARE_BYTES, &bytes)) bytes = INT64_MAX;
    status = check_space(store, bytes);
    for (int i = 0; i < STORE_FILES && !status; i++)
        if (store->file[i].bytes) status = create_file(store, i);
    return status;
}

static int open_files(struct oocc_run *run, struct store *store) {
    struct manifest manifest;
    int status = manifest_read(run, store->directory, &manifest, store);
    for (int i = 0; i < STORE_FILES && !status; i++) {
        struct io_file *file = &store->file[i];
        struct stat info;
        if (!file->bytes) continue;
        file->fd = openat(store->directory_fd, file_name[i], O_RDWR | O_NOFOLLOW | O_CLOEXEC);
        if (file->fd < 0 || fstat(file->fd, &info))
            status = cannot("open", store->directory, file_name[i], errno);
        else if (info.st_size != file->bytes)
            status = run_fail(OOCC_CORRUPT, "--restart discards the scratch and begins again",
                              "%s is damaged: it has %" PRId64 " bytes instead of %" PRId64, file->name,
                              (int64_t)info.st_size, file->bytes);
    }
    if (status) return status;
    store->owns_files = store->committed = true;
    store->generation = manifest.generation;
    run->level = manifest.level;
    return 0;
}

int scratch_open(struct oocc_run *run, struct store *store) {
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error like any other */
    store->directory = strdup(run->options.scratch);
    if (!store->directory) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    for (int i = 0; i < STORE_FILES; i++) {
        if (asprintf(&store->path[i], "%s/%s", store->directory, file_name[i]) < 0) {
            store->path[i] = NULL;
            return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
        }
        store->file[i].name = store->path[i];
    }
    int status = open_directory(store, run->options.resume);
    if (!status) status = lock_directory(store);
    if (status) return status;
    return run->options.resume ? open_files(run, store) : create_files(run, store);
}

void scratch_close(struct oocc_run *run, struct store *store, bool keep) {
    for (int i = 0; i < STORE_FILES; i++)
        if (store->file[i].fd >= 0) close(store->file[i].fd);
    if (store->owns_files && !keep) remove_files(store);
    if (store->lock_fd >= 0) {
        unlinkat(store->directory_fd, "lock", 0);
        close(store->lock_fd);
    }
    if (store->directory_fd >= 0) close(store->directory_fd);
    if (store->made_directory || (run->scratch_name && store->owns_files))
        rmdir(store->directory); /* stays when something else is in it */
    free(store->directory);
}
