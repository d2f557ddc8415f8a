#include "engines/anonymous.h"

#include "engines/workers.h"
#include "run/run.h"

#include <string.h>
#include <sys/mman.h>

enum { COPY_THREADS = 2 };

const char *anonymous_probe(const char *directory) {
    (void)directory;
    return NULL;
}

static void copy(struct engine *engine, struct io_request *request) {
    while (request->done < request->bytes) {
        int64_t bytes;
        char *data = io_request_at(request, request->done, &bytes);
        char *stored = request->file->map + request->offset + request->done;
        if (request->write)
            memcpy(stored, data, (size_t)bytes);
        else
            memcpy(data, stored, (size_t)bytes);
        request->done += bytes;
    }
    io_request_end(engine, request, 0);
}

int anonymous_open(struct engine *engine) {
    const int threads = engine->depth ? engine->depth : COPY_THREADS;
    engine->state = workers_start(threads, false, engine, copy);
    io_flying(engine, threads);
    return engine->state
               ? 0
               : run_fail(OOCC_NO_MEMORY, NULL, "cannot start the threads of engine %s", engine->ops->name);
}

int anonymous_attach(struct engine *engine, struct io_file *file) {
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

void anonymous_submit(struct engine *engine, struct io_batch *batch) {
    workers_submit(engine->state, batch);
}

int anonymous_sync(struct engine *engine, struct io_file *file) {
    (void)engine;
    (void)file;
    return 0;
}

void anonymous_detach(struct engine *engine, struct io_file *file) {
    (void)engine;
    munmap(file->map, (size_t)file->bytes);
}

void anonymous_close(struct engine *engine) {
    workers_stop(engine->state);
}
