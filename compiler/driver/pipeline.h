// From a program's text to what was asked for.
#pragma once

#include "driver/options.h"
#include "driver/report.h"

namespace oocc {

/// Compiles as the options say, and finishes the report. Returns the exit status.
int compile(const Options &options, Report &report);

} // namespace oocc
