// Emitted C to an executable, with the system's C compiler.
#pragma once

#include "driver/options.h"
#include "driver/report.h"

#include <string>
#include <vector>

namespace oocc {

/// How generated C is built: `cc usual needed -I.../include FILE .../liboocc_runtime.a libraries -o PROGRAM`. What a C compiler may
/// be told instead of the usual flags is a matter of speed; the others keep the bits.
std::vector<std::string> usualFlags();
std::vector<std::string> neededFlags();
std::vector<std::string> linkLibraries();

/// Builds `output` from the emitted C. The C compiler's own messages are shown only when it fails, which is our fault
/// (status 70), unless it cannot be run at all.
int buildProgram(const std::string &c, const std::string &output, const Options &options, Report &report);

/// Builds into a temporary directory, runs there-built program with options.programArgs in the working directory, and
/// removes it; returns the program's exit status. The report is finished before the program begins.
int runProgram(const std::string &c, const Options &options, Report &report);

} // namespace oocc
