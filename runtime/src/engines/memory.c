/* The files are arrays in memory, counted against the budget: fast, and gone with the process. */
#include "engines/anonymous.h"
#include "oocc/oocc.h"

static void copy(struct engine *engine, struct io_request *request) {
    anonymous_copy(engine, request, request->bytes, NULL);
}

static int memory_open(struct engine *engine) {
    engine->state = anonymous_threads(engine, copy);
    return engine->state ? 0 : OOCC_NO_MEMORY;
}

static void memory_submit(struct engine *engine, struct io_batch *batch) {
    workers_submit(engine->state, batch);
}

static void memory_close(struct engine *engine) {
    workers_stop(engine->state);
}

const struct engine_ops engine_memory = {
    .name = "memory",
    .durable = false,
    .probe = anonymous_probe,
    .open = memory_open,
    .attach = anonymous_attach,
    .submit = memory_submit,
    .sync = anonymous_sync,
    .detach = anonymous_detach,
    .close = memory_close,
};
