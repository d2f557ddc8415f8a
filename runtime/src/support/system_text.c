#include "support/system_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int open_text(const char *path) {
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* -1 with errno, but never because of a signal. */
static ssize_t read_some(int fd, char *text, size_t size) {
    ssize_t length;
    do
        length = read(fd, text, size);
    while (length < 0 && errno == EINTR);
    return length;
}

int system_text(const char *path, char *text, size_t size) {
    size_t length = 0;
    ssize_t more = 1;
    *text = 0;
    const int fd = open_text(path);
    if (fd < 0) return errno;
    while (length < size - 1 && more > 0) {
        more = read_some(fd, text + length, size - 1 - length);
        if (more > 0) length += (size_t)more;
    }
    const int error = more < 0 ? errno : 0;
    close(fd);
    text[error ? 0 : length] = 0;
    return error;
}

bool system_range(const char **list, long *first, long *last) {
    char *end;
    if (**list < '0' || **list > '9') return false;
    *first = *last = strtol(*list, &end, 10);
    if (*end == '-') *last = strtol(end + 1, &end, 10);
    *list = *end == ',' ? end + 1 : end;
    return true;
}

void system_lines_open(struct system_lines *lines, const char *path) {
    lines->fd = open_text(path);
    lines->at = lines->end = 0;
    lines->cut = false;
}

/* False when there is no more, or no room for it. What is held moves to the front first. */
static bool hold_more(struct system_lines *lines) {
    lines->end -= lines->at;
    memmove(lines->held, lines->held + lines->at, lines->end);
    lines->at = 0;
    const size_t room = sizeof lines->held - 1 - lines->end;
    const ssize_t more = lines->fd < 0 || room == 0 ? 0 : read_some(lines->fd, lines->held + lines->end, room);
    if (more > 0) lines->end += (size_t)more;
    return more > 0;
}

char *system_line(struct system_lines *lines) {
    for (;;) {
        char *end = memchr(lines->held + lines->at, '\n', lines->end - lines->at);
        if (end == NULL && hold_more(lines)) continue;
        if (end == NULL && lines->end == 0) return NULL;
        char *line = lines->held + lines->at;
        const bool rest = lines->cut;
        lines->cut = end == NULL;
        if (end == NULL) end = lines->held + lines->end;
        *end = 0;
        lines->at = lines->cut ? lines->end : (size_t)(end - lines->held) + 1;
        if (!rest) return line;
    }
}

void system_lines_close(struct system_lines *lines) {
    if (lines->fd >= 0) close(lines->fd);
    lines->fd = -1;
}
