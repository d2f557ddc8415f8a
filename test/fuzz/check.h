// What holds of every input; a finding ends the process, so that libFuzzer keeps the input.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

inline void require(bool good, std::string_view what) {
    if (good) return;
    std::fprintf(stderr, "FINDING: %.*s\n", static_cast<int>(what.size()), what.data());
    std::abort();
}

/// FNV-1a: what an input chooses besides being read.
inline uint64_t hashOf(std::string_view text) {
    uint64_t hash = 14695981039346656037U;
    for (const unsigned char c : text)
        hash = (hash ^ c) * 1099511628211U;
    return hash;
}
