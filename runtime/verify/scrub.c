/*
 * A few MiB at a time, whole bands of them, with direct I/O where there is any: what the page cache has is not what
 * the disk has.
 */
#include "verify.h"

#include "storage/stripe.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ALIGN = 4096, LINES_MOST = 100 };
static const int64_t CHUNK_BYTES = (int64_t)8 << 20;

struct scrubber {
    struct described *described;
    struct store *store;
    struct findings *findings;
    char *buffer;
    int64_t buffer_bytes;
    bool *bad; /* per band of a chunk */
    int64_t bads;
    int64_t done, total; /* bytes, for the progress line */
    struct stats stats;
    int lines;
};

/* One line per damage; very many would only hide that there are many. */
static void tell(struct scrubber *s, const char *file, const struct region *region, int64_t z, int64_t band, int64_t offset,
                 const char *what) {
    const struct described *d = s->described;
    char rows[64];
    if (s->lines++ >= LINES_MOST) return;
    progress_clear();
    say("%s: field %s, %splane %" PRId64 ", level %" PRId64 ", byte %" PRId64 ": %s\n", file,
           d->field[region->field].name, store_band_text(rows, sizeof rows, &d->run, band), z,
           store_level(region, d->manifest.level), offset, what);
}

/* -- files ------------------------------------------------------------------------------------------------------- */

static int open_direct(const struct member *m, const char *name) {
    const bool device = m->ops == &member_device;
    const int flags = O_RDONLY | O_CLOEXEC | (device ? 0 : O_NOFOLLOW);
    for (int direct = O_DIRECT;; direct = 0) {
        const int fd = device ? open(m->path, flags | direct) : openat(m->fd, name, flags | direct);
        if (fd >= 0 && !direct) posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        if (fd >= 0 || !direct || errno != EINVAL) return fd;
    }
}

static int64_t bands_on(const struct scrubber *s, int file, int m) {
    int64_t bands = 0;
    for (int r = 0; r < s->store->regions; r++) {
        const struct region *region = &s->store->region[r];
        for (int64_t z = 0; z < region->planes && region->coef == (file == STORE_COEF); z++)
            if (stripe_find(s->store, region, file, z).file == member_file(&s->store->member[m], file))
                bands += region->bands;
    }
    return bands;
}

/* A file that is missing, or is not as long as it must be, is damage of its own; what is there is read. */
static int open_file(struct scrubber *s, struct member *m, int index, int file) {
    struct io_file *f = member_file(m, file);
    struct stat info;
    if (!m->share[file] || f->fd >= 0) return 0;
    f->fd = open_direct(m, store_file_name[file]);
    if (f->fd < 0 && (errno == ENOENT || errno == ELOOP)) {
        say("%s: is missing\n", f->name);
        s->findings->damaged += bands_on(s, file, index);
        return 0;
    }
    if (f->fd < 0 || fstat(f->fd, &info))
        return run_fail(errno == EACCES ? OOCC_DENIED : OOCC_IO_ERROR, NULL, "cannot read %s: %s", f->name, strerror(errno));
    if (S_ISREG(info.st_mode) && info.st_size != f->bytes) {
        say("%s: has %" PRId64 " bytes instead of %" PRId64 "\n", f->name, (int64_t)info.st_size, f->bytes);
        if (info.st_size > f->bytes) s->findings->damaged++; /* otherwise, what is missing will be found to be */
    }
    return 0;
}

static int open_files(struct scrubber *s) {
    int status = 0;
    for (int m = 0; m < s->store->members && !status; m++) {
        struct member *member = &s->store->member[m];
        if ((status = member->ops->fit(member, false, false))) break;
        for (int file = 0; file < STORE_FILES && !status; file++)
            if (file == s->described->manifest.generation || file == STORE_COEF) status = open_file(s, member, m, file);
    }
    return status;
}

static void close_files(struct store *store) {
    for (int m = 0; m < store->members; m++)
        for (int i = 0; i < STORE_FILES; i++) {
            struct io_file *file = &store->member[m].file[i];
            if (file->fd >= 0 && file->fd != store->member[m].fd) close(file->fd);
            file->fd = -1;
        }
}

/* -- reading ------------------------------------------------------------------------------------------------------- */

