// What must be replaced in one list of lines to have another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace oocc {

/// Lines [begin, end) of the old text become lines [newBegin, newEnd) of the new one.
struct Change {
    size_t begin, end, newBegin, newEnd;
};

/// The lines of a text, each with its line end.
std::vector<std::string_view> linesOf(std::string_view text);

/// Few changes, in order, with at least one equal line between any two.
std::vector<Change> changes(const std::vector<std::string_view> &from, const std::vector<std::string_view> &to);

/// As `diff -u` prints them, with three lines around each.
std::string unifiedDiff(const std::string &name, std::string_view from, std::string_view to);

} // namespace oocc
