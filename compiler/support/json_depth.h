// How deep JSON from outside nests: the library reads it without recursion, and copies and prints it by recursion.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace oocc {

constexpr size_t kMostJsonDepth = 200;

/// The byte at which brackets are open deeper than that, if there is one; brackets in strings do not count.
std::optional<size_t> tooDeepJson(std::string_view text);

} // namespace oocc
