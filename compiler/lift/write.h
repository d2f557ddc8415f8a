// The program's text, as a person would have written it.
#pragma once

#include "lift/model.h"

namespace oocc::lift {

/// `defaults` are those of -D, by the names of the C.
std::string write(Kernel &kernel, const Plan &plan, const std::map<std::string, std::string> &defaults);

} // namespace oocc::lift
