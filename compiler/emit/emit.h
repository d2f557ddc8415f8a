// Loop IR as C. Nothing is decided here: every name, loop and value is in the module already.
#pragma once

#include "loops/loops.h"

#include <iosfwd>

namespace oocc {

void emitC(std::ostream &out, const loops::Module &module);

/// The header of a library: C and C++.
void emitHeader(std::ostream &out, const loops::Interface &interface);

} // namespace oocc
