/* lines.h: the lines of a text file, one after the other, however little each read brings. */
#ifndef OOCC_LINES_H
#define OOCC_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lines {
    const char *path; /* the caller's, and stays */
    int fd;
    int64_t at, bytes; /* how far it has been read, and its length when it was opened */
    char *text;        /* what has been read and not yet handed out: from `begin` to `end` */
    size_t begin, end, room;
};

/* 0, or an exit status with the error printed. */
int lines_open(struct lines *lines, const char *path);
/* The next line, without its end and with a NUL behind it, until the next call; *line is NULL behind the last. 0, or an
 * exit status with the error printed. *length tells whether it has a NUL inside, too. */
int lines_next(struct lines *lines, char **line, size_t *length);
void lines_close(struct lines *lines);

#endif
