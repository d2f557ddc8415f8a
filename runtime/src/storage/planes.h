/* planes.h: planes of the grid between passes: to and from dense buffers of an application's. */
#ifndef OOCC_PLANES_H
#define OOCC_PLANES_H

#include "oocc/embed.h"
#include "run/run.h"

/* Where an application's initial values of a field come from. */
struct given {
    oocc_fill *fill; /* NULL: from the program */
    void *data;
};

/* Makes the cells of one plane of the grid as stored, whose record is zero: cell (0, 0) at `cells`. */
int given_plane(const struct oocc_run *run, int field, int level, int64_t z, void *cells);

/* [first, first + count) of the slowest dimension, of the level `ago` steps before the present one. */
struct planes {
    int field;
    int64_t ago, first, count;
};

/* 0, or OOCC_USAGE when there are no such planes. */
int planes_check(const struct oocc_run *run, struct planes planes);
int planes_read(struct oocc_run *run, struct planes planes, void *cells);
/* In the present generation itself, whose checksums follow: it is to be committed (store.h) before a run that is killed can
 * be resumed. */
int planes_write(struct oocc_run *run, struct planes planes, const void *cells);

#endif
