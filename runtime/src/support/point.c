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

enum { MOST = 4 };
static struct {
    enum point point;
    int signal;
    int64_t times;
} armed[MOST]; /* one after the other; those behind the last have no point */
static int armed_now;

_Atomic enum point point_armed = POINT_NONE;
static _Atomic int64_t point_left;

static void arm(int i) {
    armed_now = i;
    atomic_store(&point_left, i < MOST ? armed[i].times : 0);
    atomic_store(&point_armed, i < MOST ? armed[i].point : POINT_NONE);
}

void point_reached(void) {
    if (atomic_fetch_sub(&point_left, 1) != 1) return;
    const int signal = armed[armed_now].signal;
    arm(armed_now + 1);
    raise(signal);
}

/* "TERM@" before the label. */
static bool take_signal(const char **text, int *signal) {
    const char *at = strchr(*text, '@');
    *signal = SIGKILL;
    if (at == NULL) return true;
    for (int i = 0; i < SIGNALS; i++)
        if (strlen(signals[i].name) == (size_t)(at - *text) && !strncmp(signals[i].name, *text, (size_t)(at - *text))) {
            *signal = signals[i].number;
            *text = at + 1;
            return true;
        }
    return false;
}

/* ":N" behind it; labels have a colon, too, but no digit behind theirs. */
static bool take_count(const char *text, size_t *length, int64_t *times) {
    const char *colon = strrchr(text, ':');
    *times = 1;
    *length = strlen(text);
    if (colon != NULL && colon[1] >= '0' && colon[1] <= '9') {
        if (!param_parse_int(colon + 1, times) || *times < 1) return false;
        *length = (size_t)(colon - text);
    }
    return true;
}

static bool take_one(const char *text, int i) {
    size_t length;
    if (!take_signal(&text, &armed[i].signal) || !take_count(text, &length, &armed[i].times)) return false;
    for (int point = 1; point < POINTS_END; point++)
        if (strlen(names[point]) == length && !strncmp(names[point], text, length)) {
            armed[i].point = (enum point)point;
            return true;
        }
    return false;
}

int point_arm(const char *text) {
    char all[2048] = "labels are:";
    const char *rest = text;
    for (int i = 0; i < MOST; i++) {
        char one[64];
        const size_t length = strcspn(rest, ",");
        if (length >= sizeof one) break;
        snprintf(one, sizeof one, "%.*s", (int)length, rest);
        if (!take_one(one, i)) break;
        rest += length;
        if (*rest++ == '\0') {
            arm(0);
            return OOCC_OK;
        }
    }
    for (int i = 1; i < POINTS_END; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), " %s", names[i]);
    return run_fail(OOCC_USAGE, all, "--kill-at: '%s' is not [SIGNAL@]LABEL[:N], or up to %d of them with ',' between", text, MOST);
}
