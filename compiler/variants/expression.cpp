#include "variants/expression.h"

#include "variants/expression_parser.h"

#include <algorithm>
#include <cmath>

namespace oocc::variants {

namespace {

using Op = Expression::Op;
using Node = Expression::Node;
using Values = std::vector<std::optional<Value>>;

[[noreturn]] void fail(const Node &node, std::string message) {
    throw ExpressionError{node.begin, node.end, std::move(message), ""};
}

bool isNumber(const Value &value) {
    return std::holds_alternative<int64_t>(value) || std::holds_alternative<double>(value);
}

double real(const Value &value) {
    const int64_t *whole = std::get_if<int64_t>(&value);
    return whole ? static_cast<double>(*whole) : std::get<double>(value);
}

/// -1, 0 or 1; a whole number and a real one are compared as real ones.
int order(const Value &a, const Value &b) {
    if (std::holds_alternative<int64_t>(a) && std::holds_alternative<int64_t>(b)) {
        const int64_t left = std::get<int64_t>(a), right = std::get<int64_t>(b);
        return left < right ? -1 : left > right;
    }
    return real(a) < real(b) ? -1 : real(a) > real(b);
}

bool equal(const Value &a, const Value &b) {
    if (isNumber(a) && isNumber(b)) return order(a, b) == 0;
    return a == b;
}

Value evaluate(const Node &node, const Values &knobs);

bool condition(const Node &node, const Values &knobs) {
    const Value value = evaluate(node, knobs);
    if (const bool *truth = std::get_if<bool>(&value)) return *truth;
    fail(node, "a condition is wanted here, and this is " + toString(value));
}

Value number(const Node &node, const Values &knobs) {
    Value value = evaluate(node, knobs);
    if (!isNumber(value)) fail(node, "a number is wanted here, and this is " + toString(value));
    return value;
}

bool compare(const Node &node, const Values &knobs) {
    Value left = evaluate(node.parts[0], knobs);
    for (size_t i = 0; i < node.how.size(); ++i) {
        Value right = evaluate(node.parts[i + 1], knobs);
        const std::string &how = node.how[i];
        bool holds = false;
        if (how == "==" || how == "!=") {
            holds = equal(left, right) == (how == "==");
        } else {
            for (size_t side : {i, i + 1}) {
                const Value &value = side == i ? left : right;
                if (!isNumber(value))
                    fail(node.parts[side], "'" + how + "' compares numbers, and this is " + toString(value));
            }
            const int found = order(left, right);
            holds = how == "<" ? found < 0 : how == "<=" ? found <= 0 : how == ">" ? found > 0 : found >= 0;
        }
        if (!holds) return false;
        left = std::move(right);
    }
    return true;
}

/// Rounded towards minus infinity, as // and % are.
int64_t floorDiv(int64_t a, int64_t b) {
    const int64_t quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

Value wholeArithmetic(const Node &node, int64_t a, int64_t b) {
    int64_t result = 0;
    bool overflow = false;
    switch (node.op) {
    case Op::Add:
        overflow = __builtin_add_overflow(a, b, &result);
        break;
    case Op::Sub:
        overflow = __builtin_sub_overflow(a, b, &result);
        break;
    case Op::Mul:
        overflow = __builtin_mul_overflow(a, b, &result);
        break;
    default: // the divisor is not 0
        if (b == -1) {
            overflow = __builtin_sub_overflow(int64_t{0}, a, &result);
            if (node.op == Op::Mod) result = 0, overflow = false;
        } else {
            result = node.op == Op::Mod ? a - floorDiv(a, b) * b : floorDiv(a, b);
        }
    }
    if (overflow) fail(node, "the result does not fit 64 bits");
    return result;
}

Value arithmetic(const Node &node, const Values &knobs) {
    const Value a = number(node.parts[0], knobs), b = number(node.parts[1], knobs);
    const bool divides = node.op == Op::Div || node.op == Op::FloorDiv || node.op == Op::Mod;
    if (divides && real(b) == 0) fail(node, "division by zero");
    if (node.op != Op::Div && std::holds_alternative<int64_t>(a) && std::holds_alternative<int64_t>(b))
        return wholeArithmetic(node, std::get<int64_t>(a), std::get<int64_t>(b));
    const double x = real(a), y = real(b);
    switch (node.op) {
    case Op::Add:
        return x + y;
    case Op::Sub:
        return x - y;
    case Op::Mul:
        return x * y;
    case Op::Div:
        return x / y;
    case Op::FloorDiv:
        return std::floor(x / y);
    default: {
        const double rest = std::fmod(x, y);
        return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
    }
    }
}

Value extreme(const Node &node, const Values &knobs) {
    Value best = number(node.parts[0], knobs);
    for (size_t i = 1; i < node.parts.size(); ++i) {
        Value other = number(node.parts[i], knobs);
        const int found = order(other, best);
        if (node.op == Op::Min ? found < 0 : found > 0) best = std::move(other);
    }
    return best;
}

Value evaluate(const Node &node, const Values &knobs) {
    switch (node.op) {
    case Op::Constant:
        return node.value;
    case Op::Knob:
        return *knobs[node.knob]; // holds() has seen to it that there is one
    case Op::Or:
        return std::any_of(node.parts.begin(), node.parts.end(),
                           [&](const Node &part) { return condition(part, knobs); });
    case Op::And:
        return std::all_of(node.parts.begin(), node.parts.end(),
                           [&](const Node &part) { return condition(part, knobs); });
    case Op::Not:
        return !condition(node.parts[0], knobs);
    case Op::Compare:
        return compare(node, knobs);
    case Op::Neg: {
        const Value value = number(node.parts[0], knobs);
        const int64_t *whole = std::get_if<int64_t>(&value);
        if (whole && *whole == INT64_MIN) fail(node, "the result does not fit 64 bits");
        return whole ? Value(-*whole) : Value(-real(value));
    }
    case Op::Min:
    case Op::Max:
        return extreme(node, knobs);
    default:
        return arithmetic(node, knobs);
    }
}

void collect(const Node &node, std::vector<size_t> &uses) {
    if (node.op == Op::Knob && std::find(uses.begin(), uses.end(), node.knob) == uses.end()) uses.push_back(node.knob);
    for (const Node &part : node.parts)
        collect(part, uses);
}

} // namespace

std::string toString(const Value &value) {
    if (const bool *truth = std::get_if<bool>(&value)) return *truth ? "True" : "False";
    if (const int64_t *whole = std::get_if<int64_t>(&value)) return std::to_string(*whole);
    if (const std::string *text = std::get_if<std::string>(&value)) return "'" + *text + "'";
    std::string text = std::to_string(std::get<double>(value));
    text.erase(text.find_last_not_of('0') + 1);
    return text.back() == '.' ? text + '0' : text;
}

Expression::Expression(std::string_view text, const std::vector<std::string> &knobs)
    : root_(parseExpression(text, knobs)) {
    collect(root_, uses_);
    std::sort(uses_.begin(), uses_.end());
}

std::optional<bool> Expression::holds(const std::vector<std::optional<Value>> &knobs) const {
    for (size_t knob : uses_)
        if (!knobs[knob]) return std::nullopt;
    return condition(root_, knobs);
}

} // namespace oocc::variants
