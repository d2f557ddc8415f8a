/* say.c: what is found, a line each. */
#include "verify.h"

#include "support/shown.h"

#include <stdarg.h>
#include <stdio.h>

void say(const char *format, ...) {
    struct shown shown;
    va_list args;
    va_start(args, format);
    vfprintf(shown_begin(&shown, stdout, "\n"), format, args);
    shown_end(&shown);
    va_end(args);
}
