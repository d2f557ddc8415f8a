// A program's text to its stencil, for what goes on from there in ways of its own.
#pragma once

#include "driver/options.h"

namespace oocc {

/// Reads, parses, resolves and verifies options.input, and sees that it can be analysed; prints the diagnostics. Returns an exit
/// status.
int readStencil(const Options &options, std::optional<Stencil> &stencil);

} // namespace oocc
