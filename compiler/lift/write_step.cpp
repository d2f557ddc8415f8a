#include "lift/wording.h"

#include <algorithm>

namespace oocc::lift {

namespace {

/// Lines of at most so many columns, broken where brackets are least deep, what follows below the value's beginning.
std::string wrapped(const std::string &head, std::string value) {
    constexpr size_t kColumns = 110;
    std::string result = head;
    const size_t room = kColumns - std::min(head.size(), kColumns / 2);
    while (value.size() > room) {
        size_t best = std::string::npos;
        int depth = 0, least = 1 << 20;
        for (size_t i = 0; i < room; ++i) {
            if (value[i] == '(' || value[i] == '[') ++depth;
            if (value[i] == ')' || value[i] == ']') --depth;
            const bool before = value[i] == ' ' && (value[i + 1] == '+' || value[i + 1] == '-' || value.compare(i, 6, " then ") == 0 ||
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

/// What stands behind 'then': another choice in brackets, so that one sees whose 'else' is whose.
std::string taken(const std::string &value, bool behindThen) {
    return behindThen && value.starts_with("if ") ? '(' + value + ')' : value;
}

void conjoin(std::string &text, const std::string &part) {
    text += (text.empty() ? "" : " and ") + part;
}

class StepWriter {
  public:
    explicit StepWriter(Wording &wording)
        : wording_(wording), plan_(wording.plan), names_(wording.names()), print_(wording.print()) {}

    std::string text() {
        std::vector<std::pair<std::string, std::string>> lines;
        for (const Definition &d : plan_.definitions)
            lines.emplace_back(target(d), value(d));
        size_t width = 0;
        for (const auto &[target, value] : lines)
            width = std::max(width, target.size());
        std::string text = "step {\n";
        for (const auto &[target, value] : lines)
            text += wrapped("    " + target + std::string(width - target.size(), ' ') + " = ", value + ";");
        return text + "}\n";
    }

  private:
    std::string target(const Definition &d) const {
        return d.field >= 0 ? names_.arrays.at(d.field) + "[t+1]" : names_.versions.at({d.array, d.version});
    }

    std::string value(const Definition &d) {
        if (d.pieces.empty()) return own(d.array, 0);
        return d.chain ? chain(d) : alternatives(d) + where(d);
    }

    /// An array's version at the cell itself.
    std::string own(int a, int version) const {
        const auto temp = names_.versions.find({a, version});
        if (temp != names_.versions.end()) return temp->second;
        if (version == 0) return names_.arrays.count(a) ? names_.arrays.at(a) : "0";
        return names_.arrays.at(plan_.owner[static_cast<size_t>(a)]) + "[t+1]";
    }

    Type type(const Definition &d) const { return wording_.kernel.arrays[static_cast<size_t>(d.array)].type; }

    /// Pieces of the same cells, of which guards choose.
    std::string alternatives(const Definition &d) {
        std::string text;
        for (const Definition::Piece &piece : d.pieces) {
            wording_.use(piece.value);
            wording_.use(piece.guard);
            text += (text.empty() ? "" : " else ") + (piece.guard ? "if " + print_.condition(piece.guard) + " then " : "");
            text += taken(print_.assigned(piece.value, type(d)), piece.guard != nullptr);
            if (!piece.guard) return text;
        }
        return text + " else " + own(d.array, d.from);
    }

    std::string where(const Definition &d) {
        std::string text;
        for (size_t dim = 0; dim < plan_.dims.size(); ++dim) {
            const Poly &low = d.pieces[0].box.low[dim], &high = d.pieces[0].box.high[dim];
            if (d.where[dim][0] && d.where[dim][1] && distance(low, high) == 1) {
                conjoin(text, bound(dim, "==", low));
                continue;
            }
            if (d.where[dim][0]) conjoin(text, bound(dim, ">=", low));
            if (d.where[dim][1]) conjoin(text, bound(dim, "<", high));
        }
        return text.empty() ? "" : " where " + text;
    }

    /// Pieces of different cells, each chosen by a condition, over the whole grid.
    std::string chain(const Definition &d) {
        std::vector<Definition::Piece> pieces = d.pieces;
        const bool halves = pieces.size() == 2 && together(pieces[0], pieces[1]);
        if (halves && distance(pieces[0].box.low[0], pieces[0].box.high[0]) != 1) std::swap(pieces[0], pieces[1]);
        std::string text;
        for (const Definition::Piece &piece : pieces) {
            const std::string when = halves && &piece == &pieces[1] ? "" : condition(piece);
            wording_.use(piece.value);
            text += (text.empty() ? "" : " else ") + (when.empty() ? "" : "if " + when + " then ");
            text += taken(print_.assigned(piece.value, type(d)), !when.empty());
            if (when.empty()) return text;
        }
        return text + " else " + (d.hasBase ? own(d.array, d.from) : type(d) == Type::Bool ? "false" : "0");
    }

    std::string condition(const Definition::Piece &p) {
        std::string text;
        for (size_t d = 0; d < plan_.dims.size(); ++d) {
            if (distance(p.box.low[d], p.box.high[d]) == 1 && !(plan_.extents[d] == Poly(1))) {
                conjoin(text, bound(d, "==", p.box.low[d]));
                continue;
            }
            if (!(p.box.low[d] == Poly(0))) conjoin(text, bound(d, ">=", p.box.low[d]));
            if (!(p.box.high[d] == plan_.extents[d])) conjoin(text, bound(d, "<", p.box.high[d]));
        }
        if (p.guard) {
            wording_.use(p.guard);
            const bool isOr = p.guard->kind == Node::Operate && p.guard->text == "or";
            const std::string guard = print_.condition(p.guard);
            conjoin(text, isOr && !text.empty() ? '(' + guard + ')' : guard);
        }
        return text;
    }

    std::string bound(size_t d, const char *op, const Poly &p) { return plan_.dims[d] + ' ' + op + ' ' + wording_.used(p); }

    /// Two regions that are the whole grid, cut along one dimension.
    bool together(const Definition::Piece &a, const Definition::Piece &b) const {
        if (a.guard || b.guard) return false;
        int cuts = 0;
        for (size_t d = 0; d < plan_.dims.size(); ++d) {
            const auto from = [&](const Box &x, const Poly &low, const Poly &high) { return x.low[d] == low && x.high[d] == high; };
            const Poly &end = plan_.extents[d];
            if (from(a.box, 0, end) && from(b.box, 0, end)) continue;
            const bool cut = (from(a.box, 0, b.box.low[d]) && b.box.high[d] == end) || (from(b.box, 0, a.box.low[d]) && a.box.high[d] == end);
            cuts += cut ? 1 : 2;
        }
        return cuts == 1;
    }

    Wording &wording_;
    const Plan &plan_;
    const Names &names_;
    Printer &print_;
};

} // namespace

std::string stepText(Wording &wording) {
    return StepWriter(wording).text();
}

} // namespace oocc::lift
