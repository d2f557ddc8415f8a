#include "support/json.h"

#include "support/number.h"
#include "support/shown.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* As \u202e; beyond 16 bits as two surrogates. */
static void put_code(FILE *out, uint32_t code) {
    if (code < 0x10000)
        fprintf(out, "\\u%04x", (unsigned)code);
    else
        fprintf(out, "\\u%04x\\u%04x", (unsigned)(0xd800 + ((code - 0x10000) >> 10)), (unsigned)(0xdc00 + (code & 0x3ff)));
}

static void put_text(FILE *out, const char *text) {
    fputc('"', out);
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0';) {
        const int n = utf8_bytes(p);
        if (n == 0) {
            fputs("\\ufffd", out);
            p++;
            continue;
        }
        if (*p == '"' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if (*p == '\n')
            fputs("\\n", out);
        else if (*p < 0x20 || *p == 0x7f || is_invisible(utf8_code(p, n)))
            put_code(out, utf8_code(p, n));
        else
            fwrite(p, 1, (size_t)n, out);
        p += n;
    }
    fputc('"', out);
}

/* Comma, newline, indentation and the key. */
static void begin_value(struct json *json, const char *key) {
    if (json->depth > 0) {
        fputs(json->empty ? "\n" : ",\n", json->out);
        fprintf(json->out, "%*s", 2 * json->depth, "");
    }
    json->empty = false;
    if (key != NULL) {
        put_text(json->out, key);
        fputs(": ", json->out);
    }
}

void json_begin(struct json *json, FILE *out) {
    *json = (struct json){.out = out, .empty = true};
}

void json_open(struct json *json, const char *key, char bracket) {
    begin_value(json, key);
    fputc(bracket, json->out);
    json->depth++;
    json->empty = true;
}

void json_close(struct json *json, char bracket) {
    json->depth--;
    if (!json->empty) fprintf(json->out, "\n%*s", 2 * json->depth, "");
    json->empty = false;
    fputc(bracket, json->out);
    if (json->depth == 0) fputc('\n', json->out);
}

void json_string(struct json *json, const char *key, const char *text) {
    begin_value(json, key);
    if (text == NULL)
        fputs("null", json->out);
    else
        put_text(json->out, text);
}

void json_int(struct json *json, const char *key, int64_t value) {
    begin_value(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void json_double(struct json *json, const char *key, double value) {
    begin_value(json, key);
    if (!isfinite(value)) {
        fputs("null", json->out);
        return;
    }
    char text[NUMBER_TEXT];
    fputs(format_number(text, value, false), json->out);
}

void json_bool(struct json *json, const char *key, bool value) {
    begin_value(json, key);
    fputs(value ? "true" : "false", json->out);
}

void json_hash(struct json *json, const char *key, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%016" PRIx64, value);
    json_string(json, key, text);
}
