// Indices that a condition or a remainder keeps within the grid: `i == 0 ? n - 1 : i - 1`, `(i + 1) % n`, `x == 0 ? c : c - 1`. Each is the
// plain index, which leaves the grid, and what is found beyond the face: the other end, the nearest cell, or its neighbour.
#include "lift/understand.h"
#include "lift/walker.h"

#include <algorithm>

namespace oocc::lift {

namespace {

/// Whether p is q times something: what.
std::optional<Poly> times(const Poly &p, const Poly &q) {
    const Poly by = p.dividedBy(q);
    if (by * q == p) return by;
    return std::nullopt;
}

/// The polynomial with a value in place of the symbol; of what is linear in it.
std::optional<Poly> with(const Poly &p, int symbol, const Poly &value) {
    const auto by = p.coefficient(symbol);
    if (!by) return std::nullopt;
    return p.without(symbol) + *by * value;
}

bool alike(const Beyond &a, const Beyond &b) {
    return a.kind == b.kind && a.loop == b.loop && a.side == b.side && a.extent == b.extent && a.at == b.at;
}

} // namespace

/// The innermost loop whose variable the polynomial adds once.
const lift::Loop *Walker::loopAddedIn(const Poly &p) const {
    for (auto l = kernel_.loops.rbegin(); l != kernel_.loops.rend(); ++l)
        if (std::ranges::count(loops_, l->symbol) && p.coefficient(l->symbol) == Poly(1)) return &*l;
    return nullptr;
}

/// An index, and what it says of cells beyond faces.
std::optional<Poly> Walker::place(const NodePtr &n, std::vector<Beyond> &beyond) {
    if (auto p = polynomial(kernel_, n)) return p;
    if (!isInteger(n->type)) return std::nullopt;
    if (n->kind == Node::Convert && isInteger(n->args[0]->type)) return place(n->args[0], beyond);
    if (n->kind == Node::Choose) return chosen(n, beyond);
    if (n->kind != Node::Operate) return std::nullopt;
    if (n->text == "%") return around(n, beyond);
    if (n->text != "+" && n->text != "-" && n->text != "*") return std::nullopt;
    const auto a = place(n->args[0], beyond), b = place(n->args[1], beyond);
    if (!a || !b) return std::nullopt;
    return n->text == "+" ? *a + *b : n->text == "-" ? *a - *b : *a * *b;
}

/// `(i + k) % n`, `(i - k + n) % n`, `((i - k) % n + n) % n`.
std::optional<Poly> Walker::around(const NodePtr &n, std::vector<Beyond> &beyond) {
    const auto extent = polynomial(kernel_, n->args[1]);
    if (!extent) return std::nullopt;
    NodePtr inside = n->args[0];
    while (inside->kind == Node::Convert) inside = inside->args[0];
    if (inside->kind == Node::Operate && inside->text == "+")
        for (const int first : {0, 1}) {
            const NodePtr &rest = inside->args[static_cast<size_t>(first)], &more = inside->args[static_cast<size_t>(1 - first)];
            if (rest->kind == Node::Operate && rest->text == "%" && polynomial(kernel_, rest->args[1]) == extent &&
                polynomial(kernel_, more) == extent)
                inside = operation("+", inside->type, rest->args[0], more, inside->range);
        }
    const auto sum = polynomial(kernel_, inside);
    const lift::Loop *loop = sum ? loopAddedIn(*sum) : nullptr;
    if (!loop || !isAtMost(Poly(0), loop->low) || !isAtMost(loop->high, *extent)) return std::nullopt;
    const Poly rest = *sum - Poly::of(loop->symbol);
    auto by = rest.constant();
    if (!by || *by < 0) by = (rest - *extent).constant(); // C's remainder of what is negative is negative
    if (!by) return std::nullopt;
    if (*by != 0) beyond.push_back({Beyond::Ring, loop->symbol, *by > 0, *extent, *by > 0 ? *extent - *by : Poly(-1 - *by), n->range});
    return Poly::of(loop->symbol) + *by;
}

/// Which cells of a loop a condition picks out: those at one of its ends.
std::optional<Walker::Face> Walker::face(const NodePtr &condition) {
    if (condition->kind == Node::Not) {
        auto f = face(condition->args[0]);
        if (!f) return std::nullopt;
        f->then = !f->then;
        if (f->always) f->always = !*f->always;
        return f;
    }
    if (condition->kind != Node::Operate || condition->args.size() != 2) return std::nullopt;
    std::string op = condition->text;
    const auto a = polynomial(kernel_, condition->args[0]), b = polynomial(kernel_, condition->args[1]);
    if (!a || !b) return std::nullopt;
    Poly difference = *a - *b;
    const lift::Loop *loop = loopAddedIn(difference);
    if (!loop && (loop = loopAddedIn(*b - *a))) {
        difference = *b - *a;
        op = turned(op);
    }
    if (!loop || !isAtMost(Poly(0), loop->low)) return std::nullopt;
    Poly bound = Poly::of(loop->symbol) - difference; // variable op bound
    if (bound.has([&](int s) { return kernel_.isLoop(s) || s == kernel_.time; })) return std::nullopt;
    Face f;
    f.loop = loop;
    if (op == "==" || op == "!=") {
        f.then = op == "==";
        f.at = bound;
        f.side = bound == Poly(0) ? 0 : 1;
        return f.side && !isAtMost(loop->high, bound + 1) ? std::nullopt : std::optional(f);
    }
    const bool below = op == "<" || op == "<=";
    if (!below && op != ">" && op != ">=") return std::nullopt;
    if (op == ">" || op == "<=") bound += 1; // variable >= bound, variable < bound
    if (isAtMost(bound, loop->low)) f.always = !below;
    if (isAtMost(loop->high, bound)) f.always = below;
    const auto before = distance(loop->low, bound), after = distance(bound, loop->high);
    f.side = before && (!after || *before <= *after) ? 0 : 1;
    f.then = f.side == 0 ? below : !below;
    f.at = f.side == 0 ? bound - 1 : bound;
    return f;
}

/// `i > 0 ? i - 1 : n - 1`, `i == n - 1 ? i : i + 1`, `i > 0 ? i - 1 : 1`, and the same of an index that other loops add to.
std::optional<Poly> Walker::chosen(const NodePtr &n, std::vector<Beyond> &beyond) {
    const auto f = face(n->args[0]);
    if (!f) return std::nullopt;
    if (f->always) return place(n->args[*f->always ? 1 : 2], beyond);
    const int loop = f->loop->symbol;
    std::vector<Beyond> besides, same;
    const auto there = place(n->args[f->then ? 1 : 2], besides), other = place(n->args[f->then ? 2 : 1], same);
    if (!there || !other) return std::nullopt;
    // Along other dimensions both turn alike; along this one neither does by itself.
    if (!std::ranges::equal(besides, same, alike) || std::ranges::count(same, loop, &Beyond::loop)) return std::nullopt;
    beyond.insert(beyond.end(), same.begin(), same.end());
    const auto stride = other->coefficient(loop);
    if (!stride || *stride == Poly(0)) return std::nullopt;
    /* How much further the plain index is, where the other one is taken: for all these cells, or for the only one. */
    std::vector<Poly> further{*other - *there};
    const bool one = f->side ? isAtMost(f->loop->high, f->at + 1) : f->at == Poly(0);
    const auto plain = with(*other, loop, f->at), taken = with(*there, loop, f->at);
    if (one && plain && taken) further.push_back(*plain - *taken);
    for (const Poly &by : further) {
        const auto cells = times(f->side ? by : Poly(0) - by, *stride);
        if (!cells || cells->has([&](int s) { return kernel_.isLoop(s) || s == kernel_.time; })) continue;
        if (one && (*cells == Poly(1) || *cells == Poly(2))) {
            const Beyond::Kind kind = *cells == Poly(1) ? Beyond::Nearest : Beyond::Mirror;
            beyond.push_back({kind, loop, f->side, f->side ? std::optional(f->at + 1) : std::nullopt, f->at, n->range});
            return other;
        }
        if (isAtMost(f->loop->high, *cells)) {
            beyond.push_back({Beyond::Ring, loop, f->side, *cells, f->at, n->range});
            return other;
        }
    }
    return std::nullopt;
}

} // namespace oocc::lift
