// Values that are known while a function is lifted: what is made of numbers alone.
#include "lift/model.h"

#include <cstdlib>

namespace oocc::lift {

namespace {

std::optional<int64_t> operate(const std::string &op, int64_t a, int64_t b) {
    int64_t result = 0;
    if (op == "+") return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    if (op == "-") return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    if (op == "*") return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    if (op == "/" || op == "%") {
        if (b == 0 || b == -1) return std::nullopt;
        return op == "/" ? a / b : a % b;
    }
    if (op == "<") return a < b;
    if (op == "<=") return a <= b;
    if (op == ">") return a > b;
    if (op == ">=") return a >= b;
    if (op == "==") return a == b;
    if (op == "!=") return a != b;
    if (op == "and") return a && b;
    if (op == "or") return a || b;
    return std::nullopt;
}

} // namespace

std::optional<int64_t> known(const NodePtr &n) {
    if (n->type != Type::Bool && !isInteger(n->type)) return std::nullopt;
    switch (n->kind) {
    case Node::Number:
        return n->integer;
    case Node::Convert: {
        const auto a = known(n->args[0]);
        const bool fits = n->type == Type::Int || (a && *a == static_cast<int32_t>(*a) && (n->type != Type::U8 || (*a >= 0 && *a < 256)));
        return fits ? a : std::nullopt;
    }
    case Node::Negate:
        if (const auto a = known(n->args[0])) return operate("-", 0, *a);
        return std::nullopt;
    case Node::Not:
        if (const auto a = known(n->args[0])) return !*a;
        return std::nullopt;
    case Node::Operate: {
        const auto a = known(n->args[0]), b = known(n->args[1]);
        if (a && ((n->text == "and" && !*a) || (n->text == "or" && *a))) return *a != 0;
        const auto result = a && b ? operate(n->text, *a, *b) : std::nullopt;
        return result && n->type == Type::I32 && *result != static_cast<int32_t>(*result) ? std::nullopt : result; // as it wraps around
    }
    default:
        return std::nullopt;
    }
}

std::optional<float> knownFloat(const NodePtr &n) {
    if (n->type != Type::F32) return std::nullopt;
    switch (n->kind) {
    case Node::Number:
        return std::strtof(n->text.c_str(), nullptr);
    case Node::Convert:
        if (const auto a = known(n->args[0])) return static_cast<float>(*a);
        return std::nullopt;
    case Node::Negate:
        if (const auto a = knownFloat(n->args[0])) return -*a;
        return std::nullopt;
    case Node::Operate: {
        const auto a = knownFloat(n->args[0]), b = knownFloat(n->args[1]);
        if (!a || !b) return std::nullopt;
        if (n->text == "+") return *a + *b;
        if (n->text == "-") return *a - *b;
        if (n->text == "*") return *a * *b;
        if (n->text == "/" && *b != 0) return *a / *b;
        return std::nullopt;
    }
    default:
        return std::nullopt;
    }
}

NodePtr logical(const std::string &op, const NodePtr &a, const NodePtr &b, clang::SourceRange where) {
    const bool decides = op == "or";
    if (const auto holds = known(a)) return (*holds != 0) == decides ? a : b;
    if (const auto holds = known(b); holds && (*holds != 0) != decides) return a;
    return operation(op, Type::Bool, a, b, where);
}

} // namespace oocc::lift
