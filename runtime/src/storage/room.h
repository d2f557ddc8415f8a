/* room.h: whether the members have room for a new store (docs/formats/scratch.md). */
#ifndef OOCC_ROOM_H
#define OOCC_ROOM_H

#include "storage/store.h"

/* Works out where the files of a new store lie on all members, with a third generation where it is of use and there is plenty of room.
 * 0, or 73 when a member has none, the error printed. */
int room_fit(const struct oocc_run *run, struct store *store);

#endif
