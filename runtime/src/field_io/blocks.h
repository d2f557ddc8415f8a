/*
 * blocks.h: the bytes of a large file from front to back, past the page cache: while the caller makes or takes one block, others
 * are on their way. Through the cache one thread copies all that is read and written, into pages that the kernel has to find first,
 * which is a third of what a disk does and less, and pages of the cache are not within any budget.
 */
#ifndef OOCC_BLOCKS_H
#define OOCC_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

struct blocks;

/* Whether to use them: not for files so small that somebody may want to find them in the cache, nor for one that is read and is
 * in the cache already. */
bool blocks_pay(int fd, bool write, int64_t bytes);

/* For bytes [begin, end) of a file, which stays open and belongs to this until it is closed here; begin is 0 when writing.
 * Memory: 2 MiB. 0 or an exit status with the error printed, as all of these; `path` stays the caller's. */
int blocks_open(int fd, const char *path, bool write, int64_t begin, int64_t end, struct blocks **blocks);
/* Takes or gives the next bytes; between begin and end. */
int blocks_move(struct blocks *blocks, char *data, int64_t bytes);
/* `whole`: what was given so far is written before it returns; otherwise it may be or not. NULL: nothing happens. */
int blocks_close(struct blocks *blocks, bool whole);

#endif
