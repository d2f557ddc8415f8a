// Text to tree. Everything ANTLR is behind the headers of this folder.
#pragma once

#include "ast/ast.h"
#include "support/diagnostics.h"

#include <optional>

namespace oocc {

/// Reports every syntax error it can find in one go; no program when there was any.
std::optional<ast::Program> parse(const Source &source, Diagnostics &diagnostics);

/// The same, but with errors it gives the statements, updates and faces that have none: for editors, which look at
/// programs while they are written.
ast::Program parseWhatIsWhole(const Source &source, Diagnostics &diagnostics);

} // namespace oocc
