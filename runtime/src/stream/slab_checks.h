/*
 * slab_checks.h: the checks (checks.h) of what a slab reads and writes. They begin with its transfers, threads that have nothing to
 * compute do what they can of them, and the rest is done before the slab is computed, or written.
 */
#ifndef OOCC_SLAB_CHECKS_H
#define OOCC_SLAB_CHECKS_H

#include "stream/lanes.h"

/* Of a part of what a slab reads. */
void slab_checks_begin_read(const struct oocc_pass *pass, const struct lane *lane, struct transfer *read, int part);
/* Of what a slab is going to write. */
void slab_checks_begin_seal(const struct oocc_pass *pass, const struct lane *lane, struct transfer *write);

/* The slab is about to be computed: threads may do what it seals, and verify what has come in for the next ones. */
void slab_checks_spare(const struct oocc_pass *pass, int64_t slab);

/* What threads have left of a slab's; then what was found: 0, or 76 with the place. */
int slab_checks_finish_reads(const struct oocc_pass *pass, int64_t slab);
int slab_checks_finish_seals(const struct oocc_pass *pass, int64_t slab);

#endif
