// Private to the verifier: its parts.
#pragma once

#include "stencil/stencil.h"

#include <limits>
#include <string>

namespace oocc::verifying {

/// What may stand in an expression at one place.
struct Place {
    std::string name;
    int scalars = std::numeric_limits<int>::max(); ///< those with a smaller index
    bool coords = false;
    bool time = false;
    bool watched = false; ///< Watched scalars
    int stage = -1;       ///< the stage whose value it is, or -1: no reads, but
    int coefs = 0;        ///< of coefficients with a smaller index, at the own cell
};

void check(bool holds, const std::string &invariant);
void checkIndex(int i, size_t size, const std::string &what);

/// An expression of this type that fits its place.
void verifyValue(const Stencil &stencil, const ExprPtr &value, Type type, const Place &place);
void verifyStages(const Stencil &stencil);

} // namespace oocc::verifying
