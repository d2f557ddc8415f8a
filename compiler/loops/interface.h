// What an application sees of a stencil that it links.
#pragma once

#include "loops/context.h"
#include "loops/loops.h"

namespace oocc::loops {

Interface buildInterface(const Context &context, const std::string &source);

} // namespace oocc::loops
