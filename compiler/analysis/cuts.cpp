#include "analysis/cuts.h"

#include "analysis/invariance.h"
#include "analysis/magnitude.h"

#include <limits>

namespace oocc {

namespace {

ExprPtr number(int64_t value) {
    return std::make_shared<const Expr>(Expr{Type::Int, {}, Literal{value}});
}

const int64_t *numberIn(const ExprPtr &expr) {
    const Literal *literal = std::get_if<Literal>(&expr->node);
    return literal ? std::get_if<int64_t>(&literal->value) : nullptr;
}

/// a + b or a - b, either of which may be null for 0. Like all integers of a program they wrap around.
ExprPtr combined(BinaryOp op, const ExprPtr &a, const ExprPtr &b) {
    if (!b) return a;
    if (!a && op == BinaryOp::Add) return b;
    const ExprPtr first = a ? a : number(0);
    const int64_t *left = numberIn(first), *right = numberIn(b);
    if (right && *right == 0) return first;
    if (left && right) {
        const auto l = static_cast<uint64_t>(*left), r = static_cast<uint64_t>(*right);
        return number(static_cast<int64_t>(op == BinaryOp::Add ? l + r : l - r));
    }
    return std::make_shared<const Expr>(Expr{Type::Int, {}, Binary{op, first, b}});
}
ExprPtr sum(const ExprPtr &a, const ExprPtr &b) {
    return combined(BinaryOp::Add, a, b);
}
ExprPtr difference(const ExprPtr &a, const ExprPtr &b) {
    return combined(BinaryOp::Sub, a, b);
}

/// Of `value < threshold`, for a value made of the place along the row.
class Cuts {
  public:
    Cuts(const Stencil &stencil, int x) : stencil_(stencil), x_(x) {}

    std::vector<ExprPtr> found;

    /// False: the value is made of something else, or otherwise, or changes in more places than anybody cuts a row at.
    bool add(const ExprPtr &value, const ExprPtr &threshold) {
        if (found.size() > kMost) return false;
        if (isInvariant(value, x_)) return true;
        if (value->type != Type::Int) return false;
        if (std::holds_alternative<Coord>(value->node)) {
            cutAt(threshold);
            return true;
        }
        if (const Call *call = std::get_if<Call>(&value->node)) return add(*call, threshold);
        if (const Unary *e = std::get_if<Unary>(&value->node)) return addFalling(value, nullptr, e->a, threshold);
        const Binary *e = std::get_if<Binary>(&value->node);
        if (!e || (e->op != BinaryOp::Add && e->op != BinaryOp::Sub)) return false;
        const bool adds = e->op == BinaryOp::Add;
        if (isInvariant(e->b, x_)) return addThrough(value, e->a, threshold, [&](const ExprPtr &t) { return adds ? difference(t, e->b) : sum(t, e->b); });
        if (!isInvariant(e->a, x_)) return false;
        if (adds) return addThrough(value, e->b, threshold, [&](const ExprPtr &t) { return difference(t, e->a); });
        return addFalling(value, e->a, e->b, threshold);
    }

  private:
    static constexpr size_t kMost = 64; ///< each sum that may wrap around doubles them
    static constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kFarthest = int64_t{1} << 56;

    /// a - b < t where not b < a - t + 1.
    bool addFalling(const ExprPtr &value, const ExprPtr &a, const ExprPtr &b, const ExprPtr &threshold) {
        return addThrough(value, b, threshold, [&](const ExprPtr &t) { return sum(a, difference(number(1), t)); });
    }

    /// What the value is less than, its part is less, or not less, than what `moved` says, modulo 2^64: numbers that are less than t are those from
    /// the least one on up to it, and both ends move.
    template <typename Moved> bool addThrough(const ExprPtr &value, const ExprPtr &part, const ExprPtr &threshold, Moved moved) {
        return add(part, moved(threshold)) && (!mayWrap(stencil_, value) || add(part, moved(number(kLeast))));
    }

    /// |a| < t where a < t and not a < 1 - t; the absolute value of the least integer is itself.
    bool add(const Call &call, const ExprPtr &threshold) {
        const ExprPtr &a = call.args.front();
        if (call.fn == MathFn::Abs)
            return add(a, threshold) && add(a, difference(number(1), threshold)) && add(a, number(kLeast + 1));
        return (call.fn == MathFn::Min || call.fn == MathFn::Max) && add(a, threshold) && add(call.args.back(), threshold);
    }

    void cutAt(const ExprPtr &cell) {
        const int64_t *at = numberIn(cell);
        if (!at || (*at > 0 && *at < kFarthest)) found.push_back(cell); // others are no cells behind the first one
    }

    const Stencil &stencil_;
    int x_;
};

std::optional<std::vector<ExprPtr>> cutsOfComparison(const Stencil &stencil, const Binary &e, int x) {
    if (e.op < BinaryOp::Eq || e.op > BinaryOp::Ge || e.a->type != Type::Int) return std::nullopt;
    const bool turned = isInvariant(e.a, x);
    if (!turned && !isInvariant(e.b, x)) return std::nullopt;
    const ExprPtr &value = turned ? e.b : e.a, &bound = turned ? e.a : e.b;
    const bool isEqual = e.op == BinaryOp::Eq || e.op == BinaryOp::Ne;
    const bool below = e.op == (turned ? BinaryOp::Gt : BinaryOp::Lt) || e.op == (turned ? BinaryOp::Le : BinaryOp::Ge);
    Cuts cuts(stencil, x);
    bool known = true;
    if (isEqual || below) known = cuts.add(value, bound);
    if (!below) known = known && cuts.add(value, sum(bound, number(1)));
    return known ? std::optional(cuts.found) : std::nullopt;
}

} // namespace

std::optional<std::vector<ExprPtr>> cutsOf(const Stencil &stencil, const ExprPtr &condition, int x) {
    if (isInvariant(condition, x)) return std::vector<ExprPtr>{};
    if (const Unary *no = std::get_if<Unary>(&condition->node)) return no->op == UnaryOp::Not ? cutsOf(stencil, no->a, x) : std::nullopt;
    const Binary *both = std::get_if<Binary>(&condition->node);
    if (!both) return std::nullopt;
    if (both->op != BinaryOp::And && both->op != BinaryOp::Or) return cutsOfComparison(stencil, *both, x);
    std::optional<std::vector<ExprPtr>> cuts = cutsOf(stencil, both->a, x);
    const std::optional<std::vector<ExprPtr>> more = cuts ? cutsOf(stencil, both->b, x) : std::nullopt;
    if (!more) return std::nullopt;
    cuts->insert(cuts->end(), more->begin(), more->end());
    return cuts;
}

} // namespace oocc
