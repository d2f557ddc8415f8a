// The grid: how large it is, and which of its cells an index names, whether arrays are declared with their sizes or flat.
#include "lift/understand.h"

#include <algorithm>

namespace oocc::lift {

namespace {

int degree(const Poly &p) {
    size_t most = 0;
    for (const auto &[monomial, factor] : p.terms())
        most = std::max(most, monomial.size());
    return static_cast<int>(most);
}

class Grid {
  public:
    explicit Grid(Kernel &kernel) : kernel_(kernel) {}

    std::vector<Poly> find() {
        declared();
        if (extents_.empty()) flat();
        strides_.assign(extents_.size(), Poly(1));
        for (size_t d = extents_.size() - 1; d-- > 0;)
            strides_[d] = strides_[d + 1] * extents_[d + 1];
        for (Store &s : kernel_.stores) {
            s.index = unfolded(s.array, s.index, s.where);
            s.value = rewritten(s.value);
            for (NodePtr &g : s.guards)
                g = rewritten(g);
        }
        if (!outermostKnown_) outermost();
        return extents_;
    }

  private:
    Array &array(int a) { return kernel_.arrays[static_cast<size_t>(a)]; }

    template <typename Visit> void reads(Visit &&visit) {
        for (const Store &s : kernel_.stores) {
            const auto one = [&](const Node &n) {
                if (n.kind == Node::Read) visit(n);
            };
            walk(s.value, one);
            for (const NodePtr &g : s.guards)
                walk(g, one);
        }
    }

    void declared() {
        const Array *first = nullptr;
        const auto take = [&](int index, clang::SourceRange where) {
            const Array &a = array(index);
            if (a.extents.empty()) return;
            if (!first) {
                first = &a;
                extents_ = a.extents;
                outermostKnown_ = a.outermostKnown;
                return;
            }
            bool same = a.extents.size() == extents_.size();
            for (size_t d = 0; same && d < extents_.size(); ++d) {
                if (d == 0 && !a.outermostKnown) continue;
                if (d == 0 && !outermostKnown_) {
                    extents_[0] = a.extents[0];
                    outermostKnown_ = true;
                }
                same = a.extents[d] == extents_[d];
            }
            if (!same)
                throw Refusal{where,
                              "'" + a.name + "' and '" + first->name +
                                  "' have different sizes; a program has one grid",
                              "give all arrays the size of the grid",
                              {{first->where, "'" + first->name + "' is declared here"}}};
        };
        for (const Store &s : kernel_.stores)
            take(s.array, s.where);
        reads([&](const Node &n) { take(n.array, n.range); });
    }

    /// Sizes from what the variables of loops are multiplied by: z*ny*nx + y*nx + x.
    void flat() {
        const auto depth = [](const Store &s) { return s.loops.size(); };
        const Store &s = *std::ranges::max_element(kernel_.stores, {}, depth);
        std::vector<Poly> strides;
        for (int loop : s.loops) {
            const auto by = s.index[0].coefficient(loop);
            if (!by) refuse(s.where, "this index is not affine: the variable of a loop is multiplied by one");
            if (!(*by == Poly(0))) strides.push_back(*by);
        }
        std::ranges::stable_sort(strides, [](const Poly &a, const Poly &b) {
            if (degree(a) != degree(b)) return degree(a) > degree(b);
            return a.constant().value_or(0) > b.constant().value_or(0);
        });
        if (strides.empty() || !(strides.back() == Poly(1)))
            refuse(s.where, "no loop goes over neighbours in memory here",
                   "the index must contain one variable as it is: 'a[i*n + j]'; records of several values "
                   "per cell become arrays of their own");
        if (strides.size() > kMaxDims) refuse(s.where, "a grid has at most four dimensions");
        extents_.assign(1, Poly(0));
        for (size_t d = 1; d < strides.size(); ++d) {
            const Poly n = strides[d - 1].dividedBy(strides[d]);
            if (!(n * strides[d] == strides[d - 1]))
                refuse(s.where, "this index does not go over a grid row by row",
                       "write it as '(z*ny + y)*nx + x'");
            extents_.push_back(n);
        }
        outermostKnown_ = false;
    }

    std::vector<Poly> unfolded(int a, const std::vector<Poly> &index, clang::SourceRange where) {
        if (index.size() == extents_.size()) return index;
        if (index.size() != 1)
            refuse(where, "'" + array(a).name + "' has " + std::to_string(index.size()) +
                              " dimensions, and the grid " + std::to_string(extents_.size()));
        std::vector<Poly> result(extents_.size());
        Poly rest = index[0];
        for (const lift::Loop &loop : kernel_.loops) {
            const Poly by = index[0].coefficient(loop.symbol).value_or(Poly(0));
            if (by == Poly(0)) continue;
            const auto at = std::ranges::find(strides_, by);
            if (at == strides_.end())
                refuse(where,
                       "'" + array(a).name +
                           "' is not indexed as the other arrays are, row by row over the same grid",
                       "give all arrays the size and the order of the grid");
            const Poly variable = Poly::of(loop.symbol);
            result[static_cast<size_t>(at - strides_.begin())] += variable;
            rest -= variable * by;
        }
        for (size_t d = 0; d + 1 < strides_.size(); ++d) {
            const Poly q = rest.dividedBy(strides_[d]);
            result[d] += q;
            rest -= q * strides_[d];
        }
        result.back() += rest;
        return result;
    }

    NodePtr rewritten(const NodePtr &n) {
        return rewrite(n, [&](const NodePtr &m) {
            if (m->kind != Node::Read) return m;
            Node copy = *m;
            copy.index = unfolded(m->array, m->index, m->range);
            return make(std::move(copy));
        });
    }

    /// As many planes as the loops surely touch.
    void outermost() {
        std::optional<Poly> most;
        const auto reach = [&](const std::vector<Poly> &index, clang::SourceRange where, const std::vector<Beyond> &beyond = {}) {
            Poly high = index[0] + 1;
            for (const lift::Loop &loop : kernel_.loops) {
                const auto by = high.coefficient(loop.symbol);
                if (by && *by == Poly(1)) high = high.without(loop.symbol) + loop.high - 1;
            }
            for (const Beyond &b : beyond) { // it reads on at another cell: how far cells go, the index says, or nothing does
                if (!(index[0].coefficient(b.loop) == Poly(1))) continue;
                if (!b.extent) return;
                high = *b.extent;
            }
            if (!most) most = high;
            const auto more = distance(*most, high);
            if (!more)
                refuse(where,
                       "how long the slowest dimension is does not follow from the loops: they have "
                       "different bounds there",
                       "declare the array with its size, or use one parameter");
            if (*more > 0) most = high;
        };
        for (const Store &s : kernel_.stores)
            reach(s.index, s.where);
        reads([&](const Node &n) { reach(n.index, n.range, n.beyond); });
        extents_[0] = *most;
    }

    Kernel &kernel_;
    std::vector<Poly> extents_, strides_;
    bool outermostKnown_ = true;
};

} // namespace

std::vector<Poly> findGrid(Kernel &kernel) {
    return Grid(kernel).find();
}

} // namespace oocc::lift
