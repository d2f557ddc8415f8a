#include "run.h"

#include <errno.h>
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

int run_io_status(int error) {
    if (error == ENOMEM) return OOCC_NO_MEMORY;
    if (error == ENOSPC || error == EDQUOT || error == EFBIG) return OOCC_NO_SPACE;
    return error == EACCES || error == EPERM ? OOCC_DENIED : OOCC_IO_ERROR;
}

const char *run_io_help(int error) {
    switch (run_io_status(error)) {
    case OOCC_NO_SPACE:
        return "make room there";
    case OOCC_IO_ERROR:
        return error == ENODATA
                   ? "the file is shorter than it was"
                   : "the device or its file system is failing: the system's log (dmesg) may say more";
    default:
        return NULL;
    }
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
