#include "loops/integers.h"

#include <algorithm>
#include <cstdint>

namespace oocc::loops {

namespace {

const int64_t *literal(const E &e) {
    const Int *value = std::get_if<Int>(&e->node);
    return value ? &value->value : nullptr;
}

bool isWide(const E &expr);

struct Wide {
    bool operator()(const Int &e) { return e.value > INT32_MAX || e.value < -INT32_MAX; }
    bool operator()(const Unary &e) { return isWide(e.a); }
    bool operator()(const Binary &e) { return isWide(e.a) || isWide(e.b); }
    bool operator()(const Cond &e) { return isWide(e.a) || isWide(e.b); }
    bool operator()(const CastTo &e) { return e.type == "int64_t"; }
    template <typename Leaf> bool operator()(const Leaf &) { return true; }
};

/// C computes the expression, which is an integer, in 64 bits: something in it is that wide. Variables are, and what functions give.
bool isWide(const E &expr) {
    return std::visit(Wide{}, expr->node);
}

bool same(const E &a, const E &b);

bool same(const std::vector<E> &a, const std::vector<E> &b) {
    return std::ranges::equal(a, b, [](const E &one, const E &other) { return same(one, other); });
}

/// Of two nodes of one kind. Floating numbers may be compared with themselves for a reason.
struct Same {
    const E &other;
    template <typename Node> const Node &as() { return std::get<Node>(other->node); }
    bool operator()(const Int &e) { return e.value == as<Int>().value; }
    bool operator()(const Real &) { return false; }
    bool operator()(const Bool &e) { return e.value == as<Bool>().value; }
    bool operator()(const Text &) { return false; }
    bool operator()(const Name &e) { return e.name == as<Name>().name; }
    bool operator()(const Unary &e) { return e.op == as<Unary>().op && same(e.a, as<Unary>().a); }
    bool operator()(const Binary &e) {
        return e.op == as<Binary>().op && same(e.a, as<Binary>().a) && same(e.b, as<Binary>().b);
    }
    bool operator()(const Cond &e) {
        return same(e.condition, as<Cond>().condition) && same(e.a, as<Cond>().a) && same(e.b, as<Cond>().b);
    }
    bool operator()(const Call &e) {
        return e.function == as<Call>().function && same(e.args, as<Call>().args);
    }
    bool operator()(const Index &e) {
        return same(e.base, as<Index>().base) && same(e.index, as<Index>().index);
    }
    bool operator()(const CastTo &e) { return e.type == as<CastTo>().type && same(e.a, as<CastTo>().a); }
};

/// Both are written alike.
bool same(const E &a, const E &b) {
    return a.get() == b.get() || (a->node.index() == b->node.index() && std::visit(Same{b}, a->node));
}

bool isNumber(const E &e) {
    return std::holds_alternative<Int>(e->node) || std::holds_alternative<Real>(e->node);
}

/// What a comparison with a number is of; null of any other expression.
E compared(const E &e) {
    const Binary *binary = std::get_if<Binary>(&e->node);
    if (!binary || binary->op < Op::Eq || binary->op > Op::Ge || isNumber(binary->a) == isNumber(binary->b))
        return nullptr;
    return isNumber(binary->a) ? binary->b : binary->a;
}

struct Calls {
    static bool in(const E &e) { return std::visit(Calls{}, e->node); }
    bool operator()(const Unary &e) { return in(e.a); }
    bool operator()(const Binary &e) { return in(e.a) || in(e.b); }
    bool operator()(const Cond &e) { return in(e.condition) || in(e.a) || in(e.b); }
    bool operator()(const Call &) { return true; }
    bool operator()(const Index &e) { return in(e.base) || in(e.index); }
    bool operator()(const CastTo &e) { return in(e.a); }
    template <typename Leaf> bool operator()(const Leaf &) { return false; }
};

/// gcc 12 makes one bit of `a % 2 == 0`, which it cannot join to another condition in vectors.
E ofTwoBits(const E &e) {
    if (const Unary *no = std::get_if<Unary>(&e->node); no && no->op == '!') {
        const E inner = ofTwoBits(no->a);
        if (inner.get() == no->a.get()) return e;
        const Binary &test = std::get<Binary>(inner->node);
        return binary(test.op == Op::Eq ? Op::Ne : Op::Eq, test.a, test.b);
    }
    const Binary *test = std::get_if<Binary>(&e->node);
    if (!test || (test->op != Op::Eq && test->op != Op::Ne) || !isLiteral(test->b, 0)) return e;
    const Binary *rest = std::get_if<Binary>(&test->a->node);
    if (!rest || rest->op != Op::Mod || !isLiteral(rest->b, 2)) return e;
    return binary(test->op, call("oocc_parity", {rest->a}), test->b);
}

/// No number outside of 1 to 254 tells anything of a u8 that is compared with it.
bool decides(const E &number) {
    const int64_t *n = literal(number);
    return n && (*n <= 0 || *n >= 255);
}

} // namespace

Op opOf(BinaryOp op) {
    switch (op) {
    case BinaryOp::Add:
        return Op::Add;
    case BinaryOp::Sub:
        return Op::Sub;
    case BinaryOp::Mul:
        return Op::Mul;
    case BinaryOp::Div:
        return Op::Div;
    case BinaryOp::Mod:
        return Op::Mod;
    case BinaryOp::Eq:
        return Op::Eq;
    case BinaryOp::Ne:
        return Op::Ne;
    case BinaryOp::Lt:
        return Op::Lt;
    case BinaryOp::Le:
        return Op::Le;
    case BinaryOp::Gt:
        return Op::Gt;
    case BinaryOp::Ge:
        return Op::Ge;
    case BinaryOp::And:
        return Op::And;
    case BinaryOp::Or:
        return Op::Or;
    }
    return Op::Add;
}

std::optional<int64_t> foldedInteger(BinaryOp op, const E &a, const E &b) {
    const int64_t *left = literal(a), *right = literal(b);
    if (!left || !right) return std::nullopt;
    int64_t result = 0;
    switch (op) {
    case BinaryOp::Add:
        return __builtin_add_overflow(*left, *right, &result) ? std::nullopt : std::optional(result);
    case BinaryOp::Sub:
        return __builtin_sub_overflow(*left, *right, &result) ? std::nullopt : std::optional(result);
    case BinaryOp::Mul:
        return __builtin_mul_overflow(*left, *right, &result) ? std::nullopt : std::optional(result);
    case BinaryOp::Div:
        return *right > 0 ? std::optional(*left / *right) : std::nullopt;
    case BinaryOp::Mod:
        return *right > 0 ? std::optional(*left % *right) : std::nullopt;
    default:
        return std::nullopt;
    }
}

E widened(E a, const E &b) {
    return isWide(a) || isWide(b) ? a : cast("int64_t", a);
}

std::string wrapping(BinaryOp op, Type type) {
    const std::string name = op == BinaryOp::Add   ? "oocc_plus"
                             : op == BinaryOp::Sub ? "oocc_minus"
                                                   : "oocc_times";
    return type == Type::I32 ? name + "_i32" : name;
}

bool areOfOneValue(const E &a, const E &b) {
    const E left = compared(a), right = compared(b);
    return left.get() && right.get() && same(left, right);
}

E bothOrEither(BinaryOp op, E a, E b) {
    a = ofTwoBits(a);
    b = ofTwoBits(b);
    // Where both sides call functions clang suspects that the second one should not be; not of a number.
    if (Calls::in(a) && Calls::in(b)) a = cast("int", a);
    return binary(op == BinaryOp::And ? Op::Both : Op::Either, a, b);
}

E comparison(BinaryOp op, E a, E b, Type type, bool leftIsU8, bool rightIsU8) {
    if (same(a, b) && type == Type::Bool)
        a = binary(Op::Either, a, std::make_shared<const Expr>(Expr{Bool{false}}));
    else if (same(a, b) && isInteger(type))
        a = call(type == Type::I32 ? "oocc_max_i32" : "oocc_max", {a, a});
    else if (leftIsU8 && decides(b))
        a = call("oocc_abs_i32", {a});
    else if (rightIsU8 && decides(a))
        b = call("oocc_abs_i32", {b});
    return binary(opOf(op), a, b);
}

} // namespace oocc::loops
