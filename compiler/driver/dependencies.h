// What an output of the compiler depends on, for make, ninja and CMake.
#pragma once

#include "driver/options.h"

#include <string>

namespace oocc {

/// "target: prerequisite", with what make would take for something else escaped.
std::string ruleText(const std::string &target, const std::string &prerequisite);

/// Writes the rule where the options say. Returns the exit status.
int writeRule(const Options &options, Diagnostics &diagnostics);

} // namespace oocc
