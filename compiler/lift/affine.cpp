// Values as trees, and integer values as polynomials.
#include "lift/model.h"

#include <unordered_map>

namespace oocc::lift {

NodePtr make(Node node) {
    node.size = 1;
    for (const NodePtr &a : node.args)
        node.size += a->size;
    if (node.size > kMaxSize)
        throw Refusal{node.range,
                      "this value is too large when all scalars and functions in it are written out",
                      "keep a part of it in an array of the function's own",
                      {}};
    return std::make_shared<const Node>(std::move(node));
}

NodePtr inverted(const NodePtr &condition) {
    if (condition->kind == Node::Not) return condition->args[0];
    if (condition->kind == Node::Operate &&
        (condition->text == "==" || condition->text == "!=")) { // of nan, too
        Node other = *condition;
        other.text = condition->text == "==" ? "!=" : "==";
        return make(std::move(other));
    }
    Node n{Node::Not, Type::Bool, condition->range};
    n.args.push_back(condition);
    return make(std::move(n));
}

NodePtr operation(const std::string &op, Type type, const NodePtr &a, const NodePtr &b,
                  clang::SourceRange where) {
    Node n{Node::Operate, type, where, op};
    n.args.push_back(a);
    n.args.push_back(b);
    return make(std::move(n));
}

void walk(const NodePtr &n, const std::function<void(const Node &)> &visit) {
    if (!n) return;
    visit(*n);
    for (const NodePtr &a : n->args)
        walk(a, visit);
}

NodePtr rewrite(const NodePtr &root, const std::function<NodePtr(const NodePtr &)> &change) {
    std::unordered_map<const Node *, NodePtr> done; // what is shared stays shared
    const std::function<NodePtr(const NodePtr &)> go = [&](const NodePtr &n) -> NodePtr {
        if (!n) return n;
        if (const auto at = done.find(n.get()); at != done.end()) return at->second;
        std::vector<NodePtr> args;
        bool same = true;
        for (const NodePtr &a : n->args) {
            args.push_back(go(a));
            same = same && args.back() == a;
        }
        NodePtr result;
        if (same)
            result = change(n);
        else {
            Node copy = *n;
            copy.args = std::move(args);
            result = change(make(std::move(copy)));
        }
        return done[n.get()] = result;
    };
    return go(root);
}

namespace {

/// A symbol for a value that no polynomial says; none when it depends on cells, data or the step.
std::optional<Poly> opaque(Kernel &kernel, const NodePtr &n) {
    bool known = isInteger(n->type);
    std::string key;
    const std::function<void(const Node &)> visit = [&](const Node &m) {
        known = known && m.kind != Node::Read && m.kind != Node::Series && m.kind != Node::Step &&
                !(m.kind == Node::Scalar && kernel.isLoop(m.symbol));
        key += std::to_string(m.kind) + ':' + m.text + ':' + std::to_string(m.integer) + ':' +
               std::to_string(m.symbol) + '(';
        for (const NodePtr &a : m.args)
            visit(*a);
        key += ')';
    };
    visit(*n);
    if (!known) return std::nullopt;
    const auto [at, isNew] = kernel.opaque.try_emplace(key, -1);
    if (isNew) {
        at->second = static_cast<int>(kernel.symbols.size());
        kernel.symbols.push_back({lift::Symbol::Opaque, "", n->type, n, {}, n->range.getBegin()});
    }
    return Poly::of(at->second);
}

} // namespace

std::optional<Poly> polynomial(Kernel &kernel, const NodePtr &n) {
    if (!isInteger(n->type)) return std::nullopt;
    const auto both = [&](auto &&combine) -> std::optional<Poly> {
        const auto a = polynomial(kernel, n->args[0]), b = polynomial(kernel, n->args[1]);
        if (!a || !b) return std::nullopt;
        return combine(*a, *b);
    };
    switch (n->kind) {
    case Node::Number:
        return n->integer;
    case Node::Scalar: {
        const lift::Symbol &s = kernel.symbols[static_cast<size_t>(n->symbol)];
        if (s.kind == lift::Symbol::Value) return polynomial(kernel, NodePtr(s.value));
        return Poly::of(n->symbol);
    }
    case Node::Step:
        return Poly::of(kernel.time) + n->integer;
    case Node::Convert:
        if (isInteger(n->args[0]->type)) return polynomial(kernel, n->args[0]);
        break;
    case Node::Negate:
        if (const auto a = polynomial(kernel, n->args[0])) return Poly(0) - *a;
        return std::nullopt;
    case Node::Operate:
        if (n->text == "+") return both([](const Poly &a, const Poly &b) { return a + b; });
        if (n->text == "-") return both([](const Poly &a, const Poly &b) { return a - b; });
        if (n->text == "*") return both([](const Poly &a, const Poly &b) { return a * b; });
        if (n->text == "/") {
            const auto a = polynomial(kernel, n->args[0]), b = polynomial(kernel, n->args[1]);
            const auto x = a ? a->constant() : std::optional<int64_t>();
            const auto y = b ? b->constant() : std::optional<int64_t>();
            if (x && y && *y != 0) return Poly(*x / *y);
        }
        break;
    default:
        break;
    }
    return opaque(kernel, n);
}

} // namespace oocc::lift
