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
    snprintf(buffer, NUMBER_TEXT, "%.17g", value);
    for (int digits = 16; digits > 0; digits--) { /* few have an exponent where some more are as short without one */
        char text[NUMBER_TEXT];
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strlen(text) < strlen(buffer) && reads_back(text, value, single)) strcpy(buffer, text);
    }
    return buffer;
}
