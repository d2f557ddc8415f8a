#include "analysis/cuts.h"

#include "analysis/invariance.h"
#include "analysis/magnitude.h"

#include <iterator>
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

/// x + more - less, or where it falls more - less - x, modulo 2^64.
struct Affine {
    bool falls = false, wraps = false;
    ExprPtr more{}, less{};

    void negate() {
        falls = !falls;
        std::swap(more, less);
    }
};

std::optional<Affine> affineIn(const Stencil &stencil, const ExprPtr &expr, int x) {
    if (expr->type != Type::Int) return std::nullopt;
    if (const Coord *coord = std::get_if<Coord>(&expr->node)) return coord->dim == x ? std::optional(Affine{}) : std::nullopt;
    std::optional<Affine> out;
    if (const Unary *e = std::get_if<Unary>(&expr->node); e && e->op == UnaryOp::Neg) {
        out = affineIn(stencil, e->a, x);
        if (out) out->negate();
    } else if (const Binary *e = std::get_if<Binary>(&expr->node); e && (e->op == BinaryOp::Add || e->op == BinaryOp::Sub)) {
        const bool first = isInvariant(e->b, x), second = isInvariant(e->a, x), adds = e->op == BinaryOp::Add;
        if (first == second) return std::nullopt;
        out = affineIn(stencil, first ? e->a : e->b, x);
        if (!out) return std::nullopt;
        if (second && !adds) out->negate();
        ExprPtr &rest = second || adds ? out->more : out->less;
        rest = sum(rest, first ? e->b : e->a);
    }
    if (out) out->wraps = out->wraps || mayWrap(stencil, expr);
    return out;
}

/// Of `value < threshold`, for a value made of the place along the row; false: of something else.
class Cuts {
  public:
    Cuts(const Stencil &stencil, int x) : stencil_(stencil), x_(x) {}

    std::vector<ExprPtr> found;

    bool add(const ExprPtr &value, const ExprPtr &threshold) {
        if (isInvariant(value, x_)) return true;
        if (const Call *call = std::get_if<Call>(&value->node); call && value->type == Type::Int) return add(*call, threshold);
        const std::optional<Affine> affine = affineIn(stencil_, value, x_);
        if (!affine) return false;
        cutAt(whereItIs(*affine, threshold));
        if (affine->wraps) cutAt(whereItIs(*affine, number(kLeast)));
        return true;
    }

  private:
    static constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

    /// |a| < t where a < t and not a < 1 - t; the absolute value of the least integer is itself.
    bool add(const Call &call, const ExprPtr &threshold) {
        const ExprPtr &a = call.args.front();
        if (call.fn == MathFn::Abs)
            return add(a, threshold) && add(a, difference(number(1), threshold)) && add(a, number(kLeast + 1));
        return (call.fn == MathFn::Min || call.fn == MathFn::Max) && add(a, threshold) && add(call.args.back(), threshold);
    }

    void cutAt(const ExprPtr &cell) {
        const int64_t *at = numberIn(cell);
        if (!at || *at > 0) found.push_back(cell); // others are no cells behind the first one
    }

    /// The cell from which on the value is the threshold and more, or where it falls less.
    static ExprPtr whereItIs(const Affine &value, const ExprPtr &threshold) {
        if (value.falls) return sum(difference(value.more, value.less), difference(number(1), threshold));
        return difference(sum(threshold, value.less), value.more);
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
