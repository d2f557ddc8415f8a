// Where a stage applies along each dimension: between rims at fixed faces, and within its region. Numbers that depend on
// parameters are computed once, by use_grid(), so that every loop finds its bounds ready.
#pragma once

#include "loops/context.h"

namespace oocc::loops {

/// The first index (side 0) or one past the last (side 1) at which the stage applies; null: the grid's own end.
E boundOf(const Context &context, int stage, int dim, int side);

/// True when the stage leaves some point of the grid out.
bool isRestricted(const Context &context, int stage);

/// The struct that holds the computed bounds, and the assignments that fill it; both empty when there are none.
Variables buildBounds(const Context &context);
Body fillBounds(const Context &context);

} // namespace oocc::loops
