// The functions by which an application drives a stencil: one list, printed as definitions and as the header's declarations.
#pragma once

#include "loops/loops.h"

#include <string>

namespace oocc {

/// The end of a library's C: what its header declares.
std::string libraryText(const loops::Interface &interface);

} // namespace oocc
