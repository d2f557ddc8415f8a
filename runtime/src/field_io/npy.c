/*
 * npy.c: NumPy's format. "\x93NUMPY", version (1.0: 16-bit header length; 2.0 and 3.0: 32-bit), then a Python
 * dict as text, {'descr': '<f8', 'fortran_order': False, 'shape': (4, 3), }, padded with spaces and ended by
 * a newline so that the cells begin at a multiple of 64. Only that much of Python is understood: strings,
 * True, False and tuples of ints.
 */
#include "field_io/field_io.h"
#include "support/element.h"
#include "support/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "field files are little-endian; this machine is not"
#endif

enum { MAGIC_BYTES = 8, ALIGN_BYTES = 64, LONGEST_HEADER = 1 << 20 };
static const char magic[] = "\x93NUMPY";

/* -- the dict ---------------------------------------------------------------------------------- */

static void skip_space(const char **p) {
    while (**p == ' ' || **p == '\t' || **p == '\n' || **p == '\r')
        ++*p;
}

static bool take(const char **p, const char *word) {
    skip_space(p);
    if (strncmp(*p, word, strlen(word)) != 0) return false;
    *p += strlen(word);
    return true;
}

static bool take_string(const char **p, char *text, size_t size) {
    skip_space(p);
    const char quote = **p;
    if (quote != '\'' && quote != '"') return false;
    const char *end = strchr(*p + 1, quote);
    if (end == NULL || (size_t)(end - *p) > size) return false;
    const size_t length = (size_t)(end - *p) - 1;
    memcpy(text, *p + 1, length);
    text[length] = '\0';
    *p = end + 1;
    return memchr(text, '\\', length) == NULL;
}

/* (), (5,), (4, 3), (4L, 3L) */
static bool take_shape(const char **p, struct npy_header *header) {
    if (!take(p, "(")) return false;
    for (;;) {
        if (take(p, ")")) return true;
        skip_space(p);
        if (header->ndim == NPY_MOST_DIMS || **p < '0' || **p > '9') return false;
        char *end;
        errno = 0;
        header->extent[header->ndim++] = strtoll(*p, &end, 10);
        if (errno != 0) return false;
        *p = end + (*end == 'L');
        if (take(p, ",")) continue;
        /* (5) is no tuple in Python */
        return header->ndim > 1 && take(p, ")");
    }
}

static bool take_dict(const char *text, struct npy_header *header) {
    const char *p = text;
    if (!take(&p, "{")) return false;
    while (!take(&p, "}")) {
        char key[32];
        if (!take_string(&p, key, sizeof key) || !take(&p, ":")) return false;
        if (strcmp(key, "descr") == 0 && !header->has_descr) {
            header->has_descr = true;
            skip_space(&p);
            if (*p == '[') return true; /* a record type: the caller says so */
            if (!take_string(&p, header->descr, sizeof header->descr)) return false;
        } else if (strcmp(key, "fortran_order") == 0 && !header->has_order) {
            header->has_order = true;
            header->fortran = take(&p, "True");
            if (!header->fortran && !take(&p, "False")) return false;
        } else if (strcmp(key, "shape") == 0 && !header->has_shape) {
            header->has_shape = true;
            if (!take_shape(&p, header)) return false;
        } else {
            return false;
        }
        if (!take(&p, ",")) {
            if (!take(&p, "}")) return false;
            break;
        }
    }
    skip_space(&p);
    return *p == '\0' && header->has_descr && header->has_order && header->has_shape;
}

/* -- checks against the field ------------------------------------------------------------------ */

static const char *shape_tuple(char *buffer, size_t size, const int64_t extent[], int ndim) {
    size_t length = (size_t)snprintf(buffer, size, "(");
    for (int d = 0; d < ndim && length < size; d++)
        length +=
            (size_t)snprintf(buffer + length, size - length, "%s%" PRId64, d > 0 ? ", " : "", extent[d]);
    if (length < size) snprintf(buffer + length, size - length, ndim == 1 ? ",)" : ")");
    return buffer;
}

