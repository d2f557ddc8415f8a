// What limits temporal blocking, in words: why a step lags behind the one before by as much as it does, why a field keeps
// more levels than are alive, what keeps steps apart altogether.
#pragma once

#include "analysis/facts.h"

namespace oocc {

/// One line each, for people.
std::vector<std::string> limitsOf(const Stencil &stencil, const Facts &facts);

/// "u", "u[t-1, x+1]": a read as the program has it.
std::string accessText(const Stencil &stencil, const Access &access);

/// "update of u", "injection into p", "monitor r".
std::string stageText(const Stencil &stencil, int stage);

} // namespace oocc
