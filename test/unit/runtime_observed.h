// A program that observes, written by hand as the compiler emits it: u diffuses and is driven at points, v follows
// it; both are recorded, reductions are watched, one of them may feed the update, and a cell may become nan.
#pragma once

#include "runtime_observe_c.h"
#include "runtime_trial.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace observed {

enum { U, V };
using Gather = struct oocc_gather;

// What a test chooses, and the naive loop knows, too.
struct Setting {
    int64_t n = 12;
    double strength = 0.1, coupling = 0;
    double changeBelow = -1; // the stop condition
    int64_t nanLevel = -1, nanZ = 5, nanY = 4, nanX = 3;
    bool nanInV = false; // otherwise in u
    double nanValue = std::numeric_limits<double>::quiet_NaN();
    int64_t everyChange = 1, everyTotal = 3, everyU = 2, everyOutput = 4;
};
inline Setting set;
inline double change, total, average;
inline const oocc_grid *grid;

inline double initialU(int64_t z, int64_t y, int64_t x) {
    return double((z * 31 + y * 17 + x * 7) % 101) / 101;
}
inline float initialV(int64_t z, int64_t y, int64_t x) {
    return float((z * 13 + y * 5 + x * 3) % 37) / 37;
}

template <typename T> void fill(int field, void *plane, int64_t z, T (*initial)(int64_t, int64_t, int64_t)) {
    const int64_t row = grid->layout[field].row_elements;
    for (int64_t y = 0; y < grid->rows; y++)
        for (int64_t x = 0; x < grid->cells; x++)
            static_cast<T *>(plane)[y * row + x] = initial(z, y, x);
}
inline void fillU(void *plane, int64_t z, int64_t) {
    fill(U, plane, z, initialU);
    if (set.nanLevel == 0 && z == set.nanZ)
        static_cast<double *>(plane)[set.nanY * grid->layout[U].row_elements + set.nanX] = set.nanValue;
}
inline void fillV(void *plane, int64_t z, int64_t) {
    fill(V, plane, z, initialV);
}

inline oocc_points points[] = {{"receivers.csv", nullptr, 0, 0, nullptr, nullptr}};
inline oocc_signal signals[] = {{"wavelet.npy", 0, 0, 0, nullptr}};
inline oocc_record records[] = {{"traces-u.npy", U, 0, &set.everyU, nullptr, 0, 0},
                                {"traces-v.npy", V, 0, nullptr, nullptr, 0, 0}};
inline const oocc_watch watches[] = {{"change", OOCC_MAX, &change, &set.everyChange, false},
                                     {"total", OOCC_SUM, &total, &set.everyTotal, false},
                                     {"average", OOCC_MEAN, &average, nullptr, true}};

inline double newU(const double *old, const double *below, const double *above, int64_t row) {
    return old[0] +
           set.strength * (below[0] + above[0] + old[-1] + old[1] + old[-row] + old[row] - 6 * old[0]) +
           (set.coupling != 0 ? set.coupling * average : 0);
}

