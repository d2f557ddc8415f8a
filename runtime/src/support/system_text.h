/*
 * system_text.h: what the kernel says in small files of /proc and /sys. No memory is asked for, as a stream would: what is refused
 * then looks as if the file were not there, and a limit that it tells of as if there were none.
 */
#ifndef OOCC_SYSTEM_TEXT_H
#define OOCC_SYSTEM_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* As much of it as there is room for, ended by 0. 0 or an errno, with an empty text. */
int system_text(const char *path, char *text, size_t size);

/* The next range of a list such as "0-3,8", and what is left of it. */
bool system_range(const char **list, long *first, long *last);

/* The lines of a file, one after the other. */
struct system_lines {
    int fd; /* -1: there is no such file */
    size_t at, end;
    bool cut; /* what comes next is the rest of a line that was longer than there is room for */
    char held[8192];
};

void system_lines_open(struct system_lines *lines, const char *path);
/* The next one, without its end, valid until the one after; NULL when there is none. A line longer than 8191 bytes is cut off there. */
char *system_line(struct system_lines *lines);
void system_lines_close(struct system_lines *lines);

#endif
