/* anonymous.h: files that are arrays in memory, for the engines that keep nothing on disk: threads copy. */
#ifndef OOCC_ENGINES_ANONYMOUS_H
#define OOCC_ENGINES_ANONYMOUS_H

#include "engines/engine.h"
#include "engines/workers.h"

/* As many threads as requests may be in flight, each with one at a time; NULL with the error printed. */
struct workers *anonymous_threads(struct engine *engine, void (*copy)(struct engine *engine, struct io_request *request));

/* Does a request, which ends with that: piece by piece, of at most so many bytes, before each of which prepare() is told
 * where in the array it lies; NULL: nobody. */
void anonymous_copy(struct engine *engine, struct io_request *request, int64_t piece_bytes,
                    void (*prepare)(struct engine *engine, char *stored, int64_t bytes, bool write));

/* For engine tables. */
const char *anonymous_probe(const char *directory);
int anonymous_attach(struct engine *engine, struct io_file *file);
int anonymous_sync(struct engine *engine, struct io_file *file);
void anonymous_detach(struct engine *engine, struct io_file *file);

#endif
