// Private to sema/: types and conversions. A scalar that meets field data takes the data's type, so that f32
// fields are computed in f32; two scalars, or two fields, meet in the wider type; a literal takes the type of
// what it meets. A floating scalar never becomes an integer: integer data that meets one is converted instead.
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

/// Converts a number to the type that expressions have over elements of type `to`: literals take the type,
/// branches of a Select are converted each, anything else gets a Cast. Reports a literal that `to` cannot hold
/// and gives null. Never asked to make an integer of a floating number.
ExprPtr convert(const ExprPtr &expr, Type to, Diagnostics &diagnostics);
Operand convert(const Operand &operand, Type to, Diagnostics &diagnostics);

/// The type in which two numbers meet.
Type commonType(const Operand &a, const Operand &b);

/// Whether the type of an operation on both comes from a field, when they meet in `common`.
bool isData(const Operand &a, const Operand &b, Type common);

/// What a field with elements of type `to` is given, or a scalar. `what` names it in messages: "'n'", and
/// `spelled` its type. Null when it cannot be converted.
ExprPtr assign(const Operand &value, Type to, const std::string &what, Diagnostics &diagnostics,
               const char *(*spelled)(Type) = elementName);

const Literal *literalOf(const ExprPtr &expr);

} // namespace oocc
