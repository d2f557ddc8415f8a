// What control groups, affinity and limits leave of the machine, on trees of files as kernels show them.
#include "runtime_c.h"
#include "sanitized.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

bool refuses = false; ///< all requests for memory

class Machine : public testing::Test {
  protected:
    Machine() {
        char name[] = "./oocc-machine-XXXXXX";
        root = fs::absolute(mkdtemp(name));
        write("proc/meminfo", "MemTotal:  67108864 kB\nMemFree: 1 kB\nMemAvailable:  33554432 kB\n");
        write("proc/self/status", "VmSize:\t1024 kB\nVmData:\t512 kB\n");
        cpu_set_t set;
        sched_getaffinity(0, sizeof set, &set);
        cpus = CPU_COUNT(&set);
        unsetenv("OMP_NUM_THREADS");
    }
    ~Machine() override { fs::remove_all(root); }

    void write(const std::string &path, const std::string &text) {
        fs::create_directories((root / path).parent_path());
        std::ofstream(root / path) << text;
    }
    machine read() {
        machine m{};
        machine_read_under(root.c_str(), &m);
        return m;
    }
    void groups2() {
        write("proc/self/cgroup", "0::/jobs/one\n");
        write("proc/self/mountinfo", "30 23 0:26 / /cg rw,nosuid - cgroup2 cgroup2 rw\n");
    }
    void groups1() {
        write("proc/self/cgroup", "5:memory:/jobs/one\n4:cpu,cpuacct:/jobs/one\n");
        write("proc/self/mountinfo", "30 23 0:26 / /cg/memory rw - cgroup cgroup rw,memory\n"
                                     "31 23 0:27 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n");
    }

    fs::path root;
    int cpus = 0;
    static constexpr int64_t GiB = int64_t{1} << 30;
};

TEST_F(Machine, HasWhatTheKernelSaysIsAvailable) {
    const machine m = read();
    EXPECT_EQ(m.memory_total_bytes, 64 * GiB);
    EXPECT_EQ(m.memory_available_bytes, 32 * GiB);
    EXPECT_STREQ(m.memory_bound, "MemAvailable");
    EXPECT_EQ(m.cores, cpus);
}

TEST_F(Machine, HasTheCpusOfItsQuotaInVersion2) {
    if (cpus < 2) GTEST_SKIP() << "one CPU is the least anyway";
    groups2();
    write("cg/jobs/one/cpu.max", "max 100000\n");
    EXPECT_EQ(read().cores, cpus);
    write("cg/jobs/one/cpu.max", "150000 100000\n");
    EXPECT_EQ(read().cores, 1);
    write("cg/jobs/one/cpu.max", std::to_string(100 * 100000) + " 100000\n");
    EXPECT_EQ(read().cores, cpus);
    write("cg/jobs/cpu.max", "50000 100000\n"); // of the group above; never less than one
    EXPECT_EQ(read().cores, 1);
}

TEST_F(Machine, HasTheCpusOfItsQuotaInVersion1) {
    if (cpus < 2) GTEST_SKIP() << "one CPU is the least anyway";
    groups1();
    write("cg/cpu/jobs/one/cpu.cfs_period_us", "100000\n");
    write("cg/cpu/jobs/one/cpu.cfs_quota_us", "-1\n");
    EXPECT_EQ(read().cores, cpus);
    write("cg/cpu/jobs/one/cpu.cfs_quota_us", "199999\n");
    EXPECT_EQ(read().cores, 1);
}

TEST_F(Machine, HasTheMemoryOfItsGroups) {
    groups2();
    write("cg/jobs/one/memory.max", std::to_string(8 * GiB) + "\n");
    write("cg/jobs/one/memory.current", std::to_string(3 * GiB) + "\n");
    write("cg/jobs/one/memory.stat", "anon 1\ninactive_file " + std::to_string(2 * GiB) + "\n");
    EXPECT_EQ(read().memory_available_bytes, 7 * GiB);
    EXPECT_STREQ(read().memory_bound, "cgroup");
    write("cg/jobs/memory.max", std::to_string(4 * GiB) + "\n");
    write("cg/jobs/memory.current", std::to_string(3 * GiB) + "\n");
    EXPECT_EQ(read().memory_available_bytes, GiB);

    groups1();
    write("cg/memory/jobs/one/memory.limit_in_bytes", std::to_string(2 * GiB) + "\n");
    write("cg/memory/jobs/one/memory.usage_in_bytes", std::to_string(GiB / 2) + "\n");
    EXPECT_EQ(read().memory_available_bytes, 2 * GiB - GiB / 2);
}

