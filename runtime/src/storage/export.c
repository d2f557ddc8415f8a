/* export.c: results to files, and their hash. In place the planes are where they belong. */
#include "storage/transfer.h"

#include "observe/observe.h"
#include "run/interrupt.h"
#include "storage/chunks.h"
#include "storage/store.h"
#include "stream/window.h"
#include "support/checksum.h"
#include "support/point.h"

#include <stdlib.h>

struct export {
    struct oocc_run *run;
    struct field_file **file; /* one per output; NULL: it is not written now */
    char **name;              /* of the files */
    uint64_t *hash;           /* one per plane of the state, field by field; NULL: no hash is wanted */
    int64_t hashes;
    int64_t done, total; /* planes */
};

static int emit_planes(struct export *e, int field, int64_t lo, int64_t hi, struct place place) {
    const struct oocc_run *run = e->run;
    const struct oocc_grid *grid = &run->grid;
    const struct oocc_layout *layout = &grid->layout[field];
    const int64_t origin = grid_origin_bytes(layout);
    if (e->hash && !run->program->field[field].coef) {
#pragma omp parallel for schedule(static)
        for (int64_t z = lo; z < hi; z++)
            e->hash[e->hashes + z - lo] = checksum_rows(place_plane(place, z) + origin, grid->rows,
                                                        oocc_cells(grid, z) * layout->element_bytes,
                                                        layout->row_elements * layout->element_bytes);
        e->hashes += hi - lo;
    }
    int status = 0;
    for (int i = 0; i < run->program->outputs; i++)
        for (int64_t z = lo; z < hi && e->file[i] && run->program->output[i].field == field && !status; z++)
            status = interrupt_seen() ? OOCC_STOPPED
                                      : field_file_write_plane(e->file[i], z, place_plane(place, z) + origin);
    oocc_point(POINT_EXPORT_PLANES);
    e->done += hi - lo;
    progress_update("export", (double)e->done / (double)e->total, &run->stats, 0);
    return status;
}

static int read_chunk(struct oocc_run *run, struct chunks *c, const struct region *region, int64_t i) {
    const int64_t lo = i * c->planes, hi = oocc_min(lo + c->planes, region->planes);
    struct io_batch *batch = &c->batch[i % c->buffers];
    if (lo >= region->planes) return 0;
    const int status =
        store_add(run, batch, region, run->store->generation, false, whole_planes(region, lo, hi),
                  chunks_place(run, c, run->grid.layout[region->field].stride_bytes));
    if (!status) io_batch_submit(run->store->engine, batch);
    return status;
}

static int export_stored(struct export *e, const struct region *region) {
    struct oocc_run *run = e->run;
    const int64_t stride_bytes = run->grid.layout[region->field].stride_bytes;
    struct chunks c = chunks_open(run, stride_bytes);
    const struct place place = chunks_place(run, &c, stride_bytes);
    const int64_t ahead = c.buffers - 1;
    int status = ahead ? read_chunk(run, &c, region, 0) : 0;
    for (int64_t lo = 0, i = 0; lo < region->planes && !status; lo += c.planes, i++) {
        const int64_t hi = oocc_min(lo + c.planes, region->planes);
        if ((status = read_chunk(run, &c, region, i + ahead)) ||
            (status = io_batch_wait(&c.batch[i % c.buffers])))
            break;
        const double began = machine_seconds();
        status = store_verify(run, region, run->store->generation, run->level, whole_planes(region, lo, hi), place);
        run->stats.check_seconds += machine_seconds() - began;
        if (!status) status = interrupt_seen() ? OOCC_STOPPED : emit_planes(e, region->field, lo, hi, place);
    }
    chunks_close(&c);
    return status;
}

/* The state is read even when it is not an output: the hash tells results apart. */
static bool is_wanted(const struct export *e, int field) {
    const struct oocc_program *program = e->run->program;
    const struct oocc_field *f = &program->field[field];
    bool wanted = e->hash && !f->coef && f->levels > 0;
    for (int i = 0; i < program->outputs; i++)
        wanted |= program->output[i].field == field && e->file[i];
    return wanted;
}

static int export_all(struct export *e) {
    struct oocc_run *run = e->run;
    int status = 0, region = 0;
    for (int f = 0; f < run->program->fields && !status; region += run->program->field[f++].levels) {
        if (!is_wanted(e, f)) continue;
        if (run->plan.in_place) {
            status = emit_planes(e, f, 0, run->grid.planes, window_place(run, f, 0));
        } else {
            status = export_stored(e, &run->store->region[region]);
        }
    }
    return status;
}

/* An output that is due at the end of the run, or at the present level of a run that goes on. */
static bool is_due(const struct oocc_run *run, const struct oocc_output *output, bool end) {
    return output->every ? !end && run->level % *output->every == 0 : end;
}

static int open_outputs(struct export *e, bool end) {
    const struct oocc_run *run = e->run;
    const struct oocc_program *program = run->program;
    int status = 0;
    for (int i = 0; i < program->outputs && !status; i++) {
        const struct oocc_output *output = &program->output[i];
        if (!is_due(run, output, end)) continue;
        if (!(e->name[i] = output_name(output->path, run->level)))
            return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
        status = field_file_create(e->name[i], program, output->field, &run->grid, &e->file[i]);
    }
    for (int f = 0; f < program->fields && !status; f++)
        e->total += is_wanted(e, f) ? run->grid.planes : 0;
    return status;
}

static int close_outputs(struct export *e, int status) {
    for (int i = 0; i < e->run->program->outputs && e->file && e->name; i++) {
        if (e->file[i]) {
            const int closed = field_file_close(e->file[i], !status);
            status = status ? status : closed;
        }
        free(e->name[i]);
    }
    free(e->file);
    free(e->name);
    return status;
}

static int write_outputs(struct oocc_run *run, bool end) {
    const struct oocc_program *program = run->program;
    const double began = machine_seconds();
    struct export e = {.run = run};
    int64_t states = 0;
    for (int f = 0; f < program->fields; f++)
        states += !program->field[f].coef && program->field[f].levels > 0;
    e.file = calloc((size_t)program->outputs + 1, sizeof(struct field_file *));
    e.name = calloc((size_t)program->outputs + 1, sizeof *e.name);
    e.hash = end ? calloc((size_t)(states * run->grid.planes) + 1, sizeof *e.hash) : NULL;
    int status = e.file && e.name && (e.hash || !end) ? 0 : run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    oocc_point(POINT_EXPORT_BEGIN);
    if (!status) status = open_outputs(&e, end);
    if (!status) status = export_all(&e);
    status = close_outputs(&e, status);
    if (!status && end) run->stats.result_hash = checksum_bytes(e.hash, (size_t)e.hashes * sizeof *e.hash);
    if (run->store)
        engine_take_counts(run->store->engine, &run->stats.export_read_bytes, NULL, &run->stats.requests);
    run->stats.export_seconds += machine_seconds() - began;
    free(e.hash);
    oocc_point(POINT_EXPORT_DONE);
    return status;
}

int export_level(struct oocc_run *run) {
    bool due = false;
    for (int i = 0; i < run->program->outputs && run->level > 0; i++)
        due |= is_due(run, &run->program->output[i], false);
    if (!due) return 0;
    const int status = write_outputs(run, false);
    if (!status && !run->plan.in_place) window_clear(run->rings);
    return status;
}

int export_fields(struct oocc_run *run) {
    return write_outputs(run, true);
}
