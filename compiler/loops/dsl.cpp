#include "loops/dsl.h"

namespace oocc::loops {

namespace {

E make(Expr expr) {
    return std::make_shared<const Expr>(std::move(expr));
}

const int64_t *literal(const E &e) {
    const Int *value = std::get_if<Int>(&e->node);
    return value ? &value->value : nullptr;
}

} // namespace

E lit(int64_t value) {
    return make({Int{value}});
}
E var(const std::string &name) {
    return make({Name{name}});
}
E text(const std::string &value) {
    return make({Text{value}});
}
E call(const std::string &function, std::vector<E> args) {
    return make({Call{function, std::move(args)}});
}
E at(E base, E index) {
    return make({Index{std::move(base), std::move(index)}});
}
E cast(const std::string &type, E a) {
    return make({CastTo{type, std::move(a)}});
}
E cond(E condition, E a, E b) {
    return make({Cond{std::move(condition), std::move(a), std::move(b)}});
}
E binary(Op op, E a, E b) {
    return make({Binary{op, std::move(a), std::move(b)}});
}
E negate(E a) {
    return make({Unary{'-', std::move(a)}});
}
E notE(E a) {
    return make({Unary{'!', std::move(a)}});
}
E addressOf(E a) {
    return make({Unary{'&', std::move(a)}});
}

bool isLiteral(const E &e, int64_t value) {
    const int64_t *held = literal(e);
    return held && *held == value;
}

E operator+(E a, E b) {
    if (isLiteral(a, 0)) return b;
    if (const int64_t *right = literal(b)) {
        if (*right == 0) return a;
        if (const int64_t *left = literal(a)) return lit(*left + *right);
        // x - 2 + 1 is x - 1.
        const Binary *sum = std::get_if<Binary>(&a->node);
        const int64_t *added = sum && (sum->op == Op::Add || sum->op == Op::Sub) ? literal(sum->b) : nullptr;
        if (added) return sum->a + lit(sum->op == Op::Add ? *added + *right : *right - *added);
        if (*right < 0) return binary(Op::Sub, a, lit(-*right));
    }
    return binary(Op::Add, a, b);
}

E operator-(E a, E b) {
    if (const int64_t *right = literal(b)) return a + lit(-*right);
    return isLiteral(a, 0) ? negate(b) : binary(Op::Sub, a, b);
}

E operator*(E a, E b) {
    if (isLiteral(a, 0) || isLiteral(b, 0)) return lit(0);
    if (isLiteral(a, 1)) return b;
    return isLiteral(b, 1) ? a : binary(Op::Mul, a, b);
}

E operator<(E a, E b) {
    return binary(Op::Lt, a, b);
}
E operator>=(E a, E b) {
    return binary(Op::Ge, a, b);
}
E operator==(E a, E b) {
    return binary(Op::Eq, a, b);
}
E operator&&(E a, E b) {
    if (!a || !b) return a ? a : b;
    return binary(Op::And, a, b);
}
E operator||(E a, E b) {
    if (!a || !b) return a ? a : b;
    return binary(Op::Or, a, b);
}

E minOf(E a, E b) {
    return call("oocc_min", {std::move(a), std::move(b)});
}
E maxOf(E a, E b) {
    return call("oocc_max", {std::move(a), std::move(b)});
}

std::string shortened(const std::string &text, size_t most) {
    if (text.size() <= most) return text;
    const size_t space = text.rfind(' ', most);
    return text.substr(0, space == std::string::npos ? most : space) + " ...";
}

Stmt comment(const std::string &text) {
    return {Comment{text}};
}
Stmt declare(const std::string &type, const std::string &name, E value) {
    return {Declare{type, name, std::move(value)}};
}
Stmt assign(E target, E value) {
    return {Assign{std::move(target), std::move(value)}};
}
Stmt run(E call) {
    return {Do{std::move(call)}};
}
Stmt loop(const std::string &name, E lo, E hi, Body body, const std::string &pragma) {
    return {For{name, std::move(lo), std::move(hi), pragma, std::move(body)}};
}
Stmt loopBy(E step, const std::string &name, E lo, E hi, Body body) {
    if (isLiteral(step, 1)) step = nullptr;
    return {For{name, std::move(lo), std::move(hi), "", std::move(body), false, std::move(step)}};
}
Stmt loopTo(const std::string &name, E first, E last, Body body) {
    return {For{name, std::move(first), std::move(last), "", std::move(body), true}};
}
Stmt when(E condition, Body then, Body otherwise) {
    return {If{std::move(condition), std::move(then), std::move(otherwise)}};
}
Stmt scope(const std::string &pragma, Body body) {
    return {Scope{pragma, std::move(body)}};
}

} // namespace oocc::loops
