// Which stage reads what: the distinct reads of every stage, each with the first place in the program that makes it.
#pragma once

#include "stencil/stencil.h"

#include <vector>

namespace oocc {

struct Access {
    int stage;  ///< the reader
    int field;  ///< what it reads
    int writer; ///< the stage that writes the field; -1 for a coefficient
    int time;   ///< 0 present level, 1 next, -1 the one before, ...
    Offsets offset;
    Range range;

    bool atPoint() const { return offset == Offsets{}; }
};

/// Distinct reads in order of stage, then of first appearance.
std::vector<Access> collectAccesses(const Stencil &stencil);

} // namespace oocc
