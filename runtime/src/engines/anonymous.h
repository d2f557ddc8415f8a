/* anonymous.h: files that are arrays in memory, for the engines that keep nothing on disk. */
#ifndef OOCC_ENGINES_ANONYMOUS_H
#define OOCC_ENGINES_ANONYMOUS_H

#include "engines/engine.h"

/* For engine tables. The state is a pool of threads that copy. */
const char *anonymous_probe(const char *directory);
int anonymous_open(struct engine *engine);
int anonymous_attach(struct engine *engine, struct io_file *file);
void anonymous_submit(struct engine *engine, struct io_batch *batch);
int anonymous_sync(struct engine *engine, struct io_file *file);
void anonymous_detach(struct engine *engine, struct io_file *file);
void anonymous_close(struct engine *engine);

#endif
