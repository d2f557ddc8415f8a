// A program that is periodic along z, as the compiler emits it: a temp d of u, u itself, and a wave v that reads
// two planes ahead in the level before the present one. Every step computes no more planes beyond the grid than
// the steps after it need.
#pragma once

#include "runtime_trial.h"

namespace ring {

enum { U, V, C, D };

inline int64_t n = 12;
inline const oocc_grid *grid;

inline void fillU(void *plane, int64_t z, int64_t) {
    for (int64_t y = 0; y < grid->rows; y++)
        for (int64_t x = 0; x < grid->cells; x++)
            static_cast<double *>(plane)[y * grid->layout[U].row_elements + x] =
                double((z * 29 + y * 11 + x * 7) % 97) / 97;
}
inline void fillV(void *plane, int64_t z, int64_t level) {
    for (int64_t y = 0; y < grid->rows; y++)
        for (int64_t x = 0; x < grid->cells; x++)
            static_cast<float *>(plane)[y * grid->layout[V].row_elements + x] =
                float((z * 13 + y * 5 + x * 3 - level) % 37) / 37;
}
inline void fillC(void *plane, int64_t z, int64_t) {
    for (int64_t y = 0; y < grid->rows; y++)
        for (int64_t x = 0; x < grid->cells; x++)
            static_cast<double *>(plane)[y * grid->layout[C].row_elements + x] =
                0.25 + double((z * 3 + y + x) % 7) / 16;
}

// Stage k of step s on plane z, unrolled or not; `at` finds planes and cells, so that the naive loop shares the
// arithmetic.
template <typename At>
void computePlane(At &&at, int stage, int64_t s, int64_t z, int64_t rows, int64_t cells) {
    for (int64_t y = 0; y < rows; y++)
        for (int64_t x = 0; x < cells; x++) {
            const int64_t i = at.index(U, y, x), j = at.index(V, y, x), c = at.index(C, y, x),
                          d = at.index(D, y, x), left = at.index(U, y, x > 0 ? x - 1 : 0);
            if (stage == 0)
                at.d(s, z)[d] = at.c(z)[c] * (at.u(s - 1, z + 1)[i] - at.u(s - 1, z - 1)[i]);
            else if (stage == 1)
                at.u(s, z)[i] = 0.5 * at.u(s - 1, z)[i] + 0.375 * at.u(s - 1, z)[left] +
                                0.125 * (at.d(s, z + 1)[d] - at.d(s, z - 1)[d]);
            else
                at.v(s, z)[j] = 0.25F * (at.v(s - 1, z + 1)[j] + at.v(s - 1, z - 1)[j]) +
                                0.125F * at.v(s - 2, z + 2)[j] +
                                float(at.u(s, z + 1)[i] * (at.c(z - 1)[c] - at.c(z + 1)[c]));
        }
}

struct WindowCells {
    const oocc_pass *p;
    double *u(int64_t s, int64_t v) const { return static_cast<double *>(oocc_plane(p, U, s, v)); }
    float *v(int64_t s, int64_t v) const { return static_cast<float *>(oocc_plane(p, V, s, v)); }
    double *c(int64_t v) const { return static_cast<double *>(oocc_plane(p, C, 0, v)); }
    double *d(int64_t s, int64_t v) const { return static_cast<double *>(oocc_plane(p, D, s, v)); }
    int64_t index(int field, int64_t y, int64_t x) const {
        return y * p->grid->layout[field].row_elements + x;
    }
};

constexpr int64_t lag = 2;
constexpr oocc_wedge wedge = {true, 2, 2, 0, 1};
constexpr int64_t delay[] = {0, 1, 2}, before[] = {1, 0, 0}, after[] = {2, 1, 0}; // per stage

inline void group(const oocc_pass *p, int64_t lo, int64_t hi, int64_t first, int64_t last) {
    for (int64_t w = lo; w < hi; w++)
        for (int64_t s = first; s <= last; s++)
            for (int k = 0; k < 3; k++) {
                const int64_t v = w - s * lag - delay[k];
                if (trial::makes(p, s, v, wedge, before[k], after[k]))
                    computePlane(WindowCells{p}, k, s, v, p->grid->rows, p->grid->cells);
            }
}
inline int pass(oocc_pass *p) {
    return trial::pass(p, group);
}
inline void setup(int64_t extent[], int64_t *steps) {
    extent[0] = n;
    extent[1] = 5;
    extent[2] = 9;
    *steps = 7;
}
inline void useGrid(const oocc_grid *g) {
    grid = g;
}

inline const oocc_param params[] = {{"n", OOCC_INT, &n, false, nullptr}};
inline const char *const dims[] = {"z", "y", "x"};
inline const oocc_field fields[] = {
    {"u", OOCC_F64, false, 1, 2, 1, 1, 1, 0, 0, 0, nullptr, fillU, nullptr, nullptr, 0, false, nullptr, 0, 0},
    {"v", OOCC_F32, false, 2, 2, 2, 3, 2, 0, 0, 0, nullptr, fillV, nullptr, nullptr, 0, false, nullptr, 0, 0},
    {"c", OOCC_F64, true, 1, 1, 2, 3, 2, 0, 0, 0, nullptr, fillC, nullptr, nullptr, 0, false, nullptr, 0, 0},
    {"d", OOCC_F64, false, 0, 2, 0, 2, 0, 0, 0, 0, nullptr, nullptr, nullptr, nullptr, 0, false, nullptr, 0, 0},
};
inline const oocc_output outputs[] = {{U, "u.raw", nullptr}, {V, "v.raw", nullptr}};
inline const oocc_program description = [] {
    oocc_program p{};
    p.abi = OOCC_ABI;
    p.name = "ring";
    p.source = "ring.stn";
    p.hash = 0x4321;
    p.params = 1;
    p.param = params;
    p.ndim = 3;
    p.dim = dims;
    p.setup = setup;
    p.use_grid = useGrid;
    p.fields = 4;
    p.field = fields;
    p.outputs = 2;
    p.output = outputs;
    p.stages = 3;
    p.step_delay = lag;
    p.delay_max = 2;
    p.wedge = wedge;
    p.flops_per_cell = 15;
    p.pass = pass;
    return p;
}();

struct WholeArrays {
    int64_t planes, rows, cells;
    std::vector<std::vector<double>> uLevels;
    std::vector<std::vector<float>> vLevels; // [0] holds level -1
    std::vector<double> coef, temp;
    int64_t first(int64_t z) const { return (z + planes) % planes * rows * cells; }
    double *u(int64_t s, int64_t z) { return &uLevels[size_t(s)][size_t(first(z))]; }
    float *v(int64_t s, int64_t z) { return &vLevels[size_t(s + 1)][size_t(first(z))]; }
    double *c(int64_t z) { return &coef[size_t(first(z))]; }
    double *d(int64_t, int64_t z) { return &temp[size_t(first(z))]; }
    int64_t index(int, int64_t y, int64_t x) const { return y * cells + x; }
};

inline WholeArrays naive(int64_t steps) {
    WholeArrays a{n, 5, 9, {}, {}, {}, {}};
    const size_t points = size_t(a.planes * a.rows * a.cells);
    a.uLevels.assign(size_t(steps + 1), std::vector<double>(points));
    a.vLevels.assign(size_t(steps + 2), std::vector<float>(points));
    a.coef.resize(points);
    a.temp.resize(points);
    const oocc_layout dense[] = {{8, 9, 0, 0, 0}, {4, 9, 0, 0, 0}, {8, 9, 0, 0, 0}, {8, 9, 0, 0, 0}};
    const oocc_grid g = {3, {a.planes, a.rows, a.cells}, a.planes, a.rows, a.cells, 1, 1, dense, false, 1};
    grid = &g;
    for (int64_t z = 0; z < a.planes; z++) {
        fillU(a.u(0, z), z, 0);
        fillV(a.v(0, z), z, 0);
        fillV(a.v(-1, z), z, -1);
        fillC(a.c(z), z, 0);
    }
    for (int64_t s = 1; s <= steps; s++)
        for (int k = 0; k < 3; k++)
            for (int64_t z = 0; z < a.planes; z++)
                computePlane(a, k, s, z, a.rows, a.cells);
    grid = nullptr;
    return a;
}

class Trial : public trial::Trial {
  public:
    Trial() : trial::Trial(description) {}

    bool matches(int64_t steps) const {
        WholeArrays want = naive(steps);
        return trial::holds(output("u.raw"), want.uLevels.back()) &&
               trial::holds(output("v.raw"), want.vLevels.back());
    }
};

} // namespace ring
