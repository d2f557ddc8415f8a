/*
 * units.c: sizes as people write and read them. K, M, G, T (and KiB, ...) are powers of 1024; KB, MB, ...
 * powers of 1000.
 */
#include "support/units.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The factor that a suffix stands for; 0 when there is no such suffix. */
static int64_t unit_of(const char *suffix) {
    static const char letters[] = "KMGTPE";
    if (*suffix == '\0' || strcasecmp(suffix, "B") == 0) return 1;
    const char *letter = strchr(letters, toupper((unsigned char)*suffix));
    if (letter == NULL) return 0;
    const bool decimal = strcasecmp(suffix + 1, "B") == 0;
    if (!decimal && suffix[1] != '\0' && strcasecmp(suffix + 1, "iB") != 0) return 0;
    int64_t unit = 1;
    for (const char *l = letters; l <= letter; l++)
        unit *= decimal ? 1000 : 1024;
    return unit;
}

bool parse_bytes(const char *text, int64_t *bytes) {
    const char *p = text;
    int64_t whole = 0;
    if (!isdigit((unsigned char)*p)) return false;
    for (; isdigit((unsigned char)*p); p++)
        if (__builtin_mul_overflow(whole, 10, &whole) || __builtin_add_overflow(whole, *p - '0', &whole))
            return false;
    double fraction = 0;
    bool has_fraction = false;
    if (*p == '.') {
        double place = 0.1;
        for (p++; isdigit((unsigned char)*p); p++, place /= 10) {
            fraction += (*p - '0') * place;
            has_fraction = true;
        }
        if (!has_fraction) return false;
    }
    while (*p == ' ')
        p++;
    const int64_t unit = unit_of(p);
    if (unit == 0 || (unit == 1 && has_fraction)) return false;
    int64_t result;
    if (__builtin_mul_overflow(whole, unit, &result) ||
        __builtin_add_overflow(result, (int64_t)(fraction * (double)unit), &result))
        return false;
    *bytes = result;
    return true;
}

const char *format_bytes(char *buffer, int64_t bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    int unit = 0;
    /* 1023.95 would be printed as 1024.0: one unit up. */
    while ((value >= 1023.95 || value <= -1023.95) && unit < 6) {
        value /= 1024;
        unit++;
    }
    snprintf(buffer, 32, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return buffer;
}

const char *format_count(char *buffer, int64_t count) {
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%lld", (long long)count);
    char *out = buffer;
    for (int i = 0; i < length; i++) {
        *out++ = digits[i];
        const int left = length - 1 - i;
        if (left > 0 && left % 3 == 0 && digits[i] != '-') *out++ = ',';
    }
    *out = '\0';
    return buffer;
}
