// Stages: one update on one plane (3-D: some of its rows; 2-D: some of its cells; 1-D: a block). Rims are peeled here,
// so that the row kernels never ask where they are.
#pragma once

#include "loops/kernels.h"

namespace oocc::loops {

std::string stageName(const Context &context, int stage);

/// plane_u(p, s, z, lo, hi), or block_u(p, s, block) in 1-D.
Function buildStage(const Context &context, int stage, const Kernel &kernel);

/// Scratch rows the stage needs for rows beyond the grid.
int edgeRowsOf(const Context &context, int stage, const Kernel &kernel);

} // namespace oocc::loops
