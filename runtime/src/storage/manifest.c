/*
 * Everything from the line `program` up to the line `steps` follows from the program, its parameters and sizes: reading compares it
 * line by line with what this run would write, so nothing can be forgotten and the first difference names
 * itself.
 */
#include "storage/manifest.h"

#include "observe/observe.h"
#include "plan/plan_json.h"
#include "storage/scratch.h"
#include "support/checksum.h"
#include "support/element.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define VERSION_LINE "oocc-manifest 4\n"
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

/* The whole text, with the line that seals it; the caller frees it. */
static char *manifest_text(const struct oocc_run *run, const struct store *store,
                           const struct manifest *manifest, size_t *length) {
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    if (!out) return NULL;
    if (manifest) fprintf(out, VERSION_LINE STORE_LINE, store->id, store->members);
    print_identity(out, run);
    print_files(out, run->program);
    if (manifest) {
        fprintf(out, "steps %" PRId64 "\nlevel %" PRId64 "\ngeneration %d\n", manifest->steps,
                manifest->level, manifest->generation);
        print_values(out, run->program);
        print_traces(out, run, store, manifest->level);
        print_sums(out, run, store, manifest->generation);
        if (!fflush(out)) fprintf(out, "xxh3 %016" PRIx64 "\n", checksum_bytes(text, *length));
    }
    if (!fclose(out)) return text;
    free(text);
    return NULL;
}

int manifest_most_bytes(const struct oocc_run *run, const struct store *store, int64_t *bytes) {
    enum { NUMBERS = 256, VALUE = 64 };
    const struct manifest manifest = {.level = 0};
    size_t length;
    char *text = manifest_text(run, store, &manifest, &length);
    free(text);
    *bytes = (int64_t)length + NUMBERS + (int64_t)VALUE * (run->program->watches + run->program->records);
    return text ? 0 : run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
}

int manifest_write(const struct oocc_run *run, struct store *store, const struct manifest *manifest) {
    struct member *home = &store->member[0];
    size_t length;
    char *text = manifest_text(run, store, manifest, &length);
    if (!text) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    const int status = home->ops->put_manifest(home, text, length);
    free(text);
    return status;
}

bool manifest_write_recent(const struct oocc_run *run, struct store *store, const struct manifest *manifest) {
    struct member *home = &store->member[0];
    size_t length;
    if (!home->ops->put_recent) return true;
    char *text = manifest_text(run, store, manifest, &length);
    const int error = text ? home->ops->put_recent(home, text, length) : ENOMEM;
    store->recent = true; /* an older one may be there still */
    free(text);
    if (error) run_note("cannot write %s/recent (%s): the state is committed instead", home->path, strerror(error));
    return !error;
}

void manifest_drop_recent(struct store *store) {
    struct member *home = &store->member[0];
    if (!store->recent || !home->ops->drop_recent) return;
    const int error = home->ops->drop_recent(home);
    if (error) run_note("cannot remove %s/recent (%s)", home->path, strerror(error));
    store->recent = error;
}

/* -- reading -------------------------------------------------------------------------------- */

static int damaged(const struct store *store, const char *what) {
    char name[4200];
    return run_fail(OOCC_CORRUPT, "--restart discards the scratch and begins again", "%s is damaged: %s",
                    scratch_manifest_name(store, name), what);
}

static bool is_version(const char *text) {
    return !strncmp(text, VERSION_LINE, strlen(VERSION_LINE));
}

/* The seal is taken off: the last line is "xxh3 " and the checksum of all before. NULL, or what is the matter. */
static const char *wrong_seal(char *text, size_t length) {
    enum { SEAL = 5 + 16 + 1 };
    uint64_t sum;
    if (length < SEAL || strlen(text) != length || text[length - 1] != '\n' ||
        sscanf(text + length - SEAL, "xxh3 %16" SCNx64, &sum) != 1)
        return "it has no seal";
    if (sum != checksum_bytes(text, length - SEAL)) return "its checksum does not match";
    text[length - SEAL] = 0;
    return NULL;
}

