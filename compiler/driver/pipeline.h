// From a program's text to what was asked for.
#pragma once

#include "driver/options.h"

namespace oocc {

/// Compiles as the options say; diagnostics and timings go to stderr. Returns the exit status.
int compile(const Options &options);

} // namespace oocc
