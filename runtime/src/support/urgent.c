#include "support/urgent.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's struct sched_attr in its first version; not all C libraries have it. */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

enum { URGENT_NICE = -10 };
static const uint64_t slice_nanoseconds = 100000; /* the least that the kernel takes */

static bool granted(struct attributes wanted) {
    wanted.size = sizeof wanted;
    return syscall(SYS_sched_setattr, 0, &wanted, 0) == 0;
}

/* The first that the kernel grants. */
void urgent_thread(void) {
    if (granted((struct attributes){.policy = SCHED_RR, .priority = (uint32_t)sched_get_priority_min(SCHED_RR)})) return;
    if (granted((struct attributes){.policy = SCHED_OTHER, .nice = URGENT_NICE, .runtime = slice_nanoseconds})) return;
    const int nice = getpriority(PRIO_PROCESS, 0); /* of this thread, on Linux */
    granted((struct attributes){.policy = SCHED_OTHER, .nice = nice, .runtime = slice_nanoseconds});
}
