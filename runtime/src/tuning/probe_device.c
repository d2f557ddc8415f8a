/*
 * probe_device.c: what the engine gets out of the device behind the scratch: two files without a name, requests of the
 * pipeline's size, two batches in flight in each direction, as in a pass. Both are filled, then one is written again, as passes do with
 * all but the first generation (blocks that were never written may take twice as long), then both move at once, then the first is read: a
 * second or two in all, since each part ends when its time is up.
 * Of a scratch of several directories each has its two files, and all move together.
 */
#include "tuning/probe_device.h"

#include "tuning/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const int64_t MiB = 1 << 20, HUGE_PAGE_BYTES = 2 << 20;
static const int64_t device_part_bytes = 32 << 20;
static const double phase_seconds = 0.5;

static int open_nameless(const char *directory) {
    const int fd = open(directory, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return fd;
    char name[4096];
    if (snprintf(name, sizeof name, "%s/.oocc-probe-XXXXXX", directory) >= (int)sizeof name) return -1;
    const int named = mkostemp(name, O_CLOEXEC);
    if (named >= 0) unlink(name);
    return named;
}

static int open_file(const char *scratch) {
    struct stat info;
    char *name = strdup(scratch);
    if (name == NULL) return -1;
    const int fd = open_nameless(stat(name, &info) == 0 ? name : dirname(name));
    free(name);
    return fd;
}

bool probing_turn(struct probing *p, struct stream *s, int index, bool more) {
    struct io_batch *batch = &s->batch[index];
    const int64_t before = batch->count;
    io_batch_drain(batch);
    if (before > 0) s->moved += p->part;
    if (!more) return true;
    if (s->at + p->part > s->end) s->at = 0;
    if (io_batch_add(batch, s->file, s->write, s->buffer + index * p->part, p->part, s->at) != 0)
        return false;
    s->at += p->part;
    io_batch_submit(p->engine, batch);
    return true;
}

void probing_begin(struct stream *streams, int count) {
    for (int s = 0; s < count; s++)
        for (int b = 0; b < PROBING_BATCHES; b++)
            io_batch_init(&streams[s].batch[b]);
}

void probing_end(struct probing *p, struct stream *streams, int count) {
    for (int s = 0; s < count; s++)
        for (int b = 0; b < PROBING_BATCHES; b++) {
            probing_turn(p, &streams[s], b, false);
            io_batch_free(&streams[s].batch[b]);
        }
}

double probing_move(struct probing *p, struct stream *streams, int count, int64_t most) {
    bool good = true;
    int64_t moved = 0;
    const double began = machine_seconds();
    engine_take_counts(p->engine, NULL, NULL, NULL);
    probing_begin(streams, count);
    for (int64_t round = 0; good; round++) {
        const bool more = round * p->part < most && machine_seconds() - began < phase_seconds;
        if (!more) break;
        for (int s = 0; s < count && good; s++)
            good = probing_turn(p, &streams[s], (int)(round % PROBING_BATCHES), true);
    }
    probing_end(p, streams, count);
    const double moved_at = machine_seconds();
    for (int s = 0; s < count && good; s++)
        if (streams[s].write) good = p->engine->ops->sync(p->engine, streams[s].file) == 0;
    const double seconds = machine_seconds() - began;
    p->sync_seconds = began + seconds - moved_at;
    int64_t counted = 0;
    engine_take_counts(p->engine, &counted, &counted, NULL);
    for (int s = 0; s < count; s++)
        moved += streams[s].moved;
    return good && counted == moved && seconds > 0 ? seconds : 0; /* every byte has moved */
}

double probing_bytes(const struct stream *streams, int count) {
    double bytes = 0;
    for (int s = 0; s < count; s++)
        bytes += (double)streams[s].moved;
    return bytes;
}

/* What the page cache holds of the first files would be read from there. */
static bool forget(struct probing *p) {
    for (int m = 0; m < p->members; m++) {
        struct io_file *file = &p->file[0][m];
        if (file->fd < 0) continue;
        p->engine->ops->detach(p->engine, file);
        file->attached = false;
        posix_fadvise(file->fd, 0, 0, POSIX_FADV_DONTNEED);
        if (p->engine->ops->attach(p->engine, file) != 0) return false;
        file->attached = true;
    }
    return true;
}

void probing_aim(struct probing *p, struct stream *streams, int index, bool write, int64_t end) {
    for (int m = 0; m < p->members; m++)
        streams[m] = (struct stream){.file = &p->file[index][m],
                                     .write = write,
                                     .end = end,
                                     .buffer = p->memory + (index * p->members + m) * PROBING_BATCHES * p->part};
}

bool probing_fill(struct probing *p) {
    struct stream s[PROBING_MEMBERS];
    for (int i = 0; i < PROBING_FILES; i++) {
        const int64_t whole = p->file[i][0].bytes;
        probing_aim(p, s, i, true, whole);
        if (probing_move(p, s, p->members, whole) == 0) return false;
        p->filled[i] = whole;
        for (int m = 0; m < p->members; m++)
            p->filled[i] = oocc_min(p->filled[i], s[m].moved);
        if (p->filled[i] < p->part) return false;
    }
    return forget(p);
}

static bool measure(struct probing *p, struct device_figures *f) {
    struct stream s[PROBING_FILES * PROBING_MEMBERS];
    const int members = p->members;
    if (!probing_fill(p)) return false;
    /* Read is only what has been written: the rest comes from no disk. */
    const int64_t there = p->filled[0], again = p->filled[1];

    probing_aim(p, s, 1, true, again);
    double seconds = probing_move(p, s, members, again);
    if (seconds == 0) return false;
    const double much = probing_bytes(s, members), sync_much = p->sync_seconds;
    f->write = much / seconds;

    probing_aim(p, s, 0, false, there);
    probing_aim(p, s + members, 1, true, again);
    if ((seconds = probing_move(p, s, 2 * members, there)) == 0 || !forget(p)) return false;
    f->both = probing_bytes(s, 2 * members) / seconds;

    probing_aim(p, s, 0, false, there);
    if ((seconds = probing_move(p, s, members, there)) == 0) return false;
    f->read = probing_bytes(s, members) / seconds;

    probing_aim(p, s, 1, true, again);
    if (probing_move(p, s, members, p->part) == 0) return false;
    const double little = probing_bytes(s, members), sync_little = p->sync_seconds;
    f->sync_seconds_per_byte = fmax(0, sync_much - sync_little) / fmax(much - little, much / 2);
    f->sync_seconds = fmax(0, sync_little - f->sync_seconds_per_byte * little);
    /* Never more than the two can do side by side. */
    f->both = fmin(f->both, f->read + f->write);
    return true;
}

/* Splits "DIR1,DIR2" and opens a file in each; false when one is no directory. */
static bool open_files(struct probing *p, const struct plan *plan, const char *scratch, int64_t bytes) {
    const char *engine = plan->engine;
    const bool on_disk = engine_is_durable(engine);
    for (int i = 0; i < PROBING_FILES; i++) {
        const char *at = scratch;
        for (int m = 0; m < p->members; m++) {
            const size_t length = strcspn(at, ",");
            char *name = strndup(at, length);
            p->file[i][m] = (struct io_file){.name = "the probe's file",
                                             .bytes = bytes,
                                             .request_bytes = plan->io_request_bytes,
                                             .fd = on_disk && name ? open_file(name) : -1};
            free(name);
            at += length + (at[length] == ',');
            if (on_disk && (p->file[i][m].fd < 0 || posix_fallocate(p->file[i][m].fd, 0, bytes) != 0))
                return false;
        }
    }
    if (engine_open(engine, plan->io_depth, &p->engine) != 0) return false;
    for (int i = 0; i < PROBING_FILES; i++)
        for (int m = 0; m < p->members; m++) {
            if (p->engine->ops->attach(p->engine, &p->file[i][m]) != 0) return false;
            p->file[i][m].attached = true;
        }
    return true;
}

static void close_files(struct probing *p) {
    for (int i = 0; i < PROBING_FILES; i++)
        for (int m = 0; m < p->members; m++)
            if (p->file[i][m].attached) p->engine->ops->detach(p->engine, &p->file[i][m]);
    engine_close(p->engine);
    for (int i = 0; i < PROBING_FILES; i++)
        for (int m = 0; m < p->members; m++)
            if (p->file[i][m].fd >= 0) close(p->file[i][m].fd);
}

static int count_members(const char *engine, const char *scratch) {
    int members = 1;
    if (!engine_is_durable(engine)) return 1;
    for (const char *p = scratch; (p = strchr(p, ',')) != NULL; p++)
        members++;
    return members;
}

/* Of one file: an eighth of the free space of the first directory at most; in memory, of the room. */
static int64_t file_bytes(const char *engine, const char *scratch, int members, int64_t room_bytes) {
    if (!engine_is_durable(engine)) return oocc_min(64 * MiB, room_bytes / 4);
    struct statvfs info;
    char *name = strndup(scratch, strcspn(scratch, ","));
    const int fd = name != NULL ? open_file(name) : -1;
    const bool known = fd >= 0 && fstatvfs(fd, &info) == 0;
    free(name);
    if (fd >= 0) close(fd);
    return known ? (int64_t)fmin(512.0 * (double)MiB, (double)info.f_bavail * (double)info.f_frsize / 8) /
                       members
                 : 0;
}

bool probing_open(struct probing *p, const struct plan *plan, const char *scratch, int64_t room_bytes, int64_t part_bytes) {
    const char *engine = plan->engine;
    *p = (struct probing){.members = count_members(engine, scratch)};
    const int64_t room = (engine_is_durable(engine) ? room_bytes : room_bytes / 2) - HUGE_PAGE_BYTES;
    const int batches = PROBING_FILES * PROBING_BATCHES * p->members;
    for (int i = 0; i < PROBING_FILES; i++)
        for (int m = 0; m < PROBING_MEMBERS; m++)
            p->file[i][m].fd = -1;
    if (p->members > PROBING_MEMBERS) return false;
    /* Whole requests, and of a small room what there is: slabs of such a run are small, too. */
    const int64_t most = oocc_min(oocc_max(part_bytes / p->members, MiB), room / batches), unit = most < IO_REQUEST_BYTES ? MiB : IO_REQUEST_BYTES;
    p->part = most / unit * unit;
    const int64_t bytes =
        p->part > 0 ? file_bytes(engine, scratch, p->members, room_bytes) / p->part * p->part : 0;
    if (bytes < 2 * p->part || bytes == 0) return false;
    const int64_t memory_bytes = batches * p->part;
    p->mapping_bytes = memory_bytes + HUGE_PAGE_BYTES;
    p->mapping = mmap(NULL, (size_t)p->mapping_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p->mapping == MAP_FAILED) {
        p->mapping = NULL;
        return false;
    }
    /* In huge pages, as the window is: a request of 4 MiB is a few pieces then instead of a thousand, which some devices move at
     * half the speed. */
    p->memory = p->mapping + (HUGE_PAGE_BYTES - (uintptr_t)p->mapping % HUGE_PAGE_BYTES) % HUGE_PAGE_BYTES;
    madvise(p->memory, (size_t)memory_bytes, MADV_HUGEPAGE);
    /* No device is to make zeros of it, or find that it has the same bytes already. */
    uint64_t random = 88172645463325252u;
    for (int64_t i = 0; i < memory_bytes / 8; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        memcpy(p->memory + 8 * i, &random, sizeof random);
    }
    return open_files(p, plan, scratch, bytes);
}

void probing_close(struct probing *p) {
    close_files(p);
    if (p->mapping) munmap(p->mapping, (size_t)p->mapping_bytes);
}

bool probe_device(const struct plan *plan, const char *scratch, int64_t room_bytes,
                  struct device_figures *figures) {
    struct probing p;
    struct device_figures f = figures_nominal.device;
    const bool good = probing_open(&p, plan, scratch, room_bytes, device_part_bytes) && measure(&p, &f);
    probing_close(&p);
    if (!good) return false;
    f.beside = f.both; /* until it is measured */
    figures_stamp(f.date);
    *figures = f;
    return true;
}
