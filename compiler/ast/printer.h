// The tree as text, one node per line with the bytes of the source it spans: what --emit=ast shows.
#pragma once

#include "ast/ast.h"

#include <iosfwd>

namespace oocc::ast {

void print(std::ostream &out, const Program &program);

} // namespace oocc::ast
