// Private to sema/: what each name stands for. Everything that has one shares one namespace.
#pragma once

#include "ast/ast.h"
#include "stencil/stencil.h"
#include "support/diagnostics.h"

#include <map>
#include <string>
#include <vector>

namespace oocc {

struct Symbol {
    /// Broken: declared, but by something that was refused; its uses say nothing more.
    /// Reduced, Watched: scalars whose value a `scalar` or a `monitor` statement gives.
    enum class Kind { Scalar, Reduced, Watched, Series, Field, Dim, Function, Shape, Broken };
    Kind kind;
    int index; ///< into the stencil's list of that kind; -1: its declaration has not been resolved yet
    Range range;
    const ast::Fn *fn = nullptr;       ///< of a Function
    const ast::Shape *shape = nullptr; ///< of a Shape
    bool used = false;                 ///< a Function that some expression calls
};

class Scope {
  public:
    explicit Scope(Diagnostics &diagnostics) : diagnostics_(diagnostics) {}

    /// Reports a second declaration of a name and keeps the first.
    void declare(const ast::Name &name, Symbol::Kind kind);
    /// Null when nothing has this name.
    Symbol *find(const std::string &name);
    const Symbol *find(const std::string &name) const;
    /// The symbol, provided that this is its declaration and not a second one that was refused.
    Symbol *declaredBy(const ast::Name &name);
    /// Every name of these kinds, for "did you mean".
    std::vector<std::string> names(std::initializer_list<Symbol::Kind> kinds) const;

    /// The grid's dimensions as declared; lets may use shapes before the grid is resolved.
    std::vector<std::string> dims;
    /// The names that their extents go by, where they do; otherwise empty.
    std::vector<std::string> extents;

  private:
    Diagnostics &diagnostics_;
    std::map<std::string, Symbol> symbols_;
};

/// Adds "did you mean" with its fix when there is a likely candidate.
void suggestName(Diagnostic &error, const ast::Name &wrong, const std::vector<std::string> &candidates);

/// The same of the grid's dimensions; without a likely one all are listed.
void suggestDimension(Diagnostic &error, const ast::Name &wrong, const Scope &scope);

/// What many call the extent of a dimension: `nx`, `n_x` or `NX` of x. Says what this grid calls it, or how it gets that name.
void suggestExtent(Diagnostic &error, const ast::Name &wrong, const Scope &scope);

/// The type that a message proposes for a new field, as it is spelled: that of the first field of reals; f64 where there is
/// none.
std::string likelyType(const Stencil &stencil);

/// The help for a field that there is not: how it would be declared.
std::string fieldDeclaration(const std::string &name, const Stencil &stencil);

} // namespace oocc
