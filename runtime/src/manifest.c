/*
 * Everything up to the line `steps` follows from the program, its parameters and sizes: reading compares it
 * line by line with what this run would write, so nothing can be forgotten and the first difference names
 * itself.
 */
#include "manifest.h"

#include "checksum.h"
#include "element.h"
#include "plan_json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERSION_LINE "oocc-manifest 2\n"

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
    fprintf(out, VERSION_LINE "program %s %016" PRIx64 "\n", program->name, program->hash);
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
                "field %s %s %s levels %d row_elements %" PRId64 " origin_elements %" PRId64
                " plane_bytes %" PRId64 "\n",
                field->name, element_of(field->type)->name, field->coef ? "coef" : "state", field->levels,
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

static void print_sums(FILE *out, const struct oocc_run *run, const struct store *store, int generation) {
    for (int r = 0; r < store->regions; r++) {
        const struct region *region = &store->region[r];
        const uint64_t *sum = store->sum[region->coef ? STORE_COEF : generation] + region->first_sum;
        const int64_t sums = region->planes * region->bands;
        fprintf(out, "sums %s %d %" PRId64 "\n", run->program->field[region->field].name, region->level, sums);
        for (int64_t i = 0; i < sums; i++)
            fprintf(out, "%016" PRIx64 "\n", sum[i]);
    }
}

/* The whole text, with the line that seals it; the caller frees it. */
static char *manifest_text(const struct oocc_run *run, const struct store *store,
                           const struct manifest *manifest, size_t *length) {
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    if (!out) return NULL;
    print_identity(out, run);
    print_files(out, run->program);
    if (manifest) {
        fprintf(out, "steps %" PRId64 "\nlevel %" PRId64 "\ngeneration %d\n", manifest->steps,
                manifest->level, manifest->generation);
        print_values(out, run->program);
        print_sums(out, run, store, manifest->generation);
        if (!fflush(out)) fprintf(out, "xxh3 %016" PRIx64 "\n", checksum_bytes(text, *length));
    }
    if (!fclose(out)) return text;
    free(text);
    return NULL;
}

static int write_all(int fd, const char *text, size_t length) {
    while (length > 0) {
        const ssize_t written = write(fd, text, length);
        if (written < 0 && errno != EINTR) return errno;
        if (written > 0) {
            text += written;
            length -= (size_t)written;
        }
    }
    return 0;
}

