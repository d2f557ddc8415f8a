/* io_log.h: writes down what a run does to its files, in the order in which it is begun and done, so that a test can
 * make every state in which a crash might leave them (--record-io FILE; docs/formats/io-log.md). */
#ifndef OOCC_IO_LOG_H
#define OOCC_IO_LOG_H

#include "support/calls.h"

extern const struct calls_watcher io_log_watcher;

/* Creates the file: 0, or an exit status with the error printed. */
int io_log_open(const char *path);
/* Closes it; the same when something could not be written. */
int io_log_close(void);

#endif
