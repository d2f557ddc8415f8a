/* import.c: initial values, made, read from files or asked of an application. In place the planes are where they belong. */
#include "storage/transfer.h"

#include "observe/observe.h"
#include "run/interrupt.h"
#include "storage/chunks.h"
#include "storage/parts.h"
#include "stream/window.h"
#include "support/point.h"

#include <stdlib.h>
#include <string.h>

/* Plane z from one plane of each coefficient; `from`: where planes of each lie. */
static void fill_from(const struct oocc_run *run, int field, int level, int64_t z, const struct place *from, const void **source,
                      void *cells) {
    const struct oocc_field *f = &run->program->field[field];
    for (int i = 0; i < f->sources; i++)
        source[i] = place_plane(from[i], z) + grid_origin_bytes(&run->grid.layout[f->source[i]]);
    f->fill_from(cells, source, z, -level);
}

/* Planes [lo, hi) of one level; a file is read, and an application is asked, by one thread. `from` is NULL where nothing is made from
 * anything. */
static int make_planes(const struct oocc_run *run, int field, int level, int64_t lo, int64_t hi,
                       struct place place, struct field_file *file, const struct place *from) {
    const struct oocc_field *f = &run->program->field[field];
    const bool given = run->given && run->given[field].fill;
    const void **source = from ? calloc((size_t)((hi - lo) * f->sources), sizeof *source) : NULL;
    int status = 0;
    if (from && !source) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
#pragma omp parallel for schedule(static) reduction(| : status) if (!file && !given)
    for (int64_t z = lo; z < hi; z++) {
        char *plane = place_plane(place, z), *cells = plane + grid_origin_bytes(&run->grid.layout[field]);
        if (status || interrupt_seen()) continue;
        memset(plane, 0, (size_t)run->grid.layout[field].plane_bytes);
        if (given)
            status = given_plane(run, field, level, z, cells);
        else if (file)
            status = field_file_read_plane(file, z, cells);
        else if (from)
            fill_from(run, field, level, z, from, source + (z - lo) * f->sources, cells);
        else if (f->fill)
            f->fill(cells, z, -level);
        if (f->ghosts) f->ghosts(cells, z, -level);
    }
    free(source);
    return status ? status : interrupt_seen() ? OOCC_STOPPED : 0;
}

static int check_planes(struct oocc_run *run, int field, int level, int64_t lo, int64_t hi,
                        struct place place) {
    const struct part part = {lo, hi, 0, run->grid.bands};
    finite_look(run, field, part, place);
    return run->observer->bad.found ? finite_fail(run, -level) : 0;
}

/* Planes [lo, hi) of what a field is made from, out of the store again. */
static int read_sources(struct oocc_run *run, int field, int64_t lo, int64_t hi, const struct place *from) {
    const struct oocc_field *f = &run->program->field[field];
    int status = 0;
    for (int i = 0; i < f->sources && !status; i++) {
        const struct region *region = store_region(run, f->source[i], 0);
        status = store_fetch(run, region, whole_planes(region, lo, hi), from[i]);
    }
    return status;
}

/* Where planes of the coefficients lie that a field is made from: in place, or behind the chunks of the field. `from` is to be freed, and
 * NULL where an application or nothing at all makes the field. */
static int place_sources(const struct oocc_run *run, int field, const struct chunks *c, struct place **from) {
    const struct oocc_field *f = &run->program->field[field];
    const bool given = run->given && run->given[field].fill;
    char *base = c ? run->rings->memory + c->planes * c->buffers * run->grid.layout[field].stride_bytes : NULL;
    *from = NULL;
    if (!f->fill_from || given) return 0;
    if (!(*from = calloc((size_t)f->sources, sizeof **from))) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    for (int i = 0; i < f->sources; i++) {
        const int64_t stride_bytes = run->grid.layout[f->source[i]].stride_bytes;
        (*from)[i] = c ? (struct place){.base = base, .planes = c->planes, .stride_bytes = stride_bytes} : window_place(run, f->source[i], 0);
        if (c) base += c->planes * stride_bytes;
    }
    return 0;
}

