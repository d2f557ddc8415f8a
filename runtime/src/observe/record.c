/*
 * record.c: traces, the values of a field at points. Generated code leaves the weighted value of every cell in a
 * buffer; after a pass the cells of a point are added up in their order and the rows are written.
 *
 * Row k, of the sample at level (k + 1) * every, has its place in the file, so a pass that is repeated writes the same
 * rows again. Where the state is kept to be resumed, so are the rows: in the scratch, without a header, and on
 * stable storage before the manifest says that the level is reached. When the run is done they are copied to the
 * file that was asked for.
 */
#include "field_io/beside.h"
#include "field_io/field_io.h"
#include "observe/element.h"
#include "observe/observe.h"
#include "storage/store.h"
#include "support/calls.h"
#include "support/checksum.h"
#include "support/point.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEADER_BYTES = 128, COPY_BYTES = 1 << 20 };

struct trace {
    struct oocc_record *record;
    enum oocc_type type;
    int64_t element_bytes, points, row_bytes;
    int64_t *first_slot; /* per point, and one more */
    int fd;              /* of the rows */
    int64_t offset;      /* of row 0 */
    int64_t room;        /* for rows */
    char name[32];       /* in the scratch; empty: the rows go to `beside` */
    uint64_t sum;        /* of the rows in the scratch, with those that are being written */
    struct beside beside;
};

/* -- opening ----------------------------------------------------------------------------------------------- */

/* The cells of a point follow each other in the order of slots. */
static int find_slots(struct trace *trace, const struct oocc_points *set) {
    trace->first_slot = calloc((size_t)set->points + 1, sizeof *trace->first_slot);
    if (trace->first_slot == NULL) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    for (int64_t i = 0; i < set->cells; i++)
        trace->first_slot[set->cell[i].point + 1]++;
    for (int64_t i = 0; i < set->points; i++)
        trace->first_slot[i + 1] += trace->first_slot[i];
    return OOCC_OK;
}

static int64_t samples_at(const struct trace *trace, int64_t level) {
    return level / observe_every(trace->record->every);
}

static int reserve(const struct oocc_run *run, const struct trace *trace) {
    int64_t bytes;
    char text[32];
    if (__builtin_mul_overflow(samples_at(trace, run->steps), trace->row_bytes, &bytes) ||
        __builtin_add_overflow(bytes, trace->offset, &bytes))
        return run_fail(OOCC_NO_SPACE, "record less often", "the traces %s do not fit 63 bits",
                        trace->record->path);
    if (bytes - trace->offset > trace->room) {
        char there[32];
        return run_fail(OOCC_NO_SPACE, "record less often, or choose another place with --scratch",
                        "the traces %s need %s on %s, which has room for %s", trace->record->path,
                        format_bytes(text, bytes - trace->offset), run->store->member[0].path,
                        format_bytes(there, trace->room));
    }
    /* Not every file system can tell, and a device has all of its space. */
    if (bytes > 0 && calls_reserve(trace->fd, bytes) != 0 &&
        (errno == ENOSPC || errno == EDQUOT || errno == EIO))
        return run_fail(run_io_status(errno), "record less often", "cannot reserve %s for the traces %s: %s",
                        format_bytes(text, bytes), trace->record->path, strerror(errno));
    return OOCC_OK;
}

static int open_in_scratch(struct oocc_run *run, struct trace *trace, int index) {
    const struct member *home = &run->store->member[0];
    struct member_rows rows;
    snprintf(trace->name, sizeof trace->name, "trace%d", index);
    const int status = home->ops->open_rows(home, index, O_RDWR | (run->store->whole ? 0 : O_CREAT | O_EXCL), &rows);
    trace->fd = rows.fd;
    trace->offset = rows.offset;
    trace->room = rows.room;
    oocc_point(POINT_RECORD_OPENED);
    if (status == OOCC_OK && rows.bytes < samples_at(trace, run->level) * trace->row_bytes)
        return run_fail(OOCC_CORRUPT, "--restart discards the scratch and begins again",
                        "%s/%s is damaged: the traces up to level %" PRId64 " are not all there", home->path,
                        trace->name, run->level);
    return status;
}

int record_most_bytes(const struct oocc_run *run, int64_t *bytes) {
    *bytes = 0;
    for (int i = 0; i < run->program->records; i++) {
        const struct oocc_record *record = &run->program->record[i];
        const int64_t row = run->program->points[record->points].points *
                            run->grid.layout[record->field].element_bytes;
        int64_t all;
        if (__builtin_mul_overflow(run->steps / observe_every(record->every), row, &all))
            return run_fail(OOCC_NO_SPACE, "record less often", "the traces %s do not fit 63 bits", record->path);
        *bytes = oocc_max(*bytes, all);
    }
    return OOCC_OK;
}

