#include "support/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A write that fails sets the stream's error; the text is given up with the first, whatever is written after it. */
static ssize_t take(void *cookie, const char *piece, size_t bytes) {
    struct text *text = cookie;
    const size_t wanted = text->length + bytes + 1;
    if (!text->short_of_memory && wanted > text->room) {
        const size_t room = wanted < text->likely ? text->likely : 2 * wanted;
        char *at = realloc(text->at, room);
        text->short_of_memory = !at;
        if (at) text->at = at, text->room = room;
    }
    if (text->short_of_memory) return errno = ENOMEM, -1;
    memcpy(text->at + text->length, piece, bytes);
    text->length += bytes;
    text->at[text->length] = 0;
    return (ssize_t)bytes;
}

FILE *text_begin(struct text *text, size_t likely) {
    *text = (struct text){.likely = likely};
    text->out = fopencookie(text, "w", (cookie_io_functions_t){.write = take});
    return text->out;
}

const char *text_so_far(struct text *text) {
    return fflush(text->out) == 0 && !text->short_of_memory ? text->at : NULL;
}

char *text_end(struct text *text) {
    const bool wrong = fclose(text->out) != 0 || text->short_of_memory;
    if (!wrong && !text->at) return calloc(1, 1); /* nothing was written */
    if (!wrong) return text->at;
    free(text->at);
    return NULL;
}
