// Stores, seen from the cells that they go to: which cells these are, and at which distance from them values are read.
#include "lift/understand.h"

#include <algorithm>

namespace oocc::lift {

namespace {

std::vector<int> loopsIn(const Kernel &kernel, const Poly &p) {
    std::vector<int> list;
    for (const auto &[monomial, factor] : p.terms())
        for (int s : monomial)
            if (kernel.isLoop(s) && !std::ranges::count(list, s)) list.push_back(s);
    return list;
}

const lift::Loop &loopOf(const Kernel &kernel, int symbol) {
    return *std::ranges::find(kernel.loops, symbol, &lift::Loop::symbol);
}

class Binder {
  public:
    Binder(Kernel &kernel, const std::vector<Poly> &extents, const std::vector<int> &dims)
        : kernel_(kernel), extents_(extents), dims_(dims) {}

    void cells(Store &s) {
        const std::string &name = kernel_.arrays[static_cast<size_t>(s.array)].name;
        for (const Poly &index : s.index) {
            const std::vector<int> loops = loopsIn(kernel_, index);
            Store::Dim dim;
            if (loops.empty()) {
                dim.low = index;
                dim.high = index + 1;
            } else {
                const Poly rest = index.without(loops[0]);
                const auto shift = rest.constant();
                if (loops.size() > 1 || !(index == Poly::of(loops[0]) + rest))
                    refuse(s.where,
                           "'" + name + "' is stored at cells that do not follow the loops one by one",
                           "an index is the variable of one loop, and a number added to it");
                if (!shift)
                    refuse(s.where, "'" + name + "' is stored at a distance that is not a number",
                           "move the bounds of the loop instead");
                const lift::Loop &loop = loopOf(kernel_, loops[0]);
                dim = {loops[0], *shift, loop.low + *shift, loop.high + *shift};
            }
            s.dims.push_back(std::move(dim));
        }
        for (int loop : s.loops) {
            const auto times = std::ranges::count(s.dims, loop, &Store::Dim::loop);
            const std::string variable = "'" + kernel_.symbols[static_cast<size_t>(loop)].name + "'";
            if (times == 0)
                throw Refusal{
                    s.where,
                    "every pass of the loop over " + variable + " stores into the same cells of '" + name +
                        "'",
                    "sum up in a scalar, over a number of passes that is known; or use a loop over time",
                    {{loopOf(kernel_, loop).where, "this is the loop"}}};
            if (times > 1)
                refuse(s.where, "the loop over " + variable + " goes along a diagonal of '" + name + "'",
                       "go over a box of cells");
        }
    }

    void value(Store &s) {
        s.value = seen(s, s.value);
        Box box = boxOf(s);
        std::vector<NodePtr> rest;
        for (const NodePtr &g : s.guards)
            if (NodePtr left = narrow(kernel_, box, seen(s, g), dims_, true)) rest.push_back(left);
        s.guards = std::move(rest);
        for (size_t d = 0; d < s.dims.size(); ++d)
            s.dims[d].low = box.low[d], s.dims[d].high = box.high[d];
    }

  private:
    /// In the cell's coordinates; reads with their distances.
    NodePtr seen(const Store &s, const NodePtr &value) {
        return rewrite(value, [&](const NodePtr &n) -> NodePtr {
            if (n->kind == Node::Scalar && kernel_.isLoop(n->symbol)) {
                const auto at = std::ranges::find(s.dims, n->symbol, &Store::Dim::loop);
                if (at == s.dims.end()) return n; // a dimension already
                Node c = *n;
                c.symbol = dims_[static_cast<size_t>(at - s.dims.begin())];
                NodePtr cell = make(std::move(c));
                if (at->shift == 0) return cell;
                const int64_t by = std::abs(at->shift);
                NodePtr distance = make({Node::Number, n->type, n->range, std::to_string(by), by});
                return operation(at->shift > 0 ? "-" : "+", n->type, cell, distance, n->range);
            }
            if (n->kind != Node::Read) return n;
            Node read = *n;
            for (size_t d = 0; d < s.dims.size(); ++d)
                read.offset.push_back(distanceTo(s, s.dims[d], *n, d));
            for (Beyond &b : read.beyond)
                beyond(s, *n, b);
            return make(std::move(read));
        });
    }