static int open_trace(struct oocc_run *run, int index) {
    const struct oocc_program *program = run->program;
    struct trace *trace = &run->observer->trace[index];
    struct oocc_record *record = &program->record[index];
    const struct oocc_points *set = &program->points[record->points];
    trace->record = record;
    trace->type = program->field[record->field].type;
    trace->element_bytes = run->grid.layout[record->field].element_bytes;
    trace->points = set->points;
    trace->row_bytes = set->points * trace->element_bytes;
    record->slots = set->cells;
    const int64_t samples = (oocc_max(run->plan.bt, 1) - 1) / observe_every(record->every) + 1;
    record->value = malloc((size_t)(samples * set->cells) * sizeof *record->value);
    if (record->value == NULL) return run_fail(OOCC_NO_MEMORY, NULL, "no memory for the traces of a pass");
    int status = find_slots(trace, set);
    if (status != OOCC_OK) return status;
    if (run->store != NULL && run->store->kept) {
        status = open_in_scratch(run, trace, index);
    } else {
        status = beside_create(&trace->beside, record->path);
        trace->fd = trace->beside.fd;
        trace->offset = HEADER_BYTES;
        trace->room = INT64_MAX;
    }
    return status != OOCC_OK ? status : reserve(run, trace);
}

int record_open(struct oocc_run *run) {
    const int records = run->program->records;
    struct trace *trace = calloc((size_t)records + 1, sizeof *trace);
    run->observer->trace = trace;
    if (trace == NULL) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    for (int i = 0; i < records; i++)
        trace[i].fd = -1;
    int status = OOCC_OK;
    for (int i = 0; i < records && status == OOCC_OK; i++)
        status = open_trace(run, i);
    return status;
}

int record_extend(const struct oocc_run *run) {
    int status = OOCC_OK;
    for (int i = 0; i < run->program->records && status == OOCC_OK; i++)
        status = reserve(run, &run->observer->trace[i]);
    return status;
}

void record_close(struct oocc_run *run) {
    for (int i = 0; i < run->program->records && run->observer->trace != NULL; i++) {
        struct trace *trace = &run->observer->trace[i];
        if (trace->name[0] != '\0' && trace->fd >= 0) close(trace->fd);
        beside_close(&trace->beside, false);
        free(trace->first_slot);
        free(run->program->record[i].value);
        run->program->record[i].value = NULL;
    }
    free(run->observer->trace);
    run->observer->trace = NULL;
}

/* -- a pass ------------------------------------------------------------------------------------------------- */

void record_begin(struct oocc_run *run, const struct oocc_pass *pass) {
    for (int i = 0; i < run->program->records; i++) {
        struct oocc_record *record = &run->program->record[i];
        const int64_t every = observe_every(record->every);
        record->first_level = (pass->t0 / every + 1) * every;
    }
}

/* The rows take the place of the values they are made of: they are never longer. */
static void make_rows(const struct trace *trace, int64_t samples) {
    double *value = trace->record->value;
    char *to = (char *)value;
    for (int64_t s = 0; s < samples; s++)
        for (int64_t p = 0; p < trace->points; p++, to += trace->element_bytes) {
            const double *cell = &value[s * trace->record->slots];
            double sum = cell[trace->first_slot[p]];
            for (int64_t i = trace->first_slot[p] + 1; i < trace->first_slot[p + 1]; i++)
                sum += cell[i];
            element_put(to, trace->type, sum);
        }
}

/* The file that rows are written to, for messages. */
static const char *path_of(char *buffer, size_t size, const struct oocc_run *run, const struct trace *trace) {
    if (trace->name[0] == '\0') return trace->record->path;
    snprintf(buffer, size, "%s/%s", run->store->member[0].path, trace->name);
    return buffer;
}

int record_write(struct oocc_run *run, const struct oocc_pass *pass) {
    for (int i = 0; i < run->program->records; i++) {
        struct trace *trace = &run->observer->trace[i];
        const int64_t before = samples_at(trace, pass->t0),
                      samples = samples_at(trace, pass->t0 + pass->bt) - before;
        if (samples == 0) continue;
        make_rows(trace, samples);
        if (trace->name[0] != '\0')
            trace->sum = checksum_chain(run->store->trace_sum[i], trace->record->value, samples, trace->row_bytes);
        char buffer[PATH_MAX + sizeof trace->name];
        const char *path = path_of(buffer, sizeof buffer, run, trace);
        const int status = field_write(trace->fd, path, trace->record->value, samples * trace->row_bytes,
                                       trace->offset + before * trace->row_bytes);
        oocc_point(POINT_RECORD_WRITTEN);
        if (status != OOCC_OK) return status;
    }
    /* All of them count, or none: the level that the pass began with can still be committed. */
    for (int i = 0; i < run->program->records; i++) {
        const struct trace *trace = &run->observer->trace[i];
        const bool more = samples_at(trace, pass->t0 + pass->bt) > samples_at(trace, pass->t0);
        if (more && trace->name[0] != '\0') run->store->trace_sum[i] = trace->sum;
    }
    return OOCC_OK;
}

