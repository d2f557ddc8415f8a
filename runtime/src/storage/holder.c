#include "storage/holder.h"

#include "support/error.h"
#include "support/system_text.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int holder_boot(char *boot, size_t size) {
    const int error = system_text("/proc/sys/kernel/random/boot_id", boot, size);
    boot[strcspn(boot, "\n")] = 0;
    return error == ENOENT || error == EACCES ? 0 : error;
}

/* The 22nd item of /proc/PID/stat, counted from behind the name, which may hold anything; -1: there is no such process, or it
 * has ended and only waits for its parent to take note. */
static int64_t read_started(int64_t pid) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", pid);
    if (system_text(path, text, sizeof text)) return -1;
    const char *at = strrchr(text, ')');
    if (at && (at[2] == 'Z' || at[2] == 'X')) return -1;
    for (int item = 2; at && item < 22; item++)
        at = strchr(at + 1, ' ');
    return at ? strtoll(at, NULL, 10) : -1;
}

static void read_host(char *host, size_t size) {
    if (gethostname(host, size)) *host = 0;
    host[size - 1] = 0;
}

size_t holder_text(char *text, size_t size) {
    char host[256], boot[64], since[32] = "";
    const time_t now = time(NULL);
    struct tm utc;
    read_host(host, sizeof host);
    holder_boot(boot, sizeof boot);
    if (gmtime_r(&now, &utc)) strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S UTC", &utc);
    snprintf(text, size, "%ld\nhost %s\nboot %s\nstarted %" PRId64 "\nprogram %.100s\nsince %s\n", (long)getpid(), host,
             boot, read_started(getpid()), run_name(), since);
    return strlen(text);
}

/* The rest of the line that begins with `key`; what could move a terminal's cursor is replaced. */
static void take(const char *text, const char *key, char *value, size_t size) {
    *value = 0;
    for (const char *at = text; at; at = strchr(at, '\n'), at += at != NULL) {
        if (strncmp(at, key, strlen(key))) continue;
        at += strlen(key);
        const size_t length = strcspn(at, "\n");
        snprintf(value, size, "%.*s", (int)(length < size ? length : size - 1), at);
        for (char *c = value; *c; c++)
            if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
        return;
    }
}

struct holder holder_parse(const char *text) {
    struct holder h = {.started = -1};
    char number[32];
    if (*text >= '1' && *text <= '9') h.pid = strtoll(text, NULL, 10);
    take(text, "host ", h.host, sizeof h.host);
    take(text, "boot ", h.boot, sizeof h.boot);
    take(text, "started ", number, sizeof number);
    if (*number) h.started = strtoll(number, NULL, 10);
    take(text, "program ", h.program, sizeof h.program);
    take(text, "since ", h.since, sizeof h.since);
    return h;
}

const char *holder_name(char *buffer, size_t size, const struct holder *h) {
    char host[256];
    read_host(host, sizeof host);
    const bool here = !*h->host || !strcmp(h->host, host);
    if (h->pid)
        snprintf(buffer, size, "process %" PRId64, h->pid);
    else
        snprintf(buffer, size, "another process");
    if (!here) snprintf(buffer + strlen(buffer), size - strlen(buffer), " on %s", h->host);
    if (*h->program)
        snprintf(buffer + strlen(buffer), size - strlen(buffer), " (%s, since %s)", h->program,
                 *h->since ? h->since : "an unknown time");
    return buffer;
}

enum holder_state holder_state(const struct holder *h) {
    char boot[64], host[256];
    if (!h->pid) return HOLDER_NONE;
    holder_boot(boot, sizeof boot);
    read_host(host, sizeof host);
    if (*h->boot && strcmp(h->boot, boot) && strcmp(h->host, host)) return HOLDER_AWAY;
    if (*h->boot && *boot && strcmp(h->boot, boot)) return HOLDER_DEAD;
    if (h->pid == getpid() || h->started < 0) return HOLDER_DEAD;
    if (kill((pid_t)h->pid, 0) && errno == ESRCH) return HOLDER_DEAD;
    return read_started(h->pid) == h->started ? HOLDER_ALIVE : HOLDER_DEAD;
}
