// Loop IR as C. Nothing is decided here: every name, loop and value is in the module already.
#pragma once

#include "loops/loops.h"

#include <iosfwd>

namespace oocc {

void emitC(std::ostream &out, const loops::Module &module);

} // namespace oocc
