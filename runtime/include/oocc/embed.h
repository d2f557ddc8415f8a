/*
 * embed.h: a stencil as part of an application. `oocc --emit=library` makes C whose functions, named after the stencil, are
 * thin wrappers of these; `oocc --emit=header` makes the header that the application includes. docs/embedding.md explains.
 * C and C++.
 *
 * Functions return a status of enum oocc_exit; 0 is success, otherwise oocc_embed_error() says why. Nothing here prints, ends
 * the process or leaves a signal handler behind.
 *
 * One instance of a stencil may be open at a time in a process. Different stencils may be open at once; calls are made one
 * after the other, whichever threads they come from. Callbacks are called by the thread that makes the call, and may not make
 * calls that work on a grid themselves (OOCC_DENIED); level, monitor and error may be asked for.
 */
#ifndef OOCC_EMBED_H
#define OOCC_EMBED_H

#include "oocc/status.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct oocc_program;
struct oocc_embed;

/* Initial values of planes [first, first + count) of the level that is `ago` steps before level 0, into `cells`, which is
 * the runtime's: dense, in the grid's order, of the field's type. Not 0: prepare or run fails with OOCC_STOPPED. */
typedef int oocc_fill(void *data, int64_t ago, int64_t first, int64_t count, void *cells);
/* After every slab. phase is "import", "pass 3/12" or "export", fraction how much of this call is done, from 0 to 1. Not 0: the
 * call is to stop, with OOCC_STOPPED, where a later one can go on. */
typedef int oocc_progress(void *data, const char *phase, double fraction);
/* Something worth knowing that is not an error, a line without a line break. */
typedef void oocc_note(void *data, const char *text);

int oocc_embed_create(const struct oocc_program *program, struct oocc_embed **run);
/* Gives everything back, the scratch included unless option keep was set or a run failed that can be resumed. NULL: nothing. */
void oocc_embed_destroy(struct oocc_embed *run);

/* Of the last call that failed; NULL: of this thread's last create that failed. Valid until the next call. */
const char *oocc_embed_error(const struct oocc_embed *run);

/* Before prepare. A parameter that oocc was given with -D has its value for good. */
int oocc_embed_set_bool(struct oocc_embed *run, const char *name, bool value);
int oocc_embed_set_int(struct oocc_embed *run, const char *name, int64_t value);
int oocc_embed_set_real(struct oocc_embed *run, const char *name, double value);
/* An option of the program's command line, without the dashes; NULL is the value of a switch. */
int oocc_embed_option(struct oocc_embed *run, const char *name, const char *value);
/* Instead of the program's own initial values. */
int oocc_embed_init(struct oocc_embed *run, int field, oocc_fill *fill, void *data);

/* At any time. */
void oocc_embed_on_progress(struct oocc_embed *run, oocc_progress *progress, void *data);
void oocc_embed_on_note(struct oocc_embed *run, oocc_note *note, void *data);
/* SIGINT and SIGTERM ask calls to stop as a callback of progress does; they do what they did before outside of calls. */
void oocc_embed_catch_signals(struct oocc_embed *run, bool wanted);

/* Plans for calls of so many steps as option steps says, or the program; makes the store and the initial values. */
int oocc_embed_prepare(struct oocc_embed *run);
/* So many steps from the present level on; the first call prepares, for calls of so many steps, when that was not done. */
int oocc_embed_run(struct oocc_embed *run, int64_t steps);
/* Writes what the program writes when it is done: outputs of the end, records, option report. *hash, unless hash is NULL,
 * becomes the number that a program prints as its result: the same bits have the same. Only read and destroy may follow. */
int oocc_embed_finish(struct oocc_embed *run, uint64_t *hash);

/* Steps made so far. */
int64_t oocc_embed_level(const struct oocc_embed *run);
/* Cells per dimension, slowest first: as many as the grid has. */
int oocc_embed_extent(struct oocc_embed *run, int64_t extent[]);
/* Planes [first, first + count) of the level that is `ago` steps before the present one; a plane is all cells with one index
 * of the slowest dimension (1-D: a cell). The buffer is the caller's: dense, in the grid's order, of the field's type. */
int oocc_embed_read(struct oocc_embed *run, int field, int64_t ago, int64_t first, int64_t count, void *cells);
int oocc_embed_write(struct oocc_embed *run, int field, int64_t ago, int64_t first, int64_t count, const void *cells);
/* The value of a reduction when it was last due; nan before. */
double oocc_embed_monitor(const struct oocc_embed *run, int watch);
/* The stop condition that ended the last run before its last step, as the program has it; NULL: none did. */
const char *oocc_embed_stop_reason(const struct oocc_embed *run);

#ifdef __cplusplus
}
#endif

#endif
