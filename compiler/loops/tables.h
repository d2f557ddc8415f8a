// What the runtime is told of the program: the variables it sets, and the tables it reads.
#pragma once

#include "loops/context.h"

namespace oocc::loops {

/// struct param, struct let, struct size.
std::vector<Variables> buildVariables(const Context &context);

/// setup(): lets, extents and steps, with every integer operation checked; use_grid(): what kernels need of the layout.
std::vector<Function> buildSetup(const Context &context);

/// The tables of parameters, dimensions, fields and outputs, and struct oocc_program.
std::vector<Table> buildTables(const Context &context, const std::string &source, uint64_t hash,
                               int edgeRows, Form form);

} // namespace oocc::loops
