// Files of the cache, the runtime's own and damaged ones: figures that can be reckoned with, or none, and a note.
#include "runtime.h"

#include <cmath>

extern "C" {
#include "tuning/cache.h"
}

namespace {

const char *const kKinds[] = {"machine", "device", "kernel", "tuned"};

/// The low bits choose the kind; 4: what stands before the figures is made here.
std::string fileOf(const Chosen &chosen, const std::string &kind, const std::string &key) {
    std::string out;
    if (chosen.way & 4)
        out = R"({"format": "oocc-cache", "version": )" + std::to_string(CACHE_VERSION) + R"(, "kind": ")" + kind + R"(", "key": ")" + key + R"(", "date": "2026-01-31", )";
    return out + std::string(chosen.rest);
}

void requireUsable(double figure) { require(std::isfinite(figure) && figure >= 0, "a figure that is none: " + std::to_string(figure)); }

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const bool ready = setenv("OOCC_CACHE", folder().c_str(), 1) == 0;
    require(ready, "no environment");
    static cache_keys keys;
    const Chosen chosen = choose(data, size);
    const std::string kind = kKinds[chosen.way % 4], key = "the key of a test";
    for (char *each : {keys.machine, keys.device, keys.kernel, keys.tuned})
        key.copy(each, key.size());
    char name[64];
    std::snprintf(name, sizeof name, "%s-%016llx.json", kind.c_str(), static_cast<unsigned long long>(checksum_bytes(key.data(), key.size())));
    writeFile(folder() / name, fileOf(chosen, kind, key));

    const Messages messages;
    machine_figures machine = figures_nominal.machine;
    device_figures device = figures_nominal.device;
    kernel_figures kernel{};
    tuned best{};
    bool found = false;
    switch (chosen.way % 4) {
    case 0:
        found = cache_read_machine(&keys, &machine);
        for (const double figure : {machine.memory_bandwidth, machine.core_bandwidth, machine.shared_cache, machine.own_cache, machine.shared_bytes,
                                    machine.core.flops, machine.core.cells})
            requireUsable(figure);
        break;
    case 1:
        found = cache_read_device(&keys, &device);
        for (const double figure : {device.read, device.write, device.both, device.beside, device.cores_share, device.sync_seconds, device.sync_seconds_per_byte})
            requireUsable(figure);
        break;
    case 2:
        found = cache_read_kernel(&keys, &kernel);
        require(kernel.points >= 0 && kernel.points <= KERNEL_POINTS, "too many points");
        requireUsable(figures_factor(&kernel, 3, 17, 12));
        requireUsable(figures_pace(&kernel));
        break;
    default:
        found = cache_read_tuned(&keys, &best);
        require(!found || (best.bt >= 0 && best.ct >= 1 && best.cut.columns >= 1), "a plan that is none");
    }
    const bool meant = chosen.way & 4; // otherwise it may be the file of another key, which is not for this run
    require(found || !meant || messages.notes() > 0, "figures are left out, and nobody is told");
    return 0;
}
