// "Did you mean": the candidate nearest to a misspelt word; or all there are.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oocc {

/// The candidate within a third of the word's length in edits (insert, delete, replace, swap neighbours), or
/// none.
std::optional<std::string> closest(std::string_view word, const std::vector<std::string> &candidates);

/// "a, b, c".
std::string joined(const std::vector<std::string> &words);

} // namespace oocc
