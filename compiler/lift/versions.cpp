// Old and new: every read sees the array as some of a step's stores have left it. A step's stores are numbered per array; the
// version k of an array is what it is after the first k of them.
#include "lift/understand.h"

#include <algorithm>

namespace oocc::lift {

namespace {

class Versions {
  public:
    Versions(Kernel &kernel, const std::vector<Poly> &extents) : kernel_(kernel), extents_(extents), stores_(kernel.arrays.size()) {
        for (Store &s : kernel.stores)
            stores_[static_cast<size_t>(s.array)].push_back(&s);
    }

    void run() {
        for (const std::vector<Store *> &list : stores_)
            for (size_t b = 0; b < list.size(); ++b)
                for (size_t a = 0; a < b; ++a)
                    checkOrder(*list[a], *list[b]);
        for (Store &s : kernel_.stores) {
            const auto resolved = [&](const NodePtr &n) {
                return rewrite(n, [&](const NodePtr &m) -> NodePtr {
                    if (m->kind != Node::Read) return m;
                    Node read = *m;
                    read.version = version(s, *m);
                    return make(std::move(read));
                });
            };
            s.value = resolved(s.value);
            for (NodePtr &g : s.guards)
                g = resolved(g);
        }
    }

  private:
    const std::string &name(int array) const { return kernel_.arrays[static_cast<size_t>(array)].name; }

    static std::vector<int> common(const std::vector<int> &a, const std::vector<int> &b) {
        std::vector<int> list;
        for (size_t i = 0; i < std::min(a.size(), b.size()) && a[i] == b[i]; ++i)
            list.push_back(a[i]);
        return list;
    }

    int direction(int loop) const {
        return std::ranges::find(kernel_.loops, loop, &lift::Loop::symbol)->direction;
    }

    /// Two stores into one array: which of them is the last one of a cell must follow from the text alone.
    void checkOrder(const Store &a, const Store &b) const {
        if (disjoint(boxOf(a), boxOf(b))) return;
        for (int loop : common(a.loops, b.loops)) {
            const auto x = std::ranges::find(a.dims, loop, &Store::Dim::loop),
                       y = std::ranges::find(b.dims, loop, &Store::Dim::loop);
            if (x - a.dims.begin() == y - b.dims.begin() && x->shift == y->shift) continue;
            throw Refusal{b.where,
                          "'" + name(b.array) + "' is stored twice in one loop, at different cells",
                          "split the loop into two",
                          {{a.where, "this is the other store"}}};
        }
    }

    /// The cells of one colour: where the sum of some coordinates, and a number, is even.
    struct Colour {
        std::vector<bool> dims;
        bool odd = false;
        bool operator==(const Colour &) const = default;
    };

    /// What a guard like (i + j) % 2 == 0 says of the cells; none when there is no such guard.
    std::optional<Colour> colour(const Store &s) const {
        for (const NodePtr &g : s.guards) {
            if (g->kind != Node::Operate || (g->text != "==" && g->text != "!=")) continue;
            const NodePtr &rest = g->args[0], &number = g->args[1];
            const bool byTwo = rest->kind == Node::Operate && rest->text == "%" &&
                               rest->args[1]->kind == Node::Number && rest->args[1]->integer == 2;
            // A remainder of 1 is that of an odd number, but not every odd number has it: -1 % 2 is -1.
            if (!byTwo || number->kind != Node::Number || number->integer < 0 || number->integer > 1 ||
                (g->text == "!=" && number->integer == 1))
                continue;
            const auto sum = polynomial(kernel_, rest->args[0]);
            if (!sum) continue;
            Poly left = *sum;
            Colour c;
            for (int dim : kernel_.dims) {
                const auto by = left.coefficient(dim).value_or(Poly(0)).constant();
                if (!by) return std::nullopt;
                c.dims.push_back(*by % 2 != 0);
                left = left.without(dim);
            }
            const auto added = left.constant();
            if (!added) continue;
            c.odd = ((g->text == "==") == (number->integer == 1)) != (*added % 2 != 0);
            return c;
        }
        return std::nullopt;
    }

