/*
 * Everything from the line `program` up to the line `steps` follows from the program, its parameters and sizes: reading compares it
 * line by line with what this run would write, so nothing can be forgotten and the first difference names
 * itself.
 */
#include "storage/manifest_text.h"

#include "observe/observe.h"
#include "plan/plan_json.h"
#include "support/checksum.h"
#include "support/element.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STORE_LINE "store %s members %d\n"
#define TRACE_LINE "trace %d rows %" PRId64 " of %" PRId64 " bytes %016" PRIx64 "\n"

static void print_param(FILE *out, const struct oocc_param *param) {
    fprintf(out, "param %s %s ", param->name, type_name(param->type));
    switch (param->type) {
    case OOCC_BOOL:
        fprintf(out, "%s\n", *(const bool *)param->value ? "true" : "false");
        break;
    case OOCC_INT:
        fprintf(out, "%" PRId64 "\n", *(const int64_t *)param->value);
        break;
    case OOCC_F32:
        fprintf(out, "%a\n", (double)*(const float *)param->value);
        break;
    case OOCC_U8: /* elements only: no parameter has it */
    case OOCC_I32:
        break;
    case OOCC_F64:
        fprintf(out, "%a\n", *(const double *)param->value);
        break;
    }
}

static void print_identity(FILE *out, const struct oocc_run *run) {
    const struct oocc_program *program = run->program;
    const struct oocc_grid *grid = &run->grid;
    fprintf(out, "program %s %016" PRIx64 "\n", program->name, program->hash);
    fprintf(out, "subnormals %s\n", run->options.subnormals_zero ? "zero" : "keep");
    for (int i = 0; i < program->params; i++)
        print_param(out, &program->param[i]);
    for (int d = 0; d < grid->ndim; d++)
        fprintf(out, "extent %s %" PRId64 "\n", program->dim[d], grid->extent[d]);
    fprintf(out, "planes %" PRId64 " rows %" PRId64 " cells %" PRId64 " bands %" PRId64 " of %" PRId64 "\n",
            grid->planes, grid->rows, grid->cells, grid->bands, grid->band_rows);
    for (int f = 0; f < program->fields; f++) {
        const struct oocc_field *field = &program->field[f];
        const struct oocc_layout *layout = &grid->layout[f];
        if (field->levels == 0) continue; /* a temp is not stored */
        fprintf(out,
                "field %d %s %s %s levels %d row_elements %" PRId64 " origin_elements %" PRId64
                " plane_bytes %" PRId64 "\n",
                f, field->name, element_of(field->type)->name, field->coef ? "coef" : "state", field->levels,
                layout->row_elements, layout->origin_elements, layout->plane_bytes);
    }
}

/* What stands for the bits of points and signals that were read from files. */
static void print_files(FILE *out, const struct oocc_program *program) {
    for (int i = 0; i < program->point_sets; i++) {
        const struct oocc_points *set = &program->points[i];
        fprintf(out, "points %d %" PRId64 " %016" PRIx64 "\n", i, set->points,
                checksum_bytes(set->cell, (size_t)set->cells * sizeof *set->cell));
    }
    for (int i = 0; i < program->signals; i++) {
        const struct oocc_signal *signal = &program->signal[i];
        fprintf(out, "signal %d %" PRId64 " %" PRId64 " %016" PRIx64 "\n", i, signal->samples,
                signal->columns,
                checksum_bytes(signal->value,
                               (size_t)(signal->samples * signal->columns) * sizeof *signal->value));
    }
}

static void print_values(FILE *out, const struct oocc_program *program) {
    for (int i = 0; i < program->watches; i++)
        fprintf(out, "value %s %a\n", program->watch[i].name, *program->watch[i].value);
}

static void print_traces(FILE *out, const struct oocc_run *run, const struct store *store, int64_t level) {
    for (int i = 0; i < run->program->records; i++) {
        const struct oocc_record *record = &run->program->record[i];
        fprintf(out, TRACE_LINE, i, level / observe_every(record->every),
                run->program->points[record->points].points * run->grid.layout[record->field].element_bytes,
                store->trace_sum[i]);
    }
}

enum { SUM_DIGITS = 16, SUM_LINE };

static void print_sum(char line[SUM_LINE], uint64_t sum) {
    for (int i = SUM_DIGITS - 1; i >= 0; i--, sum >>= 4)
        line[i] = "0123456789abcdef"[sum & 15];
    line[SUM_DIGITS] = '\n';
}

/* A large grid has half a million, after every pass: printf() takes three times as long. */
static void print_lines(FILE *out, const uint64_t *sum, int64_t sums) {
    enum { AT_ONCE = 256 };
    char lines[AT_ONCE][SUM_LINE];
    for (int64_t first = 0; first < sums; first += AT_ONCE) {
        const int64_t count = oocc_min(AT_ONCE, sums - first);
        for (int64_t i = 0; i < count; i++)
            print_sum(lines[i], sum[first + i]);
        fwrite(lines, SUM_LINE, (size_t)count, out);
    }
}

static void print_sums(FILE *out, const struct oocc_run *run, const struct store *store, int generation) {
    for (int r = 0; r < store->regions; r++) {
        const struct region *region = &store->region[r];
        const uint64_t *sum = store_sums(store, region, generation);
        const int64_t sums = region->planes * region->bands;
        fprintf(out, "sums %s %d %" PRId64 "\n", run->program->field[region->field].name, region->level, sums);
        print_lines(out, sum, sums);
    }
}

char *manifest_text(const struct oocc_run *run, const struct store *store, const struct manifest *manifest, const char *before,
                    size_t *length) {
    struct text text;
    const int64_t sums = manifest ? store->sums[0] + store->sums[SUMS_COEF] : 0;
    FILE *out = text_begin(&text, 4 * TEXT_LIKELY + (size_t)sums * SUM_LINE);
    if (!out) return NULL;
    fputs(before, out);
    if (manifest) fprintf(out, MANIFEST_VERSION STORE_LINE, store->id, store->members);
    print_identity(out, run);
    print_files(out, run->program);
    if (manifest) {
        fprintf(out, "steps %" PRId64 "\nlevel %" PRId64 "\ngeneration %d\n", manifest->steps,
                manifest->level, manifest->generation);
        print_values(out, run->program);
        print_traces(out, run, store, manifest->level);
        print_sums(out, run, store, manifest->generation);
        const char *so_far = text_so_far(&text);
        const size_t sealed = strlen(before);
        if (so_far) fprintf(out, "xxh3 %016" PRIx64 "\n", checksum_bytes(so_far + sealed, text.length - sealed));
    }
    char *whole = text_end(&text);
    *length = text.length;
    return whole;
}
