/* text.h: a text that is made in memory, piece by piece, by stdio: whole, or not at all. */
#ifndef OOCC_TEXT_H
#define OOCC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* As open_memstream(), which leaves out, without a word, what it found no memory for. From text_begin() to text_end() it stays where
 * it is: the stream writes to it. */
struct text {
    char *at;       /* ended by 0; NULL: nothing yet */
    size_t length;
    size_t room, likely;
    bool short_of_memory;
    FILE *out;
};

enum { TEXT_LIKELY = 4096 }; /* where nothing better is known */

/* The stream to write to; NULL: no memory, and text_end() is not to be called. `likely`: how many bytes it will be, for which memory is
 * asked at once; more take up to three times as much on the way. */
FILE *text_begin(struct text *text, size_t likely);
/* All that has been written until now; NULL: nothing, or memory was refused on the way. */
const char *text_so_far(struct text *text);
/* Closes the stream. The text is the caller's to free; NULL: memory was refused on the way. */
char *text_end(struct text *text);

#endif