    /// The read is surely of no cell that the store goes to: by its box, its colour, or since they are branches of one 'if'.
    bool apart(const Store &reader, const Node &read, const Store &s) const {
        if (disjoint(cellsRead(boxOf(reader), read, extents_), boxOf(s))) return true;
        const bool here = std::ranges::all_of(read.offset, [](int64_t o) { return o == 0; });
        if (here && reader.loops == s.loops && std::ranges::any_of(reader.branches, [&](int b) {
                return std::ranges::count(s.branches, -b) > 0;
            }))
            return true;
        if (!read.beyond.empty()) return false; // a ring may have an odd number of cells
        auto mine = colour(reader);
        const auto its = colour(s);
        if (!mine || !its || mine->dims != its->dims) return false;
        for (size_t d = 0; d < read.offset.size(); ++d)
            if (mine->dims[d] && read.offset[d] % 2 != 0) mine->odd = !mine->odd;
        return mine->odd != its->odd;
    }

    enum Sight { Seen, NotSeen, Either };

    /// Whether the read sees what the store does.
    Sight sight(const Store &reader, const Node &read, const Store &s) const {
        if (apart(reader, read, s)) return Either;
        for (int loop : common(read.loops, s.loops)) {
            const auto at = std::ranges::find(s.dims, loop, &Store::Dim::loop);
            const auto there =
                (read.index[static_cast<size_t>(at - s.dims.begin())] - Poly::of(loop)).constant();
            if (!there)
                throw Refusal{read.range,
                              "whether this read sees the old or the new '" + name(read.array) +
                                  "' depends on the cell",
                              "split the loop into two",
                              {{s.where, "it is stored here"}}};
            // The cell that is read is stored when the loop's variable is this much further on.
            const int64_t ahead = (*there - at->shift) * direction(loop);
            if (ahead != 0 && std::ranges::count(read.beyond, loop, &Beyond::loop))
                throw Refusal{read.range,
                              "whether this read sees the old or the new '" + name(read.array) + "' depends on the cell: beyond the face it is another one",
                              "store into a second array",
                              {{s.where, "it is stored here"}}};
            if (ahead != 0) return ahead < 0 ? Seen : NotSeen;
        }
        return s.order < read.order ? Seen : NotSeen;
    }

    int version(const Store &reader, const Node &read) const {
        const std::vector<Store *> &list = stores_[static_cast<size_t>(read.array)];
        int last = 0;
        std::vector<Sight> sights;
        for (const Store *s : list) {
            sights.push_back(sight(reader, read, *s));
            if (sights.back() == Seen) last = static_cast<int>(sights.size());
        }
        for (int i = 0; i < last; ++i) {
            if (sights[static_cast<size_t>(i)] == NotSeen)
                throw Refusal{read.range,
                              "this read sees a later store into '" + name(read.array) +
                                  "' and not an earlier one",
                              "split the loop into two",
                              {{list[static_cast<size_t>(i)]->where, "this store it does not see"}}};
            checkRecurrence(reader, read, *list[static_cast<size_t>(i)]);
        }
        return last;
    }

    /// A store whose value comes from what the same store did at other cells.
    void checkRecurrence(const Store &reader, const Node &read, const Store &s) const {
        if (&reader != &s) return;
        const bool along = std::ranges::count_if(read.offset, [](int64_t o) { return o != 0; }) == 1;
        bool old = false;
        walk(reader.value, [&](const Node &other) {
            if (other.kind == Node::Read && other.array == read.array &&
                other.range.getBegin() != read.range.getBegin()) {
                old = old || sight(reader, other, s) == NotSeen;
            }
        });
        if (old)
            throw Refusal{
                read.range,
                "'" + name(s.array) +
                    "' is read where the same loops have just stored it, and stored in place (Gauss-Seidel)",
                "store into a second array (Jacobi), or go over the cells of one colour, then of the other, "
                "with "
                "'if ((i + j) % 2 == 0)' (red and black)",
                {{s.where, "this store gives the value that is read here"}}};
        throw Refusal{
            read.range,
            "'" + name(s.array) + "' at one cell follows from itself at the cell before" +
                (along ? " along a dimension" : "") + " (a recurrence)",
            "cells of a step have no order in oocc: let the steps carry it, or solve by Jacobi iteration",
            {{s.where, "this store gives the value that is read here"}}};
    }

    Kernel &kernel_;
    const std::vector<Poly> &extents_;
    std::vector<std::vector<Store *>> stores_;
};

} // namespace

void resolve(Kernel &kernel, const std::vector<Poly> &extents) {
    Versions(kernel, extents).run();
}

} // namespace oocc::lift
