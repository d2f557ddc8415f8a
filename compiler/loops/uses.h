// Which names a piece of loop IR mentions.
#pragma once

#include "loops/loops.h"

namespace oocc::loops {

/// True when an expression in `body` begins with the identifier `name`; declarations do not count.
bool uses(const Body &body, const std::string &name);

} // namespace oocc::loops
