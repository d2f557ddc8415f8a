// The parts of `understand`: each takes what the one before has left in a Kernel or a Plan.
#pragma once

#include "lift/model.h"

namespace oocc::lift {

/// grid.cpp: the grid's extents, and every index as one polynomial per dimension.
std::vector<Poly> findGrid(Kernel &kernel);

/// bind.cpp: which cells every store goes to; its value as seen from such a cell, in the variables `dims`.
void bindStores(Kernel &kernel, const std::vector<Poly> &extents, const std::vector<int> &dims);

/// versions.cpp: which of an array's values every read sees.
void resolve(Kernel &kernel, const std::vector<Poly> &extents);

/// definitions.cpp: what a step makes, without what nobody needs.
void define(Kernel &kernel, Plan &plan, const std::vector<std::string> &results);

/// edges.cpp: rims, `where` and values beyond faces.
void settleEdges(Kernel &kernel, Plan &plan, const std::vector<int> &dims);

/// a < b is b > a.
std::string turned(const std::string &op);

/// The cells for which the condition holds are within the box then; what of the condition the box does not say is returned, null
/// when nothing is left.
NodePtr narrow(Kernel &kernel, Box &box, const NodePtr &condition, const std::vector<int> &dims, bool holds);

[[noreturn]] inline void refuse(clang::SourceRange at, std::string message, std::string help = {}) {
    throw Refusal{at, std::move(message), std::move(help), {}};
}

inline Box boxOf(const Store &s) {
    Box box;
    for (const Store::Dim &d : s.dims)
        box.low.push_back(d.low), box.high.push_back(d.high);
    return box;
}

inline bool isAtMost(const Poly &a, const Poly &b) { ///< surely
    const auto d = distance(a, b);
    return d && *d >= 0;
}

/// The cells that a read meets, of a store that goes over the box: where it leaves the grid, those that are there instead.
Box cellsRead(const Box &box, const Node &read, const std::vector<Poly> &extents);
/// Surely no cell in common.
bool disjoint(const Box &a, const Box &b);
/// Surely every cell of the first is one of the second.
bool within(const Box &a, const Box &b);

} // namespace oocc::lift
