/*
 * Two columns that lean are as two tiles of one that share a window: the second finds there what the first has made of the slab, and what
 * of it the first has not overwritten is what the second reads (compiler/plan/legality.cpp). So after slab i of the first column all that
 * it has made beside the line between them is taken out, level by level, and put in the same places of the window before slab i of the
 * second. A place where the first has overwritten one level by a later one is never read as the one before.
 *
 * A column between two others puts in record i, computes, and takes out its own record i, which goes to the same place of the file: the
 * old one has been read by then.
 */
#include "stream/strips.h"

#include "plan/strip.h"
#include "storage/store.h"
#include "stream/window.h"
#include "support/calls.h"
#include "support/checksum.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct strips {
    struct io_file file[MEMBERS_MOST]; /* of each member of the scratch; records go to them in turn */
    char *name[MEMBERS_MOST];
    int files;
    int64_t units; /* strips of one level of one field, in the record of the deepest pass */
    int64_t slabs;
    uint64_t *sum; /* of every unit of every record */
    struct io_batch read, write;
};

static bool moves(const struct oocc_run *run) {
    return run->strips && !run->trial;
}

/* -- files ------------------------------------------------------------------------------------------------------- */

/* What a run that was killed just here has left of the name is of no use. */
static int make_file(const struct member *m, struct io_file *file) {
    char text[32];
    if (calls_unlinkat(m->fd, "strips", 0) && errno != ENOENT) return member_failed("remove", m->path, "strips", -1, errno);
    file->fd = calls_openat(m->fd, "strips", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file->fd < 0) return member_cannot("create", m->path, "strips", errno);
    if (calls_unlinkat(m->fd, "strips", 0)) return member_failed("remove", m->path, "strips", -1, errno);
    const int error = calls_allocate(file->fd, file->bytes);
    if (error == EINTR) return OOCC_STOPPED;
    if (!error) return 0;
    return run_fail(error == EIO ? OOCC_IO_ERROR : OOCC_NO_SPACE, "--column-sides halo needs no such file",
                    "cannot reserve %s for %s: %s", format_bytes(text, file->bytes), file->name, strerror(error));
}

static int64_t record_bytes(const struct oocc_run *run, int64_t bt, int64_t bz) {
    return strip_bytes(run->program, &run->grid, run->plan.cut, bt, bz);
}

static int open_files(struct oocc_run *run, struct strips *s) {
    struct store *store = run->store;
    const int64_t records = (s->slabs - 1) / store->members + 1;
    for (int m = 0; m < store->members; m++) {
        struct io_file *file = &s->file[m];
        *file = (struct io_file){.fd = -1, .index = -1, .request_bytes = run->plan.io_request_bytes};
        if (__builtin_mul_overflow(records, record_bytes(run, run->plan.bt, run->plan.bz), &file->bytes))
            return run_fail(OOCC_NO_SPACE, "--column-sides halo needs no strips", "strips between columns do not fit 63 bits");
        if (asprintf(&s->name[m], "%s/strips", store->member[m].path) < 0) {
            s->name[m] = NULL;
            return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
        }
        file->name = s->name[m];
        s->files++;
        int status = make_file(&store->member[m], file);
        if (!status) status = store->engine->ops->attach(store->engine, file);
        if (status) return status;
        file->attached = true;
    }
    return 0;
}

int strips_open(struct oocc_run *run) {
    if (run->trial || run->plan.cut.columns <= 1 || !run->plan.cut.leans) return 0;
    struct strips *s = run->strips = calloc(1, sizeof *s);
    if (!s) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    io_batch_init(&s->read);
    io_batch_init(&s->write);
    s->units = run->program->fields * run->plan.bt;
    s->slabs = strip_slabs(run->program, &run->grid, run->plan.bt, run->plan.bz);
    s->sum = calloc((size_t)(s->units * s->slabs) + 1, sizeof *s->sum);
    return s->sum ? open_files(run, s) : run_fail(OOCC_NO_MEMORY, NULL, "no memory for the checksums of strips");
}

