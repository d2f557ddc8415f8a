// Threads that hand requests to the kernel do not wait for those that compute.
#include "runtime_engine.h"

extern "C" {
#include "support/urgent.h"
}

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <thread>

namespace {

struct Attributes { // the kernel's struct sched_attr
    uint32_t size = 0, policy = 0;
    uint64_t flags = 0;
    int32_t nice = 0;
    uint32_t priority = 0;
    uint64_t runtime = 0, deadline = 0, period = 0;

    bool operator==(const Attributes &other) const {
        return policy == other.policy && nice == other.nice && priority == other.priority && runtime == other.runtime;
    }
};

Attributes attributesOf(pid_t task) {
    Attributes found;
    syscall(SYS_sched_getattr, task, &found, sizeof found, 0);
    return found;
}

std::set<pid_t> tasks() {
    std::set<pid_t> found;
    for (const auto &entry : std::filesystem::directory_iterator("/proc/self/task"))
        found.insert(std::stoi(entry.path().filename()));
    return found;
}

// What an urgent thread is granted here.
Attributes granted() {
    Attributes found;
    std::thread([&] {
        urgent_thread();
        found = attributesOf(0);
    }).join();
    return found;
}

// The engine's threads ask for it when they begin.
int waitForAll(const std::set<pid_t> &before, const Attributes &wanted) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    int others = 1, found = 0;
    while ((others > 0 || found == 0) && std::chrono::steady_clock::now() < end) {
        others = found = 0;
        for (const pid_t task : tasks()) {
            if (before.count(task)) continue;
            found++;
            others += !(attributesOf(task) == wanted);
        }
        usleep(1000);
    }
    return found > 0 ? others : -1;
}

class Urgent : public testing::TestWithParam<const struct engine_ops *> {};

TEST_P(Urgent, ThreadsOfAnEngineAndNoneBesides) {
    if (const char *why = GetParam()->probe(".")) GTEST_SKIP() << why;
    const Attributes mine = attributesOf(0), wanted = granted();
    const std::set<pid_t> before = tasks();
    struct engine *engine = nullptr;
    ASSERT_EQ(engine_open(GetParam()->name, 4, &engine), 0);
    EXPECT_EQ(waitForAll(before, wanted), 0);
    EXPECT_TRUE(attributesOf(0) == mine);
    engine_close(engine);
}

INSTANTIATE_TEST_SUITE_P(Engines, Urgent, testing::Values(&engine_aio, &engine_uring, &engine_threads),
                         [](const auto &info) { return std::string(info.param->name); });

int statusOf(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// In a process of its own.
bool mayBeRealTime() {
    const pid_t child = fork();
    const sched_param least = {sched_get_priority_min(SCHED_RR)};
    if (child == 0) _exit(sched_setscheduler(0, SCHED_RR, &least) ? 1 : 0);
    return statusOf(child) == 0;
}

TEST(UrgentThread, GetsWhatTheProcessMayHave) {
    if (!mayBeRealTime()) GTEST_SKIP() << "no CAP_SYS_NICE";
    const Attributes found = granted();
    EXPECT_EQ(found.policy, static_cast<uint32_t>(SCHED_RR));
    EXPECT_EQ(found.priority, static_cast<uint32_t>(sched_get_priority_min(SCHED_RR)));
}

enum { CANNOT_RAISE_LIMITS = 100, OTHER_POLICY };

// The nice value that is granted to a user who has nothing but these limits: nice values down to 20 - nice, and so high a real-time
// priority.
int niceGranted(rlim_t nice, rlim_t priority, uint32_t policy) {
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit niceness = {nice, nice}, realTime = {priority, priority};
        if (setrlimit(RLIMIT_NICE, &niceness) || setrlimit(RLIMIT_RTPRIO, &realTime) || setresuid(65534, 65534, 65534))
            _exit(20 + CANNOT_RAISE_LIMITS);
        urgent_thread();
        const Attributes now = attributesOf(0);
        _exit(now.policy == policy ? 20 + now.nice : 20 + OTHER_POLICY);
    }
    return statusOf(child) - 20;
}

TEST(UrgentThread, IsDoneWithoutWhereItIsNotAllowed) {
    if (geteuid() != 0) GTEST_SKIP() << "there is nothing to give up";
    EXPECT_EQ(niceGranted(0, 0, SCHED_OTHER), getpriority(PRIO_PROCESS, 0));
}

TEST(UrgentThread, TakesTheNiceValueThatItsLimitAllows) {
    if (geteuid() != 0) GTEST_SKIP() << "there is nothing to give up";
    const int nice = niceGranted(30, 0, SCHED_OTHER);
    if (nice == CANNOT_RAISE_LIMITS) GTEST_SKIP() << "no CAP_SYS_RESOURCE";
    EXPECT_EQ(nice, -10);
}

TEST(UrgentThread, TakesTheRealTimePriorityThatItsLimitAllows) {
    if (geteuid() != 0) GTEST_SKIP() << "there is nothing to give up";
    if (!mayBeRealTime()) GTEST_SKIP() << "this kernel has none to give";
    const int nice = niceGranted(0, 1, SCHED_RR);
    if (nice == CANNOT_RAISE_LIMITS) GTEST_SKIP() << "no CAP_SYS_RESOURCE";
    EXPECT_EQ(nice, getpriority(PRIO_PROCESS, 0));
}

} // namespace
