// Which stage reads what: the distinct reads of every stage, each with the first place in the program that makes it, the
// stage that makes the value, and the stage that overwrites it.
#pragma once

#include "stencil/stencil.h"

#include <span>
#include <vector>

namespace oocc {

struct Access {
    int stage; ///< the reader
    int field; ///< what it reads
    int time;  ///< 0 present level, 1 next, -1 the one before, ...
    Offsets offset;
    Range range;
    int maker = -1;        ///< the stage whose value it sees; -1 for a coefficient
    int overwriter = -1;   ///< the next stage to write the place it reads
    bool sameStep = false; ///< in the reader's own step; otherwise so many slots after the level that is read

    bool atPoint() const { return offset == Offsets{}; }
    /// Steps from the reader's to the overwriter's.
    int64_t stepsToOverwriter(int64_t slots) const { return sameStep ? 0 : time + slots - 1; }
};

/// Distinct reads in order of stage, then of first appearance. An injection reads what it adds to;
/// an update reads what is left as it is, where injections have a part in that.
std::vector<Access> collectAccesses(const Stencil &stencil);

/// Those of the stages from `first` to `last`.
std::span<const Access> accessesOf(const std::vector<Access> &accesses, int first, int last);

/// All offsets along a dimension at which the access may find its value: its own, and, where a face moves reads to
/// another cell, the furthest one on the other side (those between ask for less). Periodic faces move nothing here: the
/// schedule unrolls them.
std::vector<int64_t> offsetsAlong(const Stencil &stencil, const Access &access, int dim);

} // namespace oocc
