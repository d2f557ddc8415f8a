// What a step makes: updates of fields and temps, each from all stores that nobody looks between, without what nobody needs.
#include "lift/understand.h"

#include <algorithm>
#include <set>

namespace oocc::lift {

namespace {

using Version = std::pair<int, int>; ///< array, number of its stores

bool isHere(const Node &read) {
    return std::ranges::all_of(read.offset, [](int64_t o) { return o == 0; });
}

class Definitions {
  public:
    Definitions(Kernel &kernel, Plan &plan, const std::vector<std::string> &results)
        : kernel_(kernel), plan_(plan), stores_(kernel.arrays.size()) {
        for (Store &s : kernel.stores)
            stores_[static_cast<size_t>(s.array)].push_back(&s);
        plan.uses.resize(kernel.arrays.size());
        plan.owner.resize(kernel.arrays.size());
        for (size_t a = 0; a < kernel.arrays.size(); ++a) {
            plan.owner[static_cast<size_t>(kernel.after[a])] = static_cast<int>(a);
            plan.stores.push_back(stores_[a].size());
        }
        chooseResults(results);
    }

    void run() {
        forward();
        for (const Store &s : kernel_.stores)
            reads(s, [&](const Node &n) { seen_.insert({n.array, n.version}); });
        for (size_t a = 0; a < plan_.uses.size(); ++a)
            if (plan_.uses[a].result) needField(static_cast<int>(a));
        if (plan_.definitions.empty())
            throw Refusal{
                {}, "none of the results is changed by the loops", "--results names arrays that are", {}};
        sort();
    }

  private:
    void chooseResults(const std::vector<std::string> &names) {
        for (const std::string &name : names)
            if (std::ranges::find(kernel_.arrays, name, &Array::name) == kernel_.arrays.end())
                throw Refusal{{},
                              "there is no array '" + name + "'",
                              "--results takes names of the function's arrays",
                              {}};
        for (size_t a = 0; a < kernel_.arrays.size(); ++a) {
            const bool changes = !stores_[static_cast<size_t>(kernel_.after[a])].empty() ||
                                 kernel_.after[a] != static_cast<int>(a);
            const bool wanted = names.empty() ? !kernel_.arrays[a].local
                                              : std::ranges::count(names, kernel_.arrays[a].name) > 0;
            plan_.uses[a].result = changes && wanted;
        }
        if (names.empty() &&
            std::ranges::none_of(plan_.uses, &Plan::Use::result)) // all are local: what is left at the end
            for (size_t a = 0; a < kernel_.arrays.size(); ++a)
                plan_.uses[a].result = !stores_[static_cast<size_t>(kernel_.after[a])].empty();
    }

    template <typename Visit> static void reads(const Store &s, Visit &&visit) {
        const auto one = [&](const Node &n) {
            if (n.kind == Node::Read) visit(n);
        };
        walk(s.value, one);
        for (const NodePtr &g : s.guards)
            walk(g, one);
    }

    const Store &storeOf(Version v) const {
        return *stores_[static_cast<size_t>(v.first)][static_cast<size_t>(v.second) - 1];
    }

    /// A value that is read in its own cell only, and is not kept, is written where it is used.
    void forward() {
        std::map<Version, int> times;
        for (const Store &s : kernel_.stores)
            reads(s, [&](const Node &n) { ++times[{n.array, n.version}]; });
        constexpr size_t kSmall = 8;
        for (Store &s : kernel_.stores)
            s.value = rewrite(s.value, [&](const NodePtr &n) -> NodePtr {
                if (n->kind != Node::Read || n->version == 0 || !isHere(*n)) return n;
                const Version v{n->array, n->version};
                const bool kept =
                    static_cast<size_t>(n->version) == plan_.stores[static_cast<size_t>(n->array)] &&
                    !kernel_.arrays[static_cast<size_t>(n->array)].local;
                const Store &from = storeOf(v);
                if (kept || !from.guards.empty() || !within(boxOf(s), boxOf(from))) return n;
                if (times[v] > 1 && from.value->size > kSmall) return n;
                return from.value;
            });
    }

