// The stencils of this folder, and the ways in which each is run; every one has to give the same bits.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "damped.h"
#include "heat3d.h"
#include "line.h"
#include "wave2d.h"

using Way = std::vector<std::pair<const char *, const char *>>;

inline const std::vector<Way> &ways() {
    static const std::vector<Way> all{
        {{"schedule", "sweep"}, {"engine", "memory"}, {"threads", "1"}},
        {{"schedule", "resident"}, {"engine", "memory"}, {"threads", "2"}},
        {{"schedule", "sweep"}, {"engine", "swap"}, {"threads", "2"}},
        {{"schedule", "stream"}, {"engine", "memory"}, {"bt", "3"}, {"bz", "2"}, {"threads", "2"}},
        {{"schedule", "stream"}, {"engine", "aio"}, {"bt", "4"}, {"bz", "3"}, {"threads", "2"}},
        {{"schedule", "overlap"}, {"engine", "mmap"}, {"bt", "2"}, {"bz", "5"}, {"threads", "2"}},
        {{"schedule", "stream"}, {"engine", "auto"}, {"memory", "512M"}, {"threads", "2"}},
    };
    return all;
}

inline std::string text(const Way &way) {
    std::string all;
    for (const auto &[name, value] : way)
        all += std::string(all.empty() ? "" : " ") + name + ' ' + value;
    return all;
}

/// A folder of the test's own is the working directory while it runs: the scratch and outputs go there.
class Embed : public ::testing::Test {
  protected:
    void SetUp() override {
        before_ = std::filesystem::current_path();
        std::string name = (std::filesystem::temp_directory_path() / "oocc-embed-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
        std::filesystem::current_path(folder_);
    }
    void TearDown() override {
        std::filesystem::current_path(before_);
        std::filesystem::remove_all(folder_);
    }

    std::filesystem::path before_, folder_;
};

/// The functions of one stencil under names that do not contain its own.
struct Heat {
    using Handle = heat3d_handle;
    using Cell = double;
    static constexpr auto create = heat3d_create;
    static constexpr auto destroy = heat3d_destroy;
    static constexpr auto error = heat3d_error;
    static constexpr auto option = heat3d_option;
    static constexpr auto init = heat3d_init_u;
    static constexpr auto run = heat3d_run;
    static constexpr auto level = heat3d_level;
    static constexpr auto finish = heat3d_finish;
    static int read(Handle *h, int64_t z, int64_t count, Cell *cells) { return heat3d_read_u(h, z, count, cells); }
    static int write(Handle *h, int64_t z, int64_t count, const Cell *cells) { return heat3d_write_u(h, z, count, cells); }
    static constexpr int64_t planes = 20, cells = 23 * 25;
};

struct Wave {
    using Handle = wave2d_handle;
    using Cell = float;
    static constexpr auto create = wave2d_create;
    static constexpr auto destroy = wave2d_destroy;
    static constexpr auto error = wave2d_error;
    static constexpr auto option = wave2d_option;
    static constexpr auto init = wave2d_init_p;
    static constexpr auto run = wave2d_run;
    static constexpr auto level = wave2d_level;
    static constexpr auto finish = wave2d_finish;
    static int read(Handle *h, int64_t z, int64_t count, Cell *cells) { return wave2d_read_p(h, 0, z, count, cells); }
    static int write(Handle *h, int64_t z, int64_t count, const Cell *cells) { return wave2d_write_p(h, 0, z, count, cells); }
    static constexpr int64_t planes = 50, cells = 100;
};

struct Line {
    using Handle = line_handle;
    using Cell = int64_t;
    static constexpr auto create = line_create;
    static constexpr auto destroy = line_destroy;
    static constexpr auto error = line_error;
    static constexpr auto option = line_option;
    static constexpr auto init = line_init_u;
    static constexpr auto run = line_run;
    static constexpr auto level = line_level;
    static constexpr auto finish = line_finish;
    static int read(Handle *h, int64_t x, int64_t count, Cell *cells) { return line_read_u(h, x, count, cells); }
    static int write(Handle *h, int64_t x, int64_t count, const Cell *cells) { return line_write_u(h, x, count, cells); }
    static constexpr int64_t planes = 5000, cells = 1;
};

struct Damped {
    using Handle = damped_handle;
    using Cell = double;
    static constexpr auto create = damped_create;
    static constexpr auto destroy = damped_destroy;
    static constexpr auto error = damped_error;
    static constexpr auto option = damped_option;
    static int read(Handle *h, int64_t y, int64_t count, Cell *cells) { return damped_read_u(h, y, count, cells); }
    static constexpr int64_t planes = 40, cells = 40;
};

/// A run that is destroyed in the end.
template <typename S> class Driven {
  public:
    explicit Driven(const Way &way = ways()[0]) {
        EXPECT_EQ(S::create(&handle_), OOCC_OK) << S::error(nullptr);
        for (const auto &[name, value] : way)
            ok(S::option(handle_, name, value));
    }
    ~Driven() { S::destroy(handle_); }
    Driven(const Driven &) = delete;
    Driven &operator=(const Driven &) = delete;

    typename S::Handle *operator()() const { return handle_; }
    void ok(int status) const { EXPECT_EQ(status, OOCC_OK) << S::error(handle_); }
    void fails(int status, int wanted, const std::string &part) const {
        EXPECT_EQ(status, wanted);
        EXPECT_NE(std::string(S::error(handle_)).find(part), std::string::npos) << S::error(handle_);
    }

    std::vector<typename S::Cell> all() const {
        std::vector<typename S::Cell> cells(S::planes * S::cells);
        ok(S::read(handle_, 0, S::planes, cells.data()));
        return cells;
    }

  private:
    typename S::Handle *handle_ = nullptr;
};
