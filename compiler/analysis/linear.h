// What is sure about integer expressions whatever the parameters are: enough to see that `y < n-4` keeps four cells away
// from the end of a dimension of n cells.
#pragma once

#include "stencil/stencil.h"

namespace oocc {

/// A number that `a - b` is never below (`b` null: 0), or INT64_MIN when nothing is sure. Sums, differences and multiples
/// of parameters are followed; min and max take what is sure of their parts; anything else counts as an unknown that
/// cancels against itself only.
int64_t surelyAtLeast(const Stencil &stencil, const ExprPtr &a, const ExprPtr &b);

} // namespace oocc