/* The version, then the seal. */
static int check_seal(const struct store *store, char *text, size_t length) {
    char name[4200];
    if (strncmp(text, "oocc-manifest ", 14)) return damaged(store, "it does not begin as a manifest");
    if (!is_version(text))
        return run_fail(OOCC_BAD_INPUT, "go on with the version of oocc that began the run, or --restart",
                        "%s is of another version: %.*s", scratch_manifest_name(store, name),
                        (int)strcspn(text, "\n"), text);
    const char *wrong = wrong_seal(text, length);
    return wrong ? damaged(store, wrong) : 0;
}

/* Which store the manifest is of: that of all members' labels. NULL, or what is the matter; *text is moved behind it. */
static const char *wrong_store(const struct store *store, char **text) {
    char id[STORE_ID + 1];
    int members, used = 0;
    *text += strlen(VERSION_LINE);
    if (sscanf(*text, "store %32[0-9a-f] members %d\n%n", id, &members, &used) != 2 || !used)
        return "it does not say of which store it is";
    if (!*store->id) return "the file member beside it is missing";
    if (strcmp(store->id, id) || members != store->members) return "it is the manifest of another store";
    *text += used;
    return NULL;
}

static int check_store(const struct store *store, char **text) {
    const char *wrong = wrong_store(store, text);
    return wrong ? damaged(store, wrong) : 0;
}

/* Compares the part that identifies the run; *text is moved behind it. */
static int check_identity(const struct oocc_run *run, const struct store *store, char **text) {
    char names[4200];
    size_t length;
    char *wanted = manifest_text(run, store, NULL, &length);
    if (!wanted) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    int status = 0;
    for (const char *want = wanted; *want && !status; want += strcspn(want, "\n") + 1) {
        const size_t n = strcspn(want, "\n"), have = strcspn(*text, "\n");
        if (have != n || strncmp(*text, want, n))
            status = run_fail(OOCC_BAD_INPUT,
                              "give the same program, parameters and --layout, or --restart to discard the scratch",
                              "the scratch %s belongs to another run: it has '%.*s', this run has '%.*s'",
                              scratch_names(store, names, sizeof names), (int)have, *text, (int)n, want);
        *text += have + ((*text)[have] == '\n');
    }
    free(wanted);
    return status;
}

int manifest_read_sums(const struct oocc_run *run, struct store *store, int generation, char *text) {
    for (int r = 0; r < store->regions; r++) {
        const struct region *region = &store->region[r];
        uint64_t *sum = store_sums(store, region, generation);
        const int64_t sums = region->planes * region->bands;
        char *want;
        const int n = asprintf(&want, "sums %s %d %" PRId64 "\n", run->program->field[region->field].name,
                               region->level, sums);
        if (n < 0) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
        const bool there = !strncmp(text, want, (size_t)n);
        free(want);
        if (!there) return damaged(store, "checksums are missing");
        text += n;
        for (int64_t i = 0; i < sums; i++) {
            char *end;
            sum[i] = strtoull(text, &end, 16);
            if (end != text + 16 || *end != '\n') return damaged(store, "a checksum is not one");
            text = end + 1;
        }
    }
    return *text ? damaged(store, "there is more than belongs there") : 0;
}

static int read_values(const struct oocc_program *program, const struct store *store, char **text) {
    for (int i = 0; i < program->watches; i++) {
        const size_t name = strlen(program->watch[i].name);
        char *at = *text, *end;
        if (strncmp(at, "value ", 6) || strncmp(at + 6, program->watch[i].name, name) || at[6 + name] != ' ')
            return damaged(store, "values of reductions are missing");
        *program->watch[i].value = strtod(at + 7 + name, &end);
        if (end == at + 7 + name || *end != '\n') return damaged(store, "a value is not a number");
        *text = end + 1;
    }
    return 0;
}

