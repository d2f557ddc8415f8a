#include "storage/chunks.h"

#include "stream/window.h"

static const int64_t CHUNK_BYTES = (int64_t)32 << 20;

struct chunks chunks_open(const struct oocc_run *run, int64_t stride_bytes) {
    struct chunks c = {.buffers = run->rings->bytes >= 2 * stride_bytes ? 2 : 1};
    const int64_t bytes = oocc_min(CHUNK_BYTES, run->rings->bytes / c.buffers);
    c.planes = oocc_min(oocc_max(bytes / stride_bytes, 1), run->grid.planes);
    for (int i = 0; i < 2; i++)
        io_batch_init(&c.batch[i]);
    return c;
}

void chunks_close(struct chunks *c) {
    for (int i = 0; i < 2; i++) {
        io_batch_drain(&c->batch[i]);
        io_batch_free(&c->batch[i]);
    }
}

struct place chunks_place(const struct oocc_run *run, const struct chunks *c, int64_t stride_bytes) {
    return (struct place){
        .base = run->rings->memory, .planes = c->planes * c->buffers, .stride_bytes = stride_bytes};
}
