// Text to tree. Everything ANTLR is behind this header.
#pragma once

#include "ast/ast.h"
#include "support/diagnostics.h"

#include <optional>

namespace oocc {

/// Reports every syntax error it can find in one go; no program when there was any.
std::optional<ast::Program> parse(const Source &source, Diagnostics &diagnostics);

} // namespace oocc