static int check(const struct npy_header *header, const struct field_shape *shape) {
    char help[160], a[512], b[128];
    const char *descr = element_of(shape->type)->descr;
    snprintf(help, sizeof help, "save it as array.astype(%s)", element_of(shape->type)->numpy);
    if (header->has_descr && header->descr[0] == '\0')
        return run_fail(OOCC_BAD_INPUT, help, "%s: the file holds records, expected numbers '%s'",
                        shape->path, descr);
    if (header->descr[0] == '>')
        return run_fail(OOCC_BAD_INPUT, help, "%s: the file is big-endian ('%s'), expected '%s'", shape->path,
                        header->descr, descr);
    if (strcmp(header->descr, descr) != 0)
        return run_fail(OOCC_BAD_INPUT, help, "%s: the file holds '%s', expected '%s'", shape->path,
                        header->descr, descr);
    if (header->fortran)
        return run_fail(OOCC_BAD_INPUT, "save it as numpy.ascontiguousarray(array)",
                        "%s: the file is in Fortran order, expected C order", shape->path);
    bool same = header->ndim == shape->ndim;
    for (int d = 0; same && d < shape->ndim; d++)
        same = header->extent[d] == shape->extent[d];
    if (!same)
        return run_fail(OOCC_BAD_INPUT, "the slowest dimension comes first",
                        "%s: the file's shape is %s, expected %s", shape->path,
                        shape_tuple(a, sizeof a, header->extent, header->ndim),
                        shape_tuple(b, sizeof b, shape->extent, shape->ndim));
    return OOCC_OK;
}

static int malformed(const char *path, const char *what) {
    return run_fail(OOCC_BAD_INPUT, "write it with numpy.save", "%s: not a .npy file: %s", path, what);
}

int npy_read_header(int fd, int64_t file_bytes, const char *path, struct npy_header *header) {
    unsigned char start[MAGIC_BYTES + 4];
    if (file_bytes < (int64_t)sizeof start) return malformed(path, "it is too short");
    int status = field_read(fd, path, start, sizeof start, 0);
    if (status != OOCC_OK) return status;
    if (memcmp(start, magic, sizeof magic - 1) != 0)
        return malformed(path, "it does not begin with \\x93NUMPY");
    if (start[6] < 1 || start[6] > 3 || start[7] != 0)
        return run_fail(OOCC_BAD_INPUT, "save it again with numpy.save",
                        "%s: .npy version %d.%d is not known", path, start[6], start[7]);
    const int64_t before = start[6] == 1 ? MAGIC_BYTES + 2 : MAGIC_BYTES + 4;
    int64_t length = start[8] | (int64_t)start[9] << 8;
    if (start[6] > 1) length |= (int64_t)start[10] << 16 | (int64_t)start[11] << 24;
    if (length > LONGEST_HEADER || before + length > file_bytes)
        return malformed(path, "its header is longer than the file, or than 1 MiB");
    char *text = malloc((size_t)length + 1);
    if (text == NULL) return run_fail(OOCC_NO_MEMORY, NULL, "no memory for the header of %s", path);
    status = field_read(fd, path, text, length, before);
    text[length] = '\0';
    /* The dict has no NUL inside: text that ends early is malformed. */
    const bool parsed = status == OOCC_OK && strlen(text) == (size_t)length && take_dict(text, header);
    free(text);
    if (status != OOCC_OK) return status;
    if (!parsed) return malformed(path, "its header cannot be understood");
    header->data_offset = before + length;
    return OOCC_OK;
}

static int read_header(int fd, int64_t file_bytes, const struct field_shape *shape, int64_t *data_offset) {
    struct npy_header header = {0};
    const int status = npy_read_header(fd, file_bytes, shape->path, &header);
    *data_offset = header.data_offset;
    return status ? status : check(&header, shape);
}

static int64_t make_header(const struct field_shape *shape, char *header, int64_t capacity) {
    char tuple[128];
    const int64_t before = MAGIC_BYTES + 2;
    int64_t length =
        snprintf(header + before, (size_t)(capacity - before),
                 "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", element_of(shape->type)->descr,
                 shape_tuple(tuple, sizeof tuple, shape->extent, shape->ndim));
    const int64_t total = (before + length + 1 + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
    memset(header + before + length, ' ', (size_t)(total - before - length));
    header[total - 1] = '\n';
    memcpy(header, magic, sizeof magic - 1);
    header[6] = 1;
    header[7] = 0;
    length = total - before;
    header[8] = (char)(length & 0xff);
    header[9] = (char)(length >> 8);
    return total;
}

const struct field_format field_format_npy = {".npy", read_header, make_header};
