#include "lift/write.h"

#include "lift/typing.h"
#include "lift/understand.h"
#include "support/spelling.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace oocc::lift {

namespace {

const char *const kReserved[] = {"if", "then", "else", "and", "or", "not", "true", "false", "t"};

class Writer {
  public:
    Writer(Kernel &kernel, const Plan &plan, const std::map<std::string, std::string> &defaults)
        : kernel_(kernel), plan_(plan), defaults_(defaults), print_(kernel, plan, names_) {}

    std::string text() {
        name();
        // From the end to the beginning, so that it is known which scalars are used.
        const std::string step = steps(), edges = boundaries(), grid = gridStatement();
        const std::string count = "steps " + used(kernel_.steps) + ";\n";
        std::ostringstream out;
        out << "// From " << kernel_.name << "() in " << fileName() << ", line " << kernel_.line
            << ", by oocc lift.\n";
        for (const std::string &note : kernel_.notes)
            out << "// " << note << '\n';
        if (!kernel_.functions.empty())
            out << "// the C library's functions (" << functions() << "): for the same bits, compile the C with -DOOCC_LIBM\n";
        out << "stencil " << unique(kernel_.name) << ";\n\n" << scalars();
        out << grid << '\n'
            << fields() << '\n'
            << edges << (edges.empty() ? "" : "\n") << step << '\n'
            << count << '\n'
            << outputs();
        return out.str();
    }

  private:
    std::string functions() const { return joined({kernel_.functions.begin(), kernel_.functions.end()}); }
    const Array &array(int a) const { return kernel_.arrays[static_cast<size_t>(a)]; }
    std::string fileName() const { return kernel_.file.substr(kernel_.file.rfind('/') + 1); }

    std::string unique(std::string name) {
        if (name.empty()) name = "v";
        while (std::ranges::count(kReserved, name) || !taken_.insert(name).second)
            name += '_';
        return name;
    }

    void name() {
        for (size_t a = 0; a < kernel_.arrays.size(); ++a) {
            const Plan::Use &use = plan_.uses[a];
            if (use.field || use.coef || use.series)
                names_.arrays[static_cast<int>(a)] = unique(array(static_cast<int>(a)).name);
        }
        for (const auto &[version, use] : plan_.temps) {
            const bool last =
                static_cast<size_t>(version.second) == plan_.stores[static_cast<size_t>(version.first)];
            const bool free = !names_.arrays.count(version.first);
            const std::string &own = array(version.first).name;
            names_.versions[version] =
                unique(last && free ? own : own + "_" + std::to_string(version.second));
        }
        for (size_t s = 0; s < kernel_.symbols.size(); ++s) {
            const lift::Symbol &symbol = kernel_.symbols[s];
            const bool dim = std::ranges::count(plan_.dims, symbol.name) && symbol.kind == lift::Symbol::Loop;
            if (symbol.kind == lift::Symbol::Parameter || symbol.kind == lift::Symbol::Value)
                names_.symbols[static_cast<int>(s)] = unique(symbol.name);
            else if (dim)
                names_.symbols[static_cast<int>(s)] = symbol.name;
        }
    }

    void use(const NodePtr &n) {
        walk(n, [&](const Node &m) {
            if (m.kind == Node::Scalar) useSymbol(m.symbol);
        });
    }
    void useSymbol(int s) {
        if (!usedSymbols_.insert(s).second) return;
        use(kernel_.symbols[static_cast<size_t>(s)].value);
    }
    std::string used(const Poly &p) {
        for (const auto &[monomial, factor] : p.terms())
            for (int s : monomial)
                useSymbol(s);
        return print_.integer(p);
    }

    // -- the step ------------------------------------------------------------------------------------------------------------

    std::string bound(size_t d, const char *op, const Poly &p) {
        return plan_.dims[d] + ' ' + op + ' ' + used(p);
    }

