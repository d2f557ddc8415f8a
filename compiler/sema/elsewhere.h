// Private to sema/: words of other languages, and how what they mean is written here.
#pragma once

#include <algorithm>
#include <string>

namespace oocc {

struct Elsewhere {
    const char *name;
    const char *instead;
};

/// What the word means, or null.
template <size_t N> const char *meaningOf(const std::string &word, const Elsewhere (&list)[N]) {
    const auto *found = std::ranges::find(list, word, &Elsewhere::name);
    return found == std::end(list) ? nullptr : found->instead;
}

template <typename List> bool contains(const List &list, const std::string &word) {
    return std::ranges::find(list, word) != std::end(list);
}

} // namespace oocc
