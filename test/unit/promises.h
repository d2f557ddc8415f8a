// How often a promise was tried, and how often it did not hold: left where test/reliability.py adds it up.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace oocc::test {

/// What the environment asks for, as in OOCC_STENCILS=50.
inline int fromEnvironment(const char *name, int otherwise) {
    const char *value = std::getenv(name);
    return value && *value ? std::atoi(value) : otherwise;
}

/// In folder OOCC_RESULTS, if there is one; with a file for each test, whose names begin with a suite's.
inline void leavePromise(const std::string &suite, const std::string &promise, int64_t tried, int64_t failed) {
    const char *folder = std::getenv("OOCC_RESULTS");
    if (!folder || !*folder) return;
    std::filesystem::create_directories(folder);
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    std::ranges::replace(name, '/', '_'); // before a parameter's
    std::ofstream(std::filesystem::path(folder) / (suite + "_" + name + ".promises.json"))
        << "[{\"promise\": \"" << promise << "\", \"tried\": " << tried << ", \"failed\": " << failed << "}]\n";
}

} // namespace oocc::test
