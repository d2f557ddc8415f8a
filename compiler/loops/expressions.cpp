#include "loops/expressions.h"

#include "analysis/invariance.h"
#include "analysis/magnitude.h"
#include "loops/integers.h"
#include "stencil/printer.h"

#include <algorithm>
#include <utility>

namespace oocc::loops {

namespace {

std::string functionName(MathFn fn, Type type) {
    const std::string suffix = type == Type::F32 ? "f" : "";
    const std::string oocc = type == Type::Int   ? ""
                             : type == Type::I32 ? "_i32"
                             : type == Type::F32 ? "_f32"
                                                 : "_f64";
    switch (fn) {
    case MathFn::Abs:
        return isInteger(type) ? "oocc_abs" + oocc : "fabs" + suffix;
    case MathFn::Min:
        return "oocc_min" + oocc;
    case MathFn::Max:
        return "oocc_max" + oocc;
    case MathFn::Sqrt:
        return "oocc_sqrt" + oocc;
    case MathFn::Exp:
        return "oocc_exp" + oocc;
    case MathFn::Log:
        return "oocc_log" + oocc;
    case MathFn::Sin:
        return "oocc_sin" + oocc;
    case MathFn::Cos:
        return "oocc_cos" + oocc;
    case MathFn::Tan:
        return "oocc_tan" + oocc;
    case MathFn::Atan2:
        return "oocc_atan2" + oocc;
    case MathFn::Tanh:
        return "oocc_tanh" + oocc;
    case MathFn::Pow:
        return "oocc_pow" + oocc;
    case MathFn::Floor:
        return "floor" + suffix;
    case MathFn::Fma:
        return "fma" + suffix;
    }
    return "";
}

E literal(const Literal &value, Type type) {
    if (const bool *b = std::get_if<bool>(&value.value)) return std::make_shared<const Expr>(Expr{Bool{*b}});
    if (const int64_t *i = std::get_if<int64_t>(&value.value)) return lit(*i);
    return std::make_shared<const Expr>(Expr{Real{std::get<double>(value.value), type == Type::F32}});
}

} // namespace

E Translator::translate(const ExprPtr &expr) {
    const bool simple = std::holds_alternative<Literal>(expr->node) ||
                        std::holds_alternative<Coord>(expr->node) ||
                        std::holds_alternative<TimeLevel>(expr->node);
    if (invariantOf >= 0 && !simple && isInvariant(expr, invariantOf)) return hoist(expr);
    if (const std::string *constant = context_.constants.nameOf(expr)) return context_.constantGlobal(*constant);
    const std::optional<int> number = invariantOf >= 0 && common_ ? common_->numberOf(expr) : std::nullopt;
    return number ? common(*number, expr) : build(expr);
}

E Translator::hoist(const ExprPtr &expr) {
    std::string key = std::string(typeName(expr->type)) + ' ' + toString(context_.stencil, expr);
    walk(expr, [&](const oocc::Expr &part) {
        const Coord *coord = std::get_if<Coord>(&part.node);
        if (coord && shift[coord->dim] != 0) key += ' ' + std::to_string(coord->dim) + '+' + std::to_string(shift[coord->dim]);
    });
    if (const auto known = hoistedNames_.find(key); known != hoistedNames_.end()) return var(known->second);
    const ScalarRef *scalar = std::get_if<ScalarRef>(&expr->node);
    const std::string *constant = context_.constants.nameOf(expr);
    const std::string wanted = scalar     ? context_.scalarLocal(scalar->scalar)
                               : constant ? *constant
                                          : "c_" + std::to_string(hoistedNames_.size());
    const int dim = invariantOf;
    invariantOf = -1; // the whole expression moves, not its parts one by one
    const E value = translate(expr);
    invariantOf = dim;
    const std::string name = names_.take(wanted);
    hoisted_.push_back(declare("const " + cTypeOf(expr->type), name, value));
    hoistedNames_[key] = name;
    return var(name);
}

E Translator::over(const oocc::Binary &quotient, E a, E b) {
    const std::string type = typeName(quotient.b->type);
    const Name *divisor = std::get_if<Name>(&b->node);
    std::string &name = inverseNames_[type + ' ' + (divisor ? divisor->name : toString(context_.stencil, quotient.b))];
    if (name.empty()) {
        name = names_.take("inv_" + (divisor ? divisor->name : std::to_string(inverseNames_.size())));
        hoisted_.push_back(declare("const " + cTypeOf(quotient.b->type), name, call("oocc_inverse_" + type, {b})));
    }
    if (std::ranges::find(inverses_, name) == inverses_.end()) inverses_.push_back(name);
    return call("oocc_over_" + type, {std::move(a), std::move(b), var(name)});
}

Body Translator::takeHoisted() {
    return std::move(hoisted_);
}

void Translator::nameCommon(const std::vector<ExprPtr> &values) {
    common_.emplace(values, invariantOf);
    commonNames_.clear();
}

E Translator::common(int number, const ExprPtr &expr) {
    if (const auto known = commonNames_.find(number); known != commonNames_.end()) return var(known->second);
    const E value = build(expr); // what it has in it comes first
    const std::string name = names_.take("common_" + std::to_string(nextCommon_++));
    newCommon_.push_back(declare("const " + cTypeOf(expr->type), name, value));
    commonNames_[number] = name;
    return var(name);
}

Body Translator::takeCommon() {
    return std::exchange(newCommon_, {});
}

bool Translator::readsU8(const ExprPtr &expr) const {
    const Read *read = std::get_if<Read>(&expr->node);
    return read && context_.stencil.fields[read->field].type == Type::U8;
}

E Translator::integer(const ExprPtr &expr, E a, E b) {
    const auto &e = std::get<oocc::Binary>(expr->node);
    if (e.a->type == Type::Int) {
        if (const std::optional<int64_t> value = foldedInteger(e.op, a, b)) return lit(*value);
        a = widened(a, b);
    }
    const bool division = e.op == BinaryOp::Div || e.op == BinaryOp::Mod;
    if (division && !isSafeDivisor(e.b)) {
        const E result = call(e.op == BinaryOp::Div ? "oocc_div" : "oocc_mod", {a, b, text(what)});
        return e.b->type == Type::I32 ? cast("int32_t", result) : result;
    }
    const auto *left = std::get_if<Int>(&a->node), *right = std::get_if<Int>(&b->node);
    const bool overflows = left && right && e.a->type == Type::Int; // or else it had been folded
    if ((checked || overflows) && !division)
        return call(e.op == BinaryOp::Add   ? "oocc_add"
                    : e.op == BinaryOp::Sub ? "oocc_sub"
                                            : "oocc_mul",
                    {a, b, text(what)});
    if (!division && mayWrap(context_.stencil, expr)) return call(wrapping(e.op, expr->type), {a, b});
    return binary(opOf(e.op), a, b);
}

struct Translator::Visitor {
    Translator &self;
    const ExprPtr &whole;
    const oocc::Expr &expr = *whole;

