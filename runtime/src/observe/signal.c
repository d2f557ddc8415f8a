/* signal.c: tables of what is injected, step by step: .npy of f32 or f64, (samples) or (samples, points). */
#include "field_io/field_io.h"
#include "observe/observe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int check(const struct npy_header *header, const struct oocc_signal *signal, int64_t points) {
    const bool f32 = strcmp(header->descr, "<f4") == 0, series = signal->points < 0;
    if (!f32 && strcmp(header->descr, "<f8") != 0)
        return run_fail(OOCC_BAD_INPUT, "save it as array.astype(numpy.float64)",
                        "%s: a %s is '<f4' or '<f8', the file holds '%s'", signal->path, series ? "series" : "signal",
                        header->descr[0] != '\0' ? header->descr : "records");
    if (series && header->ndim != 1)
        return run_fail(OOCC_BAD_INPUT, "save an array of shape (samples)",
                        "%s: a series has one dimension, the file's array has %d", signal->path, header->ndim);
    if (header->ndim < 1 || header->ndim > 2)
        return run_fail(OOCC_BAD_INPUT, "save an array of shape (samples) or (samples, points)",
                        "%s: a signal has one or two dimensions, the file's array has %d", signal->path,
                        header->ndim);
    if (header->extent[0] < 1)
        return run_fail(OOCC_BAD_INPUT, "save at least one sample", "%s: the %s has no samples", signal->path,
                        series ? "series" : "signal");
    if (header->fortran && header->ndim > 1)
        return run_fail(OOCC_BAD_INPUT, "save it as numpy.ascontiguousarray(array)",
                        "%s: the file is in Fortran order, expected C order", signal->path);
    if (header->ndim == 2 && header->extent[1] != points)
        return run_fail(OOCC_BAD_INPUT,
                        "one column per point, or the shape (samples) to drive all points alike",
                        "%s: the signal has %" PRId64 " columns, but there are %" PRId64 " points",
                        signal->path, header->extent[1], points);
    return OOCC_OK;
}

/* The numbers are read to the end of their place, and widened from there to the front. */
static int read_values(int fd, int64_t file_bytes, const struct npy_header *header,
                       struct oocc_signal *signal) {
    const int64_t element = strcmp(header->descr, "<f4") == 0 ? 4 : 8;
    int64_t count, bytes, room;
    signal->samples = header->extent[0];
    signal->columns = header->ndim == 2 ? header->extent[1] : 1;
    if (__builtin_mul_overflow(signal->samples, signal->columns, &count) ||
        __builtin_mul_overflow(count, element, &bytes) || bytes != file_bytes - header->data_offset ||
        __builtin_mul_overflow(count, (int64_t)sizeof(double), &room))
        return run_fail(OOCC_BAD_INPUT, NULL, "%s: the file's length does not match its shape", signal->path);
    double *value = malloc((size_t)room);
    signal->value = value;
    if (value == NULL) return run_fail(OOCC_NO_MEMORY, NULL, "no memory for the signal %s", signal->path);
    char *data = (char *)value + room - bytes;
    const int status = field_read(fd, signal->path, data, bytes, header->data_offset);
    for (int64_t i = 0; status == OOCC_OK && element == 4 && i < count; i++) {
        float narrow;
        memcpy(&narrow, data + i * element, sizeof narrow);
        const double wide = (double)narrow;
        memcpy(&value[i], &wide, sizeof wide);
    }
    return status;
}

int signal_read(const struct oocc_program *program, struct oocc_signal *signal) {
    struct npy_header header = {0};
    int64_t bytes;
    int fd, status = field_open(signal->path, &fd, &bytes);
    if (status != OOCC_OK) return status;
    status = npy_read_header(fd, bytes, signal->path, &header);
    if (status == OOCC_OK)
        status = check(&header, signal, signal->points < 0 ? 1 : program->points[signal->points].points);
    if (status == OOCC_OK) status = read_values(fd, bytes, &header, signal);
    close(fd);
    return status;
}

void signal_free(struct oocc_signal *signal) {
    free((void *)(uintptr_t)signal->value);
    signal->value = NULL;
}
