/* The lines of a manifest that say what is stored, and how it lies (docs/formats/manifest.md). They are sealed: what is
 * wrong with them was wrong when they were written, so a few words do. */
#include "verify.h"

#include "storage/scratch.h"
#include "support/element.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MOST = 1 << 16 };

static int damaged(const struct store *store, const char *what) {
    char name[4200];
    return run_fail(OOCC_CORRUPT, NULL, "%s is damaged: %s", scratch_manifest_name(store, name), what);
}

static void next_line(char **at) {
    *at += strcspn(*at, "\n");
    *at += **at == '\n';
}

static bool begins(const char *at, const char *word) {
    return !strncmp(at, word, strlen(word));
}

static void skip(char **at, const char *word) {
    while (begins(*at, word))
        next_line(at);
}

static bool take_grid(char **at, struct oocc_grid *grid) {
    char dim[256];
    for (; begins(*at, "extent "); next_line(at))
        if (grid->ndim == OOCC_MAX_DIMS ||
            sscanf(*at, "extent %255s %" SCNd64, dim, &grid->extent[grid->ndim++]) != 2)
            return false;
    if (sscanf(*at, "planes %" SCNd64 " rows %" SCNd64 " cells %" SCNd64 " bands %" SCNd64 " of %" SCNd64, &grid->planes,
               &grid->rows, &grid->cells, &grid->bands, &grid->band_rows) != 5)
        return false;
    next_line(at);
    return grid->ndim > 0 && grid->planes > 0 && grid->rows > 0 && grid->bands > 0 &&
           (grid->bands == 1 || grid->extent[1] > 0);
}

static bool find_type(const char *name, enum oocc_type *type) {
    static const enum oocc_type types[] = {OOCC_BOOL, OOCC_INT, OOCC_F32, OOCC_F64, OOCC_U8, OOCC_I32};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(element_of(types[i])->name, name)) return *type = types[i], true;
    return false;
}

/* Room for field `index`; those between, which are not stored, have no levels. */
static int reserve(struct described *d, int index) {
    const size_t fields = (size_t)index + 1;
    struct oocc_field *field = realloc(d->field, fields * sizeof *field);
    if (field) d->field = field;
    struct oocc_layout *layout = realloc(d->layout, fields * sizeof *layout);
    if (layout) d->layout = layout;
    char **name = realloc(d->name, fields * sizeof *name);
    if (name) d->name = name;
    if (!field || !layout || !name) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    for (int f = d->program.fields; f <= index; f++) {
        d->field[f] = (struct oocc_field){.name = ""};
        d->layout[f] = (struct oocc_layout){.element_bytes = 1};
        d->name[f] = NULL;
    }
    d->program.fields = index + 1;
    return 0;
}

static int take_field(const struct store *store, const char *line, struct described *d) {
    char name[256], type[16], kind[16];
    int index, levels;
    struct oocc_layout layout = {0};
    struct oocc_field field = {0};
    if (sscanf(line,
               "field %d %255s %15s %15s levels %d row_elements %" SCNd64 " origin_elements %" SCNd64 " plane_bytes %" SCNd64,
               &index, name, type, kind, &levels, &layout.row_elements, &layout.origin_elements,
               &layout.plane_bytes) != 8 ||
        index < d->program.fields || index >= FIELDS_MOST || levels < 1 || levels > OOCC_MAX_SLOTS ||
        layout.plane_bytes < 1 || layout.row_elements < 1 || !find_type(type, &field.type))
        return damaged(store, "a field is not described");
    const int status = reserve(d, index);
    if (status) return status;
    if (!(d->name[index] = strdup(name))) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    layout.element_bytes = element_of(field.type)->bytes;
    layout.stride_bytes = layout.plane_bytes;
    field.name = d->name[index];
    field.levels = levels;
    field.coef = !strcmp(kind, "coef");
    d->field[index] = field;
    d->layout[index] = layout;
    return 0;
}

static int take_traces(const struct store *store, char **at, struct described *d) {
    for (; begins(*at, "trace "); d->traces++) {
        struct trace_line *trace = realloc(d->trace, (size_t)(d->traces + 1) * sizeof *trace);
        if (!trace) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
        d->trace = trace;
        const int used = manifest_read_trace(*at, d->traces, &trace[d->traces]);
        if (!used) return damaged(store, "a trace is not described");
        *at += used;
    }
    return 0;
}

int describe(const struct store *store, char **at, struct described *d) {
    int status = 0;
    if (sscanf(*at, "program %255s ", d->program_name) != 1) return damaged(store, "it does not name the program");
    next_line(at);
    skip(at, "subnormals ");
    skip(at, "param ");
    if (!take_grid(at, &d->run.grid)) return damaged(store, "the grid is not described");
    for (; begins(*at, "field ") && !status; next_line(at))
        status = take_field(store, *at, d);
    if (status) return status;
    skip(at, "points ");
    skip(at, "signal ");
    const int used = manifest_read_level(store, *at, &d->manifest);
    if (!used) return damaged(store, "level or generation is missing");
    *at += used;
    skip(at, "value ");
    if ((status = take_traces(store, at, d))) return status;
    d->program.name = d->program_name;
    d->program.field = d->field;
    d->run.grid.layout = d->layout;
    d->run.program = &d->program;
    return 0;
}

void described_forget(struct described *d) {
    for (int f = 0; f < d->program.fields; f++)
        free(d->name[f]);
    free(d->name);
    free(d->trace);
    free(d->field);
    free(d->layout);
}
