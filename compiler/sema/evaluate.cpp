#include "sema/evaluate.h"

#include "oocc/functions.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <type_traits>

namespace oocc {

namespace {

[[noreturn]] void overflow(Range range) {
    throw EvaluationError{range, "this integer expression overflows 64 bits"};
}

int64_t integer(BinaryOp op, int64_t a, int64_t b, Range range) {
    int64_t result = 0;
    switch (op) {
    case BinaryOp::Add:
        if (__builtin_add_overflow(a, b, &result)) overflow(range);
        return result;
    case BinaryOp::Sub:
        if (__builtin_sub_overflow(a, b, &result)) overflow(range);
        return result;
    case BinaryOp::Mul:
        if (__builtin_mul_overflow(a, b, &result)) overflow(range);
        return result;
    default:
        if (b == 0) throw EvaluationError{range, "this divides by zero"};
        if (a == std::numeric_limits<int64_t>::min() && b == -1) overflow(range);
        return op == BinaryOp::Div ? a / b : a % b;
    }
}

template <typename T> T floating(BinaryOp op, T a, T b) {
    switch (op) {
    case BinaryOp::Add:
        return a + b;
    case BinaryOp::Sub:
        return a - b;
    case BinaryOp::Mul:
        return a * b;
    default:
        return a / b;
    }
}

template <typename T> bool compare(BinaryOp op, T a, T b) {
    switch (op) {
    case BinaryOp::Eq:
        return a == b;
    case BinaryOp::Ne:
        return a != b;
    case BinaryOp::Lt:
        return a < b;
    case BinaryOp::Le:
        return a <= b;
    case BinaryOp::Gt:
        return a > b;
    default:
        return a >= b;
    }
}

bool isComparison(BinaryOp op) {
    return op >= BinaryOp::Eq && op <= BinaryOp::Ge;
}

/// The one of a program's functions (oocc/functions.h) that is of type T: what is folded has the bits of what is computed later.
template <typename T, typename F64, typename F32> auto ofType(F64 f64, F32 f32) {
    if constexpr (std::is_same_v<T, float>)
        return f32;
    else
        return f64;
}

template <typename T> T call(MathFn fn, T a, T b) {
    switch (fn) {
    case MathFn::Abs:
        return std::fabs(a);
    case MathFn::Min:
        return a < b ? a : b;
    case MathFn::Max:
        return a > b ? a : b;
    case MathFn::Sqrt:
        return std::sqrt(a);
    case MathFn::Exp:
        return ofType<T>(oocc_exp_f64, oocc_exp_f32)(a);
    case MathFn::Log:
        return ofType<T>(oocc_log_f64, oocc_log_f32)(a);
    case MathFn::Sin:
        return ofType<T>(oocc_sin_f64, oocc_sin_f32)(a);
    case MathFn::Cos:
        return ofType<T>(oocc_cos_f64, oocc_cos_f32)(a);
    case MathFn::Tan:
        return ofType<T>(oocc_tan_f64, oocc_tan_f32)(a);
    case MathFn::Atan2:
        return ofType<T>(oocc_atan2_f64, oocc_atan2_f32)(a, b);
    case MathFn::Tanh:
        return ofType<T>(oocc_tanh_f64, oocc_tanh_f32)(a);
    case MathFn::Pow:
        return ofType<T>(oocc_pow_f64, oocc_pow_f32)(a, b);
    case MathFn::Floor:
        return std::floor(a);
    case MathFn::Fma: // in the values of stages only, after everything was evaluated
        break;
    }
    return a;
}

class Evaluator {
  public:
    explicit Evaluator(const std::vector<Value> &scalars) : scalars_(scalars) {}

    Value operator()(const ExprPtr &expr) const {
        return std::visit([&](const auto &node) { return this->node(node, *expr); }, expr->node);
    }

  private:
    bool truth(const ExprPtr &e) const { return std::get<bool>((*this)(e)); }

    Value node(const Literal &e, const Expr &) const {
        return std::visit([](auto value) { return Value(value); }, e.value);
    }
    Value node(const ScalarRef &e, const Expr &) const { return scalars_.at(static_cast<size_t>(e.scalar)); }
    Value node(const Coord &, const Expr &expr) const { return notScalar(expr); }
    Value node(const TimeLevel &, const Expr &expr) const { return notScalar(expr); }
    Value node(const Sample &, const Expr &expr) const { return notScalar(expr); }
    Value node(const Read &, const Expr &expr) const { return notScalar(expr); }
    static Value notScalar(const Expr &expr) {
        throw EvaluationError{expr.range, "this differs from point to point"};
    }

