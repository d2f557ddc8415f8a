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

    bool operator==(const Attributes &other) const { return policy == other.policy && nice == other.nice && runtime == other.runtime; }
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

// In a process of its own.
bool mayBeNice() {
    const pid_t child = fork();
    if (child == 0) _exit(setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) - 1) ? 1 : 0);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(UrgentThread, GetsWhatTheProcessMayHave) {
    if (!mayBeNice()) GTEST_SKIP() << "no CAP_SYS_NICE";
    const int before = getpriority(PRIO_PROCESS, 0);
    EXPECT_LT(granted().nice, before);
}

TEST(UrgentThread, IsDoneWithoutWhereItIsNotAllowed) {
    if (geteuid() != 0) GTEST_SKIP() << "there is nothing to give up";
    const pid_t child = fork();
    if (child == 0) {
        const int before = getpriority(PRIO_PROCESS, 0);
        struct rlimit none = {0, 0};
        if (setrlimit(RLIMIT_NICE, &none) || setresuid(65534, 65534, 65534)) _exit(2);
        urgent_thread();
        const Attributes now = attributesOf(0);
        _exit(now.nice == before && now.policy == SCHED_OTHER ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

} // namespace
