/* number.h: floating numbers as people read them, without losing a bit. */
#ifndef OOCC_NUMBER_H
#define OOCC_NUMBER_H

#include <stdbool.h>

enum { NUMBER_TEXT = 32 };

/* The shortest decimal text that reads back as the same number, as an f32 if `single`; 10 and not 1e+01, of texts that are equally short
 * the one without an exponent. "nan" for any nan. Into buffer (at least NUMBER_TEXT bytes), returned. */
const char *format_number(char *buffer, double value, bool single);

#endif
