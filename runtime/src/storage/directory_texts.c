/*
 * The small files of a directory that is a member of the scratch: its label and its manifests. Each is written under another name
 * and renamed when it is whole.
 */
#include "oocc/oocc.h"
#include "storage/directory.h"
#include "support/calls.h"
#include "support/error.h"
#include "support/point.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int directory_sync(int fd) {
    return calls_fsync(fd) && errno != EINVAL ? errno : 0;
}

int directory_remove(const struct member *m, const char *name) {
    return calls_unlinkat(m->fd, name, 0) && errno != ENOENT ? errno : 0;
}

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

/* A new file, on stable storage. What is left of the name is no more than a run that was killed has left there. 0 or an
 * exit status, the error printed. */
static int write_text(const struct member *m, const char *name, const char *text, size_t length) {
    int64_t done = 0;
    if (calls_unlinkat(m->fd, name, 0) && errno != ENOENT) return member_failed("remove", m->path, name, -1, errno);
    const int fd = calls_openat(m->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    oocc_point(POINT_MANIFEST_OPENED);
    if (fd < 0) return member_cannot("create", m->path, name, errno);
    int error = calls_write_all(fd, text, (int64_t)length, 0, 1, &done);
    oocc_point(POINT_MANIFEST_WRITTEN);
    if (!error && calls_fsync(fd)) error = errno;
    if (close(fd) && !error) error = errno;
    return error ? member_failed("write", m->path, name, done, error) : 0;
}

static int cannot_read(const struct member *m, const char *name, int error, size_t at) {
    if (error == ENOMEM) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    return member_failed("read", m->path, name, (int64_t)at, error);
}

/* Somebody's link or folder, or what is not ours to read. */
static bool is_no_file(int error) {
    return error == ELOOP || error == EISDIR || error == ENXIO || error == EACCES || error == EPERM;
}

int directory_read_label(struct member *m, struct label *label, bool quiet) {
    char *text, where[4200];
    size_t length;
    *label = (struct label){0};
    const int error = read_text(m->fd, LABEL_NAME, &text, &length);
    if (error == ENOENT) return 0;
    if (error && quiet && is_no_file(error)) return OOCC_CORRUPT;
    if (error) return cannot_read(m, LABEL_NAME, error, length);
    snprintf(where, sizeof where, "%s/" LABEL_NAME, m->path);
    const int status = label_parse(quiet ? NULL : where, text, length, label);
    free(text);
    return status;
}

int directory_write_label(struct member *m, const struct label *label) {
    size_t length;
    char *text = label_text(label, &length);
    if (!text) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    int status = write_text(m, LABEL_TMP, text, length);
    free(text);
    oocc_point(POINT_LABEL_WRITTEN);
    if (!status && calls_rename_new(m->fd, LABEL_TMP, LABEL_NAME))
        status = member_failed("rename " LABEL_TMP " to", m->path, LABEL_NAME, -1, errno);
    const int error = status ? 0 : directory_sync(m->fd);
    oocc_point(POINT_LABEL_DONE);
    return error ? member_failed("sync", m->path, NULL, -1, error) : status;
}

bool directory_has_manifest(struct member *m) {
    return !faccessat(m->fd, "manifest", F_OK, AT_SYMLINK_NOFOLLOW) || errno != ENOENT;
}

int directory_put_manifest(struct member *m, const char *text, size_t length) {
    const int status = write_text(m, "manifest.tmp", text, length);
    if (status) return status;
    oocc_point(POINT_MANIFEST_BEFORE_RENAME);
    if (calls_renameat(m->fd, "manifest.tmp", m->fd, "manifest"))
        return member_failed("rename manifest.tmp to", m->path, "manifest", -1, errno);
    oocc_point(POINT_MANIFEST_RENAMED);
    const int error = directory_sync(m->fd);
    return error ? member_failed("sync", m->path, NULL, -1, error) : 0;
}

int directory_get_manifest(struct member *m, char **text, size_t *length) {
    char what[4200];
    const int error = read_text(m->fd, "manifest", text, length);
    snprintf(what, sizeof what, "%s/manifest does not exist", m->path);
    return error == ENOENT ? member_nothing(what) : error ? cannot_read(m, "manifest", error, *length) : 0;
}

int directory_put_recent(struct member *m, const char *text, size_t length) {
    int64_t done;
    if (calls_unlinkat(m->fd, "recent.tmp", 0) && errno != ENOENT) return errno;
    const int fd = calls_openat(m->fd, "recent.tmp", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return errno;
    int error = calls_write_all(fd, text, (int64_t)length, 0, 1, &done);
    if (close(fd) && !error) error = errno;
    oocc_point(POINT_RECENT_WRITTEN);
    if (!error && calls_renameat(m->fd, "recent.tmp", m->fd, "recent")) error = errno;
    oocc_point(POINT_RECENT_DONE);
    return error;
}

int directory_get_recent(struct member *m, char **text, size_t *length) {
    const int error = read_text(m->fd, "recent", text, length);
    return !error || error == ENOENT || is_no_file(error) ? 0 : cannot_read(m, "recent", error, *length);
}

int directory_drop_recent(struct member *m) {
    return directory_remove(m, "recent");
}

int directory_drop_manifest(struct member *m) {
    int error = directory_remove(m, "recent");
    if (!error) error = directory_remove(m, "manifest");
    return error ? error : directory_sync(m->fd);
}
