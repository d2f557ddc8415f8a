/*
 * field_io.h: one file format per file. A format checks or writes what comes before the cells; the cells
 * themselves are the same for all of them: little-endian, C order, without padding.
 */
#ifndef OOCC_FIELD_IO_H
#define OOCC_FIELD_IO_H

#include "oocc/oocc.h"

/* What the file is to hold. */
struct field_shape {
    const char *path;
    enum oocc_type type;
    int ndim;
    int64_t extent[OOCC_MAX_DIMS];
};

struct field_format {
    const char *suffix;
    /* Checks the header of a file of file_bytes against the shape: 0 and where the cells begin, or 65 (or
     * 74). */
    int (*read_header)(int fd, int64_t file_bytes, const struct field_shape *shape, int64_t *data_offset);
    /* Makes the header, at most `capacity` bytes; returns its length. */
    int64_t (*make_header)(const struct field_shape *shape, char *header, int64_t capacity);
};

extern const struct field_format field_format_npy, field_format_raw;

enum { NPY_MOST_DIMS = 32 };

/* What the header of a .npy file says. */
struct npy_header {
    bool has_descr, has_order, has_shape;
    char descr[32]; /* empty: records */
    bool fortran;
    int ndim;
    int64_t extent[NPY_MOST_DIMS];
    int64_t data_offset; /* where the numbers begin */
};
/* Reads the header of a file of file_bytes into *header, which is all zero; 65 when it is none. */
int npy_read_header(int fd, int64_t file_bytes, const char *path, struct npy_header *header);

/* Opens a file that is read: 0 and its descriptor and length, or an exit status with the error printed. */
int field_open(const char *path, int *fd, int64_t *file_bytes);
/* Reads all bytes from a place: 0, or 74 or 65 (the file has become shorter) with the error and its place printed. */
int field_read(int fd, const char *path, void *data, int64_t bytes, int64_t offset);
/* Writes all bytes at a place: 0, or 74 or 73 with the error and its place printed. */
int field_write(int fd, const char *path, const void *data, int64_t bytes, int64_t offset);

/* Prints why bytes [at, end) of a file cannot be read or written (an errno; ENODATA: it ends before): 74, 73 or 65. */
int field_cannot_move(bool write, const char *path, int64_t at, int64_t end, int error);

/* "500x2x2 f64" into buffer (at least 128 bytes), returned. */
const char *field_shape_text(char *buffer, const struct field_shape *shape);

#endif