    std::string condition(const Definition::Piece &p) {
        std::string text;
        const auto add = [&](const std::string &part) { text += (text.empty() ? "" : " and ") + part; };
        for (size_t d = 0; d < plan_.dims.size(); ++d) {
            if (distance(p.box.low[d], p.box.high[d]) == 1 && !(plan_.extents[d] == Poly(1))) {
                add(bound(d, "==", p.box.low[d]));
                continue;
            }
            if (!(p.box.low[d] == Poly(0))) add(bound(d, ">=", p.box.low[d]));
            if (!(p.box.high[d] == plan_.extents[d])) add(bound(d, "<", p.box.high[d]));
        }
        if (p.guard) {
            use(p.guard);
            const bool isOr = p.guard->kind == Node::Operate && p.guard->text == "or";
            const std::string guard = print_.condition(p.guard);
            add(isOr && !text.empty() ? '(' + guard + ')' : guard);
        }
        return text;
    }

    /// Two regions that are the whole grid, cut along one dimension.
    bool together(const Definition::Piece &a, const Definition::Piece &b) const {
        if (a.guard || b.guard) return false;
        int cuts = 0;
        for (size_t d = 0; d < plan_.dims.size(); ++d) {
            const auto from = [&](const Box &x, const Poly &low, const Poly &high) {
                return x.low[d] == low && x.high[d] == high;
            };
            const Poly &end = plan_.extents[d];
            if (from(a.box, 0, end) && from(b.box, 0, end)) continue;
            const bool cut = (from(a.box, 0, b.box.low[d]) && b.box.high[d] == end) ||
                             (from(b.box, 0, a.box.low[d]) && a.box.high[d] == end);
            cuts += cut ? 1 : 2;
        }
        return cuts == 1;
    }

    /// What stands behind 'then': another choice in brackets, so that one sees whose 'else' is whose.
    static std::string taken(const std::string &value, bool behindThen) {
        return behindThen && value.starts_with("if ") ? '(' + value + ')' : value;
    }

    std::string own(int a, int version) {
        const auto temp = names_.versions.find({a, version});
        if (temp != names_.versions.end()) return temp->second;
        if (version == 0) return names_.arrays.count(a) ? names_.arrays.at(a) : "0";
        return names_.arrays.at(plan_.owner[static_cast<size_t>(a)]) + "[t+1]";
    }

    std::string steps() {
        std::vector<std::pair<std::string, std::string>> lines;
        for (const Definition &d : plan_.definitions) {
            const std::string target =
                d.field >= 0 ? names_.arrays.at(d.field) + "[t+1]" : names_.versions.at({d.array, d.version});
            const Type to = array(d.array).type;
            std::string value, where;
            if (d.pieces.empty())
                value = own(d.array, 0);
            else if (!d.chain) {
                const Definition::Piece &p = d.pieces[0];
                bool ended = false;
                for (size_t i = 0; i < d.pieces.size() && !ended; ++i) {
                    const Definition::Piece &each = d.pieces[i];
                    use(each.value);
                    use(each.guard);
                    value += (i ? " else " : "") +
                             (each.guard ? "if " + print_.condition(each.guard) + " then " : "");
                    value += taken(print_.assigned(each.value, to), each.guard != nullptr);
                    ended = !each.guard;
                }
                if (!ended) value += " else " + own(d.array, d.from);
                for (size_t dim = 0; dim < plan_.dims.size(); ++dim) {
                    const Poly &low = p.box.low[dim], &high = p.box.high[dim];
                    const auto add = [&](const std::string &part) {
                        where += (where.empty() ? "" : " and ") + part;
                    };
                    if (d.where[dim][0] && d.where[dim][1] && distance(low, high) == 1)
                        add(bound(dim, "==", low));
                    else {
                        if (d.where[dim][0]) add(bound(dim, ">=", low));
                        if (d.where[dim][1]) add(bound(dim, "<", high));
                    }
                }
            } else {
                bool ended = false;
                std::vector<Definition::Piece> pieces = d.pieces;
                const bool halves = pieces.size() == 2 && together(pieces[0], pieces[1]);
                if (halves && distance(pieces[0].box.low[0], pieces[0].box.high[0]) != 1)
                    std::swap(pieces[0], pieces[1]);
                for (const Definition::Piece &p : pieces) {
                    const std::string when = halves && &p == &pieces[1] ? "" : condition(p);
                    use(p.value);
                    value += (value.empty() ? "" : " else ") + (when.empty() ? "" : "if " + when + " then ");
                    value += taken(print_.assigned(p.value, to), !when.empty());
                    ended = ended || when.empty();
                    if (ended) break;
                }
                if (!ended)
                    value += " else " + (d.hasBase ? own(d.array, d.from) : to == Type::Bool ? "false" : "0");
            }
            lines.emplace_back(target, value + (where.empty() ? "" : " where " + where));
        }
        size_t width = 0;
        for (const auto &[target, value] : lines)
            width = std::max(width, target.size());
        std::string text = "step {\n";
        for (const auto &[target, value] : lines)
            text += wrapped("    " + target + std::string(width - target.size(), ' ') + " = ", value + ";");
        return text + "}\n";
    }

