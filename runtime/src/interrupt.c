#include "interrupt.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t seen;
static bool caught;
static struct sigaction before[2]; /* of SIGINT and SIGTERM */

static void on_signal(int number) {
    (void)number;
    seen = 1;
}

void interrupt_catch(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART | (int)SA_RESETHAND;
    sigaction(SIGINT, &action, &before[0]);
    sigaction(SIGTERM, &action, &before[1]);
    caught = true;
}

void interrupt_release(void) {
    if (!caught) return;
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGTERM, &before[1], NULL);
    caught = false;
}

bool interrupt_seen(void) {
    return seen != 0;
}

void interrupt_ask(void) {
    seen = 1;
}

void interrupt_forget(void) {
    seen = 0;
}
