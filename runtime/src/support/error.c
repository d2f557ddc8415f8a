/*
 * error.c: where messages go: to stderr, or to an application that has asked for them. One run is at work at a time
 * (embed.c sees to that), so there is one place for them.
 */
#include "run/run.h"
#include "support/shown.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *program_name = "oocc";
static struct run_messages *catcher;
static const char *after; /* what a run that has failed was doing since; NULL: it has not */

void run_set_name(const char *name) {
    program_name = name;
}

const char *run_name(void) {
    return program_name;
}

void run_catch_messages(struct run_messages *to) {
    catcher = to;
}

void run_errors_after(const char *what) {
    after = what;
}

/* One line of stderr. What the format brings in (names of files, values of options) must not order the terminal about. It needs
 * no memory, the lack of which it may be about. */
static void put_line(const char *kind, const char *format, va_list args) {
    enum { ENOUGH = 4 * PATH_MAX };
    char text[ENOUGH];
    progress_end();
    const int length = vsnprintf(text, sizeof text, format, args);
    fprintf(stderr, "%s: %s: ", program_name, kind);
    put_shown(stderr, length >= 0 ? text : format, "");
    fputs(length >= ENOUGH ? "...\n" : "\n", stderr);
}

static void note(const char *format, va_list args) {
    if (catcher && catcher->note) {
        char text[sizeof catcher->text];
        vsnprintf(text, sizeof text, format, args);
        catcher->note(catcher->data, text);
    } else if (!catcher) {
        put_line("note", format, args);
    }
}

static void second_error(const char *format, va_list args) {
    char text[sizeof catcher->text];
    vsnprintf(text, sizeof text, format, args);
    run_note("%s: %s", after, text);
}

int run_fail(int status, const char *help, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (after) {
        second_error(format, args);
    } else if (catcher) {
        const size_t size = sizeof catcher->text;
        vsnprintf(catcher->text, size, format, args);
        const size_t length = strlen(catcher->text);
        if (help) snprintf(catcher->text + length, size - length, "; %s", help);
    } else {
        put_line("error", format, args);
        if (help) {
            fprintf(stderr, "%s: help: ", program_name);
            put_shown(stderr, help, "");
            fputc('\n', stderr);
        }
    }
    va_end(args);
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
    va_start(args, format);
    note(format, args);
    va_end(args);
}

/* -- out of generated code ------------------------------------------------------------------------------------------- */

/* The generated functions hold nothing that would have to be given back. */
static jmp_buf *way_out;

/* Every thread may come by what ends the run: the first one says so, the others wait for the end. */
static void be_first(void) {
    static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
    if (!way_out) pthread_mutex_lock(&once);
}

static _Noreturn void leave(int status) {
    if (way_out) longjmp(*way_out, status);
    exit(status);
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
    be_first();
    leave(run_fail(OOCC_BAD_INPUT, "sizes are 64-bit; choose smaller parameters (-D name=value)",
                   "%s does not fit a 64-bit integer", what));
}

void oocc_zero_division(const char *what) {
    be_first();
    leave(run_fail(OOCC_BAD_INPUT, "choose other parameters (-D name=value)", "%s divides by zero", what));
}

int run_setup(const struct oocc_program *program, int64_t extent[OOCC_MAX_DIMS], int64_t *steps) {
    jmp_buf here;
    way_out = &here;
    if (setjmp(here)) {
        way_out = NULL;
        return OOCC_BAD_INPUT;
    }
    program->setup(extent, steps);
    way_out = NULL;
    return OOCC_OK;
}

int run_use_grid(const struct oocc_program *program, const struct oocc_grid *grid) {
    jmp_buf here;
    way_out = &here;
    if (setjmp(here)) {
        way_out = NULL;
        return OOCC_BAD_INPUT;
    }
    program->use_grid(grid);
    way_out = NULL;
    return OOCC_OK;
}
