// The proof that no read leaves the grid without a declared value.
#pragma once

#include "analysis/edges.h"
#include "support/diagnostics.h"

namespace oocc {

/// Reports every read that can leave the grid through a face for which the field that is read declares no value, or that
/// can meet the rim of a temp.
void checkEdges(const Stencil &stencil, const std::vector<Access> &accesses, const std::vector<Rims> &rims,
                Diagnostics &diagnostics);

} // namespace oocc