void strips_close(struct oocc_run *run) {
    struct strips *s = run->strips;
    if (!s || run->trial) return;
    strips_abandon(run);
    for (int m = 0; m < s->files; m++) {
        if (s->file[m].attached) run->store->engine->ops->detach(run->store->engine, &s->file[m]);
        if (s->file[m].fd >= 0) close(s->file[m].fd);
        free(s->name[m]);
    }
    io_batch_free(&s->read);
    io_batch_free(&s->write);
    free(s->sum);
    free(s);
    run->strips = NULL;
}

/* -- between window and buffer ----------------------------------------------------------------------------------- */

/* One level of one field, in a buffer. */
struct unit {
    int field;
    int64_t step;
    struct strip strip;
    char *data;
    int64_t bytes;
};

static struct unit unit_of(const struct oocc_pass *pass, char *buffer, int field, int64_t step) {
    struct unit u = {.field = field, .step = step};
    u.strip = strip_of(pass->run->program, pass->grid, field, pass->bt, pass->bz);
    u.bytes = u.strip.planes * u.strip.plane_bytes;
    u.data = buffer + u.strip.offset + (step - 1) * u.bytes;
    return u;
}

/* Cells of whole rows with their ghosts, in planes of the slab that there are; the line is at row `outer` in step 1. Rows below those
 * that the window holds are not read. */
static void copy_unit(const struct oocc_pass *pass, int64_t slab, const struct unit *u, int64_t outer, bool out) {
    const struct oocc_run *run = pass->run;
    const struct oocc_field *field = &run->program->field[u->field];
    const struct oocc_layout *layout = &pass->grid->layout[u->field];
    const int64_t lag = u->step * run->program->step_delay;
    const int64_t lo = oocc_slab_lo(pass, slab) - lag - field->delay_planes, hi = oocc_slab_hi(pass, slab) - lag - field->made_planes;
    const int64_t begin = strip_row(run->program, u->field, outer, u->step), end = begin + u->strip.rows;
    const int64_t first = oocc_max(begin, run->rings->first_row);
    const int64_t before = field->ghost_lo_cells * layout->element_bytes;
    const int64_t row = (pass->grid->cells + field->ghost_lo_cells + field->ghost_hi_cells) * layout->element_bytes;
    const int64_t bytes = (end - first) * u->strip.row_bytes - layout->row_elements * layout->element_bytes + row;
    for (int64_t z = oocc_max(lo, pass->first); z < oocc_min(hi, pass->end) && first < end; z++) {
        char *there = (char *)oocc_plane(pass, u->field, u->step, z) + first * u->strip.row_bytes - before;
        char *here = u->data + (z - lo) * u->strip.plane_bytes + (first - begin) * u->strip.row_bytes;
        if (out)
            memcpy(here, there, (size_t)bytes);
        else
            memcpy(there, here, (size_t)bytes);
    }
}

static uint64_t *sum_of(const struct oocc_pass *pass, int64_t slab, const struct unit *u) {
    const struct strips *s = pass->run->strips;
    return &s->sum[slab * s->units + u->field * pass->bt + u->step - 1];
}

static int damaged(const struct oocc_pass *pass, int64_t slab, int64_t bad) {
    const struct oocc_run *run = pass->run;
    const struct strips *s = run->strips;
    const int field = (int)(bad / pass->bt);
    const int64_t step = bad % pass->bt + 1;
    const struct unit u = unit_of(pass, NULL, field, step);
    return run_fail(OOCC_CORRUPT, "the device returned other bytes than were stored; begin again with --resume",
                    "%s is damaged: field %s, level %" PRId64 " of slab %" PRId64 " (byte %" PRId64 ") does not match its checksum",
                    s->file[slab % s->files].name, run->program->field[field].name, pass->t0 + step, slab,
                    slab / s->files * record_bytes(run, pass->bt, pass->bz) + u.strip.offset + (step - 1) * u.bytes);
}

