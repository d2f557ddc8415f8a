// Injections and records: what a step does at single points, one plane at a time like any other stage.
#pragma once

#include "loops/context.h"

namespace oocc::loops {

Function buildPointStage(const Context &context, int stage);

} // namespace oocc::loops
