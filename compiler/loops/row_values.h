// Loops that give the cells of rows their values from an expression, when no update does: initial values, edges.
#pragma once

#include "loops/context.h"

#include <functional>

namespace oocc::loops {

/// The loop `for x in [lo, hi): target = value`, with what does not change along x before it; `what` the value is, and `read` what it
/// is made of.
Body fillRow(const Context &context, int field, const std::string &what, const ExprPtr &value, E lo, E hi, E target,
             std::function<E(const Read &)> read = {});

/// The cell's coordinates, slowest first.
std::vector<E> coordinates(const Context &context);

/// The body for every row of a plane.
Body overRows(const Context &context, Body body);

} // namespace oocc::loops
