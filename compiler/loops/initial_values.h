// Functions that make the initial values of a field, or the values of a coefficient, plane by plane.
#pragma once

#include "loops/context.h"

namespace oocc::loops {

std::string fillName(const Context &context, int field);
bool needsFill(const Context &context, int field);
/// The coefficients that its initial values are made of, in the order in which fill is given them.
std::vector<int> fillSources(const Context &context, int field);
Function buildFill(const Context &context, int field);

} // namespace oocc::loops
