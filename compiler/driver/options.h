// The compiler's command line.
#pragma once

#include "sema/resolve.h"
#include "support/diagnostics.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <variant>
#include <vector>

namespace oocc {

/// -M, -MD, -MF and -MT: a rule for make that says what the output depends on.
struct DependencyRule {
    enum Kind { None, Only, Beside }; ///< -M: instead of the output; -MD: as well
    Kind kind = None;
    std::string file;   ///< -MF; empty: with -M stdout, with -MD the output's name, ending in .d
    std::string target; ///< -MT; empty: the output's name
};

struct Options {
    enum Command { Compile, Run };
    enum Emit { Ast, Stencil, Facts, Plan, Loops, C, Library, Header, Exe };

    Command command = Compile;
    std::string input;
    std::string output; ///< empty: stdout (not for Exe)
    std::vector<Define> defines;
    Emit emit = C;
    int64_t bt = 0, bz = 0, ct = 0, yt = 0, xt = 0, columns = 0; ///< 0: the planner chooses
    int64_t jamPlanes = 0, jamRows = 0;
    bool fma = false;                                            ///< products that are added are rounded once
    bool timings = false;
    std::string variants; ///< a space whose variants are to be written; empty: one program
    bool space = false;   ///< a space to begin with is to be written
    DependencyRule rule;
    std::string cc = "cc";
    std::string runtimeDir; ///< where include/ and lib/ of the runtime are; empty: beside the compiler
    std::vector<std::string> programArgs; ///< of `oocc run`, after --
};

/// The options, or the exit status when there is nothing more to do: 0 after --help and --version (on `out`),
/// 2 after a usage error, which is reported. What the words say of the report itself, reportOptions() has read (report.h).
std::variant<Options, int> parseOptions(int argc, const char *const *argv, std::ostream &out,
                                        Diagnostics &diagnostics);

} // namespace oocc
