// Names of variants and of their C: readable, and the same for the same knobs whatever the space.
#pragma once

#include "variants/knobs.h"

#include <string_view>

namespace oocc::variants {

/// XXH3-64, as `xxhsum -H3` prints it: 16 hexadecimal digits.
std::string digest(std::string_view text);

/// "heat3d-bt8-ct4-jam2x2-engine_uring-f1a2": the knobs that are set, in the order of knobKinds(), and four digits of a hash of
/// them all and of the parameters that were given, in their order.
std::string variantName(const std::string &program, const std::vector<std::pair<std::string, std::string>> &parameters,
                        const Settings &settings);

/// "heat3d-bt8-ct4-jam2x2-5c09e1": what of the knobs is in the C, and six digits of the hash of its text. `contracted`: --fma
/// made another program of it.
std::string fileName(const std::string &program, const Plan &plan, bool contracted, std::string_view text);

} // namespace oocc::variants
