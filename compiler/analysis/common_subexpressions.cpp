#include "analysis/common_subexpressions.h"

#include "analysis/invariance.h"

#include <algorithm>
#include <bit>
#include <map>

namespace oocc {

namespace {

constexpr int kWorthAName = 2;

int64_t bitsOf(const Literal &literal) {
    if (const double *real = std::get_if<double>(&literal.value)) return std::bit_cast<int64_t>(*real);
    if (const int64_t *integer = std::get_if<int64_t>(&literal.value)) return *integer;
    return std::get<bool>(literal.value);
}

/// What tells an expression from others of its kind, besides its operands.
struct Apart {
    std::vector<int64_t> operator()(const Literal &e) const { return {bitsOf(e)}; }
    std::vector<int64_t> operator()(const ScalarRef &e) const { return {e.scalar}; }
    std::vector<int64_t> operator()(const Coord &e) const { return {e.dim}; }
    std::vector<int64_t> operator()(const Sample &e) const { return {e.series, e.ahead}; }
    std::vector<int64_t> operator()(const Read &e) const {
        std::vector<int64_t> key{e.field, e.time};
        key.insert(key.end(), e.offset.begin(), e.offset.end());
        return key;
    }
    std::vector<int64_t> operator()(const Unary &e) const { return {static_cast<int64_t>(e.op)}; }
    std::vector<int64_t> operator()(const Binary &e) const { return {static_cast<int64_t>(e.op)}; }
    std::vector<int64_t> operator()(const Call &e) const { return {static_cast<int64_t>(e.fn)}; }
    template <typename Other> std::vector<int64_t> operator()(const Other &) const { return {}; }
};

int operationsOf(const Expr &e) {
    const Call *call = std::get_if<Call>(&e.node);
    if (call && isLong(call->fn)) return kWorthAName;
    return call || std::holds_alternative<Binary>(e.node) || std::holds_alternative<Select>(e.node) ? 1 : 0;
}

/// The first operand decides which of the others are computed.
bool decides(const Expr &e) {
    const Binary *binary = std::get_if<Binary>(&e.node);
    return std::holds_alternative<Select>(e.node) || (binary && (binary->op == BinaryOp::And || binary->op == BinaryOp::Or));
}

} // namespace

bool isLong(MathFn fn) {
    return fn != MathFn::Abs && fn != MathFn::Min && fn != MathFn::Max && fn != MathFn::Floor && fn != MathFn::Fma;
}

/// Gives equal expressions equal numbers; operands have theirs before what is made of them.
struct CommonSubexpressions::Numbering {
    CommonSubexpressions &self;
    int x;
    std::map<std::vector<int64_t>, Number> known{};

    Number operator()(const ExprPtr &expr) {
        if (const auto found = self.numbers_.find(expr.get()); found != self.numbers_.end()) return found->second;
        Value value;
        value.operands = operandsOf(*expr);
        if (!isInvariant(expr, x)) { // or it has a name already, before the loop
            value.operations = operationsOf(*expr);
            for (const Operand &operand : value.operands)
                value.operations = std::min(kWorthAName, value.operations + self.values_[operand.number].operations);
            const bool isNumber = expr->type != Type::Bool && expr->type != Type::U8;
            value.mayHaveName = isNumber && value.operations >= kWorthAName && neverFails(expr);
        }
        std::vector<int64_t> key = std::visit(Apart{}, expr->node);
        key.insert(key.begin(), {static_cast<int64_t>(expr->node.index()), static_cast<int64_t>(expr->type)});
        for (const Operand &operand : value.operands)
            key.push_back(operand.number);
        const auto [at, isNew] = known.emplace(std::move(key), static_cast<Number>(self.values_.size()));
        if (isNew) {
            for (const Operand &operand : value.operands)
                ++self.values_[operand.number].uses;
            self.values_.push_back(std::move(value));
            self.distinct_.push_back(expr.get());
        }
        return self.numbers_[expr.get()] = at->second;
    }

    std::vector<Operand> operandsOf(const Expr &e) {
        std::vector<Operand> operands;
        eachOperand(e, [&](const ExprPtr &operand) { operands.push_back({(*this)(operand), !decides(e) || operands.empty()}); });
        return operands;
    }
};

CommonSubexpressions::CommonSubexpressions(const std::vector<ExprPtr> &values, int x) {
    Numbering number{*this, x};
    for (const ExprPtr &value : values) {
        if (!value) continue; // a signal's
        const Number whole = number(value);
        ++values_[whole].uses;
        markAlways(whole);
    }
}

void CommonSubexpressions::markAlways(Number number) {
    if (values_[number].always) return;
    values_[number].always = true;
    for (const Operand &operand : values_[number].operands)
        if (operand.always) markAlways(operand.number);
}

std::vector<Read> CommonSubexpressions::chosenReads() const {
    std::vector<Read> out;
    for (size_t number = 0; number < distinct_.size(); ++number)
        if (const Read *read = std::get_if<Read>(&distinct_[number]->node); read && !values_[number].always) out.push_back(*read);
    return out;
}

std::optional<int> CommonSubexpressions::numberOf(const ExprPtr &expr) const {
    const auto found = numbers_.find(expr.get());
    if (found == numbers_.end()) return std::nullopt;
    const Value &value = values_[found->second];
    return value.mayHaveName && value.uses > 1 && value.always ? std::optional(found->second) : std::nullopt;
}

} // namespace oocc