    /// Lines of at most so many columns, broken where brackets are least deep, what follows below the value's beginning.
    static std::string wrapped(const std::string &head, std::string value) {
        constexpr size_t kColumns = 110;
        std::string result = head;
        const size_t room = kColumns - std::min(head.size(), kColumns / 2);
        while (value.size() > room) {
            size_t best = std::string::npos;
            int depth = 0, least = 1 << 20;
            for (size_t i = 0; i < room; ++i) {
                if (value[i] == '(' || value[i] == '[') ++depth;
                if (value[i] == ')' || value[i] == ']') --depth;
                const bool before =
                    value[i] == ' ' &&
                    (value[i + 1] == '+' || value[i + 1] == '-' || value.compare(i, 6, " then ") == 0 ||
                     value.compare(i, 6, " else ") == 0 || value.compare(i, 7, " where ") == 0);
                if (before && i > room / 3 && depth <= least) least = depth, best = i;
            }
            if (best == std::string::npos) best = value.find(' ', room / 2);
            if (best == std::string::npos) break;
            result += value.substr(0, best) + '\n' + std::string(head.size(), ' ');
            value.erase(0, best + 1);
        }
        return result + value + '\n';
    }

    // -- declarations --------------------------------------------------------------------------------------------------------

    std::string gridStatement() {
        std::string text;
        for (size_t d = 0; d < plan_.dims.size(); ++d)
            text += (d ? ", " : "") + plan_.dims[d] + ": " + used(plan_.extents[d]);
        return "grid (" + text + ");\n";
    }

    std::string scalars() {
        std::vector<std::array<std::string, 2>> lines;
        for (size_t s = 0; s < kernel_.symbols.size(); ++s) {
            const lift::Symbol &symbol = kernel_.symbols[s];
            if (!usedSymbols_.count(static_cast<int>(s))) continue;
            if (symbol.kind != lift::Symbol::Parameter && symbol.kind != lift::Symbol::Value) continue;
            const std::string &name = names_.symbols.at(static_cast<int>(s));
            const auto given = defaults_.find(symbol.name);
            const bool asParam = symbol.kind == lift::Symbol::Parameter || symbol.type == Type::F32 ||
                                 symbol.value->kind == Node::Number;
            std::string value = given != defaults_.end() ? given->second
                                : symbol.value           ? print_.scalar(symbol.value, symbol.type)
                                                         : "";
            std::string line =
                asParam ? "param " + name + " : " + typeName(isInteger(symbol.type) ? Type::Int : symbol.type)
                        : "let " + name;
            if (!value.empty()) line += " = " + value;
            std::string comment = symbol.comment;
            if (value.empty())
                comment += std::string(comment.empty() ? "" : ", ") + "no value in the C: give one with -D";
            lines.push_back({line + ";", comment});
        }
        size_t width = 0;
        for (const auto &line : lines)
            width = std::max(width, line[0].size());
        std::string text;
        for (const auto &[line, comment] : lines)
            text += line +
                    (comment.empty() ? "" : std::string(width - line.size(), ' ') + "  // " + comment) + '\n';
        return text + (text.empty() ? "" : "\n");
    }

