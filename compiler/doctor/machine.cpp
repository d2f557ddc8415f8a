// What a program's runtime has found, judged.
#include "doctor/checks.h"

#include <cstdint>
#include <linux/magic.h>
#include <optional>
#include <sys/vfs.h>
#include <unistd.h>

namespace oocc::doctor {

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

struct FileSystem {
    uint32_t magic;
    const char *name;
    enum Kind { Memory, Network } kind;
};

/// File systems on which a scratch is not what it seems. Magic numbers that linux/magic.h lacks are as statfs(2) has them.
constexpr FileSystem kFileSystems[] = {
    {TMPFS_MAGIC, "tmpfs", FileSystem::Memory},    {RAMFS_MAGIC, "ramfs", FileSystem::Memory},
    {NFS_SUPER_MAGIC, "NFS", FileSystem::Network}, {SMB_SUPER_MAGIC, "SMB", FileSystem::Network},
    {0xff534d42, "CIFS", FileSystem::Network},     {0xfe534d42, "SMB2", FileSystem::Network},
    {AFS_SUPER_MAGIC, "AFS", FileSystem::Network}, {V9FS_MAGIC, "9P", FileSystem::Network},
    {0x65735546, "FUSE", FileSystem::Network},     {0x00c36400, "Ceph", FileSystem::Network},
    {0x0bd00bd0, "Lustre", FileSystem::Network},   {0x47504653, "GPFS", FileSystem::Network},
    {0x19830326, "BeeGFS", FileSystem::Network},
};

std::optional<FileSystem> fileSystemOf(const std::string &path) {
    struct statfs info;
    if (statfs(path.c_str(), &info) != 0) return std::nullopt;
    for (const FileSystem &known : kFileSystems)
        if (known.magic == static_cast<uint32_t>(info.f_type)) return known;
    return std::nullopt;
}

void checkPlace(const nlohmann::json &place, const std::string &name, Checks &checks) {
    const std::string path = place.value("place", ""), existing = place.value("existing", "");
    const bool device = place.value("device", false);
    const std::string where =
        "'" + path + "'" + (path == existing ? "" : " (to be made in '" + existing + "')");
    if (!place.value("writable", false)) {
        checks.push_back({name, Check::Fail,
                          where + (access(existing.c_str(), F_OK) ? " does not exist" : " cannot be written"),
                          "make it, or choose another with --scratch DIR"});
        return;
    }
    if (device) {
        checks.push_back({name, Check::Ok, where + ": a block device", ""});
        return;
    }
    const double space = place.value("free_bytes", 0.0);
    const std::string text = where + ": " + bytes(space) + " free";
    const std::optional<FileSystem> system = fileSystemOf(existing);
    if (system && system->kind == FileSystem::Memory)
        checks.push_back({name, Check::Warn, text + ", on " + system->name + ", which is memory itself",
                          "choose a folder on a disk with --scratch DIR"});
    else if (system)
        checks.push_back({name, Check::Warn, text + ", on " + system->name + ", as fast as what is behind it",
                          "choose a folder on a disk of this machine with --scratch DIR"});
    else if (space < kGiB)
        checks.push_back({name, Check::Warn, text, "make room, or choose another with --scratch DIR"});
    else
        checks.push_back({name, Check::Ok, text, ""});
}

std::string fixOf(const std::string &engine, const std::string &refusal) {
    if (refusal.find("direct I/O") != std::string::npos)
        return "choose a folder on a file system that takes direct I/O (ext4, xfs, btrfs) with --scratch DIR";
    if (refusal.find("not permitted") != std::string::npos)
        return "sysctl kernel.io_uring_disabled=0; in a container, let its seccomp profile allow io_uring";
    if (refusal.find("RLIMIT_MEMLOCK") != std::string::npos) return "raise ulimit -l";
    if (refusal.find("aio-max-nr") != std::string::npos) return "sysctl fs.aio-max-nr=1048576";
    return engine == "uring" ? "nothing needs it: the next engine takes its place" : "";
}

void checkEngines(const nlohmann::json &place, const std::string &suffix, Checks &checks) {
    const nlohmann::json direct = place.value("direct_io_refusal", nlohmann::json());
    if (direct.is_string())
        checks.push_back(
            {"direct-io" + suffix, Check::Warn,
             direct.get<std::string>() + ": bytes go through the page cache",
             "choose a folder on a file system that takes direct I/O (ext4, xfs, btrfs) with --scratch DIR"});
    else
        checks.push_back({"direct-io" + suffix, Check::Ok, "works", ""});
    std::string first;
    for (const nlohmann::json &engine : place.value("engines", nlohmann::json::array())) {
        if (!engine.value("durable", false)) continue; // memory and swap want nothing of the scratch
        const std::string name = engine.value("name", "");
        if (engine["refusal"].is_string()) {
            const std::string refusal = engine["refusal"];
            checks.push_back({"engine-" + name + suffix, Check::Warn, refusal, fixOf(name, refusal)});
            continue;
        }
        checks.push_back({"engine-" + name + suffix, Check::Ok,
                          first.empty() ? "works; chosen unless --engine says otherwise" : "works", ""});
        first = name;
    }
    if (first.empty())
        checks.push_back({"engines" + suffix, Check::Fail, "none that keeps files works there",
                          "choose another --scratch DIR"});
}

} // namespace

void checkMachine(const nlohmann::json &found, Checks &checks) {
    const nlohmann::json &machine = found.at("machine"), &openmp = found.at("openmp");
    const int cores = machine.value("cores", 0), threads = openmp.value("threads", 0);
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const std::string of = std::to_string(cores) + " of " + std::to_string(online);
    if (threads != cores)
        checks.push_back(
            {"cores", Check::Warn,
             "this process may use " + of + ", and OpenMP starts " + std::to_string(threads) + " threads",
             "unset OMP_NUM_THREADS, OMP_THREAD_LIMIT and OMP_DYNAMIC"});
    else if (cores < online)
        checks.push_back({"cores", Check::Warn,
                          of + " may be used: affinity, a control group or OMP_NUM_THREADS",
                          "taskset, cpu.max of the control group, unset OMP_NUM_THREADS"});
    else
        checks.push_back({"cores", Check::Ok, of + ", a thread on each", ""});

    const double available = machine.value("memory_available_bytes", 0.0),
                 total = machine.value("memory_total_bytes", 0.0);
    const std::string bound = machine.value("memory_bound", "");
    const std::string text = bytes(available) + " of " + bytes(total) + " may be used, says " + bound;
    const bool bounded = bound != "MemAvailable" && bound != "MemTotal";
    if (available < kGiB)
        checks.push_back({"memory", Check::Warn, text,
                          bounded ? "raise the limit of " + bound
                                  : "end what uses it, or give programs a small --memory"});
    else
        checks.push_back({"memory", Check::Ok, text, ""});
}

void checkScratch(const nlohmann::json &found, Checks &checks) {
    const nlohmann::json &places = found.at("scratch");
    for (size_t i = 0; i < places.size(); ++i) {
        const std::string suffix = places.size() > 1 ? "-" + std::to_string(i + 1) : "";
        checkPlace(places[i], "scratch" + suffix, checks);
        if (places[i].value("writable", false)) checkEngines(places[i], suffix, checks);
    }
}

} // namespace oocc::doctor