int manifest_write(const struct oocc_run *run, const struct store *store, const struct manifest *manifest) {
    size_t length;
    char *text = manifest_text(run, store, manifest, &length);
    if (!text) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    const int directory = store->directory_fd;
    const int fd =
        openat(directory, "manifest.tmp", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    int error = fd < 0 ? errno : write_all(fd, text, length);
    if (!error && fsync(fd)) error = errno;
    if (fd >= 0 && close(fd) && !error) error = errno;
    if (!error && renameat(directory, "manifest.tmp", directory, "manifest")) error = errno;
    if (!error && fsync(directory)) error = errno;
    free(text);
    return error ? run_fail(OOCC_IO_ERROR, NULL, "cannot write %s/manifest: %s", store->directory,
                            strerror(error))
                 : 0;
}

/* -- reading -------------------------------------------------------------------------------- */

static int damaged(const char *directory, const char *what) {
    return run_fail(OOCC_CORRUPT, "--restart discards the scratch and begins again",
                    "%s/manifest is damaged: %s", directory, what);
}

static int read_text(const char *directory, char **out, size_t *length) {
    char path[4096];
    struct stat info;
    if (snprintf(path, sizeof path, "%s/manifest", directory) >= (int)sizeof path)
        return run_fail(OOCC_NO_SPACE, NULL, "the path %s is too long", directory);
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return run_fail(OOCC_NO_SPACE,
                        "leave out --resume to begin a run, or name its directory with --scratch",
                        "there is nothing to resume: %s does not exist", path);
    if (fd < 0 || fstat(fd, &info)) {
        const int error = errno;
        if (fd >= 0) close(fd);
        return run_fail(error == EACCES ? OOCC_DENIED : OOCC_IO_ERROR, NULL, "cannot open %s: %s", path,
                        strerror(error));
    }
    char *text = malloc((size_t)info.st_size + 1);
    size_t have = 0;
    ssize_t got = 1;
    while (text && have < (size_t)info.st_size && got > 0) {
        got = read(fd, text + have, (size_t)info.st_size - have);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            have += (size_t)got;
    }
    const int error = got < 0 ? errno : 0;
    close(fd);
    if (!text) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    if (error) {
        free(text);
        return run_fail(OOCC_IO_ERROR, NULL, "cannot read %s: %s", path, strerror(error));
    }
    text[have] = 0;
    *out = text;
    *length = have;
    return 0;
}

/* The version, then the seal: the last line is "xxh3 " and the checksum of all before. */
static int check_seal(const char *directory, char *text, size_t length) {
    enum { SEAL = 5 + 16 + 1 };
    uint64_t sum;
    if (strncmp(text, "oocc-manifest ", 14)) return damaged(directory, "it does not begin as a manifest");
    if (strncmp(text, VERSION_LINE, strlen(VERSION_LINE)))
        return run_fail(OOCC_BAD_INPUT, "go on with the version of oocc that began the run, or --restart",
                        "%s/manifest is of another version: %.*s", directory, (int)strcspn(text, "\n"), text);
    if (length < SEAL || strlen(text) != length || text[length - 1] != '\n' ||
        sscanf(text + length - SEAL, "xxh3 %16" SCNx64, &sum) != 1)
        return damaged(directory, "it has no seal");
    if (sum != checksum_bytes(text, length - SEAL)) return damaged(directory, "its checksum does not match");
    text[length - SEAL] = 0;
    return 0;
}

/* Compares the part that identifies the run; *text is moved behind it. */
static int check_identity(const struct oocc_run *run, const char *directory, char **text) {
    size_t length;
    char *wanted = manifest_text(run, NULL, NULL, &length);
    if (!wanted) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    int status = 0;
    for (const char *want = wanted; *want && !status; want += strcspn(want, "\n") + 1) {
        const size_t n = strcspn(want, "\n"), have = strcspn(*text, "\n");
        if (have != n || strncmp(*text, want, n))
            status = run_fail(OOCC_BAD_INPUT,
                              "give the same program and parameters, or --restart to discard the scratch",
                              "the scratch %s belongs to another run: it has '%.*s', this run has '%.*s'",
                              directory, (int)have, *text, (int)n, want);
        *text += have + ((*text)[have] == '\n');
    }
    free(wanted);
    return status;
}

static int read_sums(const struct oocc_run *run, struct store *store, int generation, char *text) {
    for (int r = 0; r < store->regions; r++) {
        const struct region *region = &store->region[r];
        uint64_t *sum = store->sum[region->coef ? STORE_COEF : generation] + region->first_sum;
        const int64_t sums = region->planes * region->bands;
        char *want;
        const int n = asprintf(&want, "sums %s %d %" PRId64 "\n", run->program->field[region->field].name,
                               region->level, sums);
        if (n < 0) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
        const bool there = !strncmp(text, want, (size_t)n);
        free(want);
        if (!there) return damaged(store->directory, "checksums are missing");
        text += n;
        for (int64_t i = 0; i < sums; i++) {
            char *end;
            sum[i] = strtoull(text, &end, 16);
            if (end != text + 16 || *end != '\n') return damaged(store->directory, "a checksum is not one");
            text = end + 1;
        }
    }
    return *text ? damaged(store->directory, "there is more than belongs there") : 0;
}

static int read_values(const struct oocc_program *program, const char *directory, char **text) {
    for (int i = 0; i < program->watches; i++) {
        const size_t name = strlen(program->watch[i].name);
        char *at = *text, *end;
        if (strncmp(at, "value ", 6) || strncmp(at + 6, program->watch[i].name, name) || at[6 + name] != ' ')
            return damaged(directory, "values of reductions are missing");
        *program->watch[i].value = strtod(at + 7 + name, &end);
        if (end == at + 7 + name || *end != '\n') return damaged(directory, "a value is not a number");
        *text = end + 1;
    }
    return 0;
}

int manifest_read(const struct oocc_run *run, const char *directory, struct manifest *manifest,
                  struct store *store) {
    char *text;
    size_t length;
    int status = read_text(directory, &text, &length), used = 0;
    if (status) return status;
    char *at = text;
    if (!(status = check_seal(directory, text, length)) && !(status = check_identity(run, directory, &at))) {
        if (sscanf(at, "steps %" SCNd64 "\nlevel %" SCNd64 "\ngeneration %d\n%n", &manifest->steps,
                   &manifest->level, &manifest->generation, &used) != 3 ||
            !used || manifest->level < 0 || (manifest->generation != 0 && manifest->generation != 1))
            status = damaged(directory, "level or generation is missing");
        else if (store && !(status = read_values(run->program, directory, (at += used, &at))))
            status = read_sums(run, store, manifest->generation, at);
    }
    free(text);
    return status;
}
