// Emitted C to an executable, with the system's C compiler.
#pragma once

#include "driver/options.h"
#include "driver/report.h"

#include <string>
#include <vector>

namespace oocc {

/// Builds `output` from the emitted C. The C compiler's own messages are shown only when it fails, which is our fault
/// (status 70), unless it cannot be run at all.
int buildProgram(const std::string &c, const std::string &output, const Options &options, Report &report);

/// Builds into a temporary directory, runs there-built program with options.programArgs in the working directory, and
/// removes it; returns the program's exit status. The report is finished before the program begins.
int runProgram(const std::string &c, const Options &options, Report &report);

/// Where include/oocc/oocc.h and lib/liboocc_runtime.a are: beside the compiler, unless --runtime says otherwise.
std::string runtimeDir(const Options &options);

/// What a program is compiled with, besides where the runtime is.
const std::vector<std::string> &compilerFlags();

} // namespace oocc
