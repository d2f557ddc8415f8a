// Where along a row a condition changes: `x < n` does at n, and nowhere else. Rows are cut there, so that a loop for each part computes only
// what is chosen (index set splitting: Griebl, Feautrier and Lengauer, "Index set splitting", 2000).
#pragma once

#include "stencil/stencil.h"

#include <optional>

namespace oocc {

/// The cells from which on a condition may have another value than for the cell before: integers of what is the same along dimension x.
/// None where all cells of a row have the same; nullopt for conditions of anything but the place along the row and what is the same for it.
std::optional<std::vector<ExprPtr>> cutsOf(const Stencil &stencil, const ExprPtr &condition, int x);

} // namespace oocc
