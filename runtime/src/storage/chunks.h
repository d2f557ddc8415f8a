/*
 * chunks.h: planes on their way between the store and what is outside of it. Both directions go through the window's memory, which is
 * idle then, a chunk of planes at a time: while one chunk moves between window and store, the next is made or the last one is
 * written out.
 */
#ifndef OOCC_CHUNKS_H
#define OOCC_CHUNKS_H

#include "engines/engine.h"
#include "run/run.h"
#include "storage/planes.h"

/* Two chunks in the window, or one when it has no room for two; chunk c lies in buffer c mod buffers. */
struct chunks {
    int64_t planes; /* of a chunk */
    int64_t buffers;
    struct io_batch batch[2];
};

/* Of a field with planes of that stride. To be closed, which waits for what is in flight. */
struct chunks chunks_open(const struct oocc_run *run, int64_t stride_bytes);
void chunks_close(struct chunks *c);
/* Where planes of chunks lie. */
struct place chunks_place(const struct oocc_run *run, const struct chunks *c, int64_t stride_bytes);

#endif