/* All units of a record, by all threads; 0 or 76. */
static int copy_record(const struct oocc_pass *pass, int64_t slab, char *buffer, int64_t outer, bool out) {
    struct oocc_run *run = pass->run;
    const bool checks = moves(run);
    int64_t bad = INT64_MAX;
#pragma omp parallel for schedule(static) collapse(2) reduction(min : bad)
    for (int f = 0; f < run->program->fields; f++)
        for (int64_t step = 1; step <= pass->bt; step++) {
            const struct unit u = unit_of(pass, buffer, f, step);
            if (u.bytes == 0) continue;
            if (!out && checks && checksum_bytes(u.data, (size_t)u.bytes) != *sum_of(pass, slab, &u))
                bad = oocc_min(bad, f * pass->bt + step - 1);
            copy_unit(pass, slab, &u, outer, out);
            if (out && checks) *sum_of(pass, slab, &u) = checksum_bytes(u.data, (size_t)u.bytes);
        }
    return bad == INT64_MAX ? 0 : damaged(pass, slab, bad);
}

/* -- the column -------------------------------------------------------------------------------------------------- */

static char *buffer_in(const struct oocc_run *run) {
    return run->rings->strip[0];
}

static char *buffer_out(const struct oocc_run *run) {
    return run->rings->strip[strip_buffers(run->plan.cut) - 1];
}

static int transfer(struct oocc_run *run, const struct oocc_pass *pass, struct io_batch *batch, bool write, char *data, int64_t slab) {
    struct strips *s = run->strips;
    const int64_t bytes = record_bytes(run, pass->bt, pass->bz);
    const int status = io_batch_add(batch, &s->file[slab % s->files], write, data, bytes, slab / s->files * bytes);
    if (!status) io_batch_submit(run->store->engine, batch);
    return status;
}

int strips_begin(struct oocc_run *run, const struct oocc_pass *pass) {
    if (!moves(run) || !pass->leans || pass->bt == 0) return 0;
    return transfer(run, pass, &run->strips->read, false, buffer_in(run), 0);
}

static int take(const struct oocc_pass *pass, int64_t slab) {
    struct oocc_run *run = pass->run;
    if (!moves(run)) return copy_record(pass, slab, buffer_in(run), pass->outer_lo, false);
    struct strips *s = run->strips;
    const double began = machine_seconds();
    int status = io_batch_wait(&s->read);
    run->stats.read_wait_seconds += machine_seconds() - began;
    if (!status) status = copy_record(pass, slab, buffer_in(run), pass->outer_lo, false);
    if (!status && slab + 1 < pass->slabs) status = transfer(run, pass, &s->read, false, buffer_in(run), slab + 1);
    return status;
}

static int leave(const struct oocc_pass *pass, int64_t slab) {
    struct oocc_run *run = pass->run;
    if (!moves(run)) return copy_record(pass, slab, buffer_out(run), pass->outer_hi, true);
    struct strips *s = run->strips;
    const double began = machine_seconds();
    int status = io_batch_wait(&s->write);
    run->stats.write_wait_seconds += machine_seconds() - began;
    if (!status) status = copy_record(pass, slab, buffer_out(run), pass->outer_hi, true);
    return status ? status : transfer(run, pass, &s->write, true, buffer_out(run), slab);
}

int strips_take(const struct oocc_pass *pass, int64_t slab) {
    return pass->leans && pass->bt > 0 ? take(pass, slab) : 0;
}

int strips_leave(const struct oocc_pass *pass, int64_t slab) {
    const struct cut cut = pass->run->plan.cut;
    return cut.leans && pass->inner_hi && pass->bt > 0 ? leave(pass, slab) : 0;
}

int strips_finish(struct oocc_run *run) {
    if (!moves(run)) return 0;
    const double began = machine_seconds();
    const int status = io_batch_wait(&run->strips->write);
    run->stats.write_wait_seconds += machine_seconds() - began;
    return status;
}

void strips_abandon(struct oocc_run *run) {
    if (!moves(run)) return;
    io_batch_drain(&run->strips->read);
    io_batch_drain(&run->strips->write);
}
