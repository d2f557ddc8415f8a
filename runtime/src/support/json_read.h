/* json_read.h: reads small JSON files that the runtime has written itself; anything else is refused, not mended. */
#ifndef OOCC_JSON_READ_H
#define OOCC_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

/* Whether text is one JSON value and nothing else. */
bool json_valid(const char *text);

/* Where the member at a path of names and indices ("figures.points.2.ct") begins in a valid text; NULL: there is none. */
const char *json_at(const char *text, const char *path);
/* The number, or string, there; false when it is missing or something else (strings: does not fit, or has escapes
 * other than of quotes and backslashes). */
bool json_number_at(const char *text, const char *path, double *value);
bool json_string_at(const char *text, const char *path, char *buffer, size_t size);

#endif
