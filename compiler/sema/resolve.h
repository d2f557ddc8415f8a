// Names, types and constants: the tree becomes a stencil, or a list of errors.
#pragma once

#include "ast/ast.h"
#include "stencil/stencil.h"
#include "support/diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace oocc {

/// A parameter set on the command line: -D name=value. The last one of a name counts.
struct Define {
    std::string name;
    std::string value;
};

/// Reports every error it can find in one go; no stencil when there was any. Warnings alone do not stop it.
std::optional<Stencil> resolve(const ast::Program &program, const std::vector<Define> &defines,
                               Diagnostics &diagnostics);

} // namespace oocc
