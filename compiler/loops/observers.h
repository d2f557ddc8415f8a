// What the runtime does for a program besides moving planes: points, signals, records, reductions, stop conditions, outputs
// on the way. Their tables stand in front of the kernels, which look at them.
#pragma once

#include "loops/context.h"

namespace oocc::loops {

/// WATCH_r, RECORD_.., SIGNAL_..: indices into the tables.
std::vector<Constant> buildObserverConstants(const Context &context);

/// The structs `watched` (results of reductions), `every` (how often) and `place` (points given by expressions).
std::vector<Variables> buildObserverVariables(const Context &context);
/// What setup() does for them.
Body fillObservers(const Context &context);

/// points, signals, records, watches, stop_text: those that are not empty.
std::vector<Table> buildObserverTables(const Context &context);

/// int stop(void): the index of the first condition that holds, or -1; nothing without conditions.
std::vector<Function> buildStop(const Context &context);

/// The members of struct oocc_program about all this.
Table::Row observerRow(const Context &context);

/// &every.output_0, or null when an output is made at the end only.
E outputEvery(const Context &context, int output);

} // namespace oocc::loops
