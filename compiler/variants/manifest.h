// What `oocc --variants` leaves besides C: docs/formats/variants.md.
#pragma once

#include "stencil/stencil.h"
#include "variants/json_text.h"
#include "variants/knobs.h"

namespace oocc::variants {

struct File {
    std::string name, digest; ///< its path in the folder; XXH3-64 of its text
    size_t bytes;
    uint64_t program; ///< hash of what is computed: the same where results are to have the same bits
};

struct Variant {
    std::string name;
    size_t index, file; ///< of its configuration in the space; of its C
    Settings settings;
};

struct LeftOut {
    Settings settings;
    std::string reason;
};

struct Manifest {
    const Stencil &stencil;
    std::string source; ///< file name of the program
    const std::vector<std::pair<std::string, std::string>> &parameters;
    const Json &space;
    const std::vector<File> &files;
    const std::vector<Variant> &variants;
    const std::vector<LeftOut> &leftOut;
    size_t configurations; ///< of the space that meet the constraints
    std::vector<std::string> needed{}, usual{},
        libraries{}; ///< flags of the C compiler; `cflags` takes the place of the usual ones
    std::vector<int64_t> extents{};
    int64_t steps = 0;
};

Json toJson(const Manifest &manifest);

} // namespace oocc::variants
