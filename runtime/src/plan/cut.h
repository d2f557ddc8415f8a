/* cut.h: how planes are cut (columns.h). */
#ifndef OOCC_CUT_H
#define OOCC_CUT_H

#include <stdbool.h>
#include <stdint.h>

/* What lies at the side of a column: a halo that is computed twice, or, where columns lean, what the one before has made there. */
enum sides { SIDES_AUTO, SIDES_HALO, SIDES_LEAN };

struct cut {
    int64_t columns; /* 1: planes are streamed whole */
    bool leans;      /* the columns lean */
};

#endif
