// A 4-D program on integers, as the compiler emits it: m (u8) changes by a temp q (i32) where w (bool, from a file)
// allows it, and k (i64) adds up in place what it sees one plane before.
#pragma once

#include "runtime_trial.h"

#include <algorithm>

namespace layers {

enum { M, K, W, Q };
constexpr int64_t extents[] = {9, 3, 4, 6};

inline const oocc_grid *grid;

inline uint8_t initialM(int64_t w, int64_t row, int64_t x) {
    return uint8_t(w * 41 + row * 17 + x * 5);
}
inline bool allowed(int64_t w, int64_t row, int64_t x) {
    return (w + row + x) % 3 != 0;
}
inline void fillM(void *plane, int64_t w, int64_t) {
    for (int64_t y = 0; y < grid->rows; y++)
        for (int64_t x = 0; x < grid->cells; x++)
            static_cast<uint8_t *>(plane)[y * grid->layout[M].row_elements + x] = initialM(w, y, x);
}

template <typename At>
void computePlane(At &&at, int stage, int64_t s, int64_t w, int64_t planes, int64_t rows, int64_t cells) {
    for (int64_t y = 0; y < rows; y++)
        for (int64_t x = 0; x < cells; x++) {
            const int64_t m = at.index(M, y, x), k = at.index(K, y, x), q = at.index(Q, y, x);
            if (stage == 0 && w >= 1 && w < planes - 1)
                at.q(s, w)[q] = at.m(s - 1, w + 1)[m] - 3 * at.m(s - 1, w - 1)[m] +
                                at.m(s - 1, w)[at.index(M, y > 0 ? y - 1 : rows - 1, x)];
            else if (stage == 1)
                at.m(s, w)[m] = w >= 1 && w < planes - 1 && at.w(w)[at.index(W, y, x)]
                                    ? uint8_t(at.m(s - 1, w)[m] + at.q(s, w)[q])
                                    : at.m(s - 1, w)[m];
            else if (stage == 2)
                at.k(s, w)[k] = at.k(s - 1, w)[k] + (w >= 2 ? at.q(s, w - 1)[q] * 1000000007LL : 1);
        }
}

struct WindowCells {
    const oocc_pass *p;
    uint8_t *m(int64_t s, int64_t w) const { return static_cast<uint8_t *>(oocc_plane(p, M, s, w)); }
    int64_t *k(int64_t s, int64_t w) const { return static_cast<int64_t *>(oocc_plane(p, K, s, w)); }
    bool *w(int64_t w) const { return static_cast<bool *>(oocc_plane(p, W, 0, w)); }
    int32_t *q(int64_t s, int64_t w) const { return static_cast<int32_t *>(oocc_plane(p, Q, s, w)); }
    int64_t index(int field, int64_t y, int64_t x) const {
        return y * p->grid->layout[field].row_elements + x;
    }
};

constexpr oocc_wedge wedge = {false, 1, 1, 1, 0};
constexpr int64_t before[] = {1, 1, 0}; // per stage: the last one reads the temp a plane behind

inline void group(const oocc_pass *p, int64_t lo, int64_t hi, int64_t first, int64_t last) {
    for (int64_t at = lo; at < hi; at++)
        for (int64_t s = first; s <= last; s++)
            for (int k = 0; k < 3; k++)
                if (trial::makes(p, s, at - s, wedge, before[k]))
                    computePlane(WindowCells{p}, k, s, at - s, p->grid->planes, p->grid->rows, p->grid->cells);
}
inline int pass(oocc_pass *p) {
    return trial::pass(p, group);
}
inline void setup(int64_t extent[], int64_t *steps) {
    std::copy(extents, extents + 4, extent);
    *steps = 7;
}
inline void useGrid(const oocc_grid *g) {
    grid = g;
}

inline const char *const dims[] = {"w", "z", "y", "x"};
inline const oocc_field fields[] = {
    {"m", OOCC_U8, false, 1, 2, 0, 1, 0, 0, 0, 0, nullptr, fillM, nullptr, nullptr, 0, false, nullptr, 0, 0},
    {"k", OOCC_INT, false, 1, 1, 0, 0, 0, 0, 0, 0, nullptr, nullptr, nullptr, nullptr, 0, false, nullptr, 0, 0},
    {"w", OOCC_BOOL, true, 1, 1, 1, 0, 1, 0, 0, 0, "w.raw", nullptr, nullptr, nullptr, 0, false, nullptr, 0, 0},
    {"q", OOCC_I32, false, 0, 1, 0, 1, 0, 0, 0, 0, nullptr, nullptr, nullptr, nullptr, 0, false, nullptr, 0, 0},
};
inline const oocc_output outputs[] = {{M, "m.raw", nullptr}, {K, "k.raw", nullptr}, {W, "out.raw", nullptr}};
inline const oocc_program description = [] {
    oocc_program p{};
    p.abi = OOCC_ABI;
    p.name = "layers";
    p.source = "layers.stn";
    p.hash = 0x8765;
    p.ndim = 4;
    p.dim = dims;
    p.setup = setup;
    p.use_grid = useGrid;
    p.fields = 4;
    p.field = fields;
    p.outputs = 3;
    p.output = outputs;
    p.stages = 3;
    p.step_delay = 1;
    p.wedge = wedge;
    p.tiled = true;
    p.tiling = {1, 1, 0, 0, 1, 1, 1, 0, true, false, false};
    p.flops_per_cell = 4;
    p.pass = pass;
    return p;
}();

struct WholeArrays {
    int64_t planes, rows, cells;
    std::vector<std::vector<uint8_t>> mLevels;
    std::vector<int64_t> sums;
    std::vector<uint8_t> mask;
    std::vector<int32_t> temp;
    uint8_t *m(int64_t s, int64_t w) { return &mLevels[size_t(s)][size_t(w * rows * cells)]; }
    int64_t *k(int64_t, int64_t w) { return &sums[size_t(w * rows * cells)]; }
    const uint8_t *w(int64_t w) const { return &mask[size_t(w * rows * cells)]; }
    int32_t *q(int64_t, int64_t w) { return &temp[size_t(w * rows * cells)]; }
    int64_t index(int, int64_t y, int64_t x) const { return y * cells + x; }
};

inline WholeArrays naive(int64_t steps) {
    WholeArrays a{extents[0], extents[1] * extents[2], extents[3], {}, {}, {}, {}};
    const size_t points = size_t(a.planes * a.rows * a.cells);
    a.mLevels.assign(size_t(steps + 1), std::vector<uint8_t>(points));
    a.sums.resize(points);
    a.temp.resize(points);
    for (int64_t w = 0; w < a.planes; w++)
        for (int64_t y = 0; y < a.rows; y++)
            for (int64_t x = 0; x < a.cells; x++) {
                a.m(0, w)[y * a.cells + x] = initialM(w, y, x);
                a.mask.push_back(allowed(w, y, x));
            }
    for (int64_t s = 1; s <= steps; s++)
        for (int k = 0; k < 3; k++)
            for (int64_t w = 0; w < a.planes; w++)
                computePlane(a, k, s, w, a.planes, a.rows, a.cells);
    return a;
}

class Trial : public trial::Trial {
  public:
    Trial() : trial::Trial(description) { writeMask(naive(0).mask); }
    void writeMask(const std::vector<uint8_t> &mask) const {
        std::ofstream(directory / "w.raw", std::ios::binary)
            .write(reinterpret_cast<const char *>(mask.data()), std::streamsize(mask.size()));
    }
    bool matches(int64_t steps) const {
        const WholeArrays want = naive(steps);
        return trial::holds(output("m.raw"), want.mLevels.back()) &&
               trial::holds(output("k.raw"), want.sums) && trial::holds(output("out.raw"), want.mask);
    }
};

} // namespace layers
