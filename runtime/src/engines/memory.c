/* The files are arrays in memory: fast, and gone with the process. */
#include "engines/workers.h"
#include "run.h"

#include <string.h>
#include <sys/mman.h>

enum { COPY_THREADS = 2 };

static const char *memory_probe(const char *directory) {
    (void)directory;
    return NULL;
}

static void copy(struct engine *engine, struct io_request *request) {
    while (request->done < request->bytes) {
        char *stored = request->file->map + request->offset + request->done;
        int64_t bytes;
        char *data = io_request_at(request, request->done, &bytes);
        if (request->write)
            memcpy(stored, data, (size_t)bytes);
        else
            memcpy(data, stored, (size_t)bytes);
        request->done += bytes;
    }
    io_request_end(engine, request, 0);
}

static int memory_open(struct engine *engine) {
    engine->state = workers_start(COPY_THREADS, engine, copy);
    return engine->state ? 0 : run_fail(OOCC_NO_MEMORY, NULL, "cannot start the threads of engine memory");
}

static int memory_attach(struct engine *engine, struct io_file *file) {
    (void)engine;
    void *map = mmap(NULL, (size_t)file->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) {
        char text[32];
        return run_fail(OOCC_NO_MEMORY, "use --engine auto, which keeps the state on disk",
                        "no memory for %s of %s", format_bytes(text, file->bytes), file->name);
    }
    file->map = map;
    return 0;
}

static void memory_submit(struct engine *engine, struct io_batch *batch) {
    workers_submit(engine->state, batch);
}

static int memory_sync(struct engine *engine, struct io_file *file) {
    (void)engine;
    (void)file;
    return 0;
}

static void memory_detach(struct engine *engine, struct io_file *file) {
    (void)engine;
    munmap(file->map, (size_t)file->bytes);
}

static void memory_close(struct engine *engine) {
    workers_stop(engine->state);
}

const struct engine_ops engine_memory = {
    .name = "memory",
    .durable = false,
    .probe = memory_probe,
    .open = memory_open,
    .attach = memory_attach,
    .submit = memory_submit,
    .sync = memory_sync,
    .detach = memory_detach,
    .close = memory_close,
};