    E operator()(const Literal &e) { return literal(e, expr.type); }
    E operator()(const ScalarRef &e) { return self.context_.scalarGlobal(e.scalar); }
    E operator()(const Coord &e) {
        self.usesCoord.insert(e.dim);
        if (e.dim == self.invariantOf && !self.place.empty()) return var(self.place);
        const int shift = self.shift[e.dim];
        return shift == 0 ? var(self.context_.coordName(e.dim)) : var(self.context_.coordName(e.dim)) + lit(shift);
    }
    E operator()(const TimeLevel &) {
        self.usesTime = true;
        return var("t");
    }
    E operator()(const Sample &e) {
        self.usesTime = true;
        const Series &series = self.context_.stencil.series[static_cast<size_t>(e.series)];
        const E step = e.ahead > 0 ? var("t") + lit(e.ahead) : var("t");
        const E value = loops::call("oocc_signal_at", {addressOf(at(var("signals"), var("SERIES_" + series.name))), step, lit(0)});
        return series.type == Type::F32 ? cast("float", value) : value;
    }
    E operator()(const Read &e) { return self.read_(e); }
    E operator()(const oocc::Unary &e) {
        const E a = self.translate(e.a);
        if (e.op == UnaryOp::Not) return notE(a);
        const std::optional<int64_t> value =
            expr.type == Type::Int ? foldedInteger(BinaryOp::Sub, lit(0), a) : std::nullopt;
        if (value) return lit(*value);
        const bool overflows = expr.type == Type::Int && std::holds_alternative<Int>(a->node);
        if (isInteger(expr.type) && (self.checked || overflows))
            return loops::call("oocc_sub", {lit(0), a, text(self.what)});
        if (isInteger(expr.type) && mayWrap(self.context_.stencil, whole))
            return loops::call(wrapping(BinaryOp::Sub, expr.type), {lit(0), a});
        return negate(expr.type == Type::Int ? widened(a, a) : a);
    }
    E operator()(const oocc::Binary &e) {
        const E a = self.translate(e.a), b = self.translate(e.b);
        if (self.byInverse && dividesAlike(expr, self.invariantOf)) return self.over(e, a, b);
        const bool arithmetic = e.op <= BinaryOp::Mod;
        const bool logical = e.op == BinaryOp::And || e.op == BinaryOp::Or;
        if (logical && ((self.context_.x() == self.invariantOf && neverFails(e.b)) || areOfOneValue(a, b)))
            return bothOrEither(e.op, a, b);
        if (arithmetic) return isInteger(expr.type) ? self.integer(whole, a, b) : binary(opOf(e.op), a, b);
        if (logical) return binary(opOf(e.op), a, b);
        return comparison(e.op, a, b, e.a->type, self.readsU8(e.a), self.readsU8(e.b));
    }
    E operator()(const Select &e) {
        const E condition = self.translate(e.condition), a = self.translate(e.a), b = self.translate(e.b);
        return cond(condition, a, b);
    }
    E operator()(const oocc::Call &e) {
        std::vector<E> args;
        for (const ExprPtr &arg : e.args)
            args.push_back(self.translate(arg));
        return loops::call(functionName(e.fn, e.args[0]->type), args);
    }
    E operator()(const Cast &e) {
        const E a = self.translate(e.a);
        // In a loop over a row: the conversion that has vectors on every processor.
        const bool wide = self.invariantOf >= 0 && e.a->type == Type::Int;
        if (wide && expr.type == Type::F64) return loops::call("oocc_f64_of", {a});
        if (wide && expr.type == Type::F32) return loops::call("oocc_f32_of", {a});
        return cast(cTypeOf(expr.type), a);
    }
};

E Translator::build(const ExprPtr &expr) {
    return std::visit(Visitor{*this, expr}, expr->node);
}

} // namespace oocc::loops
