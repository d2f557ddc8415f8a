/*
 * machine.c: what this process may use of the machine: the least of what the hardware has, what control
 * groups allow and what resource limits allow. Anything that cannot be read is left out of account, never an
 * error.
 */
#include "oocc/oocc.h"
#include "support/system_text.h"
#include "support/units.h"
#include "tuning/machine.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* -- small files ------------------------------------------------------------------------------- */

/* In front of every path below /proc and /sys, and of mount points: a test's own tree, or nothing. */
static const char *tree = "";

static bool name_text(char whole[2 * PATH_MAX], const char *path) {
    return snprintf(whole, 2 * PATH_MAX, "%s%s", tree, path) < 2 * PATH_MAX;
}

/* No lines where there is no such file. */
static void open_lines(struct system_lines *lines, const char *path) {
    char whole[2 * PATH_MAX];
    system_lines_open(lines, name_text(whole, path) ? whole : "");
}

static bool read_text(const char *path, char *text, size_t size) {
    char whole[2 * PATH_MAX];
    return name_text(whole, path) && system_text(whole, text, size) == 0 && *text != '\0';
}

/* The number after "key" at the start of a line, -1 when there is none: "MemTotal:  1234 kB", "inactive_file
 * 4096". */
static int64_t read_number(const char *path, const char *key) {
    struct system_lines lines;
    int64_t value = -1;
    const size_t length = strlen(key);
    open_lines(&lines, path);
    for (const char *line; value < 0 && (line = system_line(&lines)) != NULL;) {
        const char *digits =
            line + length + strspn(line + (strncmp(line, key, length) == 0 ? length : 0), " \t");
        if (strncmp(line, key, length) == 0 && *digits >= '0' && *digits <= '9')
            value = strtoll(digits, NULL, 10);
    }
    system_lines_close(&lines);
    return value;
}

static int64_t read_kib(const char *path, const char *key) {
    const int64_t value = read_number(path, key);
    return value < 0 ? -1 : value * 1024;
}

/* -- control groups ---------------------------------------------------------------------------- */

/* Finds this process's directory in the hierarchy of a v1 controller, or in v2 (controller ""). `root`
 * receives the mount point, `path` the directory; inside a container the path may not exist below the mount,
 * then the walk upwards simply arrives at the mount point, which is the container's own group. */
static bool cgroup_find(const char *controller, char root[PATH_MAX], char path[PATH_MAX]) {
    const bool v2 = *controller == '\0';
    char below[PATH_MAX] = "", mounted[PATH_MAX] = "";
    struct system_lines lines;
    bool found = false;
    open_lines(&lines, "/proc/self/cgroup");
    for (char *line; !found && (line = system_line(&lines)) != NULL;) {
        char *names = strchr(line, ':'), *rest = names != NULL ? strchr(names + 1, ':') : NULL;
        if (rest == NULL) continue;
        *rest = '\0';
        for (char *save, *name = strtok_r(names + 1, ",", &save); name != NULL && !found;
             name = strtok_r(NULL, ",", &save))
            found = !v2 && strcmp(name, controller) == 0;
        found = found || (v2 && names[1] == '\0');
        if (found) snprintf(below, sizeof below, "%s", rest + 1);
    }
    system_lines_close(&lines);
    if (!found) return false;
    found = false;
    open_lines(&lines, "/proc/self/mountinfo");
    for (char *line; !found && (line = system_line(&lines)) != NULL;) {
        /* id parent major:minor ROOT MOUNT-POINT options... - TYPE source SUPER-OPTIONS */
        char *dash = strstr(line, " - ");
        char type[32], super[256];
        if (dash == NULL || sscanf(dash, " - %31s %*s %255s", type, super) != 2 ||
            sscanf(line, "%*s %*s %*s %4095s %4095s", mounted, root) != 2)
            continue;
        if (v2)
            found = strcmp(type, "cgroup2") == 0;
        else if (strcmp(type, "cgroup") == 0)
            for (char *save, *name = strtok_r(super, ",", &save); name != NULL && !found;
                 name = strtok_r(NULL, ",", &save))
                found = strcmp(name, controller) == 0;
    }
    system_lines_close(&lines);
    if (!found) return false;
    const char *inside = below;
    if (strcmp(mounted, "/") != 0 && strncmp(below, mounted, strlen(mounted)) == 0)
        inside = below + strlen(mounted);
    return snprintf(path, PATH_MAX, "%s%s", root, strcmp(inside, "/") == 0 ? "" : inside) < PATH_MAX;
}

