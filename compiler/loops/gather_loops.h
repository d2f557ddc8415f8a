// The loop over a row that gathers a reduction: what monitors and scalars take of every cell.
#pragma once

#include "loops/context.h"

namespace oocc::loops {

/// Over cells [lo, hi) of a row, each at `index`: `before` declares what `value` needs. Into `g`, a struct oocc_gather of runtime.
Body gatherLoop(const Context &context, const Stage &stage, const std::string &index, const Body &before, E value);

} // namespace oocc::loops
