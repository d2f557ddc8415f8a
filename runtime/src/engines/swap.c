/*
 * The files are arrays in memory that the kernel may swap out; the window, the program and its tables are locked.
 * So a run takes as much memory as its budget says and leaves the rest to the kernel's swapping, whose price can
 * be compared with that of the other engines.
 *
 * Tables are locked as they are when the engine is opened, before the arrays are made; pages count from when they
 * are first touched.
 *
 * The kernel is told what comes: that pieces are about to be read, so it reads all of one at once instead of a few
 * pages at each fault; and that pieces are about to be written, so it does not read what was there.
 */
#include "engines/anonymous.h"
#include "oocc/oocc.h"
#include "support/error.h"
#include "support/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* What one advice is about: far less than what a small budget leaves to swap in and out with. */
enum { PIECE_BYTES = 256 << 10, PIECE_PAGES = PIECE_BYTES / 4096 };
static bool are_there(char *pages, size_t bytes, size_t page) {
    unsigned char there[PIECE_PAGES];
    if (mincore(pages, bytes, there)) return true;
    for (size_t i = 0; i < bytes / page; i++)
        if (!(there[i] & 1)) return false;
    return true;
}

static void prepare(struct engine *engine, char *stored, int64_t bytes, bool write) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)stored;
    const uintptr_t first = (at + page - 1) / page * page, end = (at + (uintptr_t)bytes) / page * page;
    (void)engine;
    /* Advice: what the kernel does not take, it does not. Pages that are there need none. */
    char *pages = stored + (first - at);
    if (first < end && !are_there(pages, end - first, page)) madvise(pages, end - first, write ? MADV_DONTNEED : MADV_WILLNEED);
}

static void copy(struct engine *engine, struct io_request *request) {
    anonymous_copy(engine, request, PIECE_BYTES, prepare);
}

static void note_unlocked(struct engine *engine, const char *what, int error) {
    struct rlimit limit;
    char text[32], why[96];
    if (*engine->note) return; /* one note is enough */
    if (error == EPERM || error == ENOMEM || error == EAGAIN) {
        const bool known = !getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur <= INT64_MAX;
        snprintf(why, sizeof why, "RLIMIT_MEMLOCK is %s",
                 known ? format_bytes(text, (int64_t)limit.rlim_cur) : "in the way");
    } else {
        snprintf(why, sizeof why, "%s", strerror(error));
    }
    snprintf(engine->note, sizeof engine->note, "%s cannot be locked and may be swapped out, too: %s", what, why);
    run_note("engine swap: %s", engine->note);
}

static void swap_close(struct engine *engine) {
    workers_stop(engine->state);
    munlockall();
}

static int swap_open(struct engine *engine) {
    if (mlockall(MCL_CURRENT | MCL_ONFAULT)) note_unlocked(engine, "program and tables", errno);
    if ((engine->state = anonymous_threads(engine, copy))) return 0;
    swap_close(engine);
    return OOCC_NO_MEMORY;
}

static void swap_pin(struct engine *engine) {
    if (mlock2(engine->pinned, (size_t)engine->pinned_bytes, MLOCK_ONFAULT))
        note_unlocked(engine, "the window", errno);
}

static void swap_unpin(struct engine *engine) {
    munlock(engine->pinned, (size_t)engine->pinned_bytes);
}

static void swap_submit(struct engine *engine, struct io_batch *batch) {
    workers_submit(engine->state, batch);
}

const struct engine_ops engine_swap = {
    .name = "swap",
    .durable = false,
    .probe = anonymous_probe,
    .open = swap_open,
    .attach = anonymous_attach,
    .pin = swap_pin,
    .unpin = swap_unpin,
    .submit = swap_submit,
    .sync = anonymous_sync,
    .detach = anonymous_detach,
    .close = swap_close,
};
