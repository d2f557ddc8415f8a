/* search.h: the cheapest shape (bt, bz, ct, tiles) that fits the budget. */
#ifndef OOCC_SEARCH_H
#define OOCC_SEARCH_H

#include "plan/cost.h"
#include "plan/cut.h"

/* What was asked for, 0 where the search is free; and what there is room for. */
struct search {
    struct workload work;
    struct shape wanted; /* tiles 0: free */
    struct cut cut;      /* that shapes are tried with */
    enum sides sides;    /* of columns; asked for, or auto */
    int64_t read_ahead, write_behind;
    int64_t room_bytes; /* for the window */
};

struct found {
    struct shape shape;
    struct cost cost;
    double rank; /* seconds, and a premium on tiles that need most of the caches: what is compared */
};

/* The most steps a pass can make: those there are; where the streamed dimension is periodic, wedge_deepest(); up to
 * where a pass must end (cut_steps()). */
int64_t search_most_steps(const struct search *search);
/* The largest bt, at most `most`, that fits with slabs of bz planes; 0 when none does. */
int64_t search_deepest(const struct search *search, int64_t bz, int64_t most);
/* The window of a shape, INT64_MAX when it is not a size. */
int64_t search_window(const struct search *search, int64_t bt, int64_t bz);
/* That, and what passes of bt steps observe; INT64_MAX when it is not a size. */
int64_t search_needs(const struct search *search, int64_t bt, int64_t bz);
/* The least of these over all cuts that are tried. */
int64_t search_least(const struct search *search, int64_t bt, int64_t bz);
/* Whether the window and what passes of bt steps observe fit. */
bool search_fits(const struct search *search, int64_t bt, int64_t bz);
/* Rows that tiles share: of the narrowest column in a pass of bt steps. */
int64_t search_tile_extent(const struct search *search, int64_t bt);
/* Tries ct and tiles for given bt and bz, and keeps the best in found (cost.bound NULL: nothing yet). */
void search_tiles(const struct search *search, int64_t bt, int64_t bz, double *least,
                  struct found *found);
/* Tries everything; false when nothing fits. Of columns, one where that is about as fast as more. */
bool search_all(const struct search *search, struct found *found);

#endif
