// 1-D grids, whose planes are blocks of cells: one update or reduction on one block.
#pragma once

#include "loops/kernels.h"

namespace oocc::loops {

Function buildBlockStage(const Context &context, const Kernel &kernel);

} // namespace oocc::loops
