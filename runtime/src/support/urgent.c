#include "support/urgent.h"

#include <sched.h>
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

void urgent_thread(void) {
    struct attributes wanted = {.size = sizeof wanted, .policy = SCHED_OTHER, .nice = URGENT_NICE, .runtime = slice_nanoseconds};
    if (!syscall(SYS_sched_setattr, 0, &wanted, 0)) return;
    wanted.nice = getpriority(PRIO_PROCESS, 0); /* of this thread, on Linux */
    syscall(SYS_sched_setattr, 0, &wanted, 0);
}
