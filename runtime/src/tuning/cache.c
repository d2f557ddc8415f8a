/*
 * cache.c: files named KIND-HASH.json. The hash is of the key, and the whole key is in the file, so that two keys of one
 * hash are told apart and a reader sees what the figures are of. Written beside the name and renamed: a reader never
 * sees half a file, and the last of two writers wins.
 */
#include "tuning/cache.h"

#include "support/calls.h"
#include "support/checksum.h"
#include "support/error.h"
#include "support/json.h"
#include "support/json_read.h"
#include "support/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 64 << 10 };

static bool make_folder(const char *path) {
    return calls_mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* With `make`, the folder is made when it is missing: the last part of the path, and ~/.cache. */
static bool find_folder(char path[PATH_MAX], bool make) {
    const char *own = getenv("OOCC_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length;
    if (own != NULL && *own != '\0') {
        length = snprintf(path, PATH_MAX, "%s", own);
    } else if (xdg != NULL && *xdg == '/') {
        if (make) make_folder(xdg);
        length = snprintf(path, PATH_MAX, "%s/oocc", xdg);
    } else {
        if (home == NULL || *home != '/') return errno = ENOENT, false;
        length = snprintf(path, PATH_MAX, "%s/.cache", home);
        if (make && length < PATH_MAX) make_folder(path);
        length = snprintf(path, PATH_MAX, "%s/.cache/oocc", home);
    }
    if (length >= PATH_MAX) return errno = ENAMETOOLONG, false;
    return !make || make_folder(path);
}

static bool file_name(char path[PATH_MAX], const char *kind, const char *key, bool make) {
    char folder[PATH_MAX];
    if (!find_folder(folder, make)) return false;
    const int length =
        snprintf(path, PATH_MAX, "%s/%s-%016" PRIx64 ".json", folder, kind, checksum_bytes(key, strlen(key)));
    return length < PATH_MAX || (errno = ENAMETOOLONG, false);
}

/* -- reading ----------------------------------------------------------------------------------- */

/* All of a file, with a NUL behind it; NULL, with a note, when it cannot be read. What is too long, or no file of bytes, comes
 * as nothing, which is damaged. The caller frees it. */
static char *read_text(int fd, const char *path, int64_t *length) {
    struct stat info;
    char *all = fstat(fd, &info) == 0 ? calloc(1, MOST_BYTES + 1) : NULL;
    int error = all != NULL ? 0 : errno;
    const int64_t bytes = error == 0 && S_ISREG(info.st_mode) && info.st_size <= MOST_BYTES ? info.st_size : 0;
    *length = 0;
    if (error == 0) error = calls_read_all(fd, all, bytes, 0, 1, length);
    if (error == 0 || error == ENODATA) return all;
    run_note("cannot read %s at byte %" PRId64 ": %s", path, *length, strerror(error));
    free(all);
    return NULL;
}

/* The file's text, checked; NULL when there is none for this key. The caller frees it. */
static char *read_file(const char *kind, const char *key) {
    char path[PATH_MAX], text[2048];
    double version;
    if (!file_name(path, kind, key, false)) return NULL;
    const int fd = calls_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0); /* a FIFO must not hang here */
    if (fd < 0) {
        if (errno != ENOENT && errno != ENOTDIR) run_note("cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    int64_t length;
    char *all = read_text(fd, path, &length);
    close(fd);
    if (all == NULL) return NULL;
    const bool good = length > 0 && strlen(all) == (size_t)length && json_valid(all) &&
                      json_string_at(all, "format", text, sizeof text) && strcmp(text, "oocc-cache") == 0 &&
                      json_number_at(all, "version", &version) &&
                      json_string_at(all, "kind", text, sizeof text) && strcmp(text, kind) == 0 &&
                      json_string_at(all, "key", text, sizeof text);
    if (good && version == CACHE_VERSION && strcmp(text, key) == 0) return all;
    if (!good) run_note("%s is damaged and is left out of account", path);
    free(all);
    return NULL;
}

/* A figure that divides must be one. */
static bool positive(const char *text, const char *path, double *value) {
    return json_number_at(text, path, value) && *value > 0;
}

static bool zero_or_more(const char *text, const char *path, double *value) {
    return json_number_at(text, path, value) && *value >= 0;
}

static bool whole(const char *text, const char *path, int64_t least, int64_t *value) {
    double number;
    if (!json_number_at(text, path, &number) || number < (double)least || number > 9e15) return false;
    *value = (int64_t)number;
    return (double)*value == number;
}

/* Valid JSON without the figures that belong there is as good as none. */
static bool finish_reading(const char *kind, const char *key, char *text, bool good) {
    char path[PATH_MAX];
    if (!good && file_name(path, kind, key, false))
        run_note("%s is damaged and is left out of account", path);
    free(text);
    return good;
}

bool cache_read_machine(const struct cache_keys *keys, struct machine_figures *figures) {
    struct machine_figures m = figures_nominal.machine;
    char *text = read_file("machine", keys->machine);
    if (text == NULL) return false;
    const bool good = json_string_at(text, "date", m.date, sizeof m.date) &&
                      positive(text, "figures.memory_bandwidth", &m.memory_bandwidth) &&
                      positive(text, "figures.core_bandwidth", &m.core_bandwidth) &&
                      positive(text, "figures.shared_cache", &m.shared_cache) &&
                      positive(text, "figures.own_cache", &m.own_cache) &&
                      zero_or_more(text, "figures.shared_bytes", &m.shared_bytes) &&
                      positive(text, "figures.barrier_seconds", &m.barrier_seconds) &&
                      positive(text, "figures.core_flops", &m.core.flops) && positive(text, "figures.core_cells", &m.core.cells);
    m.core.measured = true;
    if (good) *figures = m;
    return finish_reading("machine", keys->machine, text, good);
}

bool cache_read_device(const struct cache_keys *keys, struct device_figures *figures) {
    struct device_figures d = figures_nominal.device;
    char *text = read_file("device", keys->device);
    if (text == NULL) return false;
    const bool good = json_string_at(text, "date", d.date, sizeof d.date) &&
                      positive(text, "figures.read", &d.read) && positive(text, "figures.write", &d.write) &&
                      positive(text, "figures.both", &d.both) && positive(text, "figures.beside", &d.beside) &&
                      positive(text, "figures.cores_share", &d.cores_share) && d.cores_share <= 1 &&
                      zero_or_more(text, "figures.sync_seconds", &d.sync_seconds) &&
                      zero_or_more(text, "figures.sync_seconds_per_byte", &d.sync_seconds_per_byte);
    if (good) *figures = d;
    return finish_reading("device", keys->device, text, good);
}

bool cache_read_kernel(const struct cache_keys *keys, struct kernel_figures *figures) {
    struct kernel_figures k = {.points = 0};
    int64_t fetches = 0, probed = 0;
    char *text = read_file("kernel", keys->kernel), path[64];
    if (text == NULL) return false;
    bool good = json_string_at(text, "date", k.date, sizeof k.date) && zero_or_more(text, "figures.pace", &k.pace) &&
                whole(text, "figures.probed", 0, &probed) && whole(text, "figures.processor_fetches", 0, &fetches);
    k.probed = probed != 0;
    k.processor_fetches = fetches != 0;
    for (int i = 0; good && i < KERNEL_POINTS; i++) {
        struct kernel_point *p = &k.point[i];
        snprintf(path, sizeof path, "figures.points.%d.", i);
        const size_t length = strlen(path);
        strcpy(path + length, "ct");
        if (json_at(text, path) == NULL) break;
        good = positive(text, path, &p->ct);
        strcpy(path + length, "rows");
        good = good && positive(text, path, &p->rows);
        strcpy(path + length, "planes");
        good = good && positive(text, path, &p->planes);
        strcpy(path + length, "factor");
        good = good && positive(text, path, &p->factor);
        k.points++;
    }
    if (good) *figures = k;
    return finish_reading("kernel", keys->kernel, text, good);
}

bool cache_read_tuned(const struct cache_keys *keys, struct tuned *tuned) {
    struct tuned t = {.bt = 0};
    int64_t leans = 0;
    char *text = read_file("tuned", keys->tuned);
    if (text == NULL) return false;
    const bool good = json_string_at(text, "date", t.date, sizeof t.date) &&
                      whole(text, "figures.bt", 0, &t.bt) && whole(text, "figures.bz", 0, &t.bz) &&
                      whole(text, "figures.ct", 1, &t.ct) && whole(text, "figures.tiles", 0, &t.tiles) &&
                      whole(text, "figures.pieces", 0, &t.pieces) &&
                      whole(text, "figures.columns", 1, &t.cut.columns) && whole(text, "figures.leans", 0, &leans) &&
                      positive(text, "figures.step_seconds", &t.step_seconds);
    t.cut.leans = leans > 0;
    if (good) *tuned = t;
    return finish_reading("tuned", keys->tuned, text, good);
}

/* -- writing ----------------------------------------------------------------------------------- */

static void cannot_write(const char *path, int error) {
    static bool said;
    if (!said) run_note("cannot keep what was measured in %s: %s", path, strerror(error));
    said = true;
}

/* The text is made in memory: it goes to the file in one piece, by calls.h. */
struct writing {
    struct json json;
    struct text text;
    char path[PATH_MAX], beside[PATH_MAX + 32];
};

static bool begin_writing(struct writing *w, const char *kind, const char *key, const char *date) {
    if (!file_name(w->path, kind, key, true)) {
        cannot_write("the cache folder", errno);
        return false;
    }
    if (text_begin(&w->text, TEXT_LIKELY) == NULL) {
        cannot_write(w->path, ENOMEM);
        return false;
    }
    json_begin(&w->json, w->text.out);
    json_open(&w->json, NULL, '{');
    json_string(&w->json, "format", "oocc-cache");
    json_int(&w->json, "version", CACHE_VERSION);
    json_string(&w->json, "kind", kind);
    json_string(&w->json, "key", key);
    json_string(&w->json, "date", date);
    json_open(&w->json, "figures", '{');
    return true;
}

/* Writes the text under its own name, then gives it the one it is looked for by: 0 or an errno. */
static int put_text(struct writing *w, const char *text) {
    int64_t done;
    snprintf(w->beside, sizeof w->beside, "%s.%ld.tmp", w->path, (long)getpid());
    calls_unlinkat(AT_FDCWD, w->beside, 0); /* of a process with this number that was killed */
    const int fd = calls_openat(AT_FDCWD, w->beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0) return errno;
    int error = calls_write_all(fd, text, (int64_t)w->text.length, 0, 1, &done);
    if (close(fd) != 0 && error == 0) error = errno;
    if (error == 0 && calls_renameat(AT_FDCWD, w->beside, AT_FDCWD, w->path) != 0) error = errno;
    if (error != 0) calls_unlinkat(AT_FDCWD, w->beside, 0);
    return error;
}

static void end_writing(struct writing *w) {
    json_close(&w->json, '}');
    json_close(&w->json, '}');
    char *whole = text_end(&w->text);
    const int error = whole != NULL ? put_text(w, whole) : ENOMEM;
    if (error != 0) cannot_write(w->path, error);
    free(whole);
}

void cache_write_machine(const struct cache_keys *keys, const struct machine_figures *figures) {
    struct writing w;
    if (!begin_writing(&w, "machine", keys->machine, figures->date)) return;
    json_double(&w.json, "memory_bandwidth", figures->memory_bandwidth);
    json_double(&w.json, "core_bandwidth", figures->core_bandwidth);
    json_double(&w.json, "shared_cache", figures->shared_cache);
    json_double(&w.json, "own_cache", figures->own_cache);
    json_double(&w.json, "shared_bytes", figures->shared_bytes);
    json_double(&w.json, "barrier_seconds", figures->barrier_seconds);
    json_double(&w.json, "core_flops", figures->core.flops);
    json_double(&w.json, "core_cells", figures->core.cells);
    end_writing(&w);
}

void cache_write_device(const struct cache_keys *keys, const struct device_figures *figures) {
    struct writing w;
    if (!begin_writing(&w, "device", keys->device, figures->date)) return;
    json_double(&w.json, "read", figures->read);
    json_double(&w.json, "write", figures->write);
    json_double(&w.json, "both", figures->both);
    json_double(&w.json, "beside", figures->beside);
    json_double(&w.json, "cores_share", figures->cores_share);
    json_double(&w.json, "sync_seconds", figures->sync_seconds);
    json_double(&w.json, "sync_seconds_per_byte", figures->sync_seconds_per_byte);
    end_writing(&w);
}

void cache_write_kernel(const struct cache_keys *keys, const struct kernel_figures *figures) {
    struct writing w;
    if (!begin_writing(&w, "kernel", keys->kernel, figures->date)) return;
    json_double(&w.json, "pace", figures->pace);
    json_int(&w.json, "probed", figures->probed);
    json_int(&w.json, "processor_fetches", figures->processor_fetches);
    json_open(&w.json, "points", '[');
    for (int i = 0; i < figures->points; i++) {
        json_open(&w.json, NULL, '{');
        json_double(&w.json, "ct", figures->point[i].ct);
        json_double(&w.json, "rows", figures->point[i].rows);
        json_double(&w.json, "planes", figures->point[i].planes);
        json_double(&w.json, "factor", figures->point[i].factor);
        json_close(&w.json, '}');
    }
    json_close(&w.json, ']');
    end_writing(&w);
}

void cache_write_tuned(const struct cache_keys *keys, const struct tuned *tuned) {
    struct writing w;
    if (!begin_writing(&w, "tuned", keys->tuned, tuned->date)) return;
    json_int(&w.json, "bt", tuned->bt);
    json_int(&w.json, "bz", tuned->bz);
    json_int(&w.json, "ct", tuned->ct);
    json_int(&w.json, "tiles", tuned->tiles);
    json_int(&w.json, "pieces", tuned->pieces);
    json_int(&w.json, "columns", tuned->cut.columns);
    json_int(&w.json, "leans", tuned->cut.leans);
    json_double(&w.json, "step_seconds", tuned->step_seconds);
    end_writing(&w);
}