/* `made` of `levels` are done: for the progress line. */
static int make_level_stored(struct oocc_run *run, const struct region *region, struct field_file *file,
                             int made, int levels) {
    const int field = region->field;
    const int64_t stride_bytes = run->grid.layout[field].stride_bytes;
    struct chunks c = chunks_open(run, grid_made_bytes(run->program, &run->grid, field));
    const struct place place = chunks_place(run, &c, stride_bytes);
    struct place *from;
    int status = place_sources(run, field, &c, &from);
    for (int64_t lo = 0, i = 0; lo < region->planes && !status; lo += c.planes, i++) {
        const int64_t hi = oocc_min(lo + c.planes, region->planes);
        struct io_batch *batch = &c.batch[i % c.buffers];
        if ((status = io_batch_wait(batch)) || (from && (status = read_sources(run, field, lo, hi, from))) ||
            (status = make_planes(run, field, region->level, lo, hi, place, file, from)) ||
            (status = check_planes(run, field, region->level, lo, hi, place)))
            break;
        const double began = machine_seconds();
        store_seal(run, region, 0, 0, whole_planes(region, lo, hi), place);
        run->stats.check_seconds += machine_seconds() - began;
        if ((status = store_add(run, batch, region, 0, true, whole_planes(region, lo, hi), place))) break;
        io_batch_submit(run->store->engine, batch);
        progress_update("import", (made + (double)hi / (double)region->planes) / levels, &run->stats, 0);
        oocc_point(POINT_IMPORT_CHUNK);
    }
    for (int i = 0; i < 2 && !status; i++)
        status = io_batch_wait(&c.batch[i]);
    chunks_close(&c);
    free(from);
    return status;
}

static int make_level_in_place(struct oocc_run *run, int field, int level, struct field_file *file) {
    const struct place place = window_place(run, field, -level);
    struct place *from;
    int status = place_sources(run, field, NULL, &from);
    if (!status) status = make_planes(run, field, level, 0, run->grid.planes, place, file, from);
    if (!status) status = check_planes(run, field, level, 0, run->grid.planes, place);
    free(from);
    return status;
}

static int make_level(struct oocc_run *run, int field, int level, int made, int levels) {
    const struct oocc_field *f = &run->program->field[field];
    struct field_file *file = NULL;
    const bool given = run->given && run->given[field].fill;
    int status = f->path && !given ? field_file_open(f->path, run->program, field, &run->grid, &file) : 0;
    if (status) return status;
    if (run->plan.in_place)
        status = make_level_in_place(run, field, level, file);
    else
        status = make_level_stored(run, store_region(run, field, level), file, made, levels);
    if (file) {
        const int closed = field_file_close(file, true);
        status = status ? status : closed;
    }
    return status;
}

int import_fields(struct oocc_run *run) {
    const double began = machine_seconds();
    const struct oocc_program *program = run->program;
    int status = 0, made = 0, levels = 0;
    for (int f = 0; f < program->fields; f++)
        levels += program->field[f].levels;
    oocc_point(POINT_IMPORT_BEGIN);
    for (int coefs = 1; coefs >= 0 && !status; coefs--) /* which states are made from */
        for (int f = 0; f < program->fields && !status; f++)
            for (int level = 0; level < program->field[f].levels && program->field[f].coef == coefs && !status; level++) {
                progress_update("import", (double)made / levels, &run->stats, 0);
                status = make_level(run, f, level, made++, levels);
            }
    if (status) return status;
    oocc_point(POINT_IMPORT_MADE);
    if (!run->plan.in_place) {
        window_clear(run->rings);
        status = store_advance(run, 0, 0);
        run->stats.commit_seconds = 0; /* that of the import is in its time */
        engine_take_counts(run->store->engine, &run->stats.import_read_bytes, &run->stats.import_write_bytes, &run->stats.requests);
    }
    run->stats.import_seconds = machine_seconds() - began;
    oocc_point(POINT_IMPORT_DONE);
    return status;
}
