// In which order a reduction over a shape takes its terms together (docs/language.md, "Shapes"). Points of one row
// come first, then rows that have points at the same x, then planes that have the same rows: so the parts of one cell's sum are
// parts of its neighbours' sums, too, and a loop that computes several rows at once computes them once. The order follows
// from the points alone, so that every schedule, and every build, gives the same bits.
#pragma once

#include "stencil/stencil.h"

#include <vector>

namespace oocc {

/// What is taken together, from the first part on; without parts: the term of one point.
struct SumPart {
    size_t point = 0; ///< the first one, as its index
    std::vector<SumPart> parts;
};

/// Of some points, no two alike; `points` are indices into `all`, in lexicographic order of their offsets or any other.
SumPart sumOrder(const std::vector<Offsets> &all, const std::vector<size_t> &points, size_t dims);

} // namespace oocc
