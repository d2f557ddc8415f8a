#include "support/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reads_back(const char *text, double value, bool single) {
    return single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value;
}

const char *format_number(char *buffer, double value, bool single) {
    if (isnan(value)) return strcpy(buffer, "nan");
    int digits = 1;
    while (snprintf(buffer, NUMBER_TEXT, "%.*g", digits, value), digits < 17 && !reads_back(buffer, value, single))
        digits++;
    /* With few digits %g has an exponent where a few more are as short without one. */
    for (char longer[NUMBER_TEXT]; digits < 17 && strchr(buffer, 'e') != NULL; digits++) {
        snprintf(longer, sizeof longer, "%.*g", digits + 1, value);
        if (strlen(longer) > strlen(buffer) || !reads_back(longer, value, single)) continue;
        strcpy(buffer, longer);
    }
    return buffer;
}
