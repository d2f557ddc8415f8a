// Functions that make field values which no update makes: initial values, and what lies beyond the grid's faces.
#pragma once

#include "loops/context.h"

namespace oocc::loops {

std::string fillName(const Context &context, int field);
std::string ghostsName(const Context &context, int field);
std::string ghostCellsName(const Context &context, int field);
std::string beyondName(const Context &context, int field);

bool needsFill(const Context &context, int field);
bool needsGhosts(const Context &context, int field);
bool needsBeyond(const Context &context, int field);

/// All of them that the field needs.
std::vector<Function> buildFieldFunctions(const Context &context, int field);

} // namespace oocc::loops
