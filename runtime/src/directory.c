/*
 * A directory as a member of the scratch: a file for each of the store's, a label, a lock. All are the owner's
 * only, and a link in the place of one is refused, never followed.
 */
#include "calls.h"
#include "member.h"
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const file_name[STORE_FILES] = {"gen0", "gen1", "coef"};
static const char *const other_name[] = {"manifest", "manifest.tmp", "member"};
enum { OTHERS = sizeof other_name / sizeof *other_name };

static void rows_name(char name[32], int index) {
    snprintf(name, 32, "trace%d", index);
}

/* -- opening and locking ----------------------------------------------------------------------------------- */

static int in_use(const struct member *m, int fd) {
    char pid[32] = "";
    const ssize_t length = calls_pread(fd, pid, sizeof pid - 1, 0);
    pid[length > 0 ? strcspn(pid, "\n") : 0] = 0;
    return member_in_use(m->path, pid);
}

/* The run that held the lock removes the file when it ends: a lock on a file that is no longer there is none.
 */
static int lock_directory(struct member *m) {
    for (;;) {
        struct stat held, named;
        const int fd = calls_openat(m->fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0) return member_cannot("create", m->path, "lock", errno);
        if (flock(fd, LOCK_EX | LOCK_NB)) {
            const int status =
                errno == EWOULDBLOCK ? in_use(m, fd) : member_cannot("lock", m->path, "lock", errno);
            close(fd);
            return status;
        }
        if (!fstat(fd, &held) && !fstatat(m->fd, "lock", &named, AT_SYMLINK_NOFOLLOW) &&
            held.st_ino == named.st_ino && held.st_dev == named.st_dev) {
            char pid[32];
            const int length = snprintf(pid, sizeof pid, "%ld\n", (long)getpid());
            int64_t done;
            m->lock_fd = fd;
            const int error = calls_truncate(fd, 0) ? errno : calls_write_all(fd, pid, length, 0, 1, &done);
            return error ? member_failed("write", m->path, "lock", -1, error) : 0;
        }
        close(fd);
    }
}

/* Names are to survive, too. 0 or an errno; some file systems cannot sync a directory, and say EINVAL. */
static int sync_directory(int fd) {
    return calls_fsync(fd) && errno != EINVAL ? errno : 0;
}