// One plane of step s: the updates, what is injected, what is watched, what is recorded. `at` finds planes, gatherers and
// the places of records.
template <typename At> void doPlane(At &&at, int64_t s, int64_t z) {
    const oocc_grid &g = *at.grid;
    const int64_t t = at.t0 + s, uRow = g.layout[U].row_elements, vRow = g.layout[V].row_elements;
    const bool change_ = t % set.everyChange == 0, total_ = t % set.everyTotal == 0;
    if (s > 0) {
        double *u = at.u(s, z);
        float *v = at.v(s, z);
        const double *old = at.u(s - 1, z);
        for (int64_t y = 0; y < g.rows; y++)
            for (int64_t x = 0; x < g.cells; x++) {
                const int64_t i = y * uRow + x, j = y * vRow + x;
                const bool rim =
                    z < 1 || z >= g.planes - 1 || y < 1 || y >= g.rows - 1 || x < 1 || x >= g.cells - 1;
                u[i] = rim ? old[i] : newU(old + i, at.u(s - 1, z - 1) + i, at.u(s - 1, z + 1) + i, uRow);
                const bool bad = t == set.nanLevel && z == set.nanZ && y == set.nanY && x == set.nanX;
                if (bad && !set.nanInV) u[i] = set.nanValue;
                v[j] = bad ? float(set.nanValue) : 0.5F * at.v(s - 1, z)[j] + 0.5F * float(u[i]);
            }
        for (int64_t c = points[0].first[z]; c < points[0].first[z + 1]; c++) {
            const oocc_point_cell &cell = points[0].cell[c];
            u[cell.row * uRow + cell.cell] += cell.weight * oocc_signal_at(&signals[0], t - 1, cell.point);
        }
        for (int r = 0; r < 2 && at.looksAt(z); r++)
            for (int64_t c = points[0].first[z]; c < points[0].first[z + 1] && t % (r ? 1 : set.everyU) == 0;
                 c++) {
                const oocc_point_cell &cell = points[0].cell[c];
                const double value =
                    r ? double(v[cell.row * vRow + cell.cell]) : u[cell.row * uRow + cell.cell];
                *at.recorded(r, s, cell.slot) = cell.weight * value;
            }
    }
    for (int64_t y = 0; y < g.rows && at.looksAt(z); y++)
        for (int64_t x = 0; x < g.cells; x++) {
            const double value = at.u(s, z)[y * uRow + x];
            if (s > 0 && change_)
                oocc_gather_max(at.gather(0, s), std::fabs(value - at.u(s - 1, z)[y * uRow + x]));
            if (s > 0 && total_) oocc_gather_sum(at.gather(1, s), value);
            if (at.feeds) {
                oocc_gather_sum(at.gather(2, s), value);
                at.gather(2, s)->count++;
            }
        }
}

struct InPass {
    const oocc_pass *p;
    const oocc_grid *grid;
    int64_t t0;
    bool feeds;
    bool looksAt(int64_t z) const { return z >= p->lo && z < p->hi; } // each plane once
    double *u(int64_t s, int64_t z) const { return static_cast<double *>(oocc_plane(p, U, s, z)); }
    float *v(int64_t s, int64_t z) const { return static_cast<float *>(oocc_plane(p, V, s, z)); }
    double *recorded(int r, int64_t s, int64_t slot) const { return oocc_recorded(p, &records[r], s, slot); }
    Gather *gather(int watch, int64_t s) const { return oocc_gather(p, watch, s); }
};

inline oocc_program program;
inline int64_t steps = 13;

constexpr oocc_wedge wedge = {false, 1, 1, 0, 0};

inline int pass(oocc_pass *p) {
    const InPass at{p, p->grid, p->t0, program.watches == 3};
    int status = oocc_read_ahead(p, 0);
    for (int64_t i = 0; i < p->slabs && !status; i++) {
        if ((status = oocc_read_ahead(p, i + 1)) || (status = oocc_wait_for(p, i))) break;
        for (int64_t w = oocc_slab_lo(p, i); w < oocc_slab_hi(p, i); w++)
            for (int64_t s = p->first_step; s <= p->bt; s++)
                if (trial::makes(p, s, w - s, wedge)) doPlane(at, s, w - s);
        if (p->bt > 0) trial::endSlab(p, i);
        status = oocc_write_back(p, i);
    }
    const int finished = oocc_finish(p);
    return status ? status : finished;
}

inline int stop() {
    return change < set.changeBelow ? 0 : -1;
}
inline const char *const stopText[] = {"change < limit"};
inline void setup(int64_t extent[], int64_t *run) {
    extent[0] = set.n;
    extent[1] = set.n - 3;
    extent[2] = set.n + 5;
    *run = steps;
}
inline void useGrid(const oocc_grid *g) {
    grid = g;
}

