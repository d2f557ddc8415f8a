/* parts.h: parts of the store's records, into memory and back, for callers that have nothing else to do meanwhile. */
#ifndef OOCC_PARTS_H
#define OOCC_PARTS_H

#include "storage/store.h"

/* Where a level of a field is stored: 0 the present one, 1 the one before, ... */
const struct region *store_region(const struct oocc_run *run, int field, int64_t level);
/* From the present generation, verified, and to it, sealed. 0 or an exit status, which has been told. */
int store_fetch(struct oocc_run *run, const struct region *region, struct part part, struct place place);
int store_put(struct oocc_run *run, const struct region *region, struct part part, struct place place);

#endif
