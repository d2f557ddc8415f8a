#include "run/interrupt.h"

#include "oocc/oocc.h"
#include "support/error.h"
#include "tuning/machine.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Who passes a signal on, as timeout(1), a batch system or `oocc run` does, may do so to the process and to its group: what
 * arrives so soon after the first one is the same wish. */
static const double echo_seconds = 0.3;

static const struct {
    int number;
    const char *name;
} caught[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}};
enum { CAUGHT = sizeof caught / sizeof *caught, ASKED = -1 /* by no signal */ };

static struct sigaction before[CAUGHT];
static bool is_caught[CAUGHT];

static atomic_int seen, deferred;
static _Atomic double seen_at;
static char at_once[512];

/* Only what may be called in a handler: clock_gettime, write, signal, raise, _exit. */
static void on_signal(int number) {
    const int error = errno;
    int none = 0;
    if (atomic_compare_exchange_strong(&seen, &none, number)) {
        atomic_store(&seen_at, machine_seconds());
        if (!atomic_load(&deferred)) {
            const ssize_t ignored = write(STDERR_FILENO, at_once, strlen(at_once));
            (void)ignored;
            _exit(OOCC_STOPPED);
        }
    } else if (machine_seconds() - atomic_load(&seen_at) > echo_seconds) {
        signal(number, SIG_DFL);
        raise(number); /* when the handler returns */
    }
    errno = error;
}

void interrupt_catch(const char *message) {
    struct sigaction action;
    snprintf(at_once, sizeof at_once, "%s: note: stopped: %s\n", run_name(), message);
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    for (int i = 0; i < CAUGHT; i++)
        if (!sigaction(caught[i].number, NULL, &before[i]) && before[i].sa_handler != SIG_IGN)
            is_caught[i] = !sigaction(caught[i].number, &action, NULL);
}

void interrupt_release(void) {
    for (int i = 0; i < CAUGHT; i++)
        if (is_caught[i]) sigaction(caught[i].number, &before[i], NULL);
    memset(is_caught, 0, sizeof is_caught);
}

void interrupt_defer(void) {
    atomic_store(&deferred, 1);
}

bool interrupt_seen(void) {
    return atomic_load_explicit(&seen, memory_order_relaxed) != 0;
}

const char *interrupt_name(void) {
    for (int i = 0; i < CAUGHT; i++)
        if (caught[i].number == atomic_load(&seen)) return caught[i].name;
    return "a signal";
}

double interrupt_age(void) {
    return machine_seconds() - atomic_load(&seen_at);
}

void interrupt_ask(void) {
    int none = 0;
    if (atomic_compare_exchange_strong(&seen, &none, ASKED)) atomic_store(&seen_at, machine_seconds());
}

void interrupt_forget(void) {
    atomic_store(&seen, 0);
}
