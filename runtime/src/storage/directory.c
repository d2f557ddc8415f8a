/*
 * A directory as a member of the scratch: a file for each of the store's, a label, a lock (small files: directory_texts.c). All are
 * the owner's only, and a link in the place of one is refused, never followed.
 */
#include "oocc/oocc.h"
#include "storage/directory.h"
#include "support/calls.h"
#include "support/error.h"
#include "support/point.h"
#include "support/units.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const other_name[] = {"manifest", "manifest.tmp", "recent", "recent.tmp", LABEL_NAME, "strips"};
enum { OTHERS = sizeof other_name / sizeof *other_name };

static void rows_name(char name[32], int index) {
    snprintf(name, 32, "trace%d", index);
}

/* -- opening and locking ----------------------------------------------------------------------------------- */

/* Where the parent may not be opened, its entry is left to the system. */
static int sync_parent(const struct member *m) {
    const int parent = calls_openat(m->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (parent < 0)
        return errno == EACCES || errno == EPERM
                   ? 0
                   : member_cannot("open the directory of", m->path, NULL, errno);
    const int error = directory_sync(parent);
    close(parent);
    return error ? member_failed("sync the directory of", m->path, NULL, -1, error) : 0;
}

static int open_once(struct member *m, enum member_access access) {
    const bool makes = access == MEMBER_BEGIN;
    m->gone = false;
    m->made = makes && !calls_mkdir(m->path, 0700);
    if (!m->made && makes && errno != EEXIST) return member_cannot("create", m->path, NULL, errno);
    if (m->made) oocc_point(POINT_SCRATCH_MADE);
    m->fd = calls_openat(AT_FDCWD, m->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    m->gone = m->fd < 0 && errno == ENOENT && makes;
    if (m->gone || (m->fd < 0 && errno == ENOENT)) return 0; /* it holds no label, then */
    if (m->fd < 0) return member_cannot("open", m->path, NULL, errno);
    const int status = m->made ? sync_parent(m) : 0;
    if (status || access == MEMBER_PEEK) return status;
    return access == MEMBER_VERIFY ? lock_share(m) : lock_directory(m);
}

/* A run that ends may remove the directory between any two of these steps; then it is made anew. */
static int directory_open(struct member *m, enum member_access access) {
    enum { TIMES = 100 };
    int status = open_once(m, access);
    for (int i = 0; i < TIMES && m->gone && !status; i++) {
        if (m->fd >= 0) close(m->fd);
        m->fd = -1;
        if (access != MEMBER_BEGIN) return 0;
        status = open_once(m, access);
    }
    return status || !m->gone ? status : member_cannot("create", m->path, "lock", ENOENT);
}

/* -- the store's files ----------------------------------------------------------------------------------------- */

/* Calls `each` with the names of traces; another program's run may have had more of them than this one. Stops when it says
 * an errno. 0 or that, or why there are no names. */
static int for_traces(const struct member *m, int (*each)(const struct member *m, const char *name)) {
    const int fd = calls_openat(m->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    int error = directory ? 0 : errno;
    if (fd >= 0 && !directory) close(fd);
    for (struct dirent *entry; directory && !error && (entry = readdir(directory));)
        if (!strncmp(entry->d_name, "trace", 5) && entry->d_name[5] &&
            entry->d_name[5 + strspn(entry->d_name + 5, "0123456789")] == 0)
            error = each(m, entry->d_name);
    if (directory) closedir(directory);
    return error;
}

/* 0, or EEXIST, the error printed, or why it is not known whether it is there. */
static int refuse_name(const struct member *m, const char *name) {
    if (faccessat(m->fd, name, F_OK, AT_SYMLINK_NOFOLLOW)) return errno == ENOENT ? 0 : errno;
    run_fail(OOCC_NO_SPACE, "--resume goes on with it, --restart discards it",
             "the scratch %s holds an earlier run (%s)", m->path, name);
    return EEXIST;
}

static int directory_refuse_leftovers(const struct member *m) {
    int error = 0;
    for (int i = 0; i < STORE_FILES + OTHERS && !error; i++)
        error = refuse_name(m, i < STORE_FILES ? store_file_name[i] : other_name[i - STORE_FILES]);
    if (!error) error = for_traces(m, refuse_name);
    return !error ? 0 : error == EEXIST ? OOCC_NO_SPACE : member_cannot("look into", m->path, NULL, error);
}

/* The label goes last: as long as it is there without a manifest, what is beside it is known to be of no use. The run's own
 * traces are found without asking for memory, which may be why it ends. 0 or an errno. */
static int remove_files(const struct member *m) {
    char rows[32];
    int error = 0;
    for (int i = 0; i < m->records && !error; i++) {
        rows_name(rows, i);
        error = directory_remove(m, rows);
    }
    if (!error && (error = for_traces(m, directory_remove)) == ENOMEM) error = 0;
    for (int i = 0; i < STORE_FILES && !error; i++) {
        error = directory_remove(m, store_file_name[i]);
        oocc_point(POINT_CLOSE_FILE);
    }
    for (int i = 0; i < OTHERS && !error; i++)
        error = directory_remove(m, other_name[i]);
    return error ? error : directory_remove(m, LABEL_TMP);
}

static int directory_clear(struct member *m) {
    int error = for_traces(m, directory_remove);
    if (!error) error = remove_files(m);
    if (!error) error = directory_sync(m->fd);
    return error ? member_failed("clear", m->path, NULL, -1, error) : 0;
}

static int directory_fit(struct member *m, bool anew, bool quiet) {
    (void)anew, (void)quiet;
    for (int i = 0; i < STORE_FILES; i++) {
        free(m->file_path[i]); /* it may have been asked before */
        if (asprintf(&m->file_path[i], "%s/%s", m->path, store_file_name[i]) < 0) {
            m->file_path[i] = NULL;
            return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
        }
        m->file[i].name = m->file_path[i];
        m->file[i].bytes = m->share[i];
    }
    return 0;
}

static int create_file(struct member *m, int index) {
    struct io_file *file = &m->file[index];
    char text[32];
    file->fd =
        calls_openat(m->fd, store_file_name[index], O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file->fd < 0) return member_cannot("create", m->path, store_file_name[index], errno);
    const int error = calls_allocate(file->fd, file->bytes);
    oocc_point(POINT_CREATE_FILE);
    if (error == EINTR) return OOCC_STOPPED;
    /* Its size, too, is to survive: a resumed run asks for all generations, and so far only one will be synced. */
    if (!error && calls_fsync(file->fd)) return member_failed("sync", m->path, store_file_name[index], -1, errno);
    if (!error) return 0;
    return run_fail(error == EIO ? OOCC_IO_ERROR : OOCC_NO_SPACE,
                    index == STORE_GENERATIONS - 1 ? "--commit-every 0 needs no third generation of the state; or choose another directory with --scratch"
                                                   : "choose another directory with --scratch, or a smaller grid",
                    "cannot reserve %s for %s: %s", format_bytes(text, file->bytes), file->name,
                    strerror(error));
}

/* Of a process that was killed the kernel goes on with direct writes that an io_uring was given, and holds no lock for as long. Asked to
 * reserve what is reserved already, it waits until they are done; a file system that cannot reserve is taken as it is. */
static int outwait_writes(const struct member *m, int index) {
    const struct io_file *file = &m->file[index];
    if (!calls_reserve(file->fd, file->bytes) || errno == EOPNOTSUPP) return 0;
    return member_failed("reserve space for", m->path, store_file_name[index], -1, errno);
}

static int directory_create(struct member *m, const struct label *label) {
    m->owns = true;
    int status = directory_write_label(m, label);
    for (int i = 0; i < STORE_FILES && !status; i++)
        if (m->file[i].bytes) status = create_file(m, i);
    const int error = status ? 0 : directory_sync(m->fd);
    oocc_point(POINT_CREATE_MEMBER);
    return error ? member_failed("sync", m->path, NULL, -1, error) : status;
}

static int directory_reopen(struct member *m) {
    int status = 0;
    for (int i = 0; i < STORE_FILES && !status; i++) {
        struct io_file *file = &m->file[i];
        struct stat info;
        if (!file->bytes) continue;
        file->fd = calls_openat(m->fd, store_file_name[i], O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0);
        if (file->fd < 0 && errno == ENOENT)
            return run_fail(OOCC_CORRUPT, "--restart discards the scratch and begins again",
                            "the scratch %s is damaged: %s is missing", m->path, store_file_name[i]);
        if (file->fd < 0 || fstat(file->fd, &info))
            return member_cannot("open", m->path, store_file_name[i], errno);
        if (info.st_size != file->bytes)
            return run_fail(OOCC_CORRUPT, "--restart discards the scratch and begins again",
                            "%s is damaged: it has %" PRId64 " bytes instead of %" PRId64, file->name,
                            (int64_t)info.st_size, file->bytes);
        status = outwait_writes(m, i);
    }
    m->owns = !status;
    return status;
}

static int directory_open_rows(const struct member *m, int index, int flags, struct member_rows *rows) {
    char name[32];
    struct stat info;
    rows_name(name, index);
    *rows = (struct member_rows){.room = INT64_MAX};
    rows->fd = calls_openat(m->fd, name, flags | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (rows->fd >= 0 && !fstat(rows->fd, &info)) {
        rows->bytes = info.st_size;
        return 0;
    }
    return run_fail(errno == EACCES ? OOCC_DENIED
                    : errno == EIO  ? OOCC_IO_ERROR
                    : flags & O_CREAT ? OOCC_NO_SPACE
                                    : OOCC_CORRUPT,
                    "--restart discards the scratch and begins again", "cannot open %s/%s: %s", m->path, name,
                    strerror(errno));
}

static void directory_close(struct member *m, bool keep) {
    for (int i = 0; i < STORE_FILES; i++)
        if (m->file[i].fd >= 0) close(m->file[i].fd);
    int error = m->owns && !keep ? remove_files(m) : 0;
    oocc_point(POINT_CLOSE_MEMBER);
    const int unlocked = lock_release(m);
    if (!error) error = unlocked;
    if (m->fd >= 0) close(m->fd);
    /* It stays when something else is in it. */
    if ((m->made || (!m->named && m->owns)) && calls_rmdir(m->path) && errno == EIO && !error) error = errno;
    if (error)
        run_note("cannot remove what is in %s (%s): begin the next run there with --restart", m->path,
                 strerror(error));
    oocc_point(POINT_CLOSE_DONE);
}

const struct member_ops member_directory = {
    .open = directory_open,
    .read_label = directory_read_label,
    .refuse_leftovers = directory_refuse_leftovers,
    .has_manifest = directory_has_manifest,
    .drop_manifest = directory_drop_manifest,
    .fit = directory_fit,
    .clear = directory_clear,
    .create = directory_create,
    .reopen = directory_reopen,
    .put_manifest = directory_put_manifest,
    .get_manifest = directory_get_manifest,
    .put_recent = directory_put_recent,
    .get_recent = directory_get_recent,
    .drop_recent = directory_drop_recent,
    .open_rows = directory_open_rows,
    .close = directory_close,
};
