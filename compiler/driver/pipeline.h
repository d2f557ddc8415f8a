// From a program's text to what was asked for.
#pragma once

#include "driver/options.h"

#include <string>

namespace oocc {

/// Compiles as the options say; diagnostics and timings go to stderr. Returns the exit status.
int compile(const Options &options);

/// The same for a text that is not in a file; messages speak of options.input.
int compileText(const Options &options, std::string text);

} // namespace oocc
