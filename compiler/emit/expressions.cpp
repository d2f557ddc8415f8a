#include "emit/expressions.h"

#include "emit/writer.h"

#include <charconv>
#include <cstdint>

namespace oocc {

namespace {

using namespace loops;

enum Precedence {
    kConditional = 1,
    kOr,
    kAnd,
    kBits,
    kEquality,
    kRelation,
    kSum,
    kProduct,
    kPrefix,
    kPostfix
};

struct Printed {
    std::string text;
    int precedence;
};

struct OpInfo {
    const char *text;
    int precedence;
};

OpInfo info(Op op) {
    switch (op) {
    case Op::Or:
        return {"||", kOr};
    case Op::And:
        return {"&&", kAnd};
    case Op::Either:
        return {"|", kBits};
    case Op::Both:
        return {"&", kBits};
    case Op::Eq:
        return {"==", kEquality};
    case Op::Ne:
        return {"!=", kEquality};
    case Op::Lt:
        return {"<", kRelation};
    case Op::Le:
        return {"<=", kRelation};
    case Op::Gt:
        return {">", kRelation};
    case Op::Ge:
        return {">=", kRelation};
    case Op::Add:
        return {"+", kSum};
    case Op::Sub:
        return {"-", kSum};
    case Op::Mul:
        return {"*", kProduct};
    case Op::Div:
        return {"/", kProduct};
    case Op::Mod:
        return {"%", kProduct};
    }
    return {"?", 0};
}

std::string parenthesised(const Printed &p, bool wanted) {
    return wanted ? "(" + p.text + ")" : p.text;
}

template <typename Float> std::string shortest(Float value) {
    char buffer[64];
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
    std::string text(buffer, result.ptr);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
}

Printed print(const E &expr);

Printed printInt(int64_t value) {
    if (value == INT64_MIN) return {"(-INT64_C(9223372036854775807) - 1)", kPostfix};
    std::string text = std::to_string(value);
    if (value > INT32_MAX || value < -INT32_MAX)
        text = value < 0 ? "-INT64_C(" + text.substr(1) + ")" : "INT64_C(" + text + ")";
    return {text, value < 0 ? kPrefix : kPostfix};
}

Printed printBinary(const Binary &e) {
    const OpInfo op = info(e.op);
    const Printed a = print(e.a), b = print(e.b);
    // Comparisons inside comparisons and `and` inside `or` are clear only with parentheses.
    const auto unclear = [&](const Printed &p) {
        const bool logic = (op.precedence == kOr && p.precedence == kAnd) ||
                           (op.precedence == kBits && p.precedence < kPrefix);
        const bool compares = op.precedence == kEquality || op.precedence == kRelation;
        return logic || (compares && (p.precedence == kEquality || p.precedence == kRelation));
    };
    const std::string left = parenthesised(a, a.precedence < op.precedence || unclear(a));
    const std::string right = parenthesised(b, b.precedence <= op.precedence || unclear(b));
    return {left + " " + op.text + " " + right, op.precedence};
}

Printed printUnary(const Unary &e) {
    const Printed a = print(e.a);
    const bool doubled = !a.text.empty() && a.text[0] == e.op; // - -x, not --x
    return {std::string(1, e.op) + parenthesised(a, a.precedence < kPrefix || doubled), kPrefix};
}

Printed print(const E &expr) {
    struct Visitor {
        Printed operator()(const Int &e) { return printInt(e.value); }
        Printed operator()(const Real &e) {
            const std::string text =
                e.single ? shortest(static_cast<float>(e.value)) + "f" : shortest(e.value);
            return {text, text[0] == '-' ? kPrefix : kPostfix};
        }
        Printed operator()(const Bool &e) { return {e.value ? "true" : "false", kPostfix}; }
        Printed operator()(const Text &e) { return {quoteC(e.value), kPostfix}; }
        Printed operator()(const Name &e) { return {e.name, e.name[0] == '*' ? kPrefix : kPostfix}; }
        Printed operator()(const Unary &e) { return printUnary(e); }
        Printed operator()(const Binary &e) { return printBinary(e); }
        Printed operator()(const Cond &e) {
            const Printed c = print(e.condition), a = print(e.a), b = print(e.b);
            return {parenthesised(c, c.precedence <= kConditional || c.precedence == kBits) + " ? " + a.text +
                        " : " + b.text,
                    kConditional};
        }
        Printed operator()(const Call &e) {
            std::string text = e.function + "(";
            for (size_t i = 0; i < e.args.size(); ++i)
                text += (i ? ", " : "") + print(e.args[i]).text;
            return {text + ")", kPostfix};
        }
        Printed operator()(const Index &e) {
            const Printed base = print(e.base);
            return {parenthesised(base, base.precedence < kPostfix) + "[" + print(e.index).text + "]",
                    kPostfix};
        }
        Printed operator()(const CastTo &e) {
            const Printed a = print(e.a);
            return {"(" + e.type + ")" + parenthesised(a, a.precedence < kPrefix), kPrefix};
        }
    };
    return std::visit(Visitor{}, expr->node);
}

} // namespace

std::string toC(const E &expr) {
    return print(expr).text;
}

} // namespace oocc
