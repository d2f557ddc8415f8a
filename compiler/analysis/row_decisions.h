// What a whole row decides, or the parts that it is cut into: a condition, or a part of one, that has one value for all cells along x. A loop
// for each value computes only what is chosen, and has vectors, which gcc 12 does not make of such a choice between functions.
#pragma once

#include "stencil/stencil.h"

#include <optional>

namespace oocc {

/// A condition that is the same for all cells of a row, or of each part of a row that is cut there.
struct Decision {
    ExprPtr condition;
    std::vector<ExprPtr> cuts; ///< see analysis/cuts.h
};

/// How a loop takes rows.
struct Rows {
    bool several;  ///< at once, each of which may decide differently; one alone gcc makes two loops of by itself, but for functions and parts
    bool mayBeCut; ///< into parts, one after the other
};

/// The first decision, in the values of one loop along dimension x, of which an alternative is worth a loop of its own; nullopt: there is none.
std::optional<Decision> firstDecision(const Stencil &stencil, const std::vector<ExprPtr> &values, int x, Rows rows);

/// The values where the decision is known to be true, or false: choices that it makes are made, and what may fail is computed as before.
std::vector<ExprPtr> decided(const std::vector<ExprPtr> &values, const ExprPtr &decision, bool is, int x);

} // namespace oocc
