// Which names a piece of loop IR mentions.
#pragma once

#include "loops/loops.h"

namespace oocc::loops {

/// True when an expression in `body` begins with the identifier `name`; declarations do not count.
bool uses(const Body &body, const std::string &name);

/// Casts to void the parameters that the body has no use for, which C compilers would warn of.
void markUnused(Function &function);

/// Leaves out declarations that nothing after them mentions.
void dropUnused(Body &body);

} // namespace oocc::loops
