// One tile of a slab: the wave over its planes, all steps of a group at every position.
#pragma once

#include "loops/context.h"

namespace oocc::loops {

inline constexpr const char *kPass = "const struct oocc_pass *";

/// Of a tile and a chain of them: the positions and the steps of the group.
std::vector<Param> groupParams();

/// `const int64_t z = w - s*STEP_DELAY - delay; if the step has to make it: body`. That is a plane of the pass's range, or
/// of the step's part of the wedge beyond it, which the pass's steps to come read; what looks at every plane once stays in
/// the range. The wedge ends where the planes do: a whole grid that is not periodic has none.
/// `w` is the position; of jammed planes it is that of the first of them, and `planes` says how many there are before `end`.
Body atWave(const Context &context, int k, int64_t planes, const std::string &w, E end, Body body);

/// Positions at which no step of the group has a plane left to do are skipped: whole-grid slabs have many.
Body clipWave(const Context &context);

/// tile(p, w_lo, w_hi, s_lo, s_hi, lo, hi): a tile, or the border between two.
Function buildTile(const Context &context);

} // namespace oocc::loops
