#include "stream/bind.h"

#include "support/system_text.h"

#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cpu_set_t all; /* CPUs that this process may use */

static bool user_has_said(void) {
    static const char *const names[] = {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]) != NULL) return true;
    return false;
}

/* Which of its core's CPUs this is: 0 for the first. */
static int sibling(int cpu) {
    char path[96], list[4096];
    long first, last;
    int order = 0;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    system_text(path, list, sizeof list);
    for (const char *rest = list; system_range(&rest, &first, &last);)
        for (long other = first; other <= last && other < cpu; other++)
            order += CPU_ISSET(other, &all) != 0;
    return order;
}

/* CPUs by how many of their core come before them, then by number. Returns how many there are. */
static int order_cpus(int cpus[CPU_SETSIZE]) {
    static int rank[CPU_SETSIZE];
    int count = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &all)) {
            int at = count++;
            rank[cpu] = sibling(cpu);
            for (; at > 0 && rank[cpus[at - 1]] > rank[cpu]; at--)
                cpus[at] = cpus[at - 1];
            cpus[at] = cpu;
        }
    return count;
}

void bind_threads(enum bind_mode mode, int threads) {
    static int cpus[CPU_SETSIZE];
    if (mode == BIND_OFF || user_has_said()) return;
    /* More CPUs than a set has bits: this machine is left to its kernel. */
    if (sched_getaffinity(0, sizeof all, &all) != 0) return;
    const int count = order_cpus(cpus);
    if (count < threads || (mode == BIND_AUTO && count > threads)) return;
#pragma omp parallel num_threads(threads)
    {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpus[omp_get_thread_num()], &one);
        sched_setaffinity(0, sizeof one, &one);
    }
}
