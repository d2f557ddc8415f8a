// What can be said of an expression without running it: whether it changes along a dimension, whether it may fail, and
// whether a loop over it has a vector form.
#pragma once

#include "stencil/stencil.h"

namespace oocc {

/// An integer divisor that can be neither 0 nor -1 (the two that C leaves undefined for some dividend).
bool isSafeDivisor(const ExprPtr &expr);

/// True of a division of integers by what may be 0, or -1; its operands may fail besides.
bool mayFail(const Expr &expr);

/// True when the expression may be computed even where the program does not ask for it: nothing is divided by what may
/// be 0.
bool neverFails(const ExprPtr &expr);

/// True when the expression has one value for all cells along a dimension, so that it may be computed before the loop. A
/// division that may fail stays where the program put it: under the condition that guards it.
bool isInvariant(const ExprPtr &expr, int dim);

/// Whether there is a floating quotient that differs from cell to cell along x, by a divisor that does not. Those by powers of two are
/// products anyway, and by what is known not to be positive they have to be divided.
bool dividesAlike(const Expr &expr, int x);
bool dividesAlike(const ExprPtr &expr, int x); ///< or some expression in it

/// Whether cells along x choose between values.
bool choosesAlong(const ExprPtr &expr, int x);

/// Whether cells of one plane may be computed otherwise than those of another, since a choice of a step's asks which plane it is.
bool planesDiffer(const Stencil &stencil);

/// True when a loop over cells along x has a vector form: division of 64-bit integers by other numbers than powers of two has
/// none, nor has division by what may be 0, and asking for one would only make compilers complain. What is computed before
/// the loop does not count.
bool isVectorisable(const ExprPtr &value, int x);

} // namespace oocc