/* One directory up, until the mount point has been seen. */
static bool cgroup_parent(const char *root, char *path) {
    char *slash = strrchr(path, '/');
    if (slash == NULL || strlen(path) <= strlen(root)) return false;
    *slash = '\0';
    return strlen(path) >= strlen(root);
}

static int64_t read_in(const char *directory, const char *name, const char *key) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return read_number(path, key);
}

/* What the groups still allow; file pages that the kernel can drop at once count as free, as in MemAvailable.
 */
static int64_t cgroup_memory(bool v2) {
    char root[PATH_MAX], path[PATH_MAX];
    int64_t least = INT64_MAX;
    if (!cgroup_find(v2 ? "" : "memory", root, path)) return least;
    do {
        const int64_t limit = read_in(path, v2 ? "memory.max" : "memory.limit_in_bytes", "");
        const int64_t used = read_in(path, v2 ? "memory.current" : "memory.usage_in_bytes", "");
        if (limit < 0 || used < 0) continue;
        const int64_t cached = read_in(path, "memory.stat", v2 ? "inactive_file" : "total_inactive_file");
        const int64_t held = cached > 0 ? oocc_max(0, used - cached) : used;
        least = oocc_min(least, oocc_max(0, limit - held));
    } while (cgroup_parent(root, path));
    return least;
}

/* What the groups still allow to be swapped out. The limit of v1 is on memory and swap together. */
static int64_t cgroup_swap(bool v2) {
    char root[PATH_MAX], path[PATH_MAX];
    int64_t least = INT64_MAX;
    if (!cgroup_find(v2 ? "" : "memory", root, path)) return least;
    do {
        const int64_t limit = read_in(path, v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes", "");
        const int64_t used = read_in(path, v2 ? "memory.swap.current" : "memory.memsw.usage_in_bytes", "");
        if (limit < 0 || used < 0) continue;
        const int64_t memory = v2 ? 0 : read_in(path, "memory.limit_in_bytes", "");
        const int64_t resident = v2 ? 0 : read_in(path, "memory.usage_in_bytes", "");
        if (v2 || memory < limit) /* v1 without a limit: both are the same enormous number */
            least = oocc_min(least, oocc_max(0, limit - used - oocc_max(0, memory - resident)));
        else if (limit < INT64_MAX / 8)
            least = 0;
    } while (cgroup_parent(root, path));
    return least;
}

static int cgroup_cores(bool v2, int cores) {
    char root[PATH_MAX], path[PATH_MAX];
    if (!cgroup_find(v2 ? "" : "cpu", root, path)) return cores;
    do {
        char file[PATH_MAX + 64], text[64];
        int64_t quota = -1, period = -1;
        if (v2) {
            snprintf(file, sizeof file, "%s/cpu.max", path);
            long long q, p;
            if (read_text(file, text, sizeof text) && sscanf(text, "%lld %lld", &q, &p) == 2)
                quota = q, period = p;
        } else {
            quota = read_in(path, "cpu.cfs_quota_us", "");
            period = read_in(path, "cpu.cfs_period_us", "");
        }
        if (quota > 0 && period > 0) cores = (int)oocc_min(cores, oocc_max(1, quota / period));
    } while (cgroup_parent(root, path));
    return cores;
}

int machine_open_memory_counts(const char *below) {
    static const char *const controllers[] = {"memory", ""};
    int opened = -1;
    tree = below;
    for (int i = 0; i < 2 && opened < 0; i++) {
        char root[PATH_MAX], path[PATH_MAX], file[3 * PATH_MAX];
        if (!cgroup_find(controllers[i], root, path)) continue;
        do {
            snprintf(file, sizeof file, "%s%s/memory.stat", tree, path);
            opened = open(file, O_RDONLY | O_CLOEXEC);
        } while (opened < 0 && cgroup_parent(root, path));
    }
    tree = "";
    return opened;
}

/* -- caches ------------------------------------------------------------------------------------ */

static int64_t count_cpus(const char *list) {
    int64_t count = 0;
    for (long first, last; system_range(&list, &first, &last);)
        count += last - first + 1;
    return oocc_max(1, count);
}

static void read_caches(struct machine *machine, int cpu) {
    for (int index = 0; index < 16; index++) {
        char path[128], type[32], size[32], shared[4096];
        const char *format = "/sys/devices/system/cpu/cpu%d/cache/index%d/%s";
        snprintf(path, sizeof path, format, cpu, index, "level");
        const int64_t level = read_number(path, "");
        snprintf(path, sizeof path, format, cpu, index, "type");
        if (level < 0 || !read_text(path, type, sizeof type) || strncmp(type, "Instruction", 11) == 0)
            continue;
        snprintf(path, sizeof path, format, cpu, index, "size");
        int64_t bytes;
        if (!read_text(path, size, sizeof size)) continue;
        size[strcspn(size, "\n")] = '\0';
        if (!parse_bytes(size, &bytes) || bytes == 0) continue;
        snprintf(path, sizeof path, format, cpu, index, "shared_cpu_list");
        const int64_t share = read_text(path, shared, sizeof shared) ? bytes / count_cpus(shared) : bytes;
        if (level == 1)
            machine->l1_bytes = share;
        else if (level == 2)
            machine->l2_bytes = share;
        else if (level == 3)
            machine->l3_bytes = share;
    }
}

/* -- all together ------------------------------------------------------------------------------ */

static int usable_cores(int *first) {
    cpu_set_t set[64]; /* the kernel refuses one smaller than its own */
    int cores = 0;
    *first = 0;
    if (sched_getaffinity(0, sizeof set, set) == 0) {
        cores = CPU_COUNT_S(sizeof set, set);
        while (*first < 64 * CPU_SETSIZE - 1 && !CPU_ISSET_S(*first, sizeof set, set))
            ++*first;
    }
    if (cores == 0) cores = (int)oocc_max(1, sysconf(_SC_NPROCESSORS_ONLN));
    cores = cgroup_cores(true, cgroup_cores(false, cores));
    const char *wanted = getenv("OMP_NUM_THREADS");
    const long threads = wanted != NULL ? strtol(wanted, NULL, 10) : 0;
    return threads > 0 && threads < cores ? (int)threads : cores;
}

static void bound_memory(struct machine *machine, int64_t bytes, const char *by) {
    if (bytes < machine->memory_available_bytes) {
        machine->memory_available_bytes = bytes;
        machine->memory_bound = by;
    }
}

/* Limits on what is mapped do not ask whether it is in memory. */
static void bound_by_limit(struct machine *machine, int resource, const char *used, const char *name) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > INT64_MAX) return;
    const int64_t mapped = oocc_max(0, read_kib("/proc/self/status", used));
    const int64_t left = oocc_max(0, (int64_t)limit.rlim_cur - mapped);
    bound_memory(machine, left, name);
    machine->swappable_bytes = oocc_min(machine->swappable_bytes, left);
}