// A limit that is not seen is one that the kernel enforces, by ending the run.
TEST_F(Machine, IsKnownThoughNoMemoryIsGiven) {
    if (kSanitized) GTEST_SKIP() << "a sanitizer has an allocator of its own";
    groups2();
    write("cg/jobs/one/memory.max", std::to_string(8 * GiB) + "\n");
    write("cg/jobs/one/memory.current", std::to_string(3 * GiB) + "\n");
    refuses = true;
    const machine refused = read();
    refuses = false;
    EXPECT_EQ(refused.memory_available_bytes, 5 * GiB);
    EXPECT_STREQ(refused.memory_bound, "cgroup");
    EXPECT_EQ(refused.memory_total_bytes, 64 * GiB);
    EXPECT_EQ(refused.cores, cpus);
}

TEST_F(Machine, OpensTheCountsOfItsGroup) {
    const auto counts = [&] {
        const int file = machine_open_memory_counts(root.c_str());
        char text[32] = "none";
        if (file >= 0) text[pread(file, text, sizeof text - 1, 0)] = '\0';
        if (file >= 0) close(file);
        return std::string(text);
    };
    EXPECT_EQ(counts(), "none");
    groups2();
    write("cg/memory.stat", "of the container");
    EXPECT_EQ(counts(), "of the container"); // whose path outside is no path here
    write("cg/jobs/one/memory.stat", "its own");
    EXPECT_EQ(counts(), "its own");
    groups1();
    EXPECT_EQ(counts(), "none");
    write("cg/memory/jobs/one/memory.stat", "of version 1");
    EXPECT_EQ(counts(), "of version 1");
}

// In a child: a limit that was lowered may not be raised again.
template <typename Body> int inChild(Body &&body) {
    const pid_t child = fork();
    if (child == 0) _exit(body());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(Machine, KeepsToItsLimits) {
    EXPECT_EQ(inChild([&] {
                  const rlimit data = {rlim_t(4 * GiB), rlim_t(4 * GiB)};
                  if (setrlimit(RLIMIT_DATA, &data)) return 10;
                  const machine m = read(); // VmData is 512 KiB in this tree
                  return m.memory_available_bytes == 4 * GiB - (512 << 10) &&
                                 std::string(m.memory_bound) == "RLIMIT_DATA"
                             ? 0
                             : 1;
              }),
              0);
    EXPECT_EQ(inChild([&] {
                  const rlimit space = {rlim_t(16 * GiB), rlim_t(16 * GiB)};
                  if (setrlimit(RLIMIT_AS, &space)) return 10;
                  const machine m = read();
                  return m.memory_available_bytes == 16 * GiB - (1024 << 10) &&
                                 std::string(m.memory_bound) == "RLIMIT_AS"
                             ? 0
                             : 1;
              }),
              0);
    EXPECT_EQ(inChild([&] {
                  const rlimit locked = {64 << 10, 64 << 10};
                  return !setrlimit(RLIMIT_MEMLOCK, &locked) && read().memlock_bytes == 64 << 10 ? 0 : 1;
              }),
              0);
}

TEST_F(Machine, HasTheCpusItIsBoundTo) {
    EXPECT_EQ(inChild([&] {
                  cpu_set_t set, one;
                  sched_getaffinity(0, sizeof set, &set);
                  CPU_ZERO(&one);
                  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
                      if (CPU_ISSET(cpu, &set)) CPU_SET(cpu, &one);
                  return !sched_setaffinity(0, sizeof one, &one) && read().cores == 1 ? 0 : 1;
              }),
              0);
}

} // namespace

#if !OOCC_SANITIZED
extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);

void *malloc(size_t bytes) {
    return refuses ? (errno = ENOMEM, nullptr) : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
    return refuses ? (errno = ENOMEM, nullptr) : __libc_calloc(count, bytes);
}
}
#endif
