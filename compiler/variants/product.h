// The configurations of a space: the product of the knobs' values, without those that a constraint refuses.
#pragma once

#include "variants/space.h"

namespace oocc::variants {

/// More than these are not gone through.
constexpr uint64_t kMostConfigurations = 10'000'000;

/// A configuration as indices of values, one for each knob; -1 where the knob's condition does not hold.
using Choice = std::vector<int>;

/// In the order of the knobs, the last one changing fastest. Reports an expression that has no value, and a space that is too
/// large to be gone through.
std::optional<std::vector<Choice>> product(const Space &space, const JsonText &json, Diagnostics &diagnostics);

Settings settingsOf(const Space &space, const Choice &chosen);

/// A random order of 0 .. count - 1, the same for a seed on every machine.
std::vector<size_t> shuffled(size_t count, uint64_t seed);

} // namespace oocc::variants
