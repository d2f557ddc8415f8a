// From a program's text to what was asked for.
#pragma once

#include "driver/options.h"
#include "driver/report.h"

#include <string>

namespace oocc {

/// Compiles as the options say, and finishes the report. Returns the exit status.
int compile(const Options &options, Report &report);

/// The same for a text that is not in a file; messages speak of options.input.
int compileText(const Options &options, std::string text, Report &report);

} // namespace oocc
