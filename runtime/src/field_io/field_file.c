/* field_file.c: opens, creates, reads and writes field files plane by plane. */
#include "field_io/beside.h"
#include "field_io/blocks.h"
#include "field_io/field_file.h"
#include "field_io/field_io.h"
#include "stream/grid.h"
#include "support/calls.h"
#include "support/element.h"
#include "support/error.h"
#include "support/units.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GATHER_BYTES = 1 << 20, MOST_HEADER_BYTES = 4096 };

struct field_file {
    struct field_shape shape;
    const struct oocc_grid *grid;
    struct oocc_layout layout;
    int fd;
    char *path;
    struct beside beside; /* when writing */
    int64_t data_offset;
    char header[MOST_HEADER_BYTES]; /* when writing */
    char *gather; /* rows without their padding */
    struct blocks *blocks; /* of a large file, while plane follows plane; or NULL */
    int64_t next_plane;    /* the one that would follow */
};

static const struct field_format *const formats[] = {&field_format_npy, &field_format_raw};

/* -- moving bytes ------------------------------------------------------------------------------ */

int field_open(const char *path, int *fd, int64_t *file_bytes) {
    struct stat info;
    *fd = calls_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0); /* a FIFO must not hang here */
    if (*fd < 0)
        return run_fail(errno == EACCES ? OOCC_DENIED
                        : errno == EIO  ? OOCC_IO_ERROR
                                        : OOCC_BAD_INPUT,
                        errno == EIO ? run_io_help(EIO) : NULL, "cannot open %s: %s", path, strerror(errno));
    int status = OOCC_OK;
    if (fstat(*fd, &info) != 0)
        status = run_fail(OOCC_IO_ERROR, run_io_help(errno), "cannot read %s: %s", path, strerror(errno));
    else if (!S_ISREG(info.st_mode))
        status = run_fail(OOCC_BAD_INPUT, NULL, "%s is not a regular file", path);
    if (status == OOCC_OK) return *file_bytes = info.st_size, OOCC_OK;
    close(*fd);
    *fd = -1;
    return status;
}

int field_cannot_move(bool write, const char *path, int64_t at, int64_t end, int error) {
    if (!write && error == ENODATA)
        return run_fail(OOCC_BAD_INPUT, "write it again, and leave it alone while the run reads it",
                        "%s: the file became shorter while it was read: it ends before byte %" PRId64, path, end);
    return run_fail(write ? run_io_status(error) : OOCC_IO_ERROR, run_io_help(error), "cannot %s %s at byte %" PRId64 ": %s",
                    write ? "write" : "read", path, at, strerror(error));
}

int field_read(int fd, const char *path, void *data, int64_t bytes, int64_t offset) {
    int64_t done;
    const int error = calls_read_all(fd, data, bytes, offset, 1, &done);
    return error == 0 ? OOCC_OK : field_cannot_move(false, path, offset + done, offset + bytes, error);
}

int field_write(int fd, const char *path, const void *data, int64_t bytes, int64_t offset) {
    int64_t done;
    const int error = calls_write_all(fd, data, bytes, offset, 1, &done);
    return error == 0 ? OOCC_OK : field_cannot_move(true, path, offset + done, offset + bytes, error);
}

/* -- opening ----------------------------------------------------------------------------------- */

const char *field_shape_text(char *buffer, const struct field_shape *shape) {
    size_t length = 0;
    for (int d = 0; d < shape->ndim; d++)
        length +=
            (size_t)snprintf(buffer + length, 128 - length, "%s%" PRId64, d > 0 ? "x" : "", shape->extent[d]);
    snprintf(buffer + length, 128 - length, " %s", element_of(shape->type)->name);
    return buffer;
}

static const struct field_format *format_of(const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash != NULL ? slash : path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(dot, formats[i]->suffix) == 0) return formats[i];
    return NULL;
}

static int64_t data_bytes(const struct field_file *file) {
    return grid_points(file->grid) * file->layout.element_bytes;
}

static void release(struct field_file *file) {
    blocks_close(file->blocks, false);
    if (file->fd >= 0) close(file->fd);
    free(file->gather);
    free(file->path);
    free(file);
}

