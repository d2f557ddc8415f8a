// Products that are added are rounded once, as one fma: a decision of the IR, so that every schedule, engine and C compiler
// computes the same bits with it as well.
#pragma once

#include "stencil/stencil.h"

namespace oocc {

/// The stencil with sums of products in the values of its stages written as fma, from the inside out, in floating types:
///
///     a*b + c, c + a*b   fma(a, b, c)      a*b - c   fma(a, b, -c)      c - a*b   fma(-a, b, c)
///
/// Where both operands are products, the first one is contracted and the second one rounded.
Stencil contracted(Stencil stencil);

} // namespace oocc
