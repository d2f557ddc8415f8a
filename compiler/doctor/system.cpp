// What the system allows and how it is set up.
#include "doctor/checks.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <sys/resource.h>

namespace oocc::doctor {

namespace {

namespace fs = std::filesystem;

std::string textOf(const std::string &path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

/// The number at the beginning of a file; -1 when there is none.
double numberOf(const std::string &path) {
    std::istringstream text(textOf(path));
    double number = -1;
    return text >> number ? number : -1;
}

/// The soft limit; infinity is RLIM_INFINITY as a number, which is large enough.
double limitOf(int resource) {
    rlimit limit{};
    return getrlimit(resource, &limit) == 0 ? static_cast<double>(limit.rlim_cur) : 0;
}

bool unlimited(double limit) {
    return limit >= static_cast<double>(RLIM_INFINITY);
}

void checkLimits(Checks &checks) {
    constexpr double kMiB = 1024.0 * 1024;
    const double locked = limitOf(RLIMIT_MEMLOCK), files = limitOf(RLIMIT_NOFILE), space = limitOf(RLIMIT_AS);
    const std::string lockedText =
        unlimited(locked) ? "no limit (RLIMIT_MEMLOCK)" : bytes(locked) + " (RLIMIT_MEMLOCK)";
    if (locked < kMiB)
        checks.push_back({"locked-memory", Check::Warn, lockedText + ": too little for a deep io_uring",
                          "ulimit -l, or memlock in /etc/security/limits.conf"});
    else
        checks.push_back({"locked-memory", Check::Ok, lockedText, ""});
    const std::string filesText = std::to_string(static_cast<long long>(files)) + " (RLIMIT_NOFILE)";
    if (files < 128)
        checks.push_back({"open-files", Check::Warn, filesText + ": few for a scratch of several places",
                          "ulimit -n 1024"});
    else
        checks.push_back(
            {"open-files", Check::Ok, unlimited(files) ? "no limit (RLIMIT_NOFILE)" : filesText, ""});
    if (unlimited(space))
        checks.push_back({"address-space", Check::Ok, "no limit (RLIMIT_AS)", ""});
    else
        checks.push_back({"address-space", Check::Warn,
                          bytes(space) + " (RLIMIT_AS), which counts what is mapped and not used, too",
                          "ulimit -v unlimited; --memory keeps a run within its budget"});
}

void checkAio(const std::string &root, Checks &checks) {
    constexpr double kWanted = 256; // as many as --io-depth can be
    const double most = numberOf(root + "/proc/sys/fs/aio-max-nr"),
                 used = numberOf(root + "/proc/sys/fs/aio-nr");
    if (most < 0) {
        checks.push_back({"aio-requests", Check::Warn, "the kernel does not tell (fs.aio-max-nr)",
                          "nothing, while engine uring or threads works"});
        return;
    }
    const double left = std::max(0.0, most - std::max(0.0, used));
    const std::string text = std::to_string(static_cast<long long>(left)) + " left of " +
                             std::to_string(static_cast<long long>(most)) + " (fs.aio-max-nr)";
    if (left < kWanted)
        checks.push_back({"aio-requests", Check::Warn, text, "sysctl fs.aio-max-nr=1048576"});
    else
        checks.push_back({"aio-requests", Check::Ok, text, ""});
}

void checkSwap(const std::string &root, Checks &checks) {
    std::ifstream file(root + "/proc/meminfo");
    double total = 0, left = 0;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string key;
        double kib = 0;
        words >> key >> kib;
        if (key == "SwapTotal:") total = kib * 1024;
        if (key == "SwapFree:") left = kib * 1024;
    }
    checks.push_back({"swap", Check::Ok,
                      total > 0 ? bytes(left) + " of " + bytes(total) + " free; only --engine swap uses it"
                                : "none; only --engine swap would use it",
                      ""});
}

void checkHugePages(const std::string &root, Checks &checks) {
    const std::string modes =
        textOf(root + "/sys/kernel/mm/transparent_hugepage/enabled"); // "always [madvise] never"
    const size_t open = modes.find('['), close = modes.find(']');
    const std::string mode =
        open == std::string::npos || close < open ? "" : modes.substr(open + 1, close - open - 1);
    if (mode == "always" || mode == "madvise")
        checks.push_back({"huge-pages", Check::Ok, "transparent huge pages: " + mode, ""});
    else
        checks.push_back({"huge-pages", Check::Warn,
                          mode.empty() ? "the kernel has no transparent huge pages, or hides them"
                                       : "transparent huge pages: " + mode,
                          mode.empty()
                              ? "nothing in a container; else a kernel with CONFIG_TRANSPARENT_HUGEPAGE"
                              : "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled, as root"});
}

void checkGovernor(const std::string &root, Checks &checks) {
    std::map<std::string, int> governors; // and how many processors have them
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(root + "/sys/devices/system/cpu", error)) {
        const std::string governor = textOf(entry.path().string() + "/cpufreq/scaling_governor");
        if (!governor.empty()) ++governors[governor];
    }
    std::string text;
    bool slow = false;
    for (const auto &[governor, count] : governors) {
        text += (text.empty() ? "" : ", ") + governor + " (" + std::to_string(count) + ')';
        slow = slow || governor == "powersave" || governor == "conservative";
    }
    if (governors.empty())
        checks.push_back({"governor", Check::Ok, "the clock is not this system's to set", ""});
    else if (slow)
        checks.push_back({"governor", Check::Warn, text + ": cores may take long to become fast",
                          "cpupower frequency-set -g performance, as root, before measuring"});
    else
        checks.push_back({"governor", Check::Ok, text, ""});
}

} // namespace

void checkSystem(const std::string &root, Checks &checks) {
    checkLimits(checks);
    checkAio(root, checks);
    checkSwap(root, checks);
    checkHugePages(root, checks);
    checkGovernor(root, checks);
}

void checkBuild(Checks &checks) {
#ifdef OOCC_CLANG_VERSION
    checks.push_back({"clang", Check::Ok, "built with Clang's libraries " OOCC_CLANG_VERSION, ""});
#else
    checks.push_back({"clang", Check::Warn, "built without Clang's libraries: there is no 'oocc lift'",
                      "install libclang-19-dev and llvm-19-dev (Debian) and build again"});
#endif
}

} // namespace oocc::doctor
