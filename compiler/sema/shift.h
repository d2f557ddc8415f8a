// Private to sema/: an expression as another cell sees it.
#pragma once

#include "stencil/stencil.h"

namespace oocc {

/// The expression at the cell that lies `by` away: reads and coordinates move, everything else stays. What is shared
/// stays shared. `furthest` grows to the largest offset that a read has then.
ExprPtr shifted(const ExprPtr &expr, const Offsets &by, int &furthest);

/// Whether it may differ from cell to cell.
bool varies(const ExprPtr &expr);

} // namespace oocc
