#include "observe/lines.h"

#include "field_io/field_io.h"
#include "support/error.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AT_ONCE = 64 << 10 };

int lines_open(struct lines *lines, const char *path) {
    *lines = (struct lines){.path = path, .fd = -1};
    return field_open(path, &lines->fd, &lines->bytes);
}

/* Reads some more behind what is there, which moves to the front; the last byte of the room stays free for a NUL. */
static int read_more(struct lines *lines) {
    const size_t have = lines->end - lines->begin;
    if (have > 0) memmove(lines->text, lines->text + lines->begin, have);
    lines->begin = 0;
    lines->end = have;
    if (have + AT_ONCE + 1 > lines->room) {
        const size_t room = 2 * lines->room + AT_ONCE + 1;
        char *grown = realloc(lines->text, room);
        if (grown == NULL) return run_fail(OOCC_NO_MEMORY, NULL, "no memory for the lines of %s", lines->path);
        lines->text = grown;
        lines->room = room;
    }
    const int64_t bytes = oocc_min((int64_t)AT_ONCE, lines->bytes - lines->at);
    const int status = field_read(lines->fd, lines->path, lines->text + have, bytes, lines->at);
    if (status != OOCC_OK) return status;
    lines->at += bytes;
    lines->end += (size_t)bytes;
    return OOCC_OK;
}

int lines_next(struct lines *lines, char **line, size_t *length) {
    char *end = NULL;
    *line = NULL;
    for (size_t searched = 0;;) {
        const size_t have = lines->end - lines->begin;
        if (have > searched) end = memchr(lines->text + lines->begin + searched, '\n', have - searched);
        if (end != NULL || lines->at == lines->bytes) break;
        searched = have;
        const int status = read_more(lines);
        if (status != OOCC_OK) return status;
    }
    if (lines->begin == lines->end) return OOCC_OK;
    if (end == NULL) end = lines->text + lines->end; /* the last line need not end */
    *line = lines->text + lines->begin;
    *length = (size_t)(end - *line);
    lines->begin += *length + (end < lines->text + lines->end);
    *end = '\0';
    return OOCC_OK;
}

void lines_close(struct lines *lines) {
    if (lines->fd >= 0) close(lines->fd);
    free(lines->text);
    *lines = (struct lines){.fd = -1};
}
