/* cache_keys.c: what makes figures of one run good for another, in words. */
#include "plan/plan_json.h"
#include "support/checksum.h"
#include "support/system_text.h"
#include "tuning/cache.h"

#include <inttypes.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

/* Appends; what does not fit is cut, and then stands for itself only. Quotes and control characters become blanks. */
static void append(char *key, size_t size, const char *format, ...) {
    size_t length = strlen(key);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(key + length, size - length, format, arguments);
    va_end(arguments);
    for (char *p = key + length; *p != '\0'; p++)
        if (*p == '"' || *p == '\\' || (unsigned char)*p < 0x20 || (unsigned char)*p >= 0x7f) *p = ' ';
}

static void append_cpu(char *key, size_t size) {
    struct utsname names;
    struct system_lines lines;
    if (uname(&names) == 0) append(key, size, "%s", names.machine);
    system_lines_open(&lines, "/proc/cpuinfo");
    for (const char *line; (line = system_line(&lines)) != NULL && *line != '\0';) {
        static const char *const wanted[] = {"vendor_id", "cpu family",      "model",   "model name",
                                             "stepping",  "CPU implementer", "CPU part"};
        const char *colon = strchr(line, ':');
        const size_t length = strcspn(line, "\t:");
        for (size_t i = 0; colon != NULL && i < sizeof wanted / sizeof *wanted; i++)
            if (strlen(wanted[i]) == length && strncmp(line, wanted[i], length) == 0)
                append(key, size, " %s", colon + 1 + strspn(colon + 1, " "));
    }
    system_lines_close(&lines);
}

/* The file system a directory is on, or the one it is going to be made on. */
static void append_directory(char *key, size_t size, const char *path, size_t length) {
    struct stat info;
    struct statfs system;
    char *name = strndup(path, length);
    if (name == NULL) return;
    const char *there = stat(name, &info) == 0 ? name : dirname(name);
    if (stat(there, &info) == 0 && statfs(there, &system) == 0)
        append(key, size, " %u:%u type %lx blocks %" PRIu64 " of %" PRIu64, major(info.st_dev),
               minor(info.st_dev), (unsigned long)system.f_type, (uint64_t)system.f_blocks,
               (uint64_t)system.f_bsize);
    free(name);
}

void cache_make_keys(struct cache_keys *keys, const struct oocc_program *program,
                     const struct options *options, const struct oocc_grid *grid,
                     const struct machine *machine, const struct plan *plan) {
    const char *engine = plan->engine;
    const int threads = plan->threads;
    memset(keys, 0, sizeof *keys);
    append_cpu(keys->machine, sizeof keys->machine);
    append(keys->machine, sizeof keys->machine,
           ", %d cores, l2 %" PRId64 ", l3 %" PRId64 ", memory %" PRId64 ", %d threads", machine->cores,
           machine->l2_bytes, machine->l3_bytes, machine->memory_total_bytes, threads);

    append(keys->device, sizeof keys->device, "engine %s depth %d requests of %" PRId64, engine,
           plan->io_depth, plan->io_request_bytes);
    if (strcmp(engine, "memory") == 0)
        append(keys->device, sizeof keys->device, " of %s", keys->machine);
    else
        for (const char *path = options->scratch; path != NULL && *path != '\0';) {
            const size_t length = strcspn(path, ",");
            append_directory(keys->device, sizeof keys->device, path, length);
            path += length + (path[length] == ',');
        }

    append(keys->kernel, sizeof keys->kernel, "oocc %s program %016" PRIx64 " rows of %" PRId64, OOCC_VERSION,
           program->hash, grid->cells);
    for (int f = 0; f < program->fields; f++)
        append(keys->kernel, sizeof keys->kernel, " %" PRId64, grid->layout[f].row_elements);
    if (plan->pieces > 1) append(keys->kernel, sizeof keys->kernel, " in %" PRId64 " pieces", plan->pieces);
    /* Slabs of a stream are thin, and what was found with them says little of a slab that is the whole grid. */
    append(keys->kernel, sizeof keys->kernel, "%s %s on %s", grid->dense ? " dense" : "", plan->in_place ? "in place" : "streamed", keys->machine);

    append(keys->tuned, sizeof keys->tuned, "%s; %s; extent", keys->kernel, keys->device);
    for (int d = 0; d < grid->ndim; d++)
        append(keys->tuned, sizeof keys->tuned, " %" PRId64, grid->extent[d]);
    append(keys->tuned, sizeof keys->tuned, ", budget %" PRId64 ", schedule %s", options->memory_bytes,
           schedule_name(options->schedule));
}

void cache_limit_machine(struct cache_keys *keys, int64_t bytes) {
    append(keys->machine, sizeof keys->machine, " in %" PRId64, bytes);
}

void cache_tie_kernel(struct cache_keys *keys, const struct machine_figures *figures) {
    const double values[] = {figures->memory_bandwidth, figures->core_bandwidth, figures->shared_cache,
                             figures->shared_bytes, figures->barrier_seconds};
    append(keys->kernel, sizeof keys->kernel, " figures %016" PRIx64, checksum_bytes(values, sizeof values));
}
