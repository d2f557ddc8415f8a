// The schedule inside a slab: split tiles under a wave (2-D and 3-D), or blocks shared out level by level (1-D).
#pragma once

#include "loops/context.h"

namespace oocc::loops {

/// The enum constants of the schedule: STEP_DELAY, SLOPE_LO, ...
std::vector<Constant> buildScheduleConstants(const Context &context);

/// slab(p, w_lo, w_hi): all steps of the wave positions [w_lo, w_hi), on all threads; and what it calls.
std::vector<Function> buildSlab(const Context &context);

} // namespace oocc::loops
