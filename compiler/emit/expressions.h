#pragma once

#include "loops/loops.h"

#include <string>

namespace oocc {

/// A C expression with the parentheses that precedence, and the compilers' warnings, ask for.
std::string toC(const loops::E &expr);

} // namespace oocc
