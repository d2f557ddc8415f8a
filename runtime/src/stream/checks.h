/*
 * checks.h: checksums of what a slab reads and writes. Both have to pass through the cores once more, which costs little as long as
 * other threads compute meanwhile and much when all do nothing else. So threads that wait for others while a slab is computed check
 * what has come in for the next one already, band by band, and seal the rows that are ready to be written. Where planes have several
 * bands, threads seal what a tile has finished at once, while caches have it. What nobody has found the time for is done by all
 * threads together before it is used or written.
 */
#ifndef OOCC_CHECKS_H
#define OOCC_CHECKS_H

#include "engines/engine.h"
#include "storage/store.h"

/* Unrolled planes [lo, hi) (wedge.h) of one region, in bands [band_lo, band_hi); places as in parts.h. */
struct check {
    const struct region *region;
    int generation;
    int64_t t; /* the level that the generation's present level is */
    int64_t lo, hi, band_lo, band_hi;
    struct place place;
    int64_t head;             /* unrolled planes before plane 0 */
    bool seal;                /* checksums are made, otherwise verified */
    unsigned char *taken;     /* seals of several bands: those that some thread has taken, in all planes; otherwise NULL */
    struct io_batch *arrives; /* what is verified is there when this is complete */
    bool arrived;
    int64_t next; /* without `taken`: the first band of a plane that no thread has taken yet, counted plane by plane in every band; with it,
                     when the slab is done: the first band that no thread has looked at */
    int64_t bad;  /* the first one that is damaged, or has a cell that is no number: its checksum's place; INT64_MAX: none */
};

enum spare { SPARE_DONE, SPARE_LATER, SPARE_NONE };

/* For a thread of a slab that has to wait: checks one band of what there is, if its time has come. SPARE_LATER: something is left that
 * becomes ready before the slab is done. */
enum spare checks_spare(const struct oocc_pass *pass, struct check *const *check, int count);

/* Seals the bands that lie in rows [lo, hi) whole, which are ready; returns the first row that is not sealed. */
int64_t checks_seal_rows(const struct oocc_pass *pass, struct check *const *seal, int count, int64_t lo, int64_t hi);
/* The bands that rows [lo, hi) meet, where these are ready. */
void checks_seal_ready(const struct oocc_pass *pass, struct check *const *seal, int count, int64_t lo, int64_t hi);

/* Whatever is left of these, by all threads; everything has arrived. */
void checks_finish(const struct oocc_pass *pass, struct check *const *check, int count);

/* What was found: 0, or OOCC_CORRUPT with the error printed; a cell that is no number goes to the observer. */
int check_result(const struct oocc_pass *pass, const struct check *check);

#endif