    Value node(const Unary &e, const Expr &expr) const {
        const Value a = (*this)(e.a);
        if (e.op == UnaryOp::Not) return !std::get<bool>(a);
        if (const auto *i = std::get_if<int64_t>(&a)) return integer(BinaryOp::Sub, 0, *i, expr.range);
        return -std::get<double>(a);
    }
    Value node(const Binary &e, const Expr &expr) const {
        if (e.op == BinaryOp::And) return truth(e.a) && truth(e.b);
        if (e.op == BinaryOp::Or) return truth(e.a) || truth(e.b);
        const Value a = (*this)(e.a), b = (*this)(e.b);
        if (isComparison(e.op))
            return std::visit([&](auto x) { return compare(e.op, x, std::get<decltype(x)>(b)); }, a);
        if (const auto *i = std::get_if<int64_t>(&a))
            return integer(e.op, *i, std::get<int64_t>(b), expr.range);
        const double x = std::get<double>(a), y = std::get<double>(b);
        if (expr.type == Type::F32)
            return static_cast<double>(floating(e.op, static_cast<float>(x), static_cast<float>(y)));
        return floating(e.op, x, y);
    }
    Value node(const Select &e, const Expr &) const { return (*this)(truth(e.condition) ? e.a : e.b); }
    Value node(const Call &e, const Expr &expr) const {
        const Value a = (*this)(e.args.at(0)), b = e.args.size() > 1 ? (*this)(e.args[1]) : a;
        if (const auto *i = std::get_if<int64_t>(&a)) {
            const int64_t j = std::get<int64_t>(b);
            if (e.fn == MathFn::Abs) return *i < 0 ? integer(BinaryOp::Sub, 0, *i, expr.range) : *i;
            return e.fn == MathFn::Min ? std::min(*i, j) : std::max(*i, j);
        }
        const double x = std::get<double>(a), y = std::get<double>(b);
        if (expr.type == Type::F32)
            return static_cast<double>(call(e.fn, static_cast<float>(x), static_cast<float>(y)));
        return call(e.fn, x, y);
    }
    Value node(const Cast &e, const Expr &expr) const {
        const Value a = (*this)(e.a);
        const auto *i = std::get_if<int64_t>(&a);
        if (expr.type == Type::F32)
            return static_cast<double>(i ? static_cast<float>(*i) : static_cast<float>(std::get<double>(a)));
        return i ? static_cast<double>(*i) : std::get<double>(a);
    }

    const std::vector<Value> &scalars_;
};

} // namespace

Value evaluate(const ExprPtr &expr, const std::vector<Value> &scalars) {
    return Evaluator(scalars)(expr);
}

std::vector<Value> evaluateScalars(const Stencil &stencil) {
    std::vector<Value> values;
    for (const Scalar &scalar : stencil.scalars)
        values.push_back(scalar.value ? evaluate(scalar.value, values) : std::nan(""));
    return values;
}

std::vector<int64_t> evaluateExtents(const Stencil &stencil, const std::vector<Value> &scalars) {
    // What the fields need in all: every level that is carried, and the one being computed.
    int64_t bytes = 0;
    for (const Field &field : stencil.fields)
        bytes += typeBytes(field.type) * (field.coef ? 1 : field.levels + 1);

    std::vector<int64_t> extents;
    std::string product;
    for (const Dim &dim : stencil.dims) {
        const int64_t extent = std::get<int64_t>(evaluate(dim.extent, scalars));
        if (extent < 1)
            throw EvaluationError{dim.range, "'" + dim.name + "' has " + std::to_string(extent) +
                                                 " cells; a grid needs at least 1 in every dimension"};
        extents.push_back(extent);
        product += (product.empty() ? "" : " x ") + std::to_string(extent);
    }
    for (size_t d = 0; d < extents.size(); ++d)
        if (__builtin_mul_overflow(bytes, extents[d], &bytes))
            throw EvaluationError{stencil.dims[d].range, "a grid of " + product +
                                                             " cells overflows: its fields have more "
                                                             "bytes than 63 bits can count"};
    return extents;
}

namespace {

std::string toText(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

} // namespace

void checkSpacings(const Stencil &stencil, const std::vector<Value> &scalars) {
    for (const Dim &dim : stencil.dims) {
        if (!dim.spacing) continue;
        const double spacing = std::get<double>(evaluate(dim.spacing, scalars));
        if (!(spacing > 0) || std::isinf(spacing))
            throw EvaluationError{dim.spacing->range, "the spacing of '" + dim.name +
                                                          "' must be a number above 0, and this is " +
                                                          toText(spacing)};
    }
}

int64_t evaluateSteps(const Stencil &stencil, const std::vector<Value> &scalars) {
    const int64_t steps = std::get<int64_t>(evaluate(stencil.steps, scalars));
    if (steps < 0)
        throw EvaluationError{stencil.steps->range, "there cannot be " + std::to_string(steps) + " steps"};
    return steps;
}

void evaluateIntervals(const Stencil &stencil, const std::vector<Value> &scalars) {
    const auto check = [&](const ExprPtr &every) {
        if (!every) return;
        const int64_t steps = std::get<int64_t>(evaluate(every, scalars));
        if (steps < 1)
            throw EvaluationError{every->range,
                                  "'every' counts steps, at least 1, and this is " + std::to_string(steps)};
    };
    for (const Stage &stage : stencil.stages)
        check(stage.every);
    for (const Output &output : stencil.outputs)
        check(output.every);
}

void evaluateRegions(const Stencil &stencil, const std::vector<Value> &scalars) {
    for (const Stage &stage : stencil.stages)
        for (const auto &bounds : stage.region)
            for (const ExprPtr &bound : bounds)
                if (bound) evaluate(bound, scalars);
}

void evaluatePoints(const Stencil &stencil, const std::vector<Value> &scalars,
                    const std::vector<int64_t> &extents) {
    for (const Points &points : stencil.points)
        for (size_t d = 0; d < points.at.size(); ++d) {
            const double at = std::get<double>(evaluate(points.at[d], scalars));
            if (at >= 0 && at <= static_cast<double>(extents[d] - 1)) continue;
            char number[32];
            std::snprintf(number, sizeof number, "%.17g", at);
            throw EvaluationError{points.at[d]->range, "this point is not on the grid: '" +
                                                           stencil.dims[d].name + "' goes from 0 to " +
                                                           std::to_string(extents[d] - 1) + ", and this is " +
                                                           number};
        }
}

} // namespace oocc
