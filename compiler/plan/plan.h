// The plan: storage and schedule of one program as plain values. What depends on the machine and the memory budget
// (bt, bz, ct, yt, xt, columns) is 0 here unless it was asked for, and is chosen by the runtime's cost model.
#pragma once

#include "analysis/facts.h"

namespace oocc {

/// Asked for when compiling; 0: the runtime chooses.
struct Knobs {
    int64_t bt = 0, bz = 0, ct = 0, yt = 0, xt = 0, columns = 0;
    int64_t jamPlanes = 0, jamRows = 0;
};

/// Unroll and jam: how many planes and rows one row loop computes at once, so that what they share is loaded once.
struct Jam {
    int64_t planes = 1, rows = 1;

    bool any() const { return planes * rows > 1; }
    bool operator==(const Jam &) const = default;
};

struct FieldStorage {
    int levels, slots;
    int64_t delay, keep, made; ///< planes
    int64_t ghostLo, ghostHi;  ///< cells
    int64_t firstCell;         ///< of a row, where vector loops begin: it is laid out to begin a cache line
    bool local;                ///< a temp that lives in registers: nothing is stored
    int64_t leanRows = 0, leanShift = 0; ///< see oocc_field
};

struct Plan {
    int streamed = 0; ///< the dimension cut into planes (1-D: into blocks)
    int tiled = -1;   ///< the dimension that tiles cut, -1 for 1-D
    int row = 0;      ///< the contiguous dimension
    std::vector<FieldStorage> fields;
    std::vector<std::vector<int>> groups; ///< the stages in order, together those that one loop computes
    std::vector<Jam> jams;                ///< one for each group
    Delays wave;
    int64_t delayMin = 0, delayMax = 0;
    Delays piece;     ///< shifts of pieces of rows; empty when rows are not cut
    Delays low, high; ///< tile slopes; empty when not tiled
    int64_t tileReach = 0;
    int64_t moreLow = 0, moreHigh = 0; ///< rows that the first step of a column reads beyond its tiles' sides
    bool leans = false; ///< columns may lean as tiles do, and hand on what lies along the line between them
    bool ring = false; ///< the tiled dimension is periodic: the first and the last tile are neighbours
    bool unrolled = false;      ///< the streamed dimension is periodic: a pass repeats planes beyond both ends
    Delays wedgeLow, wedgeHigh; ///< see Schedule
    int64_t wedgeMoreLow = 0, wedgeMoreHigh = 0;
    std::array<int64_t, kMaxDims> leastExtent{};
    int64_t blockMin = 0;   ///< 1-D: the furthest read, in cells
    int64_t shareLeast = 0; ///< 1-D: wave positions that a share of a slab has at least
    Knobs knobs;
};

/// Rows beyond a tile's side, made by others, that the access reads where the side moves outward by these slopes: the low one (side -1)
/// as the tiles of a chain do, by the high slopes, or the high one (1) of a border, by the low slopes.
int64_t rowsAcross(const Access &access, const Delays &slopes, int tiled, int side);

/// What is legal, and asked for or worth while, for the groups of a plan that has its slots and groups.
std::vector<Jam> chooseJams(const Stencil &stencil, const Facts &facts, const Plan &plan);

Plan makePlan(const Stencil &stencil, const Facts &facts, const Knobs &knobs);

/// Checks every dependence of the program against the plan's numbers, on its own and not by the solver's code; throws
/// std::logic_error that names the dependence which the plan would break.
void verify(const Stencil &stencil, const Facts &facts, const Plan &plan);

/// Why no run can do what the plan's knobs ask for, or why it would be wrong; nothing: it is legal.
std::optional<std::string> refusal(const Stencil &stencil, const Facts &facts, const Plan &plan);

void print(std::ostream &out, const Stencil &stencil, const Plan &plan);

} // namespace oocc
