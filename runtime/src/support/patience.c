#include "support/patience.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Of GCC's library in turns of its loop, some tens of microseconds; of LLVM's in milliseconds. */
static const char *const settings[][2] = {{"GOMP_SPINCOUNT", "5000"}, {"KMP_BLOCKTIME", "1"}};
enum { SETTINGS = sizeof settings / sizeof *settings };

static bool user_has_said(void) {
    bool said = getenv("OMP_WAIT_POLICY") != NULL;
    for (int i = 0; i < SETTINGS; i++)
        said |= getenv(settings[i][0]) != NULL;
    return said;
}

void patience_limit(char **argv) {
    if (argv[0] == NULL || argv[0] != program_invocation_name) return;
    prctl(PR_SET_NAME, program_invocation_short_name); /* and not "exe" */
    if (user_has_said()) return;
    for (int i = 0; i < SETTINGS; i++)
        if (setenv(settings[i][0], settings[i][1], 0) != 0) return;
    execv("/proc/self/exe", argv);
    for (int i = 0; i < SETTINGS; i++)
        unsetenv(settings[i][0]);
}