    std::string fields() {
        std::string text;
        std::map<Type, std::string> byType;
        for (size_t a = 0; a < kernel_.arrays.size(); ++a)
            if (plan_.uses[a].field) {
                std::string &list = byType[array(static_cast<int>(a)).type];
                list += (list.empty() ? "" : ", ") + names_.arrays.at(static_cast<int>(a));
            }
        for (const auto &[type, list] : byType)
            text += "field " + list + " : " + elementName(type) + ";\n";
        for (size_t a = 0; a < kernel_.arrays.size(); ++a) {
            if (!plan_.uses[a].coef && !plan_.uses[a].series) continue;
            const std::string &name = names_.arrays.at(static_cast<int>(a));
            text += std::string(plan_.uses[a].series ? "series " : "coef ") + name + " : " +
                    elementName(array(static_cast<int>(a)).type) + " from \"" + name + ".npy\";\n";
        }
        for (const auto &[version, name] : names_.versions)
            text += "temp " + name + " : " + elementName(array(version.first).type) + ";\n";
        text += '\n';
        for (size_t a = 0; a < kernel_.arrays.size(); ++a)
            if (plan_.uses[a].field && !array(static_cast<int>(a)).local) {
                const std::string &name = names_.arrays.at(static_cast<int>(a));
                text += "init " + name + " from \"" + name + ".npy\";\n";
            }
        return text;
    }

    std::string faces(const Plan::Use &use, Type type) const {
        const auto edge = [&](size_t d, int side) -> std::string {
            if (use.fixed[d][side]) return "fixed";
            if (use.unseen[d][side]) return type == Type::Bool ? "dirichlet false" : "dirichlet 0";
            return "";
        };
        std::set<std::string> kinds;
        std::string list;
        for (size_t d = 0; d < plan_.dims.size(); ++d) {
            const std::string low = edge(d, 0), high = edge(d, 1);
            kinds.insert(low), kinds.insert(high);
            if (low == high && !low.empty()) {
                list += ' ' + plan_.dims[d] + ": " + low + ';';
                continue;
            }
            if (!low.empty()) list += ' ' + plan_.dims[d] + ".lo: " + low + ';';
            if (!high.empty()) list += ' ' + plan_.dims[d] + ".hi: " + high + ';';
        }
        if (list.empty()) return "";
        if (kinds.size() == 1) return " = " + *kinds.begin() + ';';
        return " {" + list + " }";
    }

    std::string boundaries() {
        std::map<std::string, std::string> byFaces;
        bool unseen = false;
        const auto add = [&](const std::string &name, const Plan::Use &use, Type type) {
            const std::string list = faces(use, type);
            if (list.empty()) return;
            std::string &names = byFaces[list];
            names += (names.empty() ? "" : ", ") + name;
            unseen = unseen || list.find("dirichlet") != std::string::npos;
        };
        for (size_t a = 0; a < kernel_.arrays.size(); ++a)
            if (names_.arrays.count(static_cast<int>(a)))
                add(names_.arrays.at(static_cast<int>(a)), plan_.uses[a], array(static_cast<int>(a)).type);
        for (const auto &[version, use] : plan_.temps)
            add(names_.versions.at(version), use, array(version.first).type);
        std::string text = unseen ? "// The dirichlet values are never used: conditions keep what reads "
                                    "beyond a face from being taken.\n"
                                  : "";
        for (const auto &[list, names] : byFaces)
            text += "boundary " + names + list + '\n';
        return text;
    }

    std::string outputs() {
        std::string text;
        for (size_t a = 0; a < kernel_.arrays.size(); ++a)
            if (plan_.uses[a].result) {
                const std::string &name = names_.arrays.at(static_cast<int>(a));
                text += "output " + name + " to \"" + name + "-out.npy\";\n";
            }
        return text;
    }

    Kernel &kernel_;
    const Plan &plan_;
    const std::map<std::string, std::string> &defaults_;
    Names names_;
    Printer print_;
    std::set<std::string> taken_;
    std::set<int> usedSymbols_;
};

} // namespace

std::string write(Kernel &kernel, const Plan &plan, const std::map<std::string, std::string> &defaults) {
    return Writer(kernel, plan, defaults).text();
}

} // namespace oocc::lift
