/*
 * probe_device.c: what the engine gets out of the device behind the scratch: two files without a name, requests of the
 * pipeline's size, two batches in flight in each direction, as in a pass. One file is written, the other one too,
 * then both move at once, then the first is read: a second or two in all, since each part ends when its time is up.
 */
#include "engine.h"
#include "probe.h"

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

static const int64_t MiB = 1 << 20;
static const double phase_seconds = 0.5;
enum { FILES = 2, BATCHES = 2 };

/* Bytes that move in one direction: file after buffer after buffer, up to its end. */
struct stream {
    struct io_file *file;
    bool write;
    char *buffer; /* BATCHES parts */
    int64_t end;  /* of the file's part that is gone through, again and again */
    struct io_batch batch[BATCHES];
    int64_t at, moved;
};

struct probing {
    struct engine *engine;
    struct io_file file[FILES];
    bool attached[FILES];
    char *memory;
    int64_t memory_bytes, part; /* bytes of one batch */
};

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

/* Waits for the batch, and fills it again unless the stream is to end. False: something failed. */
static bool turn(struct probing *p, struct stream *s, int index, bool more) {
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

/* All streams at once, each up to `most` bytes or until the time is up. Returns seconds, made durable when something
 * was written; 0 when something failed. */
static double move(struct probing *p, struct stream *streams, int count, int64_t most) {
    bool good = true;
    int64_t moved, written;
    const double began = machine_seconds();
    engine_take_counts(p->engine, &(int64_t){0}, &(int64_t){0}, NULL);
    for (int s = 0; s < count; s++)
        for (int b = 0; b < BATCHES; b++)
            io_batch_init(&streams[s].batch[b]);
    for (int64_t round = 0; good; round++) {
        const bool more = round * p->part < most && machine_seconds() - began < phase_seconds;
        for (int s = 0; s < count && good; s++)
            good = turn(p, &streams[s], (int)(round % BATCHES), more);
        if (!more) break;
    }
    for (int s = 0; s < count; s++)
        for (int b = 0; b < BATCHES; b++) {
            turn(p, &streams[s], b, false);
            io_batch_free(&streams[s].batch[b]);
        }
    for (int s = 0; s < count && good; s++)
        if (streams[s].write) good = p->engine->ops->sync(p->engine, streams[s].file) == 0;
    const double seconds = machine_seconds() - began;
    moved = written = 0;
    engine_take_counts(p->engine, &moved, &written, NULL);
    for (int s = 0; s < count; s++)
        moved -= streams[s].moved;
    return good && moved + written == 0 && seconds > 0 ? seconds : 0; /* every byte has moved */
}

/* What the page cache holds of a file would be read from there. */
static bool forget(struct probing *p, int index) {
    struct io_file *file = &p->file[index];
    if (file->fd < 0) return true;
    p->engine->ops->detach(p->engine, file);
    p->attached[index] = false;
    posix_fadvise(file->fd, 0, 0, POSIX_FADV_DONTNEED);
    p->attached[index] = p->engine->ops->attach(p->engine, file) == 0;
    return p->attached[index];
}

static bool measure(struct probing *p, struct device_figures *f) {
    char *second = p->memory + BATCHES * p->part;
    const int64_t whole = p->file[0].bytes;
    struct stream fill = {.file = &p->file[0], .write = true, .buffer = p->memory, .end = whole};
    if (move(p, &fill, 1, whole) == 0) return false;
    /* Read later is only what has been written: the rest comes from no disk. */
    const int64_t there = fill.moved;
    if (there < p->part || !forget(p, 0)) return false;

    struct stream write = {.file = &p->file[1], .write = true, .buffer = second, .end = whole};
    const double writing = move(p, &write, 1, whole);
    struct stream both[] = {{.file = &p->file[0], .buffer = p->memory, .end = there},
                            {.file = &p->file[1], .write = true, .buffer = second, .end = whole}};
    const double together = writing > 0 ? move(p, both, 2, there) : 0;
    if (together == 0 || !forget(p, 0)) return false;
    struct stream read = {.file = &p->file[0], .buffer = p->memory, .end = there};
    const double reading = move(p, &read, 1, there);
    if (reading == 0) return false;

    struct stream last = {.file = &p->file[1], .write = true, .buffer = second, .end = whole};
    const double small = move(p, &last, 1, p->part);
    f->write = (double)write.moved / writing;
    f->read = (double)read.moved / reading;
    /* Never more than the two can do side by side. */
    f->both = fmin((double)(both[0].moved + both[1].moved) / together, f->read + f->write);
    f->sync_seconds = fmax(0, small - (double)last.moved / f->write);
    return true;
}

static bool open_files(struct probing *p, const char *engine, const char *scratch, int64_t bytes) {
    const bool on_disk = engine_is_durable(engine);
    for (int i = 0; i < FILES; i++) {
        p->file[i] =
            (struct io_file){.name = "probe", .bytes = bytes, .fd = on_disk ? open_file(scratch) : -1};
        if (on_disk && (p->file[i].fd < 0 || posix_fallocate(p->file[i].fd, 0, bytes) != 0)) return false;
    }
    if (engine_open(engine, &p->engine) != 0) return false;
    for (int i = 0; i < FILES; i++)
        if (!(p->attached[i] = p->engine->ops->attach(p->engine, &p->file[i]) == 0)) return false;
    return true;
}

/* A quarter of the free space at most; in memory, of the room. */
static int64_t file_bytes(const char *engine, const char *scratch, int64_t room_bytes) {
    if (!engine_is_durable(engine)) return oocc_min(64 * MiB, room_bytes / 4);
    struct statvfs info;
    const int fd = open_file(scratch);
    const bool known = fd >= 0 && fstatvfs(fd, &info) == 0;
    if (fd >= 0) close(fd);
    return known ? (int64_t)fmin(256.0 * (double)MiB, (double)info.f_bavail * (double)info.f_frsize / 8) : 0;
}

bool probe_device(const char *engine, const char *scratch, int64_t room_bytes,
                  struct device_figures *figures) {
    struct probing p = {.file = {{.fd = -1}, {.fd = -1}}};
    struct device_figures f = figures_nominal.device;
    const int64_t room = engine_is_durable(engine) ? room_bytes : room_bytes / 2;
    p.part = oocc_min(32 * MiB, room / (2 * BATCHES)) / IO_REQUEST_BYTES * IO_REQUEST_BYTES;
    const int64_t bytes = p.part > 0 ? file_bytes(engine, scratch, room_bytes) / p.part * p.part : 0;
    if (bytes < 2 * p.part || bytes == 0) return false;
    p.memory_bytes = 2 * BATCHES * p.part;
    p.memory = mmap(NULL, (size_t)p.memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p.memory == MAP_FAILED) return false;
    /* No device is to make zeros of it, or find that it has the same bytes already. */
    uint64_t random = 88172645463325252u;
    for (int64_t i = 0; i < p.memory_bytes / 8; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        memcpy(p.memory + 8 * i, &random, sizeof random);
    }
    const bool good = open_files(&p, engine, scratch, bytes) && measure(&p, &f);
    for (int i = 0; i < FILES; i++)
        if (p.attached[i]) p.engine->ops->detach(p.engine, &p.file[i]);
    engine_close(p.engine);
    for (int i = 0; i < FILES; i++)
        if (p.file[i].fd >= 0) close(p.file[i].fd);
    munmap(p.memory, (size_t)p.memory_bytes);
    if (!good) return false;
    figures_stamp(f.date);
    *figures = f;
    return true;
}
