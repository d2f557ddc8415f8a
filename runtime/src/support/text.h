/* text.h: a text that is made in memory, piece by piece, by stdio: whole, or not at all. */
#ifndef OOCC_TEXT_H
#define OOCC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* As open_memstream(), which leaves out, without a word, what it found no memory for. */
struct text {
    char *at;       /* ended by 0; NULL: nothing yet */
    size_t length;
    size_t room;
    bool short_of_memory;
    FILE *out;
};

/* The stream to write to; NULL: no memory, and text_end() is not to be called. */
FILE *text_begin(struct text *text);
/* All that has been written until now; NULL: nothing, or memory was refused on the way. */
const char *text_so_far(struct text *text);
/* Closes the stream. The text is the caller's to free; NULL: memory was refused on the way. */
char *text_end(struct text *text);

#endif
