/*
 * The files are arrays in memory that the kernel may swap out; the window, the program and its tables are locked.
 * So a run takes as much memory as its budget says and leaves the rest to the kernel's swapping, whose price can
 * be compared with that of the other engines.
 *
 * Tables are locked as they are when the engine is opened, before the arrays are made; pages count from when they
 * are first touched.
 */
#include "engines/anonymous.h"
#include "run/run.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

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

static int swap_open(struct engine *engine) {
    if (mlockall(MCL_CURRENT | MCL_ONFAULT)) note_unlocked(engine, "program and tables", errno);
    const int status = anonymous_open(engine);
    if (status) munlockall();
    return status;
}

static void swap_pin(struct engine *engine) {
    if (mlock2(engine->pinned, (size_t)engine->pinned_bytes, MLOCK_ONFAULT))
        note_unlocked(engine, "the window", errno);
}

static void swap_unpin(struct engine *engine) {
    munlock(engine->pinned, (size_t)engine->pinned_bytes);
}

static void swap_close(struct engine *engine) {
    anonymous_close(engine);
    munlockall();
}

const struct engine_ops engine_swap = {
    .name = "swap",
    .durable = false,
    .probe = anonymous_probe,
    .open = swap_open,
    .attach = anonymous_attach,
    .pin = swap_pin,
    .unpin = swap_unpin,
    .submit = anonymous_submit,
    .sync = anonymous_sync,
    .detach = anonymous_detach,
    .close = swap_close,
};
