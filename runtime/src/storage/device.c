/*
 * A block device as a member of the scratch: a label at its beginning, the places for manifests, then the
 * store's files, then the rows of records. All transfers but those of rows are of whole aligned blocks, since an
 * engine may have put the device into direct I/O.
 */
#include "storage/device.h"

#include "oocc/oocc.h"
#include "storage/holder.h"
#include "support/calls.h"
#include "support/error.h"
#include "support/point.h"
#include "support/units.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Rounded up; sizes near the end of 63 bits are refused before, since no device has them. */
static int64_t align(int64_t bytes, int64_t to) {
    return (bytes + to - 1) / to * to;
}

/* -- blocks --------------------------------------------------------------------------------------------------- */

int device_read(int fd, int64_t at, int64_t bytes, char **out) {
    void *data;
    if (posix_memalign(&data, DEVICE_BLOCK, (size_t)bytes)) return ENOMEM;
    int64_t done;
    const int error = calls_read_all(fd, data, bytes, at, DEVICE_BLOCK, &done);
    if (error)
        free(data);
    else
        *out = data;
    return error;
}

int device_write(int fd, int64_t at, int64_t bytes, const void *data, size_t length) {
    enum { PIECE = 128 << 10 }; /* a manifest may be many MiB */
    void *blocks;
    int error = posix_memalign(&blocks, DEVICE_BLOCK, (size_t)oocc_min(bytes, PIECE));
    if (error) return error;
    for (int64_t from = 0; from < bytes && !error; from += PIECE) {
        const int64_t piece = oocc_min(bytes - from, PIECE), of_data = oocc_min((int64_t)length - from, piece);
        int64_t done;
        memset(blocks, 0, (size_t)piece);
        if (of_data > 0) memcpy(blocks, (const char *)data + from, (size_t)of_data);
        error = calls_write_all(fd, blocks, piece, at + from, DEVICE_BLOCK, &done);
    }
    free(blocks);
    return error;
}

static int cannot_read(const struct member *m, int error) {
    return member_failed("read", m->path, NULL, 0, error); /* label and owner come first */
}

/* Writes a few blocks, or makes durable what has been written; where that was, cannot_write() tells. 0 or an errno. */
static int put(struct member *m, int64_t at, int64_t bytes, const void *data, size_t length) {
    m->device.put_at = at;
    return device_write(m->fd, at, bytes, data, length);
}

static int settle(struct member *m) {
    m->device.put_at = -1;
    return calls_fdatasync(m->fd) ? errno : 0;
}

static int cannot_write(const struct member *m, int error) {
    return member_failed(m->device.put_at < 0 ? "sync" : "write", m->path, NULL, m->device.put_at, error);
}

/* -- the label ------------------------------------------------------------------------------------------------ */

static int device_read_label(struct member *m, struct label *label, bool quiet) {
    char *text;
    *label = (struct label){0};
    if (m->device.bytes < SLOTS_AT) return 0;
    const int error = device_read(m->fd, 0, OWNER_AT, &text);
    if (error) return cannot_read(m, error);
    int status = 0;
    if (!strncmp(text, LABEL_MAGIC, strlen(LABEL_MAGIC))) {
        text[OWNER_AT - 1] = 0;
        status = label_parse(quiet ? NULL : m->path, text, strlen(text), label);
    }
    free(text);
    m->device.slot_bytes = label->slot_bytes;
    m->device.used_bytes = label->device_bytes;
    return status;
}

/* What cannot be read may be an earlier run, too. */
static int device_refuse_leftovers(const struct member *m) {
    char *text;
    if (m->device.bytes < SLOTS_AT) return 0;
    const int error = device_read(m->fd, 0, DEVICE_BLOCK, &text);
    if (error) return cannot_read(m, error);
    const bool there = !strncmp(text, LABEL_MAGIC, strlen(LABEL_MAGIC));
    free(text);
    return there ? run_fail(OOCC_NO_SPACE, "--resume goes on with it, --restart discards it",
                            "the scratch %s holds an earlier run", m->path)
                 : 0;
}

/* Label and owner; the blocks before the places of manifests hold nothing else, so that no old signature comes back
 * to light. */
static int wipe(struct member *m) {
    if (m->device.bytes < SLOTS_AT) return 0;
    const int error = put(m, 0, SLOTS_AT, NULL, 0);
    return error ? error : settle(m);
}

/* Nor is one that was being written when the first commit was not done: then the other place is blank. */
static bool device_has_manifest(struct member *m) {
    return m->device.slot_bytes && device_find_manifest(m);
}

static int device_drop_manifest(struct member *m) {
    const int error = device_drop_manifests(m);
    return error ? error : settle(m);
}

static int device_clear(struct member *m) {
    const int error = wipe(m);
    return error ? cannot_write(m, error) : 0;
}

/* -- the store's files ---------------------------------------------------------------------------------------- */

/* Of the room behind the files every record has an equal part, so that a run that is resumed finds them, however
 * many steps it is to make. */
static int64_t rows_room(const struct member *m) {
    return m->records ? (m->device.used_bytes - m->device.end) / m->records / DEVICE_BLOCK * DEVICE_BLOCK : 0;
}

