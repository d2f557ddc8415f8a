// Where every name is declared and where it stands, as data: for editors. Resolving ends where something is wrong, and never
// looks into a function that nothing calls; this does neither.
#pragma once

#include "ast/ast.h"

#include <string>
#include <vector>

namespace oocc {

struct Declared {
    /// Argument: of a function. Offset: the name in a sum over a shape.
    enum class Kind { Stencil, Param, Let, Field, Coef, Temp, Dim, Function, Shape, Scalar, Monitor, Argument, Offset, Series };
    Kind kind;
    std::string name;
    Range range;     ///< of the name
    Range statement; ///< that it stands in
    Range scope;     ///< where it may be used; for most the whole text
};

/// A name, or the part of one that is: of `dx` the `x`.
struct NameUse {
    Range range;
    size_t declaration;
};

struct Index {
    std::vector<Declared> declarations;
    std::vector<NameUse> uses; ///< in order; the names in declarations are among them

    /// The name that holds the offset or ends there; null: none.
    const NameUse *at(uint32_t offset) const;
    /// All declarations that a place can use, inner ones first.
    std::vector<const Declared *> visibleAt(uint32_t offset) const;
};

Index indexNames(const ast::Program &program);

/// A function, reduction or shape of the language, such as exp, sum and box.
bool isBuiltin(const std::string &function);

} // namespace oocc
