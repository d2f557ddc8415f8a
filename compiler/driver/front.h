// A program's text to its stencil, for what goes on from there in ways of its own.
#pragma once

#include "driver/options.h"
#include "driver/report.h"

namespace oocc {

/// Reads, parses, resolves and verifies options.input, and sees that it can be analysed; what there is to say is in the
/// report. Returns an exit status.
int readStencil(const Options &options, Report &report, std::optional<Stencil> &stencil);

} // namespace oocc
