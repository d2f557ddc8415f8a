// A stencil as text: complete and deterministic, so that its hash identifies the program.
#pragma once

#include "stencil/stencil.h"

#include <iosfwd>
#include <string>

namespace oocc {

/// What --emit=stencil shows. Floating literals have the fewest digits that read back to the same bits.
void print(std::ostream &out, const Stencil &stencil);

/// One expression as a program would spell it, with only the parentheses it needs; casts read as calls:
/// f32(n).
std::string toString(const Stencil &stencil, const ExprPtr &expr);

} // namespace oocc