inline const oocc_field fields[] = {
    {"u", OOCC_F64, false, 1, 2, 0, 1, 0, 0, 0, 0, nullptr, fillU, nullptr, nullptr, 0, false, nullptr, 0, 0},
    {"v", OOCC_F32, false, 1, 2, 0, 1, 0, 0, 0, 0, nullptr, fillV, nullptr, nullptr, 0, false, nullptr, 0, 0},
};
inline const char *const dims[] = {"z", "y", "x"};
inline const oocc_output outputs[] = {{U, "u.raw", nullptr}, {V, "v-{t}.raw", &set.everyOutput}};

// The program and its settings as every test finds them.
inline void reset() {
    set = Setting{};
    program = oocc_program{};
    program.abi = OOCC_ABI;
    program.name = "observed";
    program.source = "observed.stn";
    program.hash = 0x4321;
    program.ndim = 3;
    program.dim = dims;
    program.setup = setup;
    program.use_grid = useGrid;
    program.fields = 2;
    program.field = fields;
    program.outputs = 2;
    program.output = outputs;
    program.stages = 2;
    program.step_delay = 1;
    program.wedge = wedge;
    program.flops_per_cell = 10;
    program.point_sets = 1;
    program.points = points;
    program.signals = 1;
    program.signal = signals;
    program.records = 2;
    program.record = records;
    program.watches = 2;
    program.watch = watches;
    program.stop_text = stopText;
    program.stop_on_nan = true;
    program.pass = pass;
}

// -- the naive loop ------------------------------------------------------------------------------------------

struct Naive {
    struct Level {
        std::vector<double> u;
        std::vector<float> v;
        double change, total;
    };
    std::vector<Level> level;
    std::vector<double> traceU; // rows of points
    std::vector<float> traceV;
    std::string lines; // as they are printed
};

struct WholeArrays {
    const oocc_grid *grid;
    int64_t t0; // doPlane counts steps from it
    bool feeds;
    std::vector<Naive::Level> &level;
    std::vector<double> &weighted; // of both records
    std::vector<Gather> &gathers;
    double *u(int64_t s, int64_t z) { return &level[size_t(t0 + s)].u[size_t(z * grid->rows * grid->cells)]; }
    float *v(int64_t s, int64_t z) { return &level[size_t(t0 + s)].v[size_t(z * grid->rows * grid->cells)]; }
    bool looksAt(int64_t) const { return true; }
    double *recorded(int r, int64_t, int64_t slot) { return &weighted[size_t(r * points[0].cells + slot)]; }
    Gather *gather(int watch, int64_t) { return &gathers[size_t(watch)]; }
};

inline std::string shortest(double value) {
    char text[32];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, nullptr) == value) break;
    }
    return text;
}

template <typename T> void addRow(std::vector<T> &trace, const double *weighted) {
    std::vector<std::pair<int64_t, int64_t>> slots; // (slot, point)
    for (int64_t c = 0; c < points[0].cells; c++)
        slots.emplace_back(points[0].cell[c].slot, points[0].cell[c].point);
    std::sort(slots.begin(), slots.end());
    std::vector<double> row(size_t(points[0].points));
    for (const auto &[slot, point] : slots)
        row[size_t(point)] += weighted[slot];
    for (const double value : row)
        trace.push_back(T(value));
}

