/* progress.h: what a run shows while it is at work. */
#ifndef OOCC_PROGRESS_H
#define OOCC_PROGRESS_H

#include "run/options.h"
#include "run/stats.h"

/* phase is "import", "pass 3/12" or "export", fraction how much of it, or of all passes, is done; updates: cells times
 * steps made so far, 0 outside the passes. On a terminal one line is redrawn at most ten times a second; otherwise a
 * line is printed at most every two seconds. */
void progress_begin(enum progress_mode mode, const char *name);
void progress_update(const char *phase, double fraction, const struct stats *stats, double updates);
void progress_end(void);
/* Tells an application instead of a terminal, of every slab; a status that is not 0 asks the run to stop. NULL: nobody. */
void progress_tell(int (*tell)(void *data, const char *phase, double fraction), void *data);

/* Clears the line on a terminal: something else is about to be printed, and the line comes back. */
void progress_clear(void);

#endif
