// What may stand in the brackets of a read besides x+1: a sum's offset, as in a[o] or a[t-1, -o], and constants, as in
// a[x+o.dx]. All that is in one pair of brackets adds up.
#include "sema/constants.h"
#include "sema/expressions.h"

#include <charconv>
#include <cstdlib>
#include <utility>

namespace oocc {

/// An index that is a sum's offset, or its negative; none when it is something else.
std::optional<bool> ExpressionResolver::shiftByOffset(const ast::Expr &index, Shift &shift) {
    const auto *unary = std::get_if<ast::Unary>(&index.node);
    const bool negative = unary && unary->op == ast::UnaryOp::Neg;
    const Offsets *offset = localOffset(negative ? *unary->a : index);
    if (!offset) return std::nullopt;
    for (size_t d = 0; d < kMaxDims; ++d)
        shift.offset[d] += negative ? -(*offset)[d] : (*offset)[d];
    return withinReach(shift, index.range);
}

bool ExpressionResolver::withinReach(const Shift &shift, Range range) {
    for (const int by : shift.offset)
        if (std::abs(by) > kMaxOffset) {
            diagnostics_.error(range, "an offset is at most " + std::to_string(kMaxOffset));
            return false;
        }
    return true;
}

/// The constant of x+2, x+o.dx or x+r, at most kMaxOffset either way; none after an error.
std::optional<int64_t> ExpressionResolver::distanceOf(const ast::Expr &e) {
    std::optional<int64_t> by;
    if (const auto *number = std::get_if<ast::Integer>(&e.node)) {
        int64_t value = 0;
        const std::string &digits = number->digits;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        by = error == std::errc() ? value : kMaxOffset + 1;
    } else {
        const Place place = std::exchange(place_, Place{.name = "an offset", .whole = true, .offset = true});
        const Operand operand = child(e);
        place_ = place;
        if (!operand) return std::nullopt;
        try {
            const std::optional<Value> value = constantValue(stencil_, operand.expr);
            if (value && operand.type() == Type::Int) by = std::get<int64_t>(*value);
        } catch (const EvaluationError &error) {
            diagnostics_.error(error.range, error.message);
            return std::nullopt;
        }
        if (!by) {
            Diagnostic &error = diagnostics_.error(e.range, "offsets are integer constants");
            error.withHelp(isFloat(operand.type()) ? kStaggered
                                                   : "an offset is a dimension and a whole number: x+1; a parameter is a constant once it is "
                                                     "given with -D when compiling");
            return std::nullopt;
        }
    }
    if (*by >= -kMaxOffset && *by <= kMaxOffset) return by;
    diagnostics_.error(e.range, "an offset is at most " + std::to_string(kMaxOffset));
    return std::nullopt;
}

/// f[x+1] in a function with a parameter f: what was given for f, at another cell.
Operand ExpressionResolver::readLocal(const ast::Index &e, const Local &local, Range range) {
    if (local.offset) {
        diagnostics_.error(e.name.range, "'" + e.name.text + "' is an offset and has no points to read");
        return {};
    }
    const std::optional<Shift> by = shift(e.indices);
    if (!by) return {};
    if (by->time != 0) {
        diagnostics_.error(range, "the parameter '" + e.name.text + "' has no time levels")
            .withHelp("give the level where the function is called: f(u[t-1])");
        return {};
    }
    return shifted(local.value, by->offset, range);
}

} // namespace oocc
