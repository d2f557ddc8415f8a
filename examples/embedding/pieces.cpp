// The program's 20 steps, a few at a time: the bits are those of the program. Arguments are options of a run.
#include "heat3d.h"

#include <cinttypes>
#include <cstdio>
#include <memory>
#include <stdexcept>

namespace {

class Heat {
  public:
    Heat() {
        heat3d_handle *h = nullptr;
        if (heat3d_create(&h) != OOCC_OK) throw std::runtime_error(heat3d_error(nullptr));
        handle_.reset(h);
    }
    void option(const char *name, const char *value) { check(heat3d_option(handle_.get(), name, value)); }
    void run(int64_t steps) { check(heat3d_run(handle_.get(), steps)); }
    double hottest() const { return heat3d_monitor_hottest(handle_.get()); }
    uint64_t finish() {
        uint64_t hash = 0;
        check(heat3d_finish(handle_.get(), &hash));
        return hash;
    }

  private:
    void check(int status) const {
        if (status != OOCC_OK) throw std::runtime_error(heat3d_error(handle_.get()));
    }
    struct Destroy {
        void operator()(heat3d_handle *h) const { heat3d_destroy(h); }
    };
    std::unique_ptr<heat3d_handle, Destroy> handle_;
};

} // namespace

int main(int argc, char **argv) try {
    Heat heat;
    for (int i = 1; i + 1 < argc; i += 2)
        heat.option(argv[i], argv[i + 1]);
    for (int64_t steps : {1, 2, 3, 4, 10}) {
        heat.run(steps);
        std::printf("%" PRId64 " steps more, hottest: %.6f\n", steps, heat.hottest());
    }
    std::printf("result %016" PRIx64 "\n", heat.finish());
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "pieces: %s\n", error.what());
    return 1;
}
