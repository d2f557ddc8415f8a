/*
 * stripe.h: where the planes of a region lie among the members of the scratch. Runs of planes (stripes) go to the
 * members in turn: stripe s of the r-th region lies on member (s + r) mod members, so that regions that are read
 * together begin on different ones. On each member the stripes of a region follow each other without gaps.
 */
#ifndef OOCC_STRIPE_H
#define OOCC_STRIPE_H

#include "storage/store.h"

/* Where a plane lies, and how many planes from it on follow each other there. */
struct spot {
    struct io_file *file;
    int64_t offset;
    int64_t planes;
};

/* Lays a region, whose field, planes and plane_bytes are set, behind what the members have of the file so far. Errors:
 * 65, the sizes do not fit. */
int stripe_lay_out(struct store *store, struct region *region, int file);

struct spot stripe_find(struct store *store, const struct region *region, int file, int64_t z);

/* Planes of a stripe: as few as make a request of a MiB; of a small grid fewer, so that every member has some. */
int64_t stripe_planes(int64_t planes, int64_t plane_bytes, int members);

#endif