/* 0 or an errno; ENODATA: the file ends before. */
static int read_all(int fd, char *data, int64_t bytes, int64_t at) {
    while (bytes > 0) {
        const ssize_t got = pread(fd, data, (size_t)bytes, at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got ? errno : ENODATA;
        data += got, at += got, bytes -= got;
    }
    return 0;
}

static void tell_unread(struct scrubber *s, const struct region *region, struct part part, const struct spot *spot,
                        int64_t offset, int error) {
    char what[160];
    const int64_t bands = (part.hi - part.lo) * (part.band_hi - part.band_lo);
    snprintf(what, sizeof what, "cannot be read: %s", error == ENODATA ? "the file ends before" : strerror(error));
    tell(s, spot->file->name, region, part.lo, part.band_lo, offset, what);
    *(error == ENODATA ? &s->findings->damaged : &s->findings->unread) += bands;
}

/* Reads and compares some bands of some planes that follow each other in their file. One by one where they cannot be read together:
 * what can be read of them is. */
static void scrub_part(struct scrubber *s, const struct region *region, int file, struct part part) {
    const struct oocc_grid *grid = &s->described->run.grid;
    const int64_t t = s->described->manifest.level, bands = part.band_hi - part.band_lo;
    const struct block_range blocks = grid_blocks(grid, region->field, part.band_lo, part.band_hi);
    const struct spot spot = stripe_find(s->store, region, file, part.lo);
    const int64_t each = blocks.to - blocks.from, bytes = (part.hi - part.lo - 1) * region->plane_bytes + each;
    const int error = read_all(spot.file->fd, s->buffer, bytes, spot.offset + blocks.from);
    if (error && part.hi - part.lo > 1) {
        for (int64_t z = part.lo; z < part.hi; z++)
            scrub_part(s, region, file, (struct part){z, z + 1, part.band_lo, part.band_hi});
        return;
    }
    if (error && bands > 1) {
        for (int64_t band = part.band_lo; band < part.band_hi; band++)
            scrub_part(s, region, file, (struct part){part.lo, part.hi, band, band + 1});
        return;
    }
    s->findings->bytes += bytes;
    s->findings->bands += (part.hi - part.lo) * bands;
    if (error) {
        tell_unread(s, region, part, &spot, spot.offset + blocks.from, error);
        return;
    }
    const uint64_t *sum = store_sums(s->store, region, file);
    const int64_t planes = part.hi - part.lo;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < planes * bands; i++) {
        const int64_t z = part.lo + i / bands, band = part.band_lo + i % bands;
        const struct place place = {.base = s->buffer + (z - part.lo) * region->plane_bytes,
                                    .planes = 1,
                                    .stride_bytes = region->plane_bytes,
                                    .skip_bytes = blocks.from};
        s->bad[i] = sum[z * region->bands + band] != store_sum(grid, region, t, z, band, place);
    }
    for (int64_t i = 0; i < planes * bands; i++) {
        const int64_t z = part.lo + i / bands, band = part.band_lo + i % bands;
        if (!s->bad[i]) continue;
        s->findings->damaged++;
        tell(s, spot.file->name, region, z, band,
             spot.offset + (z - part.lo) * region->plane_bytes + grid_band_offset(grid, region->field, band),
             "does not match its checksum");
    }
}

/* So many bands of a plane, or so many planes, as a chunk holds; at least one band. */
static int64_t bands_at_once(const struct region *region) {
    return oocc_max(1, oocc_min(region->bands, CHUNK_BYTES / (region->plane_bytes / region->bands + 1)));
}

static void scrub_region(struct scrubber *s, const struct region *region) {
    const int file = region->coef ? STORE_COEF : s->described->manifest.generation;
    const int64_t bands = bands_at_once(region);
    const int64_t most = bands < region->bands ? 1 : oocc_max(1, CHUNK_BYTES / region->plane_bytes);
    for (int64_t z = 0, end; z < region->planes; z = end) {
        const struct spot spot = stripe_find(s->store, region, file, z);
        end = oocc_min(region->planes, z + oocc_min(most, spot.planes));
        for (int64_t band = 0; band < region->bands && spot.file->fd >= 0; band += bands)
            scrub_part(s, region, file, (struct part){z, end, band, oocc_min(band + bands, region->bands)});
        s->done += (end - z) * region->plane_bytes;
        progress_update("verify", (double)s->done / (double)s->total, &s->stats, 0);
    }
}

/* The largest chunk that any region asks for. */
static int reserve(struct scrubber *s) {
    for (int r = 0; r < s->store->regions; r++) {
        const struct region *region = &s->store->region[r];
        const int64_t bands = bands_at_once(region);
        const int64_t planes = bands < region->bands ? 1 : oocc_max(1, CHUNK_BYTES / region->plane_bytes);
        int64_t bytes = planes * region->plane_bytes;
        for (int64_t band = 0; bands < region->bands && band < region->bands; band += bands) {
            const struct block_range blocks = grid_blocks(&s->described->run.grid, region->field, band,
                                                          oocc_min(band + bands, region->bands));
            bytes = band == 0 ? blocks.to - blocks.from : oocc_max(bytes, blocks.to - blocks.from);
        }
        s->buffer_bytes = oocc_max(s->buffer_bytes, bytes);
        s->bads = oocc_max(s->bads, planes * bands);
        s->total += region->planes * region->plane_bytes;
    }
    void *buffer = NULL;
    if (posix_memalign(&buffer, ALIGN, (size_t)oocc_max(s->buffer_bytes, ALIGN))) buffer = NULL;
    s->buffer = buffer;
    s->bad = calloc((size_t)s->bads + 1, sizeof *s->bad);
    return s->buffer && s->bad ? 0 : run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
}

int scrub(struct described *described, struct store *store, struct findings *findings) {
    struct scrubber s = {.described = described, .store = store, .findings = findings};
    int status = reserve(&s);
    if (!status) status = open_files(&s);
    for (int r = 0; r < store->regions && !status; r++)
        scrub_region(&s, &store->region[r]);
    progress_end();
    if (s.lines > LINES_MOST) say("and %d more\n", s.lines - LINES_MOST);
    close_files(store);
    free(s.buffer);
    free(s.bad);
    return status;
}
