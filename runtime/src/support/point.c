#include "support/point.h"

#include "oocc/oocc.h"
#include "run/param.h"
#include "support/error.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define POINT_NAME(id, name) name,
static const char *const names[] = {"", POINTS(POINT_NAME)};

static const struct {
    const char *name;
    int number;
} signals[] = {{"KILL", SIGKILL}, {"TERM", SIGTERM}, {"INT", SIGINT}, {"HUP", SIGHUP}, {"STOP", SIGSTOP}};
enum { SIGNALS = sizeof signals / sizeof *signals };

enum point point_armed = POINT_NONE;
static int point_signal = SIGKILL;
static _Atomic int64_t point_left = 1;

void point_reached(void) {
    if (atomic_fetch_sub(&point_left, 1) == 1) raise(point_signal);
}

/* "TERM@" before the label. */
static bool take_signal(const char **text) {
    const char *at = strchr(*text, '@');
    point_signal = SIGKILL;
    if (at == NULL) return true;
    for (int i = 0; i < SIGNALS; i++)
        if (strlen(signals[i].name) == (size_t)(at - *text) && !strncmp(signals[i].name, *text, (size_t)(at - *text))) {
            point_signal = signals[i].number;
            *text = at + 1;
            return true;
        }
    return false;
}

/* ":N" behind it; labels have a colon, too, but no digit behind theirs. */
static bool take_count(const char *text, size_t *length) {
    const char *colon = strrchr(text, ':');
    int64_t count = 1;
    *length = strlen(text);
    if (colon != NULL && colon[1] >= '0' && colon[1] <= '9') {
        if (!param_parse_int(colon + 1, &count) || count < 1) return false;
        *length = (size_t)(colon - text);
    }
    atomic_store(&point_left, count);
    return true;
}

int point_arm(const char *text) {
    const char *label = text;
    size_t length;
    char all[2048] = "labels are:";
    if (take_signal(&label) && take_count(label, &length))
        for (int i = 1; i < POINTS_END; i++)
            if (strlen(names[i]) == length && !strncmp(names[i], label, length)) {
                point_armed = (enum point)i;
                return OOCC_OK;
            }
    for (int i = 1; i < POINTS_END; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), " %s", names[i]);
    return run_fail(OOCC_USAGE, all, "--kill-at: '%s' is not [SIGNAL@]LABEL[:N]", text);
}
