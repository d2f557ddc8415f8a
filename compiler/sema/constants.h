// Private to sema/: what is known when compiling.
#pragma once

#include "sema/evaluate.h"

#include <optional>

namespace oocc {

/// An integer or a condition of literals alone becomes one literal, and 'and' and 'or' with a literal side lose it;
/// anything else is returned as it is, also what overflows. Floating numbers are left to the program.
ExprPtr folded(const ExprPtr &expr);

/// The value of an expression of literals, given parameters, and lets of these; none when it has anything else.
/// Throws EvaluationError.
std::optional<Value> constantValue(const Stencil &stencil, const ExprPtr &expr);

} // namespace oocc
