// The faces of the grid: where a rim stays as it is, where `where` keeps an update away, and where a value beyond the face is
// asked for that a condition of the C never lets anyone see.
#include "lift/understand.h"

#include <algorithm>

namespace oocc::lift {

namespace {

class Edges {
  public:
    Edges(Kernel &kernel, Plan &plan, const std::vector<int> &dims)
        : kernel_(kernel), plan_(plan), dims_(dims) {
        whole_.low.assign(plan.extents.size(), Poly(0));
        whole_.high = plan.extents;
    }

    void run() {
        for (Definition &d : plan_.definitions) {
            // One region whose other cells stay as they are is an update with a rim; anything else is a choice by conditions.
            const auto alike = [&](const Definition::Piece &p) {
                return p.box.low == d.pieces[0].box.low && p.box.high == d.pieces[0].box.high;
            };
            const bool keeps = !d.pieces.empty() && std::ranges::all_of(d.pieces, alike) && d.from == 0 &&
                               d.field >= 0 && (d.field == d.array || !d.hasBase);
            const bool covers = d.pieces.size() == 1 && !d.pieces[0].guard && covered(d.pieces[0].box);
            d.chain = !keeps && !covers &&
                      !(d.field < 0 && !d.hasBase && d.pieces.size() == 1 && !d.pieces[0].guard);
            for (const Definition::Piece &p : d.pieces) {
                inside(p.value, p.box);
                if (p.guard) inside(p.guard, p.box);
            }
        }
        for (bool again = true; again;) {
            again = false;
            for (const Definition &d : plan_.definitions)
                again = reach(d) || again;
        }
        for (Definition &d : plan_.definitions)
            if (d.field >= 0 && !d.chain && !d.pieces.empty()) rim(d);
    }

  private:
    size_t rank() const { return plan_.extents.size(); }
    bool covered(const Box &box) const {
        for (size_t d = 0; d < rank(); ++d)
            if (!isAtMost(box.low[d], Poly(0)) || !isAtMost(plan_.extents[d], box.high[d])) return false;
        return true;
    }

    /// What the read's index says of this face.
    static const Beyond *edge(const Node &n, size_t d, int side) {
        for (const Beyond &b : n.beyond)
            if (b.dim == static_cast<int>(d) && (b.side == side || b.kind == Beyond::Ring)) return &b;
        return nullptr;
    }

    /// Keeps it with the array that is read: one face has one edge.
    static void take(Plan::Use &use, const Beyond &b, const std::string &name) {
        for (int side : {0, 1}) {
            if (b.kind != Beyond::Ring && b.side != side) continue;
            std::optional<Beyond> &there = use.beyond[b.dim][side];
            if (there && there->kind != b.kind)
                throw Refusal{b.where,
                              "'" + name + "' is read beyond one face in two ways",
                              "a field has one edge at a face: copy it to an array of its own for the other",
                              {{there->where, "this is the other one"}}};
            there = b;
        }
    }

    /// Reads of a value that is computed on the box: none may leave the array, as far as can be seen.
    void inside(const NodePtr &n, const Box &box) {
        if (n->kind == Node::Choose) {
            inside(n->args[0], box);
            Box yes = box, no = box;
            narrow(kernel_, yes, n->args[0], dims_, true);
            narrow(kernel_, no, n->args[0], dims_, false);
            inside(n->args[1], yes);
            inside(n->args[2], no);
            return;
        }
        if (n->kind == Node::Operate && (n->text == "and" || n->text == "or")) {
            inside(n->args[0], box);
            Box then = box;
            narrow(kernel_, then, n->args[0], dims_, n->text == "and");
            inside(n->args[1], then);
            return;
        }
        for (const NodePtr &a : n->args)
            inside(a, box);
        if (n->kind != Node::Read) return;
        const Array &array = kernel_.arrays[static_cast<size_t>(n->array)];
        for (size_t d = 0; d < rank(); ++d) {
            const auto low = (box.low[d] + n->offset[d]).constant();
            const auto beyond = distance(plan_.extents[d], box.high[d] + n->offset[d]);
            const std::string dim = "'" + plan_.dims[d] + "'";
            if ((low && *low < 0 && !edge(*n, d, 0)) || (beyond && *beyond > 0 && !edge(*n, d, 1)))
                refuse(n->range,
                       "this read of '" + array.name + "' leaves the array along " + dim +
                           (low && *low < 0 ? ", before its first cell" : ", after its last cell"),
                       "begin and end the loops further inside, or put a condition on the index around the "
                       "read");
            if (array.extents.empty() && d > 0 && (!low || !beyond))
                refuse(n->range,
                       "it cannot be seen that this read of '" + array.name +
                           "' stays within its row along " + dim,
                       "write the loops' bounds, or the condition around the read, with the sizes that the "
                       "index is made of");
        }
    }

