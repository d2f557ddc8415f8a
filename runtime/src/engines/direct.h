/* direct.h: files for direct I/O, which goes straight between the window and the device, past the page cache. */
#ifndef OOCC_ENGINES_DIRECT_H
#define OOCC_ENGINES_DIRECT_H

#include "engines/engine.h"

/* A nameless file in a directory, or a block device to be read, to try an engine on; `flags` as for open(). -1: errno says
 * why not. */
int direct_probe_file(const char *directory, int flags);
/* Opens such a file and moves one trial block: NULL when that works, or why not. */
const char *direct_try(const char *directory, int flags);
/* Why direct I/O of this errno is refused, in words. */
const char *direct_refusal(int error);

/* For engine tables. */
int direct_attach(struct engine *engine, struct io_file *file);
int direct_sync(struct engine *engine, struct io_file *file);
void direct_detach(struct engine *engine, struct io_file *file);

/* 4096 bytes for a trial transfer, aligned as planes lie in memory and no better; of one thread at a time. */
/* Files are written in a trial, devices only read. */
bool direct_trial_writes(int fd);
enum { DIRECT_TRIAL_BYTES = 4096 };
char *direct_trial_data(void);

#endif
