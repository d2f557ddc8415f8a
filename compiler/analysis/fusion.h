// Which stages one loop over a row can compute together, so that they share loads and what they have computed, and temps
// between them need no memory.
#pragma once

#include "analysis/delays.h"
#include "analysis/edges.h"

namespace oocc {

/// True when stage `k` may join the group that begins at `first` and ends before it: updates of the same cells, of which
/// none reads what another one writes, or has not yet overwritten, anywhere but at the cell itself.
bool mayJoin(const Stencil &stencil, const std::vector<Access> &accesses, const std::vector<Rims> &rims,
             const std::vector<int> &slots, int first, int k);

/// True for a temp that only its own group reads: it lives in registers and has no place in the window.
bool isLocal(const Stencil &stencil, const std::vector<Access> &accesses, const Schedule &schedule,
             int field);

/// How many levels of every field are kept, by how much stages lag, and which of them one loop computes. As few levels as can be, unless
/// one more of the fields that would be replaced in place makes a deep window smaller: a program that computes all new values in temps first,
/// and puts them into the fields then, is one loop, and nothing of the temps is stored.
Schedule chooseSchedule(const Stencil &stencil, const std::vector<Access> &accesses, const std::vector<Rims> &rims);

} // namespace oocc
