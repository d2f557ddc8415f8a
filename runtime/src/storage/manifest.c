/* The manifest, and the recent one: what is written is what is read again (manifest_text.c). */
#include "storage/manifest.h"

#include "storage/holder.h"
#include "storage/manifest_text.h"
#include "storage/scratch.h"
#include "support/checksum.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What stands before a recent one: as long as that is so, the kernel has all that was written. Nothing: it does not tell. */
enum { BOOT_LINE = 80 };

/* 0 or an errno. */
static int boot_line(char line[BOOT_LINE]) {
    char boot[64];
    const int error = holder_boot(boot, sizeof boot);
    *line = 0;
    if (*boot) snprintf(line, BOOT_LINE, "boot %s\n", boot);
    return error;
}

/* -- writing -------------------------------------------------------------------------------- */

int manifest_most_bytes(const struct oocc_run *run, const struct store *store, int64_t *bytes) {
    enum { NUMBERS = 256, VALUE = 64 };
    const struct manifest manifest = {.level = 0};
    size_t length;
    char *text = manifest_text(run, store, &manifest, "", &length);
    free(text);
    *bytes = BOOT_LINE + (int64_t)length + NUMBERS + (int64_t)VALUE * (run->program->watches + run->program->records);
    return text ? 0 : run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
}

int manifest_write(const struct oocc_run *run, struct store *store, const struct manifest *manifest) {
    struct member *home = &store->member[0];
    size_t length;
    char *text = manifest_text(run, store, manifest, "", &length);
    if (!text) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    const int status = home->ops->put_manifest(home, text, length);
    free(text);
    return status;
}

bool manifest_write_recent(const struct oocc_run *run, struct store *store, const struct manifest *manifest) {
    struct member *home = &store->member[0];
    char boot[BOOT_LINE];
    size_t length;
    int error = boot_line(boot);
    if (!error && !*boot) return true; /* nobody could tell whether it counts */
    char *text = error ? NULL : manifest_text(run, store, manifest, boot, &length);
    if (!error) error = text ? home->ops->put_recent(home, text, length) : ENOMEM;
    store->recent = true; /* an older one may be there still */
    free(text);
    if (error) run_note("cannot write the recent manifest of %s (%s): the state is committed instead", home->path, strerror(error));
    return !error;
}

void manifest_drop_recent(struct store *store) {
    struct member *home = &store->member[0];
    if (!store->recent) return;
    const int error = home->ops->drop_recent(home);
    if (error) run_note("cannot remove the recent manifest of %s (%s)", home->path, strerror(error));
    store->recent = error;
}

/* -- reading -------------------------------------------------------------------------------- */

static int damaged(const struct store *store, const char *what) {
    char name[4200];
    return run_fail(OOCC_CORRUPT, "--restart discards the scratch and begins again", "%s is damaged: %s",
                    scratch_manifest_name(store, name), what);
}

static bool is_version(const char *text) {
    return !strncmp(text, MANIFEST_VERSION, strlen(MANIFEST_VERSION));
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
    *text += strlen(MANIFEST_VERSION);
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
    char *wanted = manifest_text(run, store, NULL, "", &length);
    if (!wanted) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    int status = 0;
    for (const char *want = wanted; *want && !status; want += strcspn(want, "\n") + 1) {
        const size_t n = strcspn(want, "\n"), have = strcspn(*text, "\n");
        if (have != n || strncmp(*text, want, n))
            status = run_fail(OOCC_BAD_INPUT,
                              "give the same program, parameters, --subnormals and --layout, or --restart to discard the scratch",
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

/* *text is NULL when there is none, or one that was written before the machine started. What cannot be told is an error: a state
 * that were taken for none would be discarded. */
static int get_present(struct member *home, char **text, size_t *length) {
    char boot[BOOT_LINE];
    *text = NULL;
    int status = home->ops->get_recent(home, text, length);
    if (!*text) return status;
    const int error = boot_line(boot);
    const size_t before = strlen(boot);
    if (error)
        status = run_fail(run_io_status(error), "give the same command again",
                          "cannot tell whether the machine has started anew since %s was left: %s", home->path, strerror(error));
    if (!error && before && *length > before && !memcmp(*text, boot, before)) {
        *length -= before;
        memmove(*text, *text + before, *length + 1);
        return status;
    }
    free(*text);
    *text = NULL;
    return status;
}

int manifest_find(struct member *home, bool *found) {
    char *recent = NULL;
    size_t length;
    *found = home->ops->has_manifest(home);
    const int status = *found ? 0 : get_present(home, &recent, &length);
    *found |= recent != NULL;
    free(recent);
    return status;
}

/* *text is NULL when there is none, or none that says anything about this store. */
static int get_recent(struct store *store, char **text, char **at, struct manifest *manifest) {
    size_t length;
    const int status = get_present(&store->member[0], text, &length);
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
