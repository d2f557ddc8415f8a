// A program as the compiler emits it, written by hand: diffusion of u with a coefficient, and a wave v that
// reads the level before the present one two planes ahead of the point. Every test that needs a whole run
// uses it.
#pragma once

#include "runtime_trial.h"

namespace waves {

enum { U, V, C };

inline int64_t n = 12;
inline double strength = 0.1;
inline const oocc_grid *grid;

using trial::engines, trial::readFile, trial::signalLevel, trial::signalNumber, trial::signalSlab, trial::works;

inline void fillU(void *plane, int64_t z, int64_t) {
    const int64_t row = grid->layout[U].row_elements;
    for (int64_t y = 0; y < grid->rows; y++)
        for (int64_t x = 0; x < grid->cells; x++)
            static_cast<double *>(plane)[y * row + x] = double((z * 31 + y * 17 + x * 7) % 101) / 101;
}
inline void fillV(void *plane, int64_t z, int64_t level) {
    const int64_t row = grid->layout[V].row_elements;
    for (int64_t y = 0; y < grid->rows; y++)
        for (int64_t x = 0; x < grid->cells; x++)
            static_cast<float *>(plane)[y * row + x] = float((z * 13 + y * 5 + x * 3 - level) % 37) / 37;
}
inline void fillC(void *plane, int64_t z, int64_t) {
    const int64_t row = grid->layout[C].row_elements;
    for (int64_t y = 0; y < grid->rows; y++)
        for (int64_t x = 0; x < grid->cells; x++)
            static_cast<double *>(plane)[y * row + x] = 0.5 + double((z + y + x) % 5) / 10;
}

// One plane of one step; `at` finds planes and cells, so that the naive loop shares the arithmetic.
template <typename At>
void computePlane(At &&at, int64_t s, int64_t z, int64_t planes, int64_t rows, int64_t cells) {
    for (int64_t y = 0; y < rows; y++)
        for (int64_t x = 0; x < cells; x++) {
            const bool rim = z < 2 || z >= planes - 2 || y < 1 || y >= rows - 1 || x < 1 || x >= cells - 1;
            double *u = at.u(s, z);
            float *v = at.v(s, z);
            const int64_t i = at.index(U, y, x), j = at.index(V, y, x);
            if (rim) {
                u[i] = at.u(s - 1, z)[i];
                v[j] = at.v(s - 1, z)[j];
                continue;
            }
            const double *old = at.u(s - 1, z);
            u[i] = old[i] +
                   strength * at.c(z)[at.index(C, y, x)] *
                       (at.u(s - 1, z - 1)[i] + at.u(s - 1, z + 1)[i] + old[i - 1] + old[i + 1] - 4 * old[i]);
            v[j] = 0.25F * (at.v(s - 1, z)[j - 1] + at.v(s - 1, z + 1)[j] + at.v(s - 1, z - 1)[j]) +
                   0.125F * at.v(s - 2, z + 2)[j];
        }
}

struct WindowCells {
    const oocc_pass *p;
    double *u(int64_t s, int64_t z) const { return static_cast<double *>(oocc_plane(p, U, s, z)); }
    float *v(int64_t s, int64_t z) const { return static_cast<float *>(oocc_plane(p, V, s, z)); }
    double *c(int64_t z) const { return static_cast<double *>(oocc_plane(p, C, 0, z)); }
    int64_t index(int field, int64_t y, int64_t x) const {
        return y * p->grid->layout[field].row_elements + x;
    }
};

constexpr oocc_wedge wedge = {false, 1, 1, 0, 1}; // v reads two planes ahead, a level earlier

inline void group(const oocc_pass *p, int64_t lo, int64_t hi, int64_t first, int64_t last) {
    for (int64_t w = lo; w < hi; w++)
        for (int64_t s = first; s <= last; s++)
            if (trial::makes(p, s, w - s, wedge))
                computePlane(WindowCells{p}, s, w - s, p->grid->planes, p->grid->rows, p->grid->cells);
}

inline int pass(oocc_pass *p) {
    return trial::pass(p, group);
}

inline void setup(int64_t extent[], int64_t *steps) {
    extent[0] = n;
    extent[1] = n - 3;
    extent[2] = n + 5;
    *steps = 7;
}
inline void useGrid(const oocc_grid *g) {
    grid = g;
}

inline const oocc_param params[] = {{"n", OOCC_INT, &n, false, nullptr}, {"strength", OOCC_F64, &strength, false, nullptr}};
inline const char *const dims[] = {"z", "y", "x"};
inline const oocc_field fields[] = {
    {"u", OOCC_F64, false, 1, 2, 0, 2, 0, 0, 0, 0, nullptr, fillU, nullptr, nullptr, 0, false, nullptr, 0, 0},
    {"v", OOCC_F32, false, 2, 2, 0, 2, 0, 1, 2, 0, nullptr, fillV, nullptr, nullptr, 0, false, nullptr, 0, 0},
    {"c", OOCC_F64, true, 1, 1, 1, 1, 1, 0, 0, 0, nullptr, fillC, nullptr, nullptr, 0, false, nullptr, 0, 0},
};
inline const oocc_output outputs[] = {{U, "u.raw", nullptr}, {V, "v.raw", nullptr}};
inline const oocc_program description = [] {
    oocc_program p{};
    p.abi = OOCC_ABI;
    p.name = "waves";
    p.source = "waves.stn";
    p.hash = 0x1234;
    p.params = 2;
    p.param = params;
    p.ndim = 3;
    p.dim = dims;
    p.setup = setup;
    p.use_grid = useGrid;
    p.fields = 3;
    p.field = fields;
    p.outputs = 2;
    p.output = outputs;
    p.stages = 2;
    p.step_delay = 1;
    p.wedge = wedge;
    p.flops_per_cell = 15;
    p.pass = pass;
    return p;
}();

// -- the naive loop
// ------------------------------------------------------------------------------------------------

struct WholeArrays {
    int64_t planes, rows, cells;
    std::vector<std::vector<double>> uLevels;
    std::vector<std::vector<float>> vLevels; // [0] holds level -1
    std::vector<double> coef;
    double *u(int64_t s, int64_t z) { return &uLevels[size_t(s)][size_t(z * rows * cells)]; }
    float *v(int64_t s, int64_t z) { return &vLevels[size_t(s + 1)][size_t(z * rows * cells)]; }
    double *c(int64_t z) { return &coef[size_t(z * rows * cells)]; }
    int64_t index(int, int64_t y, int64_t x) const { return y * cells + x; }
};

inline WholeArrays naive(int64_t steps) {
    WholeArrays a{n, n - 3, n + 5, {}, {}, {}};
    const size_t points = size_t(a.planes * a.rows * a.cells);
    a.uLevels.assign(size_t(steps + 1), std::vector<double>(points));
    a.vLevels.assign(size_t(steps + 2), std::vector<float>(points));
    a.coef.resize(points);
    const oocc_layout dense[] = {{8, a.cells, 0, 0, 0}, {4, a.cells, 0, 0, 0}, {8, a.cells, 0, 0, 0}};
    const oocc_grid g = {3, {a.planes, a.rows, a.cells}, a.planes, a.rows, a.cells, 1, a.rows, dense, false, 1};
    grid = &g;
    for (int64_t z = 0; z < a.planes; z++) {
        fillU(a.u(0, z), z, 0);
        fillV(a.v(0, z), z, 0);
        fillV(a.v(-1, z), z, -1);
        fillC(a.c(z), z, 0);
    }
    for (int64_t s = 1; s <= steps; s++)
        for (int64_t z = 0; z < a.planes; z++)
            computePlane(a, s, z, a.planes, a.rows, a.cells);
    grid = nullptr;
    return a;
}

// -- running it
// ----------------------------------------------------------------------------------------------------

class Trial : public trial::Trial {
  public:
    explicit Trial(const oocc_program &program = description) : trial::Trial(program) {}

    // Whether the outputs are, bit for bit, those of the naive loop.
    bool matches(int64_t steps) const {
        WholeArrays want = naive(steps);
        return trial::holds(output("u.raw"), want.uLevels.back()) &&
               trial::holds(output("v.raw"), want.vLevels.back());
    }
};

} // namespace waves
