// `oocc PROGRAM.stn --variants SPACE.json -o DIR` and `oocc PROGRAM.stn --space`.
#pragma once

#include "driver/options.h"
#include "driver/report.h"

namespace oocc {

/// Writes the C of every variant and a manifest that lists them into options.output. Returns the exit status.
int writeVariants(const Options &options, Report &report);

/// Writes a space to begin with.
int writeSpace(const Options &options, Report &report);

} // namespace oocc