// `directory` holds the points and the signal.
inline Naive naive(const std::filesystem::path &directory) {
    const oocc_layout dense[] = {{8, set.n + 5, 0, 0, 0}, {4, set.n + 5, 0, 0, 0}};
    const oocc_grid g = {3, {set.n, set.n - 3, set.n + 5}, set.n, set.n - 3, set.n + 5, 1, 1, dense, false, 1};
    const size_t cells = size_t(grid_points(&g));
    const std::string names[] = {directory / "receivers.csv", directory / "wavelet.npy"};
    points[0].path = names[0].c_str();
    signals[0].path = names[1].c_str();
    if (observe_read(&program, &g)) throw std::runtime_error("the points cannot be read");
    Naive result;
    change = NAN;
    grid = &g;
    result.level.assign(size_t(steps + 1), {std::vector<double>(cells), std::vector<float>(cells), NAN, NAN});
    std::vector<double> weighted(size_t(2 * points[0].cells));
    std::vector<Gather> gathers(3);
    WholeArrays at{&g, 0, program.watches == 3, result.level, weighted, gathers};
    for (int64_t z = 0; z < g.planes; z++) {
        fillU(at.u(0, z), z, 0);
        fillV(at.v(0, z), z, 0);
    }
    for (int64_t t = 0; t <= steps; t++) {
        for (int i = 0; i < 3; i++)
            gather_reset(&gathers[size_t(i)], watches[i].op);
        at.t0 = t > 0 ? t - 1 : 0;
        for (int64_t z = 0; z < g.planes; z++)
            doPlane(at, t > 0 ? 1 : 0, z);
        average = gather_value(&gathers[2], OOCC_MEAN);
        Naive::Level &now = result.level[size_t(t)];
        now.change = gather_value(&gathers[0], OOCC_MAX);
        now.total = gather_value(&gathers[1], OOCC_SUM);
        if (t == 0) continue;
        if (t % set.everyU == 0) addRow(result.traceU, &weighted[0]);
        addRow(result.traceV, &weighted[size_t(points[0].cells)]);
        std::string line;
        if (t % set.everyChange == 0) line += "  change = " + shortest(now.change);
        if (t % set.everyTotal == 0) line += "  total = " + shortest(now.total);
        if (!line.empty()) result.lines += "t=" + std::to_string(t) + line + "\n";
        change = t % set.everyChange == 0 ? now.change : change;
        if (program.stop && !line.empty() && stop() >= 0) {
            result.level.resize(size_t(t + 1));
            break;
        }
    }
    observe_forget(&program);
    points[0].path = "receivers.csv";
    signals[0].path = "wavelet.npy";
    grid = nullptr;
    return result;
}

// -- running it ----------------------------------------------------------------------------------------------------

class Trial : public trial::Trial {
  public:
    Trial() : trial::Trial(observed::program) {
        write("receivers.csv", "# two on the grid, three off it\nz, y, x\n5, 4, 3\n\n6.5 2.25 7.125\n"
                               "0,0,0 # a corner\n11\t8,16\n3.5, 4, 9.75\n");
        std::string npy = "\x93NUMPY";
        npy += std::string("\x01\x00\x76\x00", 4) +
               "{'descr': '<f4', 'fortran_order': False, 'shape': (9, 5), }";
        npy.resize(127, ' ');
        npy += '\n';
        for (int i = 0; i < 45; i++) {
            const float value = 0.01F * float(i % 7) - 0.02F;
            npy.append(reinterpret_cast<const char *>(&value), 4);
        }
        write("wavelet.npy", npy);
    }
    void write(const char *name, const std::string &text) const {
        std::ofstream(directory / name, std::ios::binary) << text;
    }
    Naive want() const { return naive(directory); }

    // Lines of the standard output that begin with t=.
    std::string lines() const {
        std::istringstream in(output("out"));
        std::string result;
        for (std::string line; std::getline(in, line);)
            if (line.rfind("t=", 0) == 0) result += line + "\n";
        return result;
    }
    template <typename T>
    bool holds(const std::string &name, const std::vector<T> &values, size_t skip = 0) const {
        const std::string text = output(name.c_str());
        return text.size() == skip + values.size() * sizeof(T) &&
               !std::memcmp(text.data() + skip, values.data(), values.size() * sizeof(T));
    }
    std::vector<std::string> files(const std::string &part) const {
        std::vector<std::string> names;
        for (const auto &entry : std::filesystem::directory_iterator(directory))
            if (entry.path().filename().string().find(part) != std::string::npos)
                names.push_back(entry.path().filename());
        std::sort(names.begin(), names.end());
        return names;
    }
};

} // namespace observed
