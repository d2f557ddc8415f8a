#include "support/json_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 16 };

static const char *skip_space(const char *p) {
    return p + strspn(p, " \t\r\n");
}

/* Behind the string that begins at p, NULL when it is not one. */
static const char *skip_string(const char *p) {
    if (*p != '"') return NULL;
    for (p++; *p != '"'; p++) {
        if ((unsigned char)*p < 0x20) return NULL; /* the end of the text, too */
        if (*p == '\\' && *++p == '\0') return NULL;
    }
    return p + 1;
}

static const char *skip_value(const char *p, int depth);

static const char *skip_members(const char *p, char close, int depth) {
    p = skip_space(p);
    if (*p == close) return p + 1;
    for (;;) {
        if (close == '}') {
            p = skip_string(skip_space(p));
            if (p == NULL || *(p = skip_space(p)) != ':') return NULL;
            p++;
        }
        if ((p = skip_value(p, depth + 1)) == NULL) return NULL;
        p = skip_space(p);
        if (*p == close) return p + 1;
        if (*p++ != ',') return NULL;
    }
}

static const char *skip_value(const char *p, int depth) {
    static const char *const words[] = {"true", "false", "null"};
    p = skip_space(p);
    if (depth > DEEPEST) return NULL;
    if (*p == '{' || *p == '[') return skip_members(p + 1, *p == '{' ? '}' : ']', depth);
    if (*p == '"') return skip_string(p);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(p, words[i], strlen(words[i])) == 0) return p + strlen(words[i]);
    if (*p != '-' && (*p < '0' || *p > '9')) return NULL;
    char *end;
    return isfinite(strtod(p, &end)) ? end : NULL;
}

bool json_valid(const char *text) {
    const char *end = skip_value(text, 0);
    return end != NULL && *skip_space(end) == '\0';
}

/* The member of that name, or index, of the object or array at p. */
static const char *member(const char *p, const char *name, size_t length) {
    p = skip_space(p);
    const char open = *p;
    if (open != '{' && open != '[') return NULL;
    long index = open == '[' ? strtol(name, NULL, 10) : 0;
    for (p = skip_space(p + 1); *p != '}' && *p != ']'; p = skip_space(p)) {
        bool found = open == '[' && index-- == 0;
        if (open == '{') {
            const char *end = skip_string(p);
            found = (size_t)(end - p) == length + 2 && strncmp(p + 1, name, length) == 0;
            p = skip_space(end) + 1; /* the colon */
        }
        p = skip_space(p);
        if (found) return p;
        p = skip_space(skip_value(p, 0));
        if (*p == ',') p++;
    }
    return NULL;
}

const char *json_at(const char *text, const char *path) {
    const char *p = skip_space(text);
    while (p != NULL && *path != '\0') {
        const size_t length = strcspn(path, ".");
        p = member(p, path, length);
        path += length + (path[length] == '.');
    }
    return p;
}

bool json_number_at(const char *text, const char *path, double *value) {
    const char *p = json_at(text, path);
    if (p == NULL || (*p != '-' && (*p < '0' || *p > '9'))) return false;
    *value = strtod(p, NULL);
    return true;
}

bool json_string_at(const char *text, const char *path, char *buffer, size_t size) {
    const char *p = json_at(text, path);
    size_t length = 0;
    if (p == NULL || *p != '"') return false;
    for (p++; *p != '"'; p++) {
        if (*p == '\\' && *++p != '"' && *p != '\\') return false;
        if (length + 1 >= size) return false;
        buffer[length++] = *p;
    }
    buffer[length] = '\0';
    return true;
}
