/* fresh_counts.h: for runs whose memory the kernel swaps out. */
#ifndef OOCC_ENGINES_FRESH_COUNTS_H
#define OOCC_ENGINES_FRESH_COUNTS_H

/*
 * Reads the counts of this process's control group (memory.stat) 50 times a second, by a thread of its own, until it is closed.
 *
 * When a group with a limit is full, Linux decides by the group's counts where to look for pages to swap out, and these may be
 * seconds old: then it looks where none are any more, says that nothing can be had, and ends the process. Reading the counts brings
 * them up to date. Seen with Linux 6.18 and control groups of version 1: docs/schedule.md, I/O engines.
 */
struct fresh_counts;

/* NULL: there is no group or no thread to be had, and the run does without. */
struct fresh_counts *fresh_counts_open(void);
void fresh_counts_close(struct fresh_counts *counts); /* or NULL */

#endif
