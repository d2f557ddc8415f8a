// Programs in the one style that all have: docs/editors.md says what it is.
#pragma once

#include "support/diagnostics.h"

#include <optional>
#include <string>

namespace oocc {

constexpr int kLineWidth = 100; ///< of code; comments may be longer

/// The same words and comments, laid out anew. Nothing when the text does not parse; the errors are reported.
std::optional<std::string> format(const Source &source, Diagnostics &diagnostics);

} // namespace oocc