void machine_read(struct machine *machine) {
    machine_read_under("", machine);
}

void machine_read_under(const char *root, struct machine *machine) {
    int cpu;
    tree = root;
    *machine = (struct machine){.l1_bytes = 32 << 10, .l2_bytes = 512 << 10, .l3_bytes = 1 << 20};
    machine->cores = usable_cores(&cpu);
    machine->page_bytes = oocc_max(4096, sysconf(_SC_PAGESIZE));
    read_caches(machine, cpu);

    machine->memory_total_bytes = read_kib("/proc/meminfo", "MemTotal:");
    if (machine->memory_total_bytes < 0)
        machine->memory_total_bytes = sysconf(_SC_PHYS_PAGES) * (int64_t)machine->page_bytes;
    machine->memory_available_bytes = machine->memory_total_bytes;
    machine->memory_bound = "MemTotal";
    const int64_t available = read_kib("/proc/meminfo", "MemAvailable:");
    if (available >= 0) bound_memory(machine, available, "MemAvailable");
    bound_memory(machine, oocc_min(cgroup_memory(false), cgroup_memory(true)), "cgroup");
    const int64_t swap = oocc_min(oocc_max(0, read_kib("/proc/meminfo", "SwapFree:")),
                                  oocc_min(cgroup_swap(false), cgroup_swap(true)));
    machine->swappable_bytes = machine->memory_available_bytes + swap;
    bound_by_limit(machine, RLIMIT_AS, "VmSize:", "RLIMIT_AS");
    bound_by_limit(machine, RLIMIT_DATA, "VmData:", "RLIMIT_DATA");
    struct rlimit limit;
    machine->memlock_bytes = INT64_MAX;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur <= INT64_MAX)
        machine->memlock_bytes = (int64_t)limit.rlim_cur;
    tree = "";
}

int64_t machine_resident_bytes(void) {
    return oocc_max(0, read_kib("/proc/self/status", "VmRSS:"));
}

int64_t machine_peak_bytes(void) {
    const int64_t peak = read_kib("/proc/self/status", "VmHWM:");
    struct rusage usage;
    if (peak < 0 && getrusage(RUSAGE_SELF, &usage) == 0) return (int64_t)usage.ru_maxrss * 1024;
    return oocc_max(0, peak);
}

double machine_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
