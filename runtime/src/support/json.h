/* json.h: writes JSON, indented by two. Keys are NULL inside arrays; numbers that JSON cannot say become
 * null. */
#ifndef OOCC_JSON_H
#define OOCC_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    int depth;
    bool empty; /* nothing has been written yet at this depth */
};

void json_begin(struct json *json, FILE *out);
void json_open(struct json *json, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *json, char bracket);                 /* '}' or ']' */
void json_string(struct json *json, const char *key,
                 const char *text); /* NULL: null; invalid UTF-8 becomes U+FFFD */
void json_int(struct json *json, const char *key, int64_t value);
void json_double(struct json *json, const char *key, double value);
void json_bool(struct json *json, const char *key, bool value);
void json_hash(struct json *json, const char *key,
               uint64_t value); /* "0123456789abcdef": JSON numbers lose bits */

#endif
