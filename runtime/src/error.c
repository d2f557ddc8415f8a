#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *program_name = "oocc";

void run_set_name(const char *name) {
    program_name = name;
}

const char *run_name(void) {
    return program_name;
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

int run_check_stdout(void) {
    const bool flushed = !fflush(stdout);
    const int error = errno;
    if (flushed && !ferror(stdout)) return OOCC_OK;
    struct pollfd reader = {.fd = STDOUT_FILENO};
    if (poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR)) { /* "| head" has seen enough */
        run_note("nobody reads the output any more: its last lines are lost");
        return OOCC_OK;
    }
    return run_fail(OOCC_IO_ERROR, NULL, "cannot write to standard output: %s", strerror(flushed ? EIO : error));
}

/* The OpenMP library ends the process with status 1, after a word of its own, when it gets no memory or no thread: nothing
 * else here ends with 1. What is on disk is as after kill -9: whole, and taken up by the next run. */
static void on_end(int status, void *nothing) {
    (void)nothing;
    if (status != EXIT_FAILURE) return;
    run_fail(OOCC_NO_MEMORY, "give it more memory, or fewer threads with --threads",
             "out of memory: OpenMP cannot have what it needs for the threads");
    fflush(stdout);
    _exit(OOCC_NO_MEMORY);
}

void run_watch_end(void) {
    on_exit(on_end, NULL);
}

void oocc_overflow(const char *what) {
    exit(run_fail(OOCC_BAD_INPUT, "sizes are 64-bit; choose smaller parameters (-D name=value)",
                  "%s does not fit a 64-bit integer", what));
}

void oocc_zero_division(const char *what) {
    exit(run_fail(OOCC_BAD_INPUT, "choose other parameters (-D name=value)", "%s divides by zero", what));
}