static int device_fit(struct member *m, bool anew, bool quiet) {
    const int64_t MIB = (int64_t)1 << 20;
    char wanted[32], there[32];
    if (anew) {
        m->device.used_bytes = m->device.bytes;
        m->device.slot_bytes = m->manifest_bytes ? align(m->manifest_bytes + DEVICE_BLOCK, MIB) : 0;
    }
    int64_t at = SLOTS_AT + SLOTS * m->device.slot_bytes;
    bool fits = true;
    for (int i = 0; i < STORE_FILES; i++) {
        m->base[i] = at;
        fits &= !__builtin_add_overflow(at, m->share[i], &at) && at < INT64_MAX - MIB;
        if (fits) at = align(at, MIB);
    }
    m->device.end = m->file[0].bytes = at;
    m->file[0].name = m->path;
    int64_t rows, needed;
    if (__builtin_mul_overflow(align(oocc_min(m->rows_bytes, INT64_MAX - MIB), DEVICE_BLOCK), m->records,
                               &rows) ||
        __builtin_add_overflow(at, rows, &needed) || !fits)
        needed = INT64_MAX;
    if (needed <= m->device.used_bytes && m->device.used_bytes <= m->device.bytes) return 0;
    if (quiet) return OOCC_NO_SPACE;
    if (!anew)
        return run_fail(OOCC_NO_SPACE, "--restart discards the scratch and begins again",
                        "the device %s has %s, and the run in it needs %s", m->path,
                        format_bytes(there, m->device.bytes),
                        format_bytes(wanted, oocc_max(needed, m->device.used_bytes)));
    return run_fail(OOCC_NO_SPACE, "choose another device with --scratch, or a smaller grid",
                    "the run needs %s on %s, which has %s", format_bytes(wanted, needed), m->path,
                    format_bytes(there, m->device.bytes));
}

/* Who has it: for the message that another run gives. */
static int write_owner(struct member *m) {
    char text[OWNER_BYTES];
    const size_t length = holder_text(text, sizeof text);
    return put(m, OWNER_AT, DEVICE_BLOCK, text, length);
}

/* The label comes last: a device that has one has no manifest of a run before. */
static int device_create(struct member *m, const struct label *common) {
    struct label label = *common;
    label.device_bytes = m->device.used_bytes;
    label.slot_bytes = m->device.slot_bytes;
    size_t length;
    m->owns = true;
    m->file[0].fd = m->fd;
    int error = wipe(m);
    if (!error) error = device_drop_manifest(m);
    if (error) return cannot_write(m, error);
    char *text = label_text(&label, &length);
    if (!text) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    error = length < OWNER_AT ? put(m, 0, OWNER_AT, text, length) : ENAMETOOLONG;
    oocc_point(POINT_LABEL_WRITTEN);
    if (!error) error = write_owner(m);
    if (!error) error = settle(m);
    oocc_point(POINT_LABEL_DONE);
    free(text);
    return error ? cannot_write(m, error) : 0;
}

static int device_reopen(struct member *m) {
    m->owns = true;
    m->file[0].fd = m->fd;
    const int error = write_owner(m);
    return error ? cannot_write(m, error) : 0;
}

/* Rows are of any length: they go through the page cache, by a descriptor of their own. */
static int device_open_rows(const struct member *m, int index, int flags, struct member_rows *rows) {
    struct stat named, held;
    *rows = (struct member_rows){.fd = calls_openat(AT_FDCWD, m->path, (flags & O_ACCMODE) | O_CLOEXEC, 0),
                                 .offset = m->device.end + index * rows_room(m),
                                 .bytes = rows_room(m),
                                 .room = rows_room(m)};
    if (rows->fd < 0) return member_cannot("open", m->path, NULL, errno);
    if (!fstat(rows->fd, &named) && !fstat(m->fd, &held) && named.st_rdev == held.st_rdev) return 0;
    return run_fail(OOCC_DENIED, NULL, "the device %s has been replaced by another", m->path);
}

static void device_close(struct member *m, bool keep) {
    if (m->owns) {
        const int error = keep ? device_write(m->fd, OWNER_AT, DEVICE_BLOCK, NULL, 0) : wipe(m);
        if (error && !keep)
            run_note("cannot wipe the label of %s (%s): begin the next run there with --restart", m->path,
                     strerror(error));
    }
    oocc_point(POINT_CLOSE_MEMBER);
    if (m->fd >= 0) close(m->fd);
    oocc_point(POINT_CLOSE_DONE);
}

const struct member_ops member_device = {
    .open = device_open,
    .read_label = device_read_label,
    .refuse_leftovers = device_refuse_leftovers,
    .has_manifest = device_has_manifest,
    .drop_manifest = device_drop_manifest,
    .fit = device_fit,
    .clear = device_clear,
    .create = device_create,
    .reopen = device_reopen,
    .put_manifest = device_put_manifest,
    .get_manifest = device_get_manifest,
    .put_recent = device_put_recent,
    .get_recent = device_get_recent,
    .drop_recent = device_drop_recent,
    .open_rows = device_open_rows,
    .close = device_close,
};