    int64_t distanceTo(const Store &s, const Store::Dim &dim, const Node &n, size_t d) {
        const std::string name = "'" + kernel_.arrays[static_cast<size_t>(n.array)].name + "'";
        const Poly &index = n.index[d];
        if (dim.loop < 0) {
            if (const auto offset = distance(dim.low, index)) return *offset;
            refuse(n.range, name + " is read at a distance from the cell that is not a number");
        }
        if (const auto offset = (index - Poly::of(dim.loop)).constant()) return *offset - dim.shift;
        const std::vector<int> loops = loopsIn(kernel_, index);
        const std::string own = kernel_.symbols[static_cast<size_t>(dim.loop)].name;
        if (loops.empty())
            refuse(
                n.range, name + " is read at the same place for all cells along '" + own + "'",
                "oocc reads at constant distances from a cell; a value for all cells is a scalar parameter");
        if (std::ranges::count(loops, dim.loop) == 0)
            throw Refusal{
                n.range,
                name +
                    " is read with its indices in another order than the array is stored with (transposed)",
                "oocc reads at constant distances from the cell; store the other array transposed",
                {{s.where, "it is stored here"}}};
        if (index.coefficient(dim.loop) == Poly(1))
            refuse(n.range, name + " is read at a distance from the cell that is not a number",
                   "make the distance a number, by #define or const: oocc must know how far a step reads");
        refuse(n.range, name + " is read with a stride: '" + own + "' is multiplied",
               "oocc reads at constant distances from a cell");
    }

    /// Of which dimension it is, and whether the C turns to the other cell where the grid ends, and nowhere else.
    void beyond(const Store &s, const Node &n, Beyond &b) {
        const auto at = std::ranges::find(s.dims, b.loop, &Store::Dim::loop);
        if (at == s.dims.end()) refuse(b.where, "this index is not that of a loop that the store is in");
        b.dim = static_cast<int>(at - s.dims.begin());
        const size_t d = static_cast<size_t>(b.dim);
        const auto by = (n.index[d] - Poly::of(b.loop)).constant();
        const Poly past = b.side ? extents_[d] : Poly(-1);
        const bool there = by && (b.side ? *by > 0 : *by < 0) && b.at + *by == past;
        if (!there || (b.extent && !(*b.extent == extents_[d])))
            refuse(b.where, "this index turns to another cell elsewhere than at the end of '" + kernel_.arrays[static_cast<size_t>(n.array)].name + "'",
                   "oocc reads at constant distances from a cell, and beyond a face what an edge gives: the other end, the nearest cell, or its mirror image");
    }

