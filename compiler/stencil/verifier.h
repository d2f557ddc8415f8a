// What every stage may rely on about a stencil, checked.
#pragma once

#include "stencil/stencil.h"

namespace oocc {

/// Throws std::logic_error that names the broken invariant; a stencil from resolve() always passes.
void verify(const Stencil &stencil);

} // namespace oocc