int record_sync(const struct oocc_run *run) {
    for (int i = 0; i < run->program->records && run->observer->trace != NULL; i++) {
        const struct trace *trace = &run->observer->trace[i];
        char buffer[PATH_MAX + sizeof trace->name];
        if (trace->name[0] != '\0' && trace->fd >= 0 && calls_fdatasync(trace->fd) != 0)
            return beside_cannot_sync(path_of(buffer, sizeof buffer, run, trace), errno);
        oocc_point(POINT_RECORD_SYNCED);
    }
    return OOCC_OK;
}

/* -- the end ------------------------------------------------------------------------------------------------ */

static int write_header(const struct trace *trace, int64_t samples) {
    char header[2 * HEADER_BYTES];
    const struct field_shape shape = {
        .path = trace->record->path, .type = trace->type, .ndim = 2, .extent = {samples, trace->points}};
    if (field_format_npy.make_header(&shape, header, sizeof header) != HEADER_BYTES)
        return run_fail(OOCC_INTERNAL, NULL, "the header of %s has another length", trace->record->path);
    return field_write(trace->beside.fd, trace->record->path, header, HEADER_BYTES, 0);
}

/* Some rows at once; one that is longer than the buffer has room where the values were. */
static int copy_rows(const struct trace *trace, int64_t samples, const char *home, uint64_t wanted) {
    const int64_t at_once = COPY_BYTES / oocc_max(trace->row_bytes, 1), bytes = samples * trace->row_bytes;
    char *const buffer = at_once > 0 ? malloc(COPY_BYTES) : NULL;
    char *const data = at_once > 0 ? buffer : (char *)trace->record->value;
    if (data == NULL) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    uint64_t sum = 0;
    int status = OOCC_OK;
    for (int64_t row = 0, rows; row < samples && status == OOCC_OK; row += rows) {
        rows = oocc_min(oocc_max(at_once, 1), samples - row);
        const int64_t at = row * trace->row_bytes, count = rows * trace->row_bytes;
        int64_t done;
        const int error = calls_read_all(trace->fd, data, count, trace->offset + at, 1, &done);
        status = error ? member_failed("read", home, trace->name, trace->offset + at + done, error)
                       : field_write(trace->beside.fd, trace->record->path, data, count, HEADER_BYTES + at);
        sum = checksum_chain(sum, data, rows, trace->row_bytes);
    }
    free(buffer);
    if (status != OOCC_OK || sum == wanted) return status;
    return run_fail(
        OOCC_CORRUPT, "the device returned other bytes than were stored; begin again with --restart",
        "%s/%s is damaged: rows 0 to %" PRId64 " (bytes %" PRId64 " to %" PRId64
        ") of the traces %s do not match their checksum",
        home, trace->name, samples - 1, trace->offset, trace->offset + bytes - 1, trace->record->path);
}

int record_finish(struct oocc_run *run) {
    int status = OOCC_OK;
    for (int i = 0; i < run->program->records && status == OOCC_OK; i++) {
        struct trace *trace = &run->observer->trace[i];
        const int64_t samples = samples_at(trace, run->level), bytes = samples * trace->row_bytes;
        if (trace->name[0] != '\0' &&
            (status = beside_create(&trace->beside, trace->record->path)) == OOCC_OK)
            status = copy_rows(trace, samples, run->store->member[0].path, run->store->trace_sum[i]);
        if (status == OOCC_OK) status = write_header(trace, samples);
        /* What was reserved for samples that were never taken. */
        if (status == OOCC_OK && calls_truncate(trace->beside.fd, HEADER_BYTES + bytes) != 0)
            status = run_fail(run_io_status(errno), run_io_help(errno), "cannot shorten %s to %" PRId64 " bytes: %s",
                              trace->record->path, HEADER_BYTES + bytes, strerror(errno));
        oocc_point(POINT_RECORD_COPIED);
        const int closed = beside_close(&trace->beside, status == OOCC_OK);
        if (status == OOCC_OK) status = closed;
    }
    return status;
}
