// A program as the compiler emits it, written by hand: diffusion of u with a coefficient, and a wave v that
// reads the level before the present one two planes ahead of the point. Every test that needs a whole run
// uses it.
#pragma once

#include "runtime_c.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace waves {

enum { U, V, C };

inline int64_t n = 12;
inline double strength = 0.1;
inline const oocc_grid *grid;

// What a test wants to happen inside a pass: a signal after some slab of the pass that starts at or after a
// level.
inline int64_t signalLevel = -1, signalSlab = 0;
inline int signalNumber = 0;

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

inline void group(const oocc_pass *p, int64_t lo, int64_t hi, int64_t first, int64_t last) {
    for (int64_t w = lo; w < hi; w++)
        for (int64_t s = first; s <= last; s++)
            if (const int64_t z = w - s; z >= 0 && z < p->grid->planes)
                computePlane(WindowCells{p}, s, z, p->grid->planes, p->grid->rows, p->grid->cells);
}

inline int pass(oocc_pass *p) {
    int status = oocc_read_ahead(p, 0);
    for (int64_t i = 0; i < p->slabs && !status; i++) {
        if ((status = oocc_read_ahead(p, i + 1)) || (status = oocc_wait_for(p, i))) break;
        for (int64_t s = 1; s <= p->bt; s += p->ct)
            group(p, oocc_slab_lo(p, i), oocc_slab_hi(p, i), s, oocc_min(s + p->ct - 1, p->bt));
        if (signalNumber && p->t0 >= signalLevel && i == signalSlab) raise(signalNumber);
        status = oocc_write_back(p, i);
    }
    const int finished = oocc_finish(p);
    return status ? status : finished;
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
    {"u", OOCC_F64, false, 1, 2, 0, 2, 0, 0, 0, 0, nullptr, fillU, nullptr},
    {"v", OOCC_F32, false, 2, 2, 0, 2, 0, 1, 2, 0, nullptr, fillV, nullptr},
    {"c", OOCC_F64, true, 1, 1, 1, 1, 1, 0, 0, 0, nullptr, fillC, nullptr},
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
    const oocc_layout dense[] = {{8, a.cells, 0, 0}, {4, a.cells, 0, 0}, {8, a.cells, 0, 0}};
    const oocc_grid g = {3, {a.planes, a.rows, a.cells}, a.planes, a.rows, a.cells, dense};
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

inline std::string readFile(const std::filesystem::path &path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// Engines that keep files and work here; aio needs a file system that takes direct I/O.
inline std::vector<std::string> engines() {
    const char *reason = nullptr;
    int status = 0;
    const char *best = engine_probe(".", "auto", &reason, &status);
    return best && std::string(best) == "aio" ? std::vector<std::string>{"aio", "mmap"}
                                              : std::vector<std::string>{"mmap"};
}
inline bool works(const std::string &options) {
    return options.find("aio") == std::string::npos || engines().front() == "aio";
}

// A directory of its own for each test; removed when the test is over.
class Trial {
  public:
    explicit Trial(const oocc_program &program = description) : program(program) {
        char name[] = "./oocc-trial-XXXXXX";
        directory = std::filesystem::absolute(mkdtemp(name));
    }
    ~Trial() { std::filesystem::remove_all(directory); }
    Trial(const Trial &) = delete;
    Trial &operator=(const Trial &) = delete;

    // Runs the program in a child process; its exit status, or 128 + the signal that killed it.
    int operator()(const std::string &options) {
        std::istringstream words(options);
        std::vector<std::string> args = {program.name, "--progress", "off", "--threads", "2"};
        for (std::string word; words >> word;)
            args.push_back(word);
        const pid_t child = fork();
        if (child == 0) {
            std::vector<char *> argv;
            for (std::string &arg : args)
                argv.push_back(arg.data());
            argv.push_back(nullptr);
            if (chdir(directory.c_str()) || !freopen("out", "w", stdout) || !freopen("err", "w", stderr))
                _exit(99);
            const int status = oocc_main(&program, int(args.size()), argv.data());
            fflush(nullptr);
            _exit(status);
        }
        int status = 0;
        waitpid(child, &status, 0);
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }

    std::string errors() const { return readFile(directory / "err"); }
    std::string output(const char *name) const { return readFile(directory / name); }
    std::filesystem::path scratch() const { return directory / (std::string(program.name) + ".scratch"); }

    // Whether the outputs are, bit for bit, those of the naive loop.
    bool matches(int64_t steps) const {
        WholeArrays want = naive(steps);
        const std::string u = output("u.raw"), v = output("v.raw");
        const std::vector<double> &wantU = want.uLevels.back();
        const std::vector<float> &wantV = want.vLevels.back();
        return u.size() == wantU.size() * 8 && v.size() == wantV.size() * 4 &&
               !std::memcmp(u.data(), wantU.data(), u.size()) &&
               !std::memcmp(v.data(), wantV.data(), v.size());
    }

    const oocc_program &program;
    std::filesystem::path directory;
};

} // namespace waves
