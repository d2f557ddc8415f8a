/* machine.h: what this process may use of the machine. */
#ifndef OOCC_MACHINE_H
#define OOCC_MACHINE_H

#include "plan/cut.h"

#include <stdint.h>

struct machine {
    int cores;                     /* this process may use (affinity, cgroup cpu quota, OMP_NUM_THREADS) */
    int64_t memory_total_bytes;
    int64_t memory_available_bytes; /* min of MemAvailable, cgroup (v1, v2) limit minus use, RLIMIT_AS, RLIMIT_DATA */
    const char *memory_bound;      /* which of them it is: "MemAvailable", "cgroup", "RLIMIT_AS" */
    int64_t swappable_bytes;       /* what memory and swap together still hold, by the same limits */
    int64_t l1_bytes, l2_bytes, l3_bytes; /* data cache: per core, per core, the share of one core */
    int64_t page_bytes;
    int64_t memlock_bytes;         /* RLIMIT_MEMLOCK, INT64_MAX: no limit */
    int64_t resident_bytes;        /* of this process before anything was probed; 0: as it is now */
    const struct figures *figures; /* figures.h; NULL: nominal */
    const struct tuned *tuned;     /* what tuning found for runs like this one, or NULL */
};

/* The plan that was measured to be the fastest for runs of one key (tune.h). */
struct tuned {
    char date[24];
    int64_t bt, bz, ct, tiles, pieces; /* bt and bz 0: left to the planner, as in place */
    struct cut cut;
    double step_seconds;
};

void machine_read(struct machine *machine);
/* The same with another root in front of /proc and /sys, and of the mount points found there. */
void machine_read_under(const char *root, struct machine *machine);
int64_t machine_resident_bytes(void); /* this process now: VmRSS */
int64_t machine_peak_bytes(void);     /* this process so far: VmHWM */
double machine_seconds(void);         /* monotonic clock */
/* memory.stat of this process's control group, opened for reading; -1: there is none. The caller closes it. Below
 * another root, as machine_read_under() has it, or "". */
int machine_open_memory_counts(const char *root);

#endif
