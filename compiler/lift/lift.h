// From a C file to a program: what oocc-lift does between its command line and its output.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace oocc::lift {

struct Request {
    std::string input, function;
    std::map<std::string, std::string> defaults;            ///< -D
    std::vector<std::pair<std::string, std::string>> swaps; ///< --swap
    std::vector<std::string> results; ///< --results; empty: all arrays that are not local
    bool assumeNoAlias = false;
    bool sameRims = false;          ///< arrays that are swapped begin alike in the cells that no loop stores
    std::string database;           ///< -p; empty: the flags
    std::vector<std::string> flags; ///< after --
};

/// The program's text; none when something stood in the way, which has been reported on stderr, with its exit status.
struct Outcome {
    std::optional<std::string> text;
    int status = 0;
};
Outcome lift(const Request &request);

} // namespace oocc::lift
