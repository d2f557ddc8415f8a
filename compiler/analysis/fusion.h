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

/// The same schedule with stages grouped as far as that makes no step lag further behind the one before, and no tile
/// shrink faster.
Schedule fuseStages(const Stencil &stencil, const std::vector<Access> &accesses,
                    const std::vector<Rims> &rims, const Schedule &apart);

/// True for a temp that only its own group reads: it lives in registers and has no place in the window.
bool isLocal(const Stencil &stencil, const std::vector<Access> &accesses, const Schedule &schedule,
             int field);

} // namespace oocc
