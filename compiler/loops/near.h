// 1-D: cells wherever they lie, for the few at a block's ends that an update reads across it.
#pragma once

#include "loops/context.h"

namespace oocc::loops {

std::string nearName(const Context &context, int field);
bool needsNear(const Context &context, int field);
Function buildNear(const Context &context, int field);

} // namespace oocc::loops
