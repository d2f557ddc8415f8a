#include "stream/parts.h"

#include <stdlib.h>

struct transfer *transfers_open(int64_t count) {
    struct transfer *transfer = calloc((size_t)count + 1, sizeof *transfer);
    for (int64_t i = 0; transfer && i < count; i++)
        for (int part = 0; part < PARTS_MOST; part++)
            io_batch_init(&transfer[i].batch[part]);
    return transfer;
}

void transfers_close(struct transfer *transfer, int64_t count) {
    for (int64_t i = 0; transfer && i < count; i++)
        for (int part = 0; part < PARTS_MOST; part++)
            io_batch_free(&transfer[i].batch[part]);
    free(transfer);
}

int parts_of(int64_t planes, int64_t plane_bytes, int64_t request_bytes) {
    const int64_t each =
        (PART_REQUESTS * request_bytes - 1) / plane_bytes + 1; /* planes of the smallest part */
    return (int)oocc_max(1, oocc_min(PARTS_MOST, planes / each));
}

struct span transfer_part(const struct transfer *transfer, int part) {
    const int64_t lo = transfer->span.lo, planes = transfer->span.hi - lo, parts = transfer->parts;
    const int64_t each = planes / parts, more = planes % parts; /* the first ones have a plane more */
    return (struct span){lo + part * each + oocc_min(part, more),
                         lo + (part + 1) * each + oocc_min(part + 1, more)};
}

static int64_t along(int64_t from, int64_t to, int64_t ring_planes) {
    return ((to - from) % ring_planes + ring_planes) % ring_planes;
}

bool spans_meet(struct span a, struct span b, int64_t ring_planes) {
    if (a.lo >= a.hi || b.lo >= b.hi) return false;
    return along(a.lo, b.lo, ring_planes) < a.hi - a.lo || along(b.lo, a.lo, ring_planes) < b.hi - b.lo;
}

int transfer_after(struct transfer *read, int part, struct transfer *write) {
    int status = 0;
    if (write->place.base != read->place.base) return 0;
    const struct span planes = transfer_part(read, part);
    for (int i = 0; i < write->parts && !status; i++)
        if (spans_meet(planes, transfer_part(write, i), read->place.planes))
            status = io_batch_after(&read->batch[part], &write->batch[i]);
    return status;
}

int transfer_wait(struct transfer *transfer) {
    int status = 0;
    for (int i = 0; i < transfer->parts && !status; i++)
        status = io_batch_wait(&transfer->batch[i]);
    return status;
}

void transfer_drain(struct transfer *transfer) {
    for (int i = 0; i < transfer->parts; i++)
        io_batch_drain(&transfer->batch[i]);
}
