/* error.h: how a run says what is wrong, and where that goes. */
#ifndef OOCC_ERROR_H
#define OOCC_ERROR_H

#include "oocc/oocc.h"

/* Prints "NAME: error: ..." and, when help is not NULL, "NAME: help: ..." to stderr; returns status. */
int run_fail(int status, const char *help, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* What an I/O error of this errno ends a run with (73 where there is no space, 77 where it is denied, else 74), and what to
 * do about it. */
int run_io_status(int error);
const char *run_io_help(int error);
void run_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The run has failed, and said so: errors are notes from now on, of what it does all the same. NULL: they are errors again. */
void run_errors_after(const char *what);
void run_set_name(const char *name);
const char *run_name(void);
/* From now on libraries that end the process for want of memory end it with status 71. */
void run_watch_end(void);
/* Whether all that was printed has arrived: a reader that has gone away is noted, anything else is an error (74). */
int run_check_stdout(void);

/* Where messages go instead of stderr: what an application asks for with ..._error(), and notes that it is told. */
struct run_messages {
    char text[1024];                      /* the last error, its help after "; "; without a line break at the end */
    void (*note)(void *data, const char *text); /* NULL: notes are dropped */
    void *data;
};
/* From now on, whatever the thread; NULL: to stderr again. */
void run_catch_messages(struct run_messages *to);

#endif
