// A 1-D program on a circle, as the compiler emits it: planes are blocks of cells, the last one shorter.
#pragma once

#include "runtime_trial.h"

namespace circle {

inline int64_t n = 1000;
inline const oocc_grid *grid;

inline float initial(int64_t x) {
    return float(x * 37 % 101) / 101;
}
inline float updated(float left, float here, float right) {
    return 0.25F * left + 0.625F * here + 0.125F * right;
}
inline void fill(void *plane, int64_t z, int64_t) {
    for (int64_t x = 0; x < oocc_cells(grid, z); x++)
        static_cast<float *>(plane)[x] = initial(z * grid->cells + x);
}

inline void computeBlock(const oocc_pass *p, int64_t s, int64_t v) {
    const auto at = [&](int64_t level, int64_t block) {
        return static_cast<float *>(oocc_plane(p, 0, level, block));
    };
    const int64_t cells = oocc_cells(p->grid, oocc_plane_of(p, v));
    const float *old = at(s - 1, v);
    for (int64_t x = 0; x < cells; x++)
        at(s, v)[x] =
            updated(x > 0 ? old[x - 1] : at(s - 1, v - 1)[oocc_cells(p->grid, oocc_plane_of(p, v - 1)) - 1],
                    old[x], x + 1 < cells ? old[x + 1] : at(s - 1, v + 1)[0]);
}
constexpr oocc_wedge wedge = {true, 1, 1, 0, 0};

inline void group(const oocc_pass *p, int64_t lo, int64_t hi, int64_t first, int64_t last) {
    for (int64_t w = lo; w < hi; w++)
        for (int64_t s = first; s <= last; s++)
            if (trial::makes(p, s, w - s, wedge)) computeBlock(p, s, w - s);
}
inline int pass(oocc_pass *p) {
    return trial::pass(p, group);
}
inline void setup(int64_t extent[], int64_t *steps) {
    extent[0] = n;
    *steps = 11;
}
inline void useGrid(const oocc_grid *g) {
    grid = g;
}

inline const oocc_param params[] = {{"n", OOCC_INT, &n, false, nullptr}};
inline const char *const dims[] = {"x"};
inline const oocc_field field = {"u", OOCC_F32, false, 1, 2, 0, 1, 0, 0, 0, 0, nullptr, fill, nullptr, nullptr, 0, false, nullptr, 0, 0};
inline const oocc_output output = {0, "u.raw", nullptr};
inline const oocc_program description = [] {
    oocc_program p{};
    p.abi = OOCC_ABI;
    p.name = "circle";
    p.source = "circle.stn";
    p.hash = 0x5678;
    p.params = 1;
    p.param = params;
    p.ndim = 1;
    p.dim = dims;
    p.setup = setup;
    p.use_grid = useGrid;
    p.fields = 1;
    p.field = &field;
    p.outputs = 1;
    p.output = &output;
    p.stages = 1;
    p.step_delay = 1;
    p.block_min_cells = 1;
    p.wedge = wedge;
    p.flops_per_cell = 5;
    p.pass = pass;
    return p;
}();

inline std::vector<float> naive(int64_t steps) {
    std::vector<float> old, now(static_cast<size_t>(n));
    for (int64_t x = 0; x < n; x++)
        now[size_t(x)] = initial(x);
    for (int64_t s = 1; s <= steps; s++) {
        old = now;
        for (int64_t x = 0; x < n; x++)
            now[size_t(x)] =
                updated(old[size_t(oocc_wrap(x - 1, n))], old[size_t(x)], old[size_t(oocc_wrap(x + 1, n))]);
    }
    return now;
}

} // namespace circle
