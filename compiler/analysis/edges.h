// Where updates stop before the grid's faces, so that no read leaves the grid without a declared value.
#pragma once

#include "analysis/accesses.h"

#include <array>

namespace oocc {

/// Cells at the low [0] and high [1] face of each dimension that a stage leaves as they are.
using Rims = std::array<std::array<int64_t, 2>, kMaxDims>;

/// How far beyond a cell an offset reaches towards a face: 0 when it points the other way.
inline int64_t reachTowards(int offset, int side) {
    const int64_t reach = side == 0 ? -static_cast<int64_t>(offset) : offset;
    return reach > 0 ? reach : 0;
}

/// One entry per stage. A face where the updated field is `fixed` has a rim as wide as the stage's reads reach towards
/// it. A temp for which nothing is declared at a face is made where its own reads are defined, and has a rim where they
/// are not. All other faces have none.
std::vector<Rims> computeRims(const Stencil &stencil, const std::vector<Access> &accesses);

/// A temp without an edge is not made near a face where its own reads are not defined.
bool hasOwnRim(const Field &field, size_t dim, int side);

/// How far a stage must keep away from a face so that the access finds a value; 0 when any point is near enough.
int64_t distanceNeeded(const Stencil &stencil, const std::vector<Rims> &rims, const Access &access, size_t dim, int side);

/// Cells at a face that a stage's region is sure to leave out, whatever the parameters are; 0 when nothing is sure.
int64_t regionMargin(const Stencil &stencil, const Stage &stage, size_t dim, int side);

/// Cells along a dimension that the edges need, so that a read beyond one face never ends beyond the other,
/// nor in the rim that a temp has there.
int64_t leastExtent(const Stencil &stencil, const std::vector<Access> &accesses,
                    const std::vector<Rims> &rims, size_t dim);

} // namespace oocc
