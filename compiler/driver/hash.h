// What identifies a program: a scratch directory made by one is not resumed by another.
#pragma once

#include "stencil/stencil.h"

namespace oocc {

/// FNV-1a (Fowler, Noll, Vo) over the printed stencil: names, types, expressions, edges; not the layout of the text.
uint64_t hashOf(const Stencil &stencil);

} // namespace oocc