static int prepare(const char *path, const struct oocc_program *program, int field,
                   const struct oocc_grid *grid, const struct field_format **format,
                   struct field_file **out) {
    *format = format_of(path);
    if (*format == NULL)
        return run_fail(OOCC_BAD_INPUT, "files end in .npy or .raw", "%s: the file's format is not known",
                        path);
    struct field_file *file = calloc(1, sizeof *file);
    if (file == NULL) return run_fail(OOCC_NO_MEMORY, NULL, "no memory to open %s", path);
    file->fd = -1;
    file->grid = grid;
    file->layout = grid->layout[field];
    file->path = strdup(path);
    file->gather = malloc(GATHER_BYTES);
    if (file->path == NULL || file->gather == NULL) {
        release(file);
        return run_fail(OOCC_NO_MEMORY, NULL, "no memory to open %s", path);
    }
    file->shape =
        (struct field_shape){.path = file->path, .type = program->field[field].type, .ndim = grid->ndim};
    memcpy(file->shape.extent, grid->extent, sizeof grid->extent);
    *out = file;
    return OOCC_OK;
}

static int open_existing(struct field_file *file, const struct field_format *format) {
    const char *path = file->path;
    int64_t bytes;
    int status = field_open(path, &file->fd, &bytes);
    if (status == OOCC_OK) status = format->read_header(file->fd, bytes, &file->shape, &file->data_offset);
    if (status != OOCC_OK) return status;
    if (bytes - file->data_offset != data_bytes(file)) {
        char has[32], wanted[32], text[128];
        return run_fail(OOCC_BAD_INPUT, NULL, "%s: %s bytes of data, expected %s (%s)", path,
                        format_count(has, bytes - file->data_offset),
                        format_count(wanted, data_bytes(file)), field_shape_text(text, &file->shape));
    }
    posix_fadvise(file->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return OOCC_OK;
}

int field_file_open(const char *path, const struct oocc_program *program, int field,
                    const struct oocc_grid *grid, struct field_file **out) {
    const struct field_format *format;
    struct field_file *file;
    int status = prepare(path, program, field, grid, &format, &file);
    if (status != OOCC_OK) return status;
    status = open_existing(file, format);
    if (status == OOCC_OK)
        *out = file;
    else
        release(file);
    return status;
}

/* -- creating ---------------------------------------------------------------------------------- */

static int begin_writing(struct field_file *file, const struct field_format *format) {
    file->data_offset = format->make_header(&file->shape, file->header, sizeof file->header);
    int64_t total;
    if (__builtin_add_overflow(data_bytes(file), file->data_offset, &total))
        return run_fail(OOCC_NO_SPACE, NULL, "%s would be longer than any file: %s", file->path, strerror(EFBIG));
    /* Too little space is better known now than at the last plane; not every file system can tell. */
    if (calls_extend(file->fd, total) != 0 && (run_io_status(errno) == OOCC_NO_SPACE || errno == EIO)) {
        char text[32];
        return run_fail(run_io_status(errno), run_io_help(errno), "cannot reserve %s for %s: %s",
                        format_bytes(text, total), file->path, strerror(errno));
    }
    return field_write(file->fd, file->path, file->header, file->data_offset, 0);
}

int field_file_create(const char *path, const struct oocc_program *program, int field,
                      const struct oocc_grid *grid, struct field_file **out) {
    const struct field_format *format;
    struct field_file *file;
    int status = prepare(path, program, field, grid, &format, &file);
    if (status != OOCC_OK) return status;
    status = beside_create(&file->beside, file->path);
    file->fd = file->beside.fd;
    if (status == OOCC_OK) status = begin_writing(file, format);
    if (status == OOCC_OK)
        *out = file;
    else
        field_file_close(file, false);
    return status;
}

/* -- planes ------------------------------------------------------------------------------------ */

/* Rows of plane z without padding: how many, their bytes, and where they are in the file. */
struct rows {
    int64_t count, bytes, stride, offset;
};

static struct rows rows_of(const struct field_file *file, int64_t z) {
    const struct oocc_grid *grid = file->grid;
    const int64_t element = file->layout.element_bytes;
    return (struct rows){.count = grid->rows,
                         .bytes = oocc_cells(grid, z) * element,
                         .stride = file->layout.row_elements * element,
                         .offset = file->data_offset + z * grid->rows * grid->cells * element};
}

/* A byte that is neither 0 nor 1 would be a bool that is neither true nor false. */
static int check_bools(const struct field_file *file, const char *cells, int64_t count, int64_t first) {
    for (int64_t i = 0; i < count; i++)
        if (cells[i] & ~1)
            return run_fail(OOCC_BAD_INPUT, "save it as array.astype(numpy.bool_)",
                            "%s: a bool is 0 or 1, but byte %" PRId64 " is %d", file->path,
                            file->data_offset + first + i, (unsigned char)cells[i]);
    return OOCC_OK;
}

static int end_blocks(struct field_file *file) {
    const int status = blocks_close(file->blocks, true);
    file->blocks = NULL;
    return status;
}

/* Large files go past the page cache as long as their planes come one after the other, from the first on. */
static int follow(struct field_file *file, int64_t z, bool write) {
    const int64_t end = file->data_offset + data_bytes(file);
    int status = OOCC_OK;
    if (z == 0 && file->blocks == NULL && blocks_pay(file->fd, write, end)) {
        status = blocks_open(file->fd, file->path, write, write ? 0 : file->data_offset, end, &file->blocks);
        if (status == OOCC_OK && write) status = blocks_move(file->blocks, file->header, file->data_offset);
    } else if (file->blocks != NULL && z != file->next_plane) {
        status = end_blocks(file);
    }
    file->next_plane = z + 1;
    return status;
}

static int read_rows(struct field_file *file, struct rows r, char *cells) {
    const int64_t at_once = file->blocks != NULL ? 1 : oocc_max(1, GATHER_BYTES / r.bytes);
    for (int64_t row = 0; row < r.count; row += at_once) {
        const int64_t count = oocc_min(at_once, r.count - row), offset = r.offset + row * r.bytes;
        char *first = cells + row * r.stride;
        char *data = count > 1 ? file->gather : first; /* a single row goes straight to its place */
        int status = file->blocks != NULL ? blocks_move(file->blocks, data, count * r.bytes)
                                          : field_read(file->fd, file->path, data, count * r.bytes, offset);
        if (status == OOCC_OK && file->shape.type == OOCC_BOOL)
            status = check_bools(file, data, count * r.bytes, offset - file->data_offset);
        if (status != OOCC_OK) return status;
        for (int64_t i = 0; count > 1 && i < count; i++)
            memcpy(first + i * r.stride, data + i * r.bytes, (size_t)r.bytes);
    }
    return OOCC_OK;
}

int field_file_read_plane(struct field_file *file, int64_t z, void *cells) {
    int status = follow(file, z, false);
    if (status == OOCC_OK) status = read_rows(file, rows_of(file, z), cells);
    return status;
}

static int write_rows(struct field_file *file, struct rows r, const char *cells) {
    const int64_t at_once = file->blocks != NULL ? 1 : oocc_max(1, GATHER_BYTES / r.bytes);
    for (int64_t row = 0; row < r.count; row += at_once) {
        const int64_t count = oocc_min(at_once, r.count - row);
        const char *first = cells + row * r.stride, *data = count > 1 ? file->gather : first;
        for (int64_t i = 0; count > 1 && i < count; i++)
            memcpy(file->gather + i * r.bytes, first + i * r.stride, (size_t)r.bytes);
        const int status = file->blocks != NULL
                               ? blocks_move(file->blocks, (char *)data, count * r.bytes)
                               : field_write(file->fd, file->path, data, count * r.bytes, r.offset + row * r.bytes);
        if (status != OOCC_OK) return status;
    }
    return OOCC_OK;
}

int field_file_write_plane(struct field_file *file, int64_t z, const void *cells) {
    int status = follow(file, z, true);
    if (status == OOCC_OK) status = write_rows(file, rows_of(file, z), cells);
    if (status == OOCC_OK && z + 1 == file->grid->planes) status = end_blocks(file);
    return status;
}

/* -- closing ----------------------------------------------------------------------------------- */

int field_file_close(struct field_file *file, bool keep) {
    int status = OOCC_OK;
    if (keep) status = end_blocks(file);
    if (file->beside.temporary != NULL) {
        blocks_close(file->blocks, false);
        file->blocks = NULL;
        file->fd = -1; /* closed there */
        const int closed = beside_close(&file->beside, keep && status == OOCC_OK);
        status = status != OOCC_OK ? status : closed;
    }
    release(file);
    return status;
}