    /// By the rules of analysis/edges: how far the definition must keep away from each face, how far it reaches, and where it does
    /// not keep away far enough. True when that was news.
    bool reach(const Definition &d) {
        bool news = false;
        Faces &reach = reach_[&d - plan_.definitions.data()];
        for (size_t dim = 0; dim < rank(); ++dim)
            for (int side = 0; side < 2; ++side) {
                const std::optional<int64_t> margin = marginOf(d, dim, side);
                int64_t rim = 0;
                forReads(d, [&](const Node &n) {
                    const int64_t towards = side ? n.offset[dim] : -n.offset[dim];
                    Plan::Use &read = edgesOf(n);
                    const auto temp = rims_.find({n.array, n.version});
                    int64_t needed = std::max<int64_t>(0, towards);
                    if (temp != rims_.end()) needed = std::max<int64_t>(0, towards + temp->second[dim][side]);
                    if (const Beyond *b = edge(n, dim, side)) take(read, *b, kernel_.arrays[static_cast<size_t>(n.array)].name);
                    if (read.unseen[dim][side] || read.beyond[dim][side]) needed = 0;
                    if (!margin || needed > *margin) {
                        news = news || needed > 0;
                        read.unseen[dim][side] = read.unseen[dim][side] || needed > 0;
                        return;
                    }
                    rim = std::max(rim, needed);
                    reach[dim][side] = std::max({reach[dim][side], towards, needed});
                });
                if (d.field < 0) {
                    const Plan::Use &own = plan_.temps[{d.array, d.version}];
                    rims_[{d.array, d.version}][dim][side] = own.unseen[dim][side] || own.beyond[dim][side] ? 0 : rim;
                }
            }
        return news;
    }

    /// Cells between the face and the region, when that is a number.
    std::optional<int64_t> marginOf(const Definition &d, size_t dim, int side) const {
        if (d.chain || d.pieces.empty()) return 0;
        const Box &box = d.pieces[0].box;
        return side ? distance(box.high[dim], plan_.extents[dim]) : box.low[dim].constant();
    }

    template <typename Visit> void forReads(const Definition &d, Visit &&visit) const {
        for (const Definition::Piece &p : d.pieces)
            for (const NodePtr &n : {p.value, p.guard})
                walk(n, [&](const Node &m) {
                    if (m.kind == Node::Read) visit(m);
                });
    }

    Plan::Use &edgesOf(const Node &n) {
        const auto temp = plan_.temps.find({n.array, n.version});
        if (temp != plan_.temps.end()) return temp->second;
        return plan_
            .uses[static_cast<size_t>(n.version == 0 ? n.array : plan_.owner[static_cast<size_t>(n.array)])];
    }

    /// Fixed, where the rim is as wide as the reach; else a bound.
    void rim(Definition &d) {
        Plan::Use &use = plan_.uses[static_cast<size_t>(d.field)];
        for (size_t dim = 0; dim < rank(); ++dim)
            for (int side = 0; side < 2; ++side) {
                const auto margin = marginOf(d, dim, side);
                if (margin && *margin == 0) continue;
                const int64_t own = reach_[&d - plan_.definitions.data()][dim][side];
                if (margin && own == *margin && !use.unseen[dim][side] && !use.beyond[dim][0] && !use.beyond[dim][1])
                    use.fixed[dim][side] = true;
                else
                    d.where[dim][side] = true;
            }
    }

    using Faces = std::array<std::array<int64_t, 2>, kMaxDims>;

    Kernel &kernel_;
    Plan &plan_;
    const std::vector<int> &dims_;
    Box whole_;
    std::map<std::ptrdiff_t, Faces> reach_;
    std::map<std::pair<int, int>, Faces> rims_;
};

} // namespace

void settleEdges(Kernel &kernel, Plan &plan, const std::vector<int> &dims) {
    Edges(kernel, plan, dims).run();
}

} // namespace oocc::lift
