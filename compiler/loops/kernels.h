// Row kernels: the updates of a group, or one reduction, on one row: a single branch-free loop over x that the C compiler
// vectorises. Updates are functions that are not inlined, of rows that begin with the first cell to compute. Only so does gcc
// know that what is read at x - 1, x and x + 1 lies around one address; else each has an address of its own, and those of wide
// stencils do not stay in registers (docs/speed.md).
#pragma once

#include "loops/context.h"

namespace oocc::loops {

/// A row that a kernel reads: a field at a time and at offsets in every dimension but x.
struct RowRead {
    std::string name;
    int field, time;
    Offsets offset;     ///< the row dimension's entry is 0
    int lo = 0, hi = 0; ///< the furthest it is read towards both ends of the row

    bool across() const { return lo > 0 || hi > 0; }
};

struct Kernel {
    Function function;
    std::vector<int> stages;
    std::vector<int> written; ///< the fields whose rows it is given to write; local temps are not among them
    std::vector<RowRead> rows;
    bool takesTime = false;
    std::set<int> coords; ///< dimensions whose coordinate it takes as an argument; of x it is that of the first cell
    Jam jam; ///< it writes so many rows of so many planes; offsets of `rows` count from the first
};

/// Rows that a loop reads and writes, at most, when it is worth while to fetch between stretches (docs/speed.md).
inline constexpr size_t kFewRows = 16;
/// Cells that a loop reads beside the first one of each row: as many as the largest x86 register files hold vectors.
inline constexpr size_t kManyNeighbours = 32;
/// Loops of a kernel for what its rows decide, at most: each decision takes one more, and two where rows may differ.
inline constexpr int kMostLoops = 8;

/// A name that no other group has, of several updates: 3_rho_to_f8.
std::string groupId(const Context &context, const std::vector<int> &stages);

/// The kernel of stages that one loop computes together.
Kernel buildKernel(const Context &context, const std::vector<int> &stages);

/// The same of one update for several rows at once.
Kernel buildKernel(const Context &context, int stage, const Jam &jam);

} // namespace oocc::loops
