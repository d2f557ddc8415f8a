#include "support/shown.h"

#include <stdlib.h>
#include <string.h>

int utf8_bytes(const unsigned char *p) {
    const int n = *p < 0x80                 ? 1
                  : *p >= 0xc2 && *p < 0xe0 ? 2
                  : *p >= 0xe0 && *p < 0xf0 ? 3
                  : *p >= 0xf0 && *p < 0xf5 ? 4
                                            : 0;
    for (int i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) || (*p == 0xf0 && p[1] < 0x90) ||
        (*p == 0xf4 && p[1] > 0x8f))
        return 0;
    return n;
}

uint32_t utf8_code(const unsigned char *p, int bytes) {
    uint32_t code = bytes == 1 ? *p : *p & (0x7fu >> bytes);
    for (int i = 1; i < bytes; i++)
        code = code << 6 | (p[i] & 0x3fu);
    return code;
}

bool is_invisible(uint32_t code) {
    static const uint32_t ranges[][2] = {
        {0x80, 0x9f},     {0xad, 0xad},     {0x34f, 0x34f},   {0x61c, 0x61c},   {0x115f, 0x1160},  {0x17b4, 0x17b5},
        {0x180b, 0x180f}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164},  {0xfe00, 0xfe0f},
        {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0xe0000, 0xe0fff},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1]) return true;
    return false;
}

void put_shown(FILE *out, const char *text, const char *kept) {
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0';) {
        const int n = utf8_bytes(p);
        const uint32_t code = utf8_code(p, n > 0 ? n : 1);
        if (n == 0 || ((*p < 0x20 || *p == 0x7f) && strchr(kept, *p) == NULL))
            fprintf(out, "\\x%02x", *p);
        else if (is_invisible(code))
            fprintf(out, "<U+%04X>", (unsigned)code);
        else
            fwrite(p, 1, (size_t)n, out);
        p += n > 0 ? n : 1;
    }
}

FILE *shown_begin(struct shown *shown, FILE *out, const char *kept) {
    *shown = (struct shown){.out = out, .kept = kept};
    return text_begin(&shown->text, TEXT_LIKELY) ? shown->text.out : out;
}

bool shown_end(struct shown *shown) {
    if (!shown->text.out) return true;
    char *whole = text_end(&shown->text);
    if (whole) put_shown(shown->out, whole, shown->kept);
    free(whole);
    return whole != NULL;
}
