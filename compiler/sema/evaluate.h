// The value of scalar expressions as the generated program will compute them, with every integer operation
// checked.
#pragma once

#include "stencil/stencil.h"

#include <string>
#include <variant>
#include <vector>

namespace oocc {

using Value = std::variant<bool, int64_t, double>; ///< a double for both F32 and F64

/// Thrown by the functions below: the expression has no value (overflow, division by zero).
struct EvaluationError {
    Range range;
    std::string message;
};

/// `scalars` holds the values of the scalars that `expr` refers to, by index. `expr` has no reads,
/// coordinates or t.
Value evaluate(const ExprPtr &expr, const std::vector<Value> &scalars);

/// All scalars of a stencil in order, with defaults and -D values. Those that the grid gives a value are nan.
std::vector<Value> evaluateScalars(const Stencil &stencil);

/// The extents of the grid for these scalars; each at least 1, and all fields together within 63 bits of
/// bytes.
std::vector<int64_t> evaluateExtents(const Stencil &stencil, const std::vector<Value> &scalars);

/// Reports a grid spacing that is not above 0 for these scalars.
void checkSpacings(const Stencil &stencil, const std::vector<Value> &scalars);

/// The number of steps for these scalars, at least 0.
int64_t evaluateSteps(const Stencil &stencil, const std::vector<Value> &scalars);

/// Throws when something is done every so many steps and that is less than 1.
void evaluateIntervals(const Stencil &stencil, const std::vector<Value> &scalars);

/// Throws when a bound of a region has no value.
void evaluateRegions(const Stencil &stencil, const std::vector<Value> &scalars);

/// Throws when a point that the program gives lies outside the grid.
void evaluatePoints(const Stencil &stencil, const std::vector<Value> &scalars,
                    const std::vector<int64_t> &extents);

} // namespace oocc
