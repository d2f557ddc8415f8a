/* shown.h: texts of programs and command lines (names of files, above all) as a terminal may be given them. */
#ifndef OOCC_SHOWN_H
#define OOCC_SHOWN_H

#include "support/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes of the UTF-8 sequence at p, 0 when it is not one (overlong forms and surrogates are not); and the character. */
int utf8_bytes(const unsigned char *p);
uint32_t utf8_code(const unsigned char *p, int bytes);
/* Characters that are not seen themselves and change how what is around them is seen: bidirectional marks, those of no width. */
bool is_invisible(uint32_t code);

/* Control characters and bytes that are no UTF-8 as \x1b, invisible characters as <U+202E>; control characters in `kept` stay. */
void put_shown(FILE *out, const char *text, const char *kept);

/* Several lines that hold such texts: what is written to the file that shown_begin() gives, goes to `out` in this form when
 * shown_end() is called. Where there is no memory to begin that, it is `out` itself; where it is used up on the way, shown_end()
 * writes nothing and returns false. */
struct shown {
    FILE *out;
    const char *kept;
    struct text text;
};
FILE *shown_begin(struct shown *shown, FILE *out, const char *kept);
bool shown_end(struct shown *shown);

#endif
