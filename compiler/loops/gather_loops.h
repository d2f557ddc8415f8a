// The loop over a row that gathers a reduction: what monitors and scalars take of every cell.
#pragma once

#include "loops/context.h"

namespace oocc::loops {

/// Over cells [lo, hi) of a row, each at `index`: `before` declares what `value` needs. Into `g`, the
/// runtime's struct oocc_gather.
Body gatherLoop(const Stage &stage, const std::string &index, const Body &before, E value, bool vectorisable);

} // namespace oocc::loops