    Kernel &kernel_;
    const std::vector<Poly> &extents_;
    const std::vector<int> &dims_;
};

std::string negated(const std::string &op) {
    static const std::map<std::string, std::string> other{{"<", ">="}, {">", "<="},  {"<=", ">"},
                                                          {">=", "<"}, {"==", "!="}, {"!=", "=="}};
    return other.at(op);
}

} // namespace

std::string turned(const std::string &op) {
    static const std::map<std::string, std::string> other{{"<", ">"}, {">", "<"}, {"<=", ">="}, {">=", "<="}};
    const auto at = other.find(op);
    return at == other.end() ? op : at->second;
}

NodePtr narrow(Kernel &kernel, Box &box, const NodePtr &condition, const std::vector<int> &dims, bool holds) {
    const auto whole = [&]() -> NodePtr { return holds ? condition : inverted(condition); };
    if (condition->kind == Node::Not) return narrow(kernel, box, condition->args[0], dims, !holds);
    if (condition->kind == Node::Convert && condition->args[0]->type == Type::Bool)
        return narrow(kernel, box, condition->args[0], dims, holds);
    if (condition->kind != Node::Operate) return whole();
    if (condition->text == (holds ? "and" : "or")) {
        NodePtr a = narrow(kernel, box, condition->args[0], dims, holds),
                b = narrow(kernel, box, condition->args[1], dims, holds);
        if (!a || !b) return a ? a : b;
        return operation("and", Type::Bool, a, b, condition->range);
    }
    std::string op = condition->text;
    if (condition->type != Type::Bool || op == "and" || op == "or") return whole();
    if (!holds) op = negated(op);
    const auto a = polynomial(kernel, condition->args[0]), b = polynomial(kernel, condition->args[1]);
    if (!a || !b) return whole();
    Poly difference = *a - *b; // op 0
    for (size_t d = 0; d < dims.size(); ++d) {
        const auto by = difference.coefficient(dims[d]);
        if (!by || !(*by == Poly(1) || *by == Poly(-1))) continue;
        const bool plus = *by == Poly(1);
        const Poly rest = difference.without(dims[d]);
        if (rest.has([&](int s) { return kernel.isLoop(s) || s == kernel.time; })) return whole();
        const Poly bound = plus ? Poly(0) - rest : rest; // coordinate op bound, turned when !plus
        if (!plus) op = turned(op);
        const auto raise = [&](const Poly &to) {
            if (isAtMost(box.low[d], to))
                box.low[d] = to;
            else
                return isAtMost(to, box.low[d]);
            return true;
        };
        const auto lower = [&](const Poly &to) {
            if (isAtMost(to, box.high[d]))
                box.high[d] = to;
            else
                return isAtMost(box.high[d], to);
            return true;
        };
        bool said = true;
        if (op == ">" || op == ">=") said = raise(op == ">" ? bound + 1 : bound);
        if (op == "<" || op == "<=") said = lower(op == "<=" ? bound + 1 : bound);
        if (op == "!=") { // all but one: the rest is a box where that is the first one or the last
            if (box.low[d] == bound)
                box.low[d] = bound + 1;
            else if (box.high[d] == bound + 1)
                box.high[d] = bound;
            else
                said = false;
        }
        if (op == "==") {
            // A plane, if it is one of the box's for sure or not: cells outside of the box are left out by the caller anyway.
            const Box before = box;
            said = raise(bound) && lower(bound + 1);
            if (!said) box = before;
        }
        return said ? nullptr : whole();
    }
    return whole();
}

void bindStores(Kernel &kernel, const std::vector<Poly> &extents, const std::vector<int> &dims) {
    Binder binder(kernel, extents, dims);
    for (Store &s : kernel.stores) {
        binder.cells(s);
        for (size_t d = 0; d < s.dims.size(); ++d) {
            const auto low = s.dims[d].low.constant(), high = distance(extents[d], s.dims[d].high);
            if ((low && *low < 0) || (high && *high > 0))
                refuse(s.where, "this store leaves the array '" +
                                    kernel.arrays[static_cast<size_t>(s.array)].name + "'");
        }
    }
    for (Store &s : kernel.stores)
        binder.value(s);
}

Box cellsRead(const Box &box, const Node &read, const std::vector<Poly> &extents) {
    Box cells = box;
    for (size_t d = 0; d < box.low.size(); ++d)
        cells.low[d] += read.offset[d], cells.high[d] += read.offset[d];
    for (const Beyond &b : read.beyond) { // wherever the C reads then, it is somewhere there
        cells.low[static_cast<size_t>(b.dim)] = Poly(0);
        cells.high[static_cast<size_t>(b.dim)] = extents[static_cast<size_t>(b.dim)];
    }
    return cells;
}

bool disjoint(const Box &a, const Box &b) {
    for (size_t d = 0; d < a.low.size(); ++d)
        if (isAtMost(a.high[d], b.low[d]) || isAtMost(b.high[d], a.low[d])) return true;
    return false;
}

bool within(const Box &a, const Box &b) {
    for (size_t d = 0; d < a.low.size(); ++d)
        if (!isAtMost(b.low[d], a.low[d]) || !isAtMost(a.high[d], b.high[d])) return false;
    return true;
}

} // namespace oocc::lift
