#include "interrupt.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t seen;

static void on_signal(int number) {
    (void)number;
    seen = 1;
}

void interrupt_catch(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART | (int)SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool interrupt_seen(void) {
    return seen != 0;
}
