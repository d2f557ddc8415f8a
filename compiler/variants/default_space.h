// A space to begin with, for one program and its grid.
#pragma once

#include "plan/plan.h"
#include "variants/json_text.h"

namespace oocc::variants {

/// `extents` and `steps` are those of the program's parameters.
Json defaultSpace(const Stencil &stencil, const Facts &facts, const std::vector<int64_t> &extents, int64_t steps);

} // namespace oocc::variants
