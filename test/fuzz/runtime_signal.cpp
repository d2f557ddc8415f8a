// Tables of signals and series. First byte: a series, or so many points.
#include "runtime.h"

extern "C" {
#include "observe/observe.h"
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const Chosen chosen = choose(data, size);
    TestProgram test;
    oocc_points set{};
    set.points = 1 + chosen.way / 2 % 4;
    test.program.point_sets = 1;
    test.program.points = &set;
    const std::filesystem::path path = folder() / "signal.npy";
    writeFile(path, chosen.rest);
    oocc_signal signal{};
    signal.path = path.c_str();
    signal.points = chosen.way % 2 ? -1 : 0;
    const Messages messages;
    if (messages.check(signal_read(&test.program, &signal))) {
        require(signal.samples >= 1 && (signal.columns == 1 || signal.columns == set.points), "another shape");
        double sum = 0; // every number there is, for the sanitizers
        for (int64_t i = 0; i < signal.samples * signal.columns; ++i)
            sum += signal.value[i];
        require(sum == sum || sum != sum, "");
    }
    signal_free(&signal);
    return 0;
}
