// Manifests. First byte '1': a right seal is put behind; '2': the version, store and identity of the run are put in front, too;
// '5': it is a recent one of this boot besides, beside a committed one that is whole; '3', '4': it is read from a device, the first 128
// bytes are the place's head, whose seal is made right for '3'; else as it is.
#include "runtime.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

extern "C" {
#include "storage/device.h"
#include "storage/holder.h"
}

namespace {

std::string written; // by manifest_write, or to be read
std::string recent;  // nothing: there is none

int putManifest(member *, const char *text, size_t length) {
    written.assign(text, length);
    return 0;
}

int get(const std::string &from, char **text, size_t *length) {
    *text = static_cast<char *>(std::malloc(from.size() + 1));
    std::memcpy(*text, from.c_str(), from.size() + 1);
    *length = from.size();
    return 0;
}

int getManifest(member *, char **text, size_t *length) {
    return get(written, text, length);
}

bool hasManifest(member *) {
    return true;
}

int getRecent(member *, char **text, size_t *length) {
    *text = nullptr;
    return recent.empty() ? 0 : get(recent, text, length);
}

std::string ofThisBoot(const std::string &text) {
    char boot[64];
    require(holder_boot(boot, sizeof boot) == 0 && *boot, "a kernel without a boot id");
    return std::string("boot ") + boot + "\n" + text;
}

/// A run of one field on eight planes, and one value.
struct Run {
    TestProgram test;
    member_ops ops{};
    char path[8] = "scratch";
    struct region region {};
    uint64_t sums[3][8]{};
    struct store store {};
    double value = 0.5;
    oocc_watch watch{"loud", OOCC_SUM, &value, nullptr, false};
    oocc_run run{};
    std::string whole; ///< its manifest
    std::string head;  ///< of that, up to `steps`

    Run() {
        require(test.layOut({8, 4, 4}) == 0, "a grid that cannot be laid out");
        test.program.watches = 1;
        test.program.watch = &watch;
        run.program = &test.program;
        run.grid = test.grid;
        ops.put_manifest = putManifest;
        ops.get_manifest = getManifest;
        ops.has_manifest = hasManifest;
        ops.get_recent = getRecent;
        region.planes = 8;
        region.bands = 1;
        region.plane_bytes = test.grid.layout[0].plane_bytes;
        store.member[0].ops = &ops;
        store.member[0].path = path;
        store.members = store.regions = 1;
        store.region = &region;
        std::strcpy(store.id, "0123456789abcdef0123456789abcdef");
        store.generations = 2;
        for (int table = 0; table < SUMS; ++table)
            store.sum[table] = sums[table];
        manifest first{};
        first.level = 3;
        first.generation = 1;
        first.steps = 10;
        require(manifest_write(&run, &store, &first) == 0, "a manifest that cannot be written");
        whole = written;
        head = written.substr(0, written.find("\nsteps ") + 1);
        manifest read{};
        require(manifest_read(&run, &store, &read, true) == 0 && read.level == 3 && read.generation == 1, "a manifest that cannot be read");
    }
};

int readDevice(const Chosen &chosen) {
    static const int fd = memfd_create("device", MFD_CLOEXEC);
    constexpr size_t HEAD = 91, SLOT = size_t{3} * DEVICE_BLOCK;
    std::vector<char> slot(SLOT);
    const size_t first = std::min<size_t>(chosen.rest.size(), 128);
    chosen.rest.copy(slot.data(), first);
    if (chosen.rest.size() > first) chosen.rest.copy(slot.data() + DEVICE_BLOCK, SLOT - DEVICE_BLOCK, first);
    if (chosen.way == '3') {
        char seal[32];
        std::snprintf(seal, sizeof seal, "%016llx\n", static_cast<unsigned long long>(checksum_bytes(slot.data(), HEAD)));
        std::memcpy(slot.data() + HEAD, seal, 17);
    }
    require(ftruncate(fd, 0) == 0 && ftruncate(fd, SLOTS_AT + SLOTS * SLOT) == 0 && pwrite(fd, slot.data(), SLOT, SLOTS_AT) == SLOT &&
                pwrite(fd, slot.data(), SLOT, SLOTS_AT + 2 * SLOT) == SLOT,
            "no memory");
    char path[] = "device";
    member m{};
    m.ops = &member_device;
    m.path = path;
    m.fd = fd;
    m.device.slot_bytes = SLOT;
    char *text = nullptr;
    size_t length = 0;
    const int status = device_get_manifest(&m, &text, &length);
    require(status != 0 || std::strlen(text) <= length, "a manifest without an end");
    if (status == 0) free(text);
    require(device_get_recent(&m, &text, &length) == 0 && (text != nullptr) == (status == 0), "the same text is another one as a recent one");
    free(text);
    return status;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Run run;
    const Chosen chosen = choose(data, size);
    const Messages messages;
    if (chosen.way == '3' || chosen.way == '4') return messages.check(readDevice(chosen)), 0;
    written = chosen.rest;
    if (chosen.way == '2') written.insert(0, run.head);
    if (chosen.way == '1' || chosen.way == '2') written = sealed(written);
    recent = chosen.way == '5' ? ofThisBoot(sealed(run.head + std::string(chosen.rest))) : "";
    if (chosen.way == '5') written = run.whole;
    manifest read{};
    if (messages.check(manifest_read(&run.run, &run.store, &read, true)))
        require(read.level >= 0 && (read.generation == 0 || read.generation == 1), "a generation that is none");
    require(chosen.way != '5' || read.durable_level == 3, "what was committed is another one");
    return 0;
}
