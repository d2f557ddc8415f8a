// Functions that make field values which no update makes: what lies beyond the grid's faces, and initial values (initial_values.h).
#pragma once

#include "loops/context.h"

namespace oocc::loops {

std::string ghostsName(const Context &context, int field);
std::string beyondName(const Context &context, int field);

bool needsGhosts(const Context &context, int field);
bool needsBeyond(const Context &context, int field);

/// The call that gives cells [lo, hi) of a row, at these coordinates but x's and level t, what lies beyond its ends; of all these the
/// function takes what the field's edges go by.
E callGhostCells(const Context &context, int field, const E &row, const std::vector<E> &coords, const E &t, const E &lo, const E &hi);

/// All of them that the field needs.
std::vector<Function> buildFieldFunctions(const Context &context, int field);

} // namespace oocc::loops
