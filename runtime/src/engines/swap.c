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
#include "run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* What one advice is about: far less than what a small budget leaves to swap in and out with. */
enum { PIECE_BYTES = 256 << 10, PIECE_PAGES = PIECE_BYTES / 4096 };
/* Half a second apart, one of three runs was still ended (bring_up_to_date()). */
static const int64_t milliseconds_apart = 20;

struct swap {
    struct workers *workers;
    int counts;     /* machine_open_memory_counts() */
    int64_t latest; /* in milliseconds, when they were brought up to date; atomic */
};

/* When a control group with a limit is full, Linux decides by the group's counts which pages to look at for some to swap
 * out, and these may be seconds old: then it looks where none are any more, says that nothing can be had, and ends the
 * process (seen with 6.18: 10 of 12 runs in groups of 84 MiB; with this, none of 19). Who reads the counts brings them
 * up to date. */
static void bring_up_to_date(struct swap *swap) {
    const int64_t now = (int64_t)(machine_seconds() * 1000);
    int64_t latest = __atomic_load_n(&swap->latest, __ATOMIC_RELAXED);
    if (swap->counts < 0 || now - latest < milliseconds_apart ||
        !__atomic_compare_exchange_n(&swap->latest, &latest, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    char text[16];
    const ssize_t got = pread(swap->counts, text, sizeof text, 0);
    (void)got;
}

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
    bring_up_to_date(engine->state);
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
    struct swap *swap = engine->state;
    workers_stop(swap->workers);
    if (swap->counts >= 0) close(swap->counts);
    free(swap);
    munlockall();
}

static int swap_open(struct engine *engine) {
    struct swap *swap = calloc(1, sizeof *swap);
    if (!swap) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    if (mlockall(MCL_CURRENT | MCL_ONFAULT)) note_unlocked(engine, "program and tables", errno);
    engine->state = swap;
    swap->counts = machine_open_memory_counts("");
    if ((swap->workers = anonymous_threads(engine, copy))) return 0;
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
    struct swap *swap = engine->state;
    workers_submit(swap->workers, batch);
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
