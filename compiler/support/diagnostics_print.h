// The formats of diagnostics, one file for each: for people, and for programs (docs/formats/diagnostics.md).
#pragma once

#include "support/colours.h"
#include "support/diagnostics.h"

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace oocc {

/// In source order with caret lines, then a count when there are several.
void printText(std::ostream &out, const Diagnostics &diagnostics, const Source &source, Colours colours);
/// What has no place in any text: "oocc: error: ..." and "oocc: help: ...".
void printText(std::ostream &out, const Diagnostics &diagnostics, Colours colours);

/// All that a document says of one call of oocc.
struct Invocation {
    const Diagnostics *program = nullptr; ///< of the program's text
    const Diagnostics *outside = nullptr; ///< of the command line, of files, of the C compiler
    const Source *source = nullptr;       ///< null: no text was read
    std::string version;                  ///< of oocc
    int status = 0;
    std::vector<std::pair<std::string, double>> milliseconds; ///< per stage, with --time
};

void printJson(std::ostream &out, const Invocation &invocation);
void printSarif(std::ostream &out, const Invocation &invocation);

} // namespace oocc
