#include "run.h"
#include "shown.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

static const char *program_name = "oocc";

void run_set_name(const char *name) {
    program_name = name;
}

/* One line of stderr. What the format brings in (names of files, values of options) must not order the terminal about. */
static void put_line(const char *kind, const char *format, va_list args) {
    struct shown shown;
    progress_end();
    fprintf(stderr, "%s: %s: ", program_name, kind);
    vfprintf(shown_begin(&shown, stderr, ""), format, args);
    shown_end(&shown);
    fputc('\n', stderr);
}

int run_fail(int status, const char *help, const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_line("error", format, args);
    va_end(args);
    if (help) {
        fprintf(stderr, "%s: help: ", program_name);
        put_shown(stderr, help, "");
        fputc('\n', stderr);
    }
    return status;
}

void run_note(const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_line("note", format, args);
    va_end(args);
}

void oocc_overflow(const char *what) {
    exit(run_fail(OOCC_BAD_INPUT, "sizes are 64-bit; choose smaller parameters (-D name=value)",
                  "%s does not fit a 64-bit integer", what));
}

void oocc_zero_division(const char *what) {
    exit(run_fail(OOCC_BAD_INPUT, "choose other parameters (-D name=value)", "%s divides by zero", what));
}
