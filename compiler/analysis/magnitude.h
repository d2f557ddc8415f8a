// How large an integer expression can become: where nothing can overflow, emitted C computes with C's operators, and elsewhere
// with functions that wrap around.
#pragma once

#include "stencil/stencil.h"

namespace oocc {

/// At most this much from 0, the value and all that it is made from having wrapped around where they had to; INT64_MAX where
/// nothing is known. Coordinates and levels count as less than 2^56.
int64_t largest(const Stencil &stencil, const ExprPtr &expr);

/// The integer operation, an addition, subtraction, multiplication or negation, may have a result that its type cannot hold.
bool mayWrap(const Stencil &stencil, const ExprPtr &expr);

} // namespace oocc