int manifest_read_trace(const char *text, int index, struct trace_line *line) {
    int is, used = 0;
    if (sscanf(text, "trace %d rows %" SCNd64 " of %" SCNd64 " bytes %16" SCNx64 "\n%n", &is, &line->rows,
               &line->row_bytes, &line->sum, &used) != 4 ||
        is != index || line->rows < 0 || line->row_bytes < 0)
        return 0;
    return used;
}

/* Rows and their length are there for those who read without the program. */
static int read_traces(const struct oocc_program *program, struct store *store, char **text) {
    for (int i = 0; i < program->records; i++) {
        struct trace_line line;
        const int used = manifest_read_trace(*text, i, &line);
        if (!used) return damaged(store, "checksums of traces are missing");
        store->trace_sum[i] = line.sum;
        *text += used;
    }
    return 0;
}

int manifest_read_level(const struct store *store, const char *text, struct manifest *manifest) {
    int used = 0;
    const bool there = sscanf(text, "steps %" SCNd64 "\nlevel %" SCNd64 "\ngeneration %d\n%n", &manifest->steps, &manifest->level,
                              &manifest->generation, &used) == 3;
    return there && manifest->level >= 0 && manifest->generation >= 0 && manifest->generation < store->generations ? used : 0;
}

/* They come behind what identifies the run, of which no line begins so. False: they are not there. */
static bool find_level(const struct store *store, const char *text, struct manifest *manifest) {
    const char *at = strstr(text, "\nsteps ");
    return at && manifest_read_level(store, at + 1, manifest) > 0;
}

/* Whether a text is a whole manifest of this store: as check_seal() and check_store(), but nothing is printed. */
static bool is_sound(const struct store *store, char *text, size_t length, char **at) {
    *at = text;
    return is_version(text) && !wrong_seal(text, length) && !wrong_store(store, at);
}

/* *text is NULL when there is none, or none that says anything about this store. */
static int get_recent(struct store *store, char **text, char **at, struct manifest *manifest) {
    struct member *home = &store->member[0];
    size_t length;
    *text = NULL;
    const int status = home->ops->get_recent ? home->ops->get_recent(home, text, &length) : 0;
    if (*text && is_sound(store, *text, length, at) && find_level(store, *at, manifest)) return status;
    free(*text);
    *text = NULL;
    return status;
}

static int get_committed(struct store *store, char **text, char **at) {
    size_t length;
    int status = store->member[0].ops->get_manifest(&store->member[0], text, &length);
    *at = *text;
    if (status) return *text = NULL, status;
    if (!(status = check_seal(store, *text, length))) status = check_store(store, at);
    return status;
}

int manifest_get(struct store *store, char **text, char **at, struct manifest *manifest) {
    struct member *home = &store->member[0];
    struct manifest recent, committed = {.level = -1};
    char *recent_text, *recent_at = NULL;
    int status = get_recent(store, &recent_text, &recent_at, &recent);
    *text = NULL;
    if (!status && (!recent_text || home->ops->has_manifest(home))) status = get_committed(store, text, at);
    const bool known = !status && *text && find_level(store, *at, &committed);
    *manifest = (struct manifest){.recent = !status && recent_text && recent.level > committed.level,
                                  .durable = known ? committed.generation : -1,
                                  .durable_level = committed.level};
    if (!manifest->recent) return free(recent_text), status;
    free(*text);
    *text = recent_text;
    *at = recent_at;
    return 0;
}

int manifest_read(const struct oocc_run *run, struct store *store, struct manifest *manifest, bool fill) {
    char *text = NULL, *at;
    int status = manifest_get(store, &text, &at, manifest), used = 0;
    if (!status && !(status = check_identity(run, store, &at))) {
        if (!(used = manifest_read_level(store, at, manifest)))
            status = damaged(store, "level or generation is missing");
        else if (fill && !(status = read_values(run->program, store, (at += used, &at))) &&
                 !(status = read_traces(run->program, store, &at)))
            status = manifest_read_sums(run, store, manifest->generation, at);
    }
    free(text);
    return status;
}
