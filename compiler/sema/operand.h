// Private to sema/: types and conversions. A scalar that meets field data takes the data's type, so that f32
// fields are computed in f32; two scalars, or two fields, meet in the wider type; a literal takes the type of
// what it meets.
#pragma once

#include "stencil/stencil.h"
#include "support/diagnostics.h"

#include <optional>

namespace oocc {

/// A resolved expression; null when it was wrong, which has been reported then.
struct Operand {
    ExprPtr expr;
    bool data = false;  ///< its type comes from a field
    uint64_t nodes = 1; ///< of the tree, shared parts counted as often as they occur

    explicit operator bool() const { return expr != nullptr; }
    Type type() const { return expr->type; }
};

ExprPtr makeExpr(Type type, Range range, decltype(Expr::node) node);

/// Converts a number to f32 or f64: literals take the type, branches of a Select are converted each, anything
/// else gets a Cast. Reports a literal that does not fit and gives null.
ExprPtr convert(const ExprPtr &expr, Type to, Diagnostics &diagnostics);
Operand convert(const Operand &operand, Type to, Diagnostics &diagnostics);

/// The type in which two numbers meet.
Type commonType(const Operand &a, const Operand &b);

/// What a parameter or a field of type `to` is given. `what` names it in messages: "'n'". Null when it cannot
/// be converted.
ExprPtr assign(const Operand &value, Type to, const std::string &what, Diagnostics &diagnostics);

const Literal *literalOf(const ExprPtr &expr);

} // namespace oocc
