// Private to variants/: the text of a condition to its tree.
#pragma once

#include "variants/expression.h"

namespace oocc::variants {

/// Throws ExpressionError.
Expression::Node parseExpression(std::string_view text, const std::vector<std::string> &knobs);

} // namespace oocc::variants
