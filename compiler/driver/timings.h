// Milliseconds per stage, for --time.
#pragma once

#include <chrono>
#include <cstdio>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace oocc {

class Timings {
  public:
    template <typename Stage> auto measure(const char *name, Stage &&stage) {
        struct Stop {
            Timings &timings;
            const char *name;
            std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
            ~Stop() {
                const std::chrono::duration<double, std::milli> took =
                    std::chrono::steady_clock::now() - start;
                timings.list_.emplace_back(name, took.count());
            }
        } stop{*this, name};
        return stage();
    }

    void print(std::ostream &out) const {
        for (const auto &[name, milliseconds] : list_) {
            char text[64];
            std::snprintf(text, sizeof text, "%-8s %9.3f ms\n", name.c_str(), milliseconds);
            out << text;
        }
    }

    const std::vector<std::pair<std::string, double>> &list() const { return list_; }

  private:
    std::vector<std::pair<std::string, double>> list_;
};

} // namespace oocc
