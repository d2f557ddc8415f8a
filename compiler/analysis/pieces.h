// Long rows are cut into pieces, which one thread takes from left to right, so that a piece of all planes at work stays in a core's
// own cache. Pieces shift to the left as steps go by, as tiles lean.
#pragma once

#include "analysis/delays.h"
#include "analysis/edges.h"

namespace oocc {

/// By how much they shift where pieces are whole cache lines: a vector that reaches into two lines takes a core twice as long to write.
/// So every step shifts by whole lines of the smallest cells that are computed in vectors, and every stage begins where its vectors do
/// in a whole row, behind the cells at the edge. Without that a piece shifts by as few cells as it can, as `schedule` has it; so
/// it stays where stages that wait for each other leave no room for lines.
Delays alignPieces(const Stencil &stencil, const std::vector<Access> &accesses, const std::vector<Rims> &rims, const Schedule &schedule);

} // namespace oocc
