/* The rows of records, which the home keeps until they are copied to the files that were asked for. */
#include "verify.h"

#include "support/calls.h"
#include "support/checksum.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int64_t CHUNK_BYTES = (int64_t)8 << 20;

/* Of one trace that is open: 0 or an errno. */
static int sum_rows(const struct trace_line *trace, const struct member_rows *rows, uint64_t *sum) {
    const int64_t at_once = oocc_max(1, CHUNK_BYTES / oocc_max(1, trace->row_bytes));
    char *data = malloc((size_t)oocc_max(1, oocc_min(at_once, trace->rows) * trace->row_bytes));
    if (!data) return ENOMEM;
    int error = 0;
    *sum = 0;
    for (int64_t row = 0, count; row < trace->rows && !error; row += count) {
        int64_t done;
        count = oocc_min(at_once, trace->rows - row);
        error = calls_read_all(rows->fd, data, count * trace->row_bytes, rows->offset + row * trace->row_bytes, 1, &done);
        if (!error) *sum = checksum_chain(*sum, data, count, trace->row_bytes);
    }
    free(data);
    return error;
}

static int scrub_trace(const struct described *d, const struct member *home, int index, struct findings *findings) {
    const struct trace_line *trace = &d->trace[index];
    char name[32];
    int64_t bytes, end;
    struct member_rows rows;
    uint64_t sum = 0;
    snprintf(name, sizeof name, "trace%d", index);
    findings->bands++;
    if (home->ops == &member_directory && faccessat(home->fd, name, F_OK, AT_SYMLINK_NOFOLLOW)) {
        say("%s/%s: is missing\n", home->path, name);
        findings->damaged++;
        return 0;
    }
    const int status = home->ops->open_rows(home, index, O_RDONLY, &rows);
    if (status) return status;
    const bool fits = !__builtin_mul_overflow(trace->rows, trace->row_bytes, &bytes) &&
                      !__builtin_add_overflow(rows.offset, bytes, &end) && bytes <= rows.bytes;
    if (fits) posix_fadvise(rows.fd, rows.offset, bytes, POSIX_FADV_DONTNEED); /* it is the disk that is asked */
    const int error = fits ? sum_rows(trace, &rows, &sum) : ENODATA;
    close(rows.fd);
    if (error == ENOMEM) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    if (!error) findings->bytes += bytes;
    if (!error && sum == trace->sum) return 0;
    *(error && error != ENODATA ? &findings->unread : &findings->damaged) += 1;
    if (error == ENODATA)
        say("%s/%s: the file ends before its %" PRId64 " rows of %" PRId64 " bytes do\n", home->path, name, trace->rows,
            trace->row_bytes);
    else if (error)
        say("%s/%s: cannot be read: %s\n", home->path, name, strerror(error));
    else
        say("%s/%s: rows 0 to %" PRId64 " (bytes %" PRId64 " to %" PRId64 ") do not match their checksum\n", home->path, name,
            trace->rows - 1, rows.offset, end - 1);
    return 0;
}

int scrub_traces(const struct described *described, struct store *store, struct findings *findings) {
    int status = 0;
    for (int i = 0; i < described->traces && !status; i++)
        status = scrub_trace(described, &store->member[0], i, findings);
    return status;
}
