#include "engines/anonymous.h"

#include "oocc/oocc.h"
#include "support/error.h"
#include "support/units.h"

#include <string.h>
#include <sys/mman.h>

enum { COPY_THREADS = 2 };

const char *anonymous_probe(const char *directory) {
    (void)directory;
    return NULL;
}

struct workers *anonymous_threads(struct engine *engine, void (*copy)(struct engine *engine, struct io_request *request)) {
    const int threads = engine->depth ? engine->depth : COPY_THREADS;
    struct workers *workers = workers_start(threads, false, engine, copy);
    if (!workers) run_fail(OOCC_NO_MEMORY, NULL, "cannot start the threads of engine %s", engine->ops->name);
    io_flying(engine, threads);
    return workers;
}

void anonymous_copy(struct engine *engine, struct io_request *request, int64_t piece_bytes,
                    void (*prepare)(struct engine *engine, char *stored, int64_t bytes, bool write)) {
    while (request->done < request->bytes) {
        int64_t bytes;
        char *data = io_request_at(request, request->done, &bytes);
        char *stored = request->file->map + request->offset + request->done;
        bytes = oocc_min(bytes, piece_bytes);
        if (prepare) prepare(engine, stored, bytes, request->write);
        if (request->write)
            memcpy(stored, data, (size_t)bytes);
        else
            memcpy(data, stored, (size_t)bytes);
        request->done += bytes;
    }
    io_request_end(engine, request, 0);
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

int anonymous_sync(struct engine *engine, struct io_file *file) {
    (void)engine;
    (void)file;
    return 0;
}

void anonymous_detach(struct engine *engine, struct io_file *file) {
    (void)engine;
    munmap(file->map, (size_t)file->bytes);
}
