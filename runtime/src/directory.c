/*
 * A directory as a member of the scratch: a file for each of the store's, a label, a lock. All are the owner's
 * only, and a link in the place of one is refused, never followed.
 */
#include "interrupt.h"
#include "member.h"
#include "point.h"
#include "run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const file_name[STORE_FILES] = {"gen0", "gen1", "coef"};
static const char *const other_name[] = {"manifest", "manifest.tmp", "member"};
enum { OTHERS = sizeof other_name / sizeof *other_name };
static const char label_tmp[] = "member.tmp"; /* before it is "member": nothing depends on it */

static void rows_name(char name[32], int index) {
    snprintf(name, 32, "trace%d", index);
}

/* -- opening and locking ----------------------------------------------------------------------------------- */

/* The directory's own entry is to survive, too; where its parent may not be opened that is left to the system. */
static void sync_parent(const struct member *m) {
    const int parent = openat(m->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0) return;
    fsync(parent);
    close(parent);
}

static int open_once(struct member *m, enum member_access access) {
    const bool makes = access == MEMBER_BEGIN;
    m->gone = false;
    m->made = makes && !mkdir(m->path, 0700);
    if (!m->made && makes && errno != EEXIST) return member_cannot("create", m->path, NULL, errno);
    if (m->made) oocc_point(POINT_SCRATCH_MADE);
    m->fd = open(m->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    m->gone = m->fd < 0 && errno == ENOENT && makes;
    if (m->gone || (m->fd < 0 && errno == ENOENT)) return 0; /* it holds no label, then */
    if (m->fd < 0) return member_cannot("open", m->path, NULL, errno);
    if (m->made) sync_parent(m);
    return access == MEMBER_PEEK ? 0 : access == MEMBER_VERIFY ? lock_share(m) : lock_directory(m);
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

/* -- small files --------------------------------------------------------------------------------------------- */

/* The whole text of a file, ended by 0. 0 or an errno. */
static int read_text(int directory, const char *name, char **out, size_t *length) {
    struct stat info;
    const int fd =
        directory < 0 ? (errno = ENOENT, -1) : openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return errno;
    int error = fstat(fd, &info) ? errno : 0;
    char *text = error ? NULL : malloc((size_t)info.st_size + 1);
    if (!error && !text) error = ENOMEM;
    *length = 0;
    for (ssize_t got = 1; !error && got > 0 && *length < (size_t)info.st_size;) {
        got = read(fd, text + *length, (size_t)info.st_size - *length);
        if (got < 0 && errno != EINTR) error = errno;
        if (got > 0) *length += (size_t)got;
        if (got < 0) got = 1;
    }
    close(fd);
    if (error) {
        free(text);
        return error;
    }
    text[*length] = 0;
    *out = text;
    return 0;
}

static int write_all(int fd, const char *text, size_t length) {
    while (length > 0) {
        const ssize_t written = write(fd, text, length);
        if (written < 0 && errno != EINTR) return errno;
        if (written > 0) {
            text += written;
            length -= (size_t)written;
        }
    }
    return 0;
}

/* A new file, on stable storage. What is left of the name is no more than a run that was killed has left there. */
static int write_text(int directory, const char *name, const char *text, size_t length) {
    unlinkat(directory, name, 0);
    const int fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    oocc_point(POINT_MANIFEST_OPENED);
    int error = fd < 0 ? errno : write_all(fd, text, length);
    oocc_point(POINT_MANIFEST_WRITTEN);
    if (!error && fsync(fd)) error = errno;
    if (fd >= 0 && close(fd) && !error) error = errno;
    return error;
}

static int cannot_read(const struct member *m, const char *name, int error) {
    if (error == ENOMEM) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    return run_fail(error == EACCES ? OOCC_DENIED : OOCC_IO_ERROR, NULL, "cannot read %s/%s: %s", m->path,
                    name, strerror(error));
}

static int directory_read_label(struct member *m, struct label *label, bool quiet) {
    char *text, where[4200];
    size_t length;
    *label = (struct label){0};
    const int error = read_text(m->fd, "member", &text, &length);
    if (error == ENOENT) return 0;
    if (error) return cannot_read(m, "member", error);
    snprintf(where, sizeof where, "%s/member", m->path);
    const int status = label_parse(quiet ? NULL : where, text, length, label);
    free(text);
    return status;
}

static bool directory_has_label(const struct member *m) {
    return !faccessat(m->fd, "member", F_OK, AT_SYMLINK_NOFOLLOW);
}

static int directory_put_manifest(struct member *m, const char *text, size_t length) {
    const int error = write_text(m->fd, "manifest.tmp", text, length);
    if (error) return error;
    oocc_point(POINT_MANIFEST_BEFORE_RENAME);
    if (renameat(m->fd, "manifest.tmp", m->fd, "manifest")) return errno;
    oocc_point(POINT_MANIFEST_RENAMED);
    return fsync(m->fd) ? errno : 0;
}

static int directory_get_manifest(struct member *m, char **text, size_t *length) {
    char what[4200];
    const int error = read_text(m->fd, "manifest", text, length);
    snprintf(what, sizeof what, "%s/manifest does not exist", m->path);
    return error == ENOENT ? member_nothing(what) : error ? cannot_read(m, "manifest", error) : 0;
}

/* -- the store's files ----------------------------------------------------------------------------------------- */

/* Calls `each` with the names of traces; another program's run may have had more of them than this one. Stops when it says
 * true. 0 or an errno. */
static int for_traces(const struct member *m, bool (*each)(const struct member *m, const char *name)) {
    const int fd = openat(m->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    const int error = directory ? 0 : errno;
    bool stop = false;
    if (fd >= 0 && !directory) close(fd);
    for (struct dirent *entry; directory && !stop && (entry = readdir(directory));)
        if (!strncmp(entry->d_name, "trace", 5) && entry->d_name[5] &&
            entry->d_name[5 + strspn(entry->d_name + 5, "0123456789")] == 0)
            stop = each(m, entry->d_name);
    if (directory) closedir(directory);
    return stop ? EEXIST : error;
}

static bool refuse_name(const struct member *m, const char *name) {
    if (faccessat(m->fd, name, F_OK, AT_SYMLINK_NOFOLLOW)) return false;
    run_fail(OOCC_NO_SPACE, "--resume goes on with it, --restart discards it",
             "the scratch %s holds an earlier run (%s)", m->path, name);
    return true;
}

static int directory_refuse_leftovers(const struct member *m) {
    for (int i = 0; i < STORE_FILES + OTHERS; i++)
        if (refuse_name(m, i < STORE_FILES ? file_name[i] : other_name[i - STORE_FILES])) return OOCC_NO_SPACE;
    const int error = for_traces(m, refuse_name);
    return !error ? 0 : error == EEXIST ? OOCC_NO_SPACE : member_cannot("look into", m->path, NULL, error);
}

static bool remove_trace(const struct member *m, const char *name) {
    unlinkat(m->fd, name, 0);
    return false;
}

static bool directory_has_manifest(struct member *m) {
    return !faccessat(m->fd, "manifest", F_OK, AT_SYMLINK_NOFOLLOW);
}

static int directory_drop_manifest(struct member *m) {
    if (unlinkat(m->fd, "manifest", 0) && errno != ENOENT) return member_cannot("remove", m->path, "manifest", errno);
    return fsync(m->fd) ? member_cannot("clear", m->path, NULL, errno) : 0;
}

/* The label goes last: as long as it is there without a manifest, what is beside it is known to be of no use. The run's own
 * traces are found without asking for memory, which may be why it ends. */
static void remove_files(const struct member *m) {
    char rows[32];
    for (int i = 0; i < m->records; i++) {
        rows_name(rows, i);
        unlinkat(m->fd, rows, 0);
    }
    for_traces(m, remove_trace);
    for (int i = 0; i < STORE_FILES; i++) {
        unlinkat(m->fd, file_name[i], 0);
        oocc_point(POINT_CLOSE_FILE);
    }
    for (int i = 0; i < OTHERS; i++)
        unlinkat(m->fd, other_name[i], 0);
    unlinkat(m->fd, label_tmp, 0);
}

static int directory_clear(struct member *m) {
    const int error = for_traces(m, remove_trace);
    if (error) return member_cannot("clear", m->path, NULL, error);
    remove_files(m);
    return fsync(m->fd) ? member_cannot("clear", m->path, NULL, errno) : 0;
}

static int directory_fit(struct member *m, bool anew) {
    (void)anew;
    for (int i = 0; i < STORE_FILES; i++) {
        if (asprintf(&m->file_path[i], "%s/%s", m->path, file_name[i]) < 0) {
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
    file->fd = openat(m->fd, file_name[index], O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file->fd < 0) return member_cannot("create", m->path, file_name[index], errno);
    int error;
    while ((error = posix_fallocate(file->fd, 0, file->bytes)) == EINTR)
        if (interrupt_seen()) return OOCC_STOPPED;
    oocc_point(POINT_CREATE_FILE);
    if (!error) return 0;
    return run_fail(OOCC_NO_SPACE, "choose another directory with --scratch, or a smaller grid",
                    "cannot reserve %s for %s: %s", format_bytes(text, file->bytes), file->name,
                    strerror(error));
}

/* The label comes first, so that files without a manifest are known for what they are. */
static int write_label(struct member *m, const struct label *label) {
    size_t length;
    char *text = label_text(label, &length);
    if (!text) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    int error = write_text(m->fd, label_tmp, text, length);
    free(text);
    oocc_point(POINT_LABEL_WRITTEN);
    if (!error && renameat2(m->fd, label_tmp, m->fd, "member", RENAME_NOREPLACE)) error = errno;
    if (!error && fsync(m->fd)) error = errno;
    oocc_point(POINT_LABEL_DONE);
    return error ? member_cannot("write", m->path, "member", error) : 0;
}

static int directory_create(struct member *m, const struct label *label) {
    m->owns = true;
    int status = write_label(m, label);
    for (int i = 0; i < STORE_FILES && !status; i++)
        if (m->file[i].bytes) status = create_file(m, i);
    if (!status && fsync(m->fd)) status = member_cannot("write", m->path, NULL, errno);
    oocc_point(POINT_CREATE_MEMBER);
    return status;
}

static int directory_reopen(struct member *m) {
    for (int i = 0; i < STORE_FILES; i++) {
        struct io_file *file = &m->file[i];
        struct stat info;
        if (!file->bytes) continue;
        file->fd = openat(m->fd, file_name[i], O_RDWR | O_NOFOLLOW | O_CLOEXEC);
        if (file->fd < 0 && errno == ENOENT)
            return run_fail(OOCC_CORRUPT, "--restart discards the scratch and begins again",
                            "the scratch %s is damaged: %s is missing", m->path, file_name[i]);
        if (file->fd < 0 || fstat(file->fd, &info))
            return member_cannot("open", m->path, file_name[i], errno);
        if (info.st_size != file->bytes)
            return run_fail(OOCC_CORRUPT, "--restart discards the scratch and begins again",
                            "%s is damaged: it has %" PRId64 " bytes instead of %" PRId64, file->name,
                            (int64_t)info.st_size, file->bytes);
    }
    m->owns = true;
    return 0;
}

static int directory_open_rows(const struct member *m, int index, bool make, struct member_rows *rows) {
    char name[32];
    struct stat info;
    rows_name(name, index);
    *rows = (struct member_rows){.room = INT64_MAX};
    rows->fd = openat(m->fd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | (make ? O_CREAT | O_EXCL : 0), 0600);
    if (rows->fd >= 0 && !fstat(rows->fd, &info)) {
        rows->bytes = info.st_size;
        return 0;
    }
    return run_fail(errno == EACCES ? OOCC_DENIED
                    : make          ? OOCC_NO_SPACE
                                    : OOCC_CORRUPT,
                    "--restart discards the scratch and begins again", "cannot open %s/%s: %s", m->path, name,
                    strerror(errno));
}

static void directory_close(struct member *m, bool keep) {
    for (int i = 0; i < STORE_FILES; i++)
        if (m->file[i].fd >= 0) close(m->file[i].fd);
    if (m->owns && !keep) remove_files(m);
    oocc_point(POINT_CLOSE_MEMBER);
    lock_release(m);
    if (m->fd >= 0) close(m->fd);
    if (m->made || (!m->named && m->owns)) rmdir(m->path); /* stays when something else is in it */
    oocc_point(POINT_CLOSE_DONE);
}

const struct member_ops member_directory = {
    .open = directory_open,
    .read_label = directory_read_label,
    .has_label = directory_has_label,
    .refuse_leftovers = directory_refuse_leftovers,
    .has_manifest = directory_has_manifest,
    .drop_manifest = directory_drop_manifest,
    .fit = directory_fit,
    .clear = directory_clear,
    .create = directory_create,
    .reopen = directory_reopen,
    .put_manifest = directory_put_manifest,
    .get_manifest = directory_get_manifest,
    .open_rows = directory_open_rows,
    .close = directory_close,
};
