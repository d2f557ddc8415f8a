// What a whole row decides: a condition, or a part of one, that has one value for all cells along x. A loop for each value computes only what
// is chosen, and has vectors, which gcc 12 does not make of such a choice between functions.
#pragma once

#include "stencil/stencil.h"

namespace oocc {

/// The first decision, in the values of one loop along dimension x, between alternatives that call functions, or compute as much; null: there is none.
ExprPtr rowDecision(const std::vector<ExprPtr> &values, int x);

/// The first decision where several rows are computed by one loop, each of which may decide differently, and where an alternative is worth a
/// loop of its own; null: there is none.
ExprPtr rowsDecision(const std::vector<ExprPtr> &values, int x);

/// The values where the decision is known to be true, or false: choices that it makes are made, and what may fail is computed as before.
std::vector<ExprPtr> decided(const std::vector<ExprPtr> &values, const ExprPtr &decision, bool is, int x);

} // namespace oocc
