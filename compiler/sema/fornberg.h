// Weights of finite difference formulas, exact. After Bengt Fornberg, Generation of finite difference formulas on
// arbitrarily spaced grids, Mathematics of Computation 51 (1988), pages 699-706.
#pragma once

#include "sema/rational.h"

#include <vector>

namespace oocc {

constexpr int kMaxOrder = 32;

/// weight * (f[plus] + f[minus]) of an even formula, weight * (f[plus] - f[minus]) of an odd one; offsets in cells.
struct DifferencePair {
    Rational weight;
    int plus, minus;
};

/// centre * f plus the pairs, from the nearest outwards: a derivative, in units of the spacing.
struct Difference {
    Rational centre; ///< 0 of an odd one
    std::vector<DifferencePair> pairs;
    bool even;
};

/// The weights w for which the sum of w[i] * f(nodes[i]) is f's derivative at 0, for polynomials of degree below the
/// number of nodes. The nodes differ.
std::vector<Rational> differenceWeights(int derivative, const std::vector<Rational> &nodes);

/// The first or second derivative at the cell itself; `order` is even, from 2 to kMaxOrder.
Difference centralDifference(int derivative, int order);
/// The first derivative half a cell forward or backward of the cell.
Difference staggeredDifference(bool forward, int order);

} // namespace oocc