/* Where the parent may not be opened, its entry is left to the system. */
static int sync_parent(const struct member *m) {
    const int parent = calls_openat(m->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (parent < 0)
        return errno == EACCES || errno == EPERM
                   ? 0
                   : member_cannot("open the directory of", m->path, NULL, errno);
    const int error = sync_directory(parent);
    close(parent);
    return error ? member_failed("sync the directory of", m->path, NULL, -1, error) : 0;
}

static int directory_open(struct member *m, enum member_access access) {
    m->made = access == MEMBER_BEGIN && !calls_mkdir(m->path, 0700);
    if (!m->made && access == MEMBER_BEGIN && errno != EEXIST)
        return member_cannot("create", m->path, NULL, errno);
    m->fd = calls_openat(AT_FDCWD, m->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (m->fd < 0 && errno == ENOENT && access != MEMBER_BEGIN) return 0; /* it holds no label, then */
    if (m->fd < 0) return member_cannot("open", m->path, NULL, errno);
    const int status = m->made ? sync_parent(m) : 0;
    return status || access == MEMBER_PEEK ? status : lock_directory(m);
}

/* -- small files --------------------------------------------------------------------------------------------- */

/* The whole text of a file, ended by 0. 0 or an errno; *length is how far it was read. */
static int read_text(int directory, const char *name, char **out, size_t *length) {
    struct stat info;
    int64_t done = 0;
    *length = 0;
    *out = NULL;
    const int fd = directory < 0 ? (errno = ENOENT, -1)
                                 : calls_openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (fd < 0) return errno;
    int error = fstat(fd, &info) ? errno : 0;
    char *text = error ? NULL : malloc((size_t)info.st_size + 1);
    if (!error && !text) error = ENOMEM;
    if (!error) error = calls_read_all(fd, text, info.st_size, 0, 1, &done);
    *length = (size_t)done;
    close(fd);
    if (error) {
        free(text);
        return error;
    }
    text[*length] = 0;
    *out = text;
    return 0;
}

/* 0 or an exit status, the error printed. */
static int write_text(const struct member *m, const char *name, int flags, const char *text, size_t length) {
    int64_t done = 0;
    const int fd = calls_openat(m->fd, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
    if (fd < 0) return member_cannot("create", m->path, name, errno);
    int error = calls_write_all(fd, text, (int64_t)length, 0, 1, &done);
    if (!error && calls_fsync(fd)) error = errno;
    if (close(fd) && !error) error = errno;
    return error ? member_failed("write", m->path, name, done, error) : 0;
}

static int cannot_read(const struct member *m, const char *name, int error, size_t at) {
    if (error == ENOMEM) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    return member_failed("read", m->path, name, (int64_t)at, error);
}

static int directory_read_label(struct member *m, struct label *label) {
    char *text, where[4200];
    size_t length;
    *label = (struct label){0};
    const int error = read_text(m->fd, "member", &text, &length);
    if (error == ENOENT) return 0;
    if (error) return cannot_read(m, "member", error, length);
    snprintf(where, sizeof where, "%s/member", m->path);
    const int status = label_parse(where, text, length, label);
    free(text);
    return status;
}

static bool directory_has_label(const struct member *m) {
    return !faccessat(m->fd, "member", F_OK, AT_SYMLINK_NOFOLLOW);
}

static int directory_put_manifest(struct member *m, const char *text, size_t length) {
    const int status = write_text(m, "manifest.tmp", O_TRUNC, text, length);
    if (status) return status;
    if (calls_renameat(m->fd, "manifest.tmp", m->fd, "manifest"))
        return member_failed("rename manifest.tmp to", m->path, "manifest", -1, errno);
    const int error = sync_directory(m->fd);
    return error ? member_failed("sync", m->path, NULL, -1, error) : 0;
}

static int directory_get_manifest(struct member *m, char **text, size_t *length) {
    char what[4200];
    const int error = read_text(m->fd, "manifest", text, length);
    snprintf(what, sizeof what, "%s/manifest does not exist", m->path);
    return error == ENOENT ? member_nothing(what) : error ? cannot_read(m, "manifest", error, *length) : 0;
}

/* -- the store's files ----------------------------------------------------------------------------------------- */

static int directory_refuse_leftovers(const struct member *m) {
    for (int i = 0; i < STORE_FILES + OTHERS; i++) {
        const char *name = i < STORE_FILES ? file_name[i] : other_name[i - STORE_FILES];
        if (!faccessat(m->fd, name, F_OK, AT_SYMLINK_NOFOLLOW))
            return run_fail(OOCC_NO_SPACE, "--resume goes on with it, --restart discards it",
                            "the scratch %s holds an earlier run (%s)", m->path, name);
    }
    return 0;
}

/* 0 or an errno. */
static int remove_file(const struct member *m, const char *name) {
    return calls_unlinkat(m->fd, name, 0) && errno != ENOENT ? errno : 0;
}

/* The manifest goes first: what is left when this fails half-way has none. Traces are counted through: another program's run
 * may have had more of them. 0 or an errno. */
static int remove_files(const struct member *m) {
    char rows[32];
    int error = 0;
    for (int i = 0; i < OTHERS && !error; i++)
        error = remove_file(m, other_name[i]);
    for (int i = 0; !error && (rows_name(rows, i), !faccessat(m->fd, rows, F_OK, AT_SYMLINK_NOFOLLOW)); i++)
        error = remove_file(m, rows);
    for (int i = 0; i < STORE_FILES && !error; i++)
        error = remove_file(m, file_name[i]);
    return error;
}

static int directory_clear(struct member *m) {
    int error = remove_files(m);
    if (!error) error = sync_directory(m->fd);
    return error ? member_failed("clear", m->path, NULL, -1, error) : 0;
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
    file->fd =
        calls_openat(m->fd, file_name[index], O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file->fd < 0) return member_cannot("create", m->path, file_name[index], errno);
    const int error = calls_allocate(file->fd, file->bytes);
    /* Its size, too, is to survive: a resumed run asks for both generations, and so far only one will be synced. */
    if (!error && calls_fsync(file->fd)) return member_failed("sync", m->path, file_name[index], -1, errno);
    if (!error) return 0;
    return run_fail(error == EIO ? OOCC_IO_ERROR : OOCC_NO_SPACE,
                    "choose another directory with --scratch, or a smaller grid",
                    "cannot reserve %s for %s: %s", format_bytes(text, file->bytes), file->name,
                    strerror(error));
}

static int directory_create(struct member *m, const struct label *label) {
    size_t length;
    int status = 0;
    m->owns = true;
    for (int i = 0; i < STORE_FILES && !status; i++)
        if (m->file[i].bytes) status = create_file(m, i);
    if (status) return status;
    char *text = label_text(label, &length);
    if (!text) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    status = write_text(m, "member", O_EXCL, text, length);
    free(text);
    const int error = status ? 0 : sync_directory(m->fd);
    return error ? member_failed("sync", m->path, NULL, -1, error) : status;
}

static int directory_reopen(struct member *m) {
    for (int i = 0; i < STORE_FILES; i++) {
        struct io_file *file = &m->file[i];
        struct stat info;
        if (!file->bytes) continue;
        file->fd = calls_openat(m->fd, file_name[i], O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0);
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
    rows->fd =
        calls_openat(m->fd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | (make ? O_CREAT | O_TRUNC : 0), 0600);
    if (rows->fd >= 0 && !fstat(rows->fd, &info)) {
        rows->bytes = info.st_size;
        return 0;
    }
    return run_fail(errno == EACCES ? OOCC_DENIED
                    : errno == EIO  ? OOCC_IO_ERROR
                    : make          ? OOCC_NO_SPACE
                                    : OOCC_CORRUPT,
                    "--restart discards the scratch and begins again", "cannot open %s/%s: %s", m->path, name,
                    strerror(errno));
}

static void directory_close(struct member *m, bool keep) {
    for (int i = 0; i < STORE_FILES; i++)
        if (m->file[i].fd >= 0) close(m->file[i].fd);
    int error = m->owns && !keep ? remove_files(m) : 0;
    if (m->lock_fd >= 0) {
        const int unlocked = remove_file(m, "lock");
        if (!error) error = unlocked;
        close(m->lock_fd);
    }
    if (m->fd >= 0) close(m->fd);
    /* It stays when something else is in it. */
    if ((m->made || (!m->named && m->owns)) && calls_rmdir(m->path) && errno == EIO && !error) error = errno;
    if (error)
        run_note("cannot remove what is in %s (%s): begin the next run there with --restart", m->path,
                 strerror(error));
}

const struct member_ops member_directory = {
    .open = directory_open,
    .read_label = directory_read_label,
    .has_label = directory_has_label,
    .refuse_leftovers = directory_refuse_leftovers,
    .fit = directory_fit,
    .clear = directory_clear,
    .create = directory_create,
    .reopen = directory_reopen,
    .put_manifest = directory_put_manifest,
    .get_manifest = directory_get_manifest,
    .open_rows = directory_open_rows,
    .close = directory_close,
};
