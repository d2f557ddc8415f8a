/*
 * progress.c: how far the run is. On a terminal one line is redrawn; elsewhere (logs, batch systems, dumb terminals) whole
 * lines are printed, seldom. Messages end the line first (progress_end), so they never land in the middle of
 * it.
 */
#include "run/interrupt.h"
#include "run/options.h"
#include "run/progress.h"
#include "run/stats.h"
#include "tuning/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct {
    bool on, terminal, drawn;
    const char *name;
    char text[160], kind[16];
    double last_seconds;                          /* when something was shown */
    double base_seconds, base_fraction, fraction; /* the ETA's: since this kind of phase began */
    bool pending;                                 /* text is newer than what was shown */
    int (*tell)(void *data, const char *phase, double fraction);
    void *data;
} progress;

void progress_begin(enum progress_mode mode, const char *name) {
    memset(&progress, 0, sizeof progress);
    progress.on = mode != PROGRESS_OFF;
    /* A dumb terminal cannot go back in a line. Whether colours are wanted (NO_COLOR) is another question: there are none. */
    const char *kind = getenv("TERM");
    progress.terminal = isatty(STDERR_FILENO) == 1 && kind && *kind && strcmp(kind, "dumb");
    progress.name = name;
    progress.last_seconds = -1e9;
}

void progress_tell(int (*tell)(void *data, const char *phase, double fraction), void *data) {
    memset(&progress, 0, sizeof progress);
    progress.tell = tell;
    progress.data = data;
}

static void format_eta(char *text, size_t size, double seconds) {
    if (seconds < 0 || seconds > 999 * 3600.0) {
        snprintf(text, size, "--");
        return;
    }
    const long s = (long)(seconds + 0.5);
    if (s >= 3600)
        snprintf(text, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(text, size, "%ld:%02ld", s / 60, s % 60);
}

static void show(void) {
    if (progress.terminal) {
        /* A line that wraps could not be redrawn. */
        struct winsize window;
        const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1;
        fprintf(stderr, "\r\033[K%.*s", known ? window.ws_col - 1 : 79, progress.text);
        progress.drawn = true;
    } else {
        fprintf(stderr, "%s\n", progress.text);
    }
    fflush(stderr);
    progress.pending = false;
}

void progress_update(const char *phase, double fraction, const struct stats *stats, double updates) {
    if (progress.tell && progress.tell(progress.data, phase, fraction)) interrupt_ask();
    if (!progress.on) return;
    const double now = machine_seconds();
    fraction = fraction < 0 ? 0 : fraction > 1 ? 1 : fraction;
    /* "pass 3/12" and "pass 4/12" are of one kind; import, passes and export go at different speeds. */
    char kind[sizeof progress.kind];
    snprintf(kind, sizeof kind, "%.*s", (int)strcspn(phase, " "), phase);
    if (strcmp(kind, progress.kind) != 0 || fraction < progress.fraction) {
        memcpy(progress.kind, kind, sizeof kind);
        progress.base_seconds = now;
        progress.base_fraction = fraction;
    }
    progress.fraction = fraction;

    char eta[32];
    const double gained = fraction - progress.base_fraction, elapsed = now - progress.base_seconds;
    format_eta(eta, sizeof eta, gained > 0 ? elapsed * (1 - fraction) / gained : fraction >= 1 ? 0 : -1);
    int length = snprintf(progress.text, sizeof progress.text, "%s: %s %3.0f%%, ETA %s", progress.name, phase,
                          100 * fraction, eta);
    const double run = stats->started > 0 ? now - stats->started : 0;
    if (strcmp(kind, "pass") == 0 && run > 0) {
        const size_t size = sizeof progress.text;
        length += snprintf(progress.text + length, size - (size_t)length, ", %.3g GLUP/s", updates / run * 1e-9);
        if (stats->read_bytes + stats->write_bytes > 0)
            snprintf(progress.text + length, size - (size_t)length, ", read %.2f GB/s, write %.2f GB/s",
                     (double)stats->read_bytes / run * 1e-9, (double)stats->write_bytes / run * 1e-9);
    }
    progress.pending = true;
    if (now - progress.last_seconds < (progress.terminal ? 0.1 : 2)) return;
    progress.last_seconds = now;
    show();
}

void progress_clear(void) {
    if (!progress.drawn) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress.drawn = false;
}

void progress_end(void) {
    if (progress.on && progress.pending) show();
    if (progress.drawn) fputc('\n', stderr);
    progress.drawn = false;
}
