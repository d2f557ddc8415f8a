// Unroll and jam: a stage on two planes, two rows of each at a time. The loop proper stays with the rows of which all reads
// lie inside the grid; the others go through the stage's ordinary function.
#pragma once

#include "loops/kernels.h"

namespace oocc::loops {

/// jam_u
std::string jamName(const Context &context, int stage);

/// Its parameters are those of the stage's function, with the number of planes after the first one where it may take several.
Function buildJammedStage(const Context &context, const Kernel &kernel);

} // namespace oocc::loops
