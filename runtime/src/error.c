#include "run.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

static const char *program_name = "oocc";

void run_set_name(const char *name) {
    program_name = name;
}

int run_fail(int status, const char *help, const char *format, ...) {
    va_list args;
    progress_end();
    fprintf(stderr, "%s: error: ", program_name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    if (help) fprintf(stderr, "%s: help: %s\n", program_name, help);
    return status;
}

void run_note(const char *format, ...) {
    va_list args;
    progress_end();
    fprintf(stderr, "%s: note: ", program_name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

void oocc_overflow(const char *what) {
    exit(run_fail(OOCC_BAD_INPUT, "sizes are 64-bit; choose smaller parameters (-D name=value)",
                  "%s does not fit a 64-bit integer", what));
}

void oocc_zero_division(const char *what) {
    exit(run_fail(OOCC_BAD_INPUT, "choose other parameters (-D name=value)", "%s divides by zero", what));
}
