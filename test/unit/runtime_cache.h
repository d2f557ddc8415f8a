// A cache of a test's own, in a folder that goes with the test.
#ifndef OOCC_TEST_RUNTIME_CACHE_H
#define OOCC_TEST_RUNTIME_CACHE_H

#include "runtime_test_program.h"

#include <filesystem>
#include <vector>

#define _Noreturn [[noreturn]]
extern "C" {
#include "tuning/cache.h"
}
#undef _Noreturn

#include <gtest/gtest.h>

namespace fs = std::filesystem;

class CacheFolder : public testing::Test {
  protected:
    CacheFolder() {
        char name[] = "./oocc-cache-XXXXXX";
        folder = fs::absolute(mkdtemp(name));
        setenv("OOCC_CACHE", (folder / "cache").c_str(), 1);
        run_set_name("heat");
    }
    ~CacheFolder() override {
        unsetenv("OOCC_CACHE");
        fs::remove_all(folder);
    }

    std::vector<fs::path> files() const {
        std::vector<fs::path> all;
        if (fs::exists(folder / "cache"))
            for (const auto &entry : fs::directory_iterator(folder / "cache"))
                all.push_back(entry.path());
        return all;
    }

    fs::path folder;
    TestProgram test;
};

#endif
