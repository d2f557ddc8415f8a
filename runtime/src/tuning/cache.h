/*
 * cache.h: what was measured once is kept for later runs, one small JSON file for each thing measured, in $OOCC_CACHE,
 * $XDG_CACHE_HOME/oocc or ~/.cache/oocc (docs/formats/cache.md). Nothing here is an error: what cannot be read or
 * written is measured again, and one note says so.
 */
#ifndef OOCC_CACHE_H
#define OOCC_CACHE_H

#include "oocc/oocc.h"
#include "plan/run_plan.h"
#include "run/options.h"
#include "tuning/figures.h"
#include "tuning/machine.h"

/* Of the files; one of another version is passed by. */
enum { CACHE_VERSION = 17 };

/* What the figures hold for: a file whose key differs in one character is another one. */
struct cache_keys {
    char machine[512], device[768], kernel[1024], tuned[1920];
};

void cache_make_keys(struct cache_keys *keys, const struct oocc_program *program, const struct options *options,
                     const struct oocc_grid *grid, const struct machine *machine, const struct plan *plan);

/* Figures of the machine that were measured in no more than so many bytes. */
void cache_limit_machine(struct cache_keys *keys, int64_t bytes);
/* Points of the loops are relative to the machine's figures, and hold for these only. */
void cache_tie_kernel(struct cache_keys *keys, const struct machine_figures *figures);

/* Each fills in its part and returns true, or leaves it alone. */
bool cache_read_machine(const struct cache_keys *keys, struct machine_figures *figures);
bool cache_read_device(const struct cache_keys *keys, struct device_figures *figures);
bool cache_read_kernel(const struct cache_keys *keys, struct kernel_figures *figures);
bool cache_read_tuned(const struct cache_keys *keys, struct tuned *tuned);

void cache_write_machine(const struct cache_keys *keys, const struct machine_figures *figures);
void cache_write_device(const struct cache_keys *keys, const struct device_figures *figures);
void cache_write_kernel(const struct cache_keys *keys, const struct kernel_figures *figures);
void cache_write_tuned(const struct cache_keys *keys, const struct tuned *tuned);

#endif