    void needField(int a) {
        Plan::Use &use = plan_.uses[static_cast<size_t>(a)];
        if (use.field || use.coef) return;
        const int x = kernel_.after[static_cast<size_t>(a)];
        const int last = static_cast<int>(stores_[static_cast<size_t>(x)].size());
        if (x == a && last == 0) {
            use.coef = true;
            return;
        }
        use.field = true;
        if (last > 0) {
            need({x, last});
            Definition &d = *std::ranges::find_if(
                plan_.definitions, [&](const Definition &e) { return e.array == x && e.version == last; });
            d.field = a;
            const Version base{d.array, d.from};
            d.hasBase = !(kernel_.sameRims && x != a && base.second == 0 && d.pieces.size() == 1 &&
                          !d.pieces[0].guard);
            if (d.hasBase) base.second > 0 ? need(base) : needField(x);
        } else {
            Definition copy{x, 0, 0, a, {}, true, 1 << 30, {}, false};
            plan_.definitions.push_back(copy);
            needField(x);
        }
    }

    void need(Version v) {
        if (v.second == 0) return needField(v.first);
        if (!needed_.insert(v).second) return;
        Definition d{v.first, v.second, v.second, -1, {}, false, 0, {}, false};
        do {
            const Store &s = storeOf({v.first, d.from});
            NodePtr guard;
            for (const NodePtr &g : s.guards)
                guard = guard ? operation("and", Type::Bool, guard, g, g->range) : g;
            d.pieces.push_back({boxOf(s), guard, s.value, s.where});
            --d.from;
        } while (d.from > 0 && !seen_.count({v.first, d.from}));
        d.order = storeOf(v).order;
        // Whether a read may meet a cell that these stores leave as it was.
        for (const Store &s : kernel_.stores)
            reads(s, [&](const Node &n) {
                if (Version(n.array, n.version) != v) return;
                const bool inside = std::ranges::any_of(d.pieces, [&](const Definition::Piece &p) {
                    return !p.guard && within(cellsRead(boxOf(s), n, plan_.extents), p.box);
                });
                d.hasBase = d.hasBase || !inside;
            });
        const bool hasBase = d.hasBase;
        const Definition copy = d;
        plan_.definitions.push_back(std::move(d));
        for (const Definition::Piece &p : copy.pieces)
            for (const NodePtr &n : {p.value, p.guard})
                walk(n, [&](const Node &m) {
                    if (m.kind == Node::Read) need({m.array, m.version});
                    if (m.kind == Node::Series) plan_.uses[static_cast<size_t>(m.array)].series = true;
                });
        if (hasBase) need({copy.array, copy.from});
    }

    /// So that everything stands below what it reads.
    void sort() {
        std::vector<Definition> old = std::move(plan_.definitions), sorted;
        std::ranges::stable_sort(old, {}, &Definition::order);
        std::map<Version, int> state; // 1: being placed, 2: placed
        const std::function<void(const Definition &, clang::SourceRange)> place = [&](const Definition &d,
                                                                                      clang::SourceRange
                                                                                          from) {
            const Version v{d.array, d.version};
            int &now = state[v];
            if (now == 2) return;
            if (now == 1)
                refuse(
                    from,
                    "'" + kernel_.arrays[static_cast<size_t>(d.array)].name +
                        "' follows from itself at cells that the same loops have just stored (a recurrence)",
                    "cells of a step have no order in oocc: store into other arrays, or let the steps carry "
                    "it");
            now = 1;
            const auto before = [&](Version w, clang::SourceRange where) {
                if (w.second == 0) return;
                const auto at = std::ranges::find_if(
                    old, [&](const Definition &e) { return Version(e.array, e.version) == w; });
                if (at != old.end()) place(*at, where);
            };
            for (const Definition::Piece &p : d.pieces)
                for (const NodePtr &n : {p.value, p.guard})
                    walk(n, [&](const Node &m) {
                        if (m.kind == Node::Read) before({m.array, m.version}, m.range);
                    });
            if (d.hasBase) before({d.array, d.from}, {});
            state[v] = 2;
            sorted.push_back(d);
        };
        for (const Definition &d : old)
            if (d.version > 0) place(d, {});
        for (const Definition &d : old) // copies of what no store changes
            if (d.version == 0) sorted.push_back(d);
        plan_.definitions = std::move(sorted);
        for (const Definition &d : plan_.definitions)
            if (d.field < 0) plan_.temps[{d.array, d.version}] = {};
    }

    Kernel &kernel_;
    Plan &plan_;
    std::vector<std::vector<Store *>> stores_;
    std::set<Version> seen_, needed_;
};

} // namespace

void define(Kernel &kernel, Plan &plan, const std::vector<std::string> &results) {
    Definitions(kernel, plan, results).run();
}

} // namespace oocc::lift
