#include "storage/parts.h"

const struct region *store_region(const struct oocc_run *run, int field, int64_t level) {
    int64_t index = level;
    for (int f = 0; f < field; f++)
        index += run->program->field[f].levels;
    return &run->store->region[index];
}

static int move(struct oocc_run *run, const struct region *region, bool write, struct part part, struct place place) {
    struct io_batch batch;
    io_batch_init(&batch);
    int status = store_add(run, &batch, region, run->store->generation, write, part, place);
    if (!status) {
        io_batch_submit(run->store->engine, &batch);
        status = io_batch_wait(&batch);
    }
    io_batch_drain(&batch);
    io_batch_free(&batch);
    return status;
}

int store_fetch(struct oocc_run *run, const struct region *region, struct part part, struct place place) {
    const int status = move(run, region, false, part, place);
    return status ? status : store_verify(run, region, run->store->generation, run->level, part, place);
}

int store_put(struct oocc_run *run, const struct region *region, struct part part, struct place place) {
    store_seal(run, region, run->store->generation, run->level, part, place);
    return move(run, region, true, part, place);
}
