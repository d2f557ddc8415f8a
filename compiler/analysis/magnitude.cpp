#include "analysis/magnitude.h"

#include <algorithm>
#include <limits>

namespace oocc {

namespace {

constexpr int64_t kUnknown = std::numeric_limits<int64_t>::max();
constexpr int64_t kFarthest = int64_t{1}
                              << 56; // no machine stores so many cells, or lives to see so many steps

int64_t least(Type type) {
    return type == Type::Bool ? 1 : type == Type::U8 ? 255 : type == Type::I32 ? int64_t{1} << 31 : kUnknown;
}

int64_t sum(int64_t a, int64_t b) {
    int64_t all = 0;
    return __builtin_add_overflow(a, b, &all) ? kUnknown : all;
}

int64_t product(int64_t a, int64_t b) {
    int64_t all = 0;
    return __builtin_mul_overflow(a, b, &all) ? kUnknown : all;
}

/// Of an operation before its result is made to fit its type.
struct Unbounded {
    const Stencil &stencil;
    const Expr &expr;

    int64_t of(const ExprPtr &e) const { return largest(stencil, e); }
    int64_t operator()(const Literal &e) const {
        const int64_t *value = std::get_if<int64_t>(&e.value);
        return value && *value > -kUnknown ? std::max(*value, -*value) : kUnknown;
    }
    int64_t operator()(const ScalarRef &) const { return kUnknown; }
    int64_t operator()(const Coord &) const { return kFarthest; }
    int64_t operator()(const TimeLevel &) const { return kFarthest; }
    int64_t operator()(const Sample &) const { return kUnknown; }
    int64_t operator()(const Read &e) const { return least(stencil.fields[e.field].type); }
    int64_t operator()(const Unary &e) const { return of(e.a); }
    int64_t operator()(const Binary &e) const {
        const int64_t a = of(e.a), b = of(e.b);
        switch (e.op) {
        case BinaryOp::Add:
        case BinaryOp::Sub:
            return sum(a, b);
        case BinaryOp::Mul:
            return product(a, b);
        case BinaryOp::Div:
            return a;
        case BinaryOp::Mod:
            return std::min(a, b);
        default:
            return 1;
        }
    }
    int64_t operator()(const Select &e) const { return std::max(of(e.a), of(e.b)); }
    int64_t operator()(const Call &e) const {
        if (e.fn != MathFn::Abs && e.fn != MathFn::Min && e.fn != MathFn::Max) return kUnknown;
        int64_t most = 0;
        for (const ExprPtr &arg : e.args)
            most = std::max(most, of(arg));
        return most;
    }
    int64_t operator()(const Cast &e) const { return isInteger(e.a->type) ? of(e.a) : kUnknown; }
};

int64_t unbounded(const Stencil &stencil, const ExprPtr &expr) {
    return std::visit(Unbounded{stencil, *expr}, expr->node);
}

} // namespace

int64_t largest(const Stencil &stencil, const ExprPtr &expr) {
    const int64_t most = unbounded(stencil, expr);
    const bool fits = expr->type != Type::I32 || most <= std::numeric_limits<int32_t>::max();
    return fits ? most : least(expr->type);
}

bool mayWrap(const Stencil &stencil, const ExprPtr &expr) {
    const int64_t most = unbounded(stencil, expr);
    return expr->type == Type::I32 ? most > std::numeric_limits<int32_t>::max() : most == kUnknown;
}

} // namespace oocc
