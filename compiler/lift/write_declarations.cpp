#include "lift/wording.h"

#include <algorithm>
#include <array>

namespace oocc::lift {

namespace {

/// What is beyond the faces, as it stands behind the names; nothing where no face was met.
std::string faces(const Plan &plan, const Plan::Use &use, Type type) {
    const auto edge = [&](size_t d, int side) -> std::string {
        if (const std::optional<Beyond> &b = use.beyond[d][side])
            return b->kind == Beyond::Ring ? "periodic" : b->kind == Beyond::Nearest ? "neumann" : "reflect_center";
        if (use.fixed[d][side]) return "fixed";
        if (use.unseen[d][side]) return type == Type::Bool ? "dirichlet false" : "dirichlet 0";
        return "";
    };
    std::set<std::string> kinds;
    std::string list;
    for (size_t d = 0; d < plan.dims.size(); ++d) {
        const std::string low = edge(d, 0), high = edge(d, 1);
        kinds.insert(low), kinds.insert(high);
        if (low == high && !low.empty()) {
            list += ' ' + plan.dims[d] + ": " + low + ';';
            continue;
        }
        if (!low.empty()) list += ' ' + plan.dims[d] + ".lo: " + low + ';';
        if (!high.empty()) list += ' ' + plan.dims[d] + ".hi: " + high + ';';
    }
    if (list.empty()) return "";
    if (kinds.size() == 1) return " = " + *kinds.begin() + ';';
    return " {" + list + " }";
}

} // namespace

std::string gridText(Wording &wording) {
    const Plan &plan = wording.plan;
    std::string text;
    for (size_t d = 0; d < plan.dims.size(); ++d)
        text += (d ? ", " : "") + plan.dims[d] + ": " + wording.used(plan.extents[d]);
    return "grid (" + text + ");\n";
}

std::string scalarsText(Wording &wording, const std::map<std::string, std::string> &defaults) {
    struct Declared {
        std::string code, comment;
    };
    std::vector<Declared> lines;
    const std::vector<lift::Symbol> &symbols = wording.kernel.symbols;
    for (size_t s = 0; s < symbols.size(); ++s) {
        const lift::Symbol &symbol = symbols[s];
        if (!wording.isUsed(s)) continue;
        if (symbol.kind != lift::Symbol::Parameter && symbol.kind != lift::Symbol::Value) continue;
        const std::string &name = wording.names().symbols.at(static_cast<int>(s));
        const auto given = defaults.find(symbol.name);
        const bool isParam = symbol.kind == lift::Symbol::Parameter || symbol.type == Type::F32 || symbol.value->kind == Node::Number;
        const std::string value = given != defaults.end() ? given->second
                                  : symbol.value          ? wording.print().scalar(symbol.value, symbol.type)
                                                          : "";
        Declared line{isParam ? "param " + name + " : " + typeName(isInteger(symbol.type) ? Type::Int : symbol.type) : "let " + name,
                      symbol.comment};
        if (value.empty())
            line.comment += std::string(line.comment.empty() ? "" : ", ") + "no value in the C: give one with -D";
        else
            line.code += " = " + value;
        line.code += ';';
        lines.push_back(std::move(line));
    }
    size_t width = 0;
    for (const Declared &line : lines)
        width = std::max(width, line.code.size());
    std::string text;
    for (const auto &[code, comment] : lines)
        text += code + (comment.empty() ? "" : std::string(width - code.size(), ' ') + "  // " + comment) + '\n';
    return text + (text.empty() ? "" : "\n");
}

std::string fieldsText(const Wording &wording) {
    const std::vector<Array> &arrays = wording.kernel.arrays;
    const Names &names = wording.names();
    const auto name = [&](size_t a) -> const std::string & { return names.arrays.at(static_cast<int>(a)); };
    std::map<Type, std::string> byType;
    std::string coefs, inits;
    for (size_t a = 0; a < arrays.size(); ++a) {
        const Plan::Use &use = wording.plan.uses[a];
        if (use.field) {
            std::string &list = byType[arrays[a].type];
            list += (list.empty() ? "" : ", ") + name(a);
        }
        if (use.coef || use.series)
            coefs += std::string(use.series ? "series " : "coef ") + name(a) + " : " + elementName(arrays[a].type) + " from \"" + name(a) +
                     ".npy\";\n";
        if (use.field && !arrays[a].local) inits += "init " + name(a) + " from \"" + name(a) + ".npy\";\n";
    }
    std::string text;
    for (const auto &[type, list] : byType)
        text += "field " + list + " : " + elementName(type) + ";\n";
    text += coefs;
    for (const auto &[version, temp] : names.versions)
        text += "temp " + temp + " : " + elementName(arrays[static_cast<size_t>(version.first)].type) + ";\n";
    return text + '\n' + inits;
}

std::string boundariesText(const Wording &wording) {
    const std::vector<Array> &arrays = wording.kernel.arrays;
    std::map<std::string, std::string> byFaces;
    const auto add = [&](const std::string &name, const Plan::Use &use, int array) {
        const std::string list = faces(wording.plan, use, arrays[static_cast<size_t>(array)].type);
        if (list.empty()) return;
        std::string &names = byFaces[list];
        names += (names.empty() ? "" : ", ") + name;
    };
    for (const auto &[a, name] : wording.names().arrays)
        add(name, wording.plan.uses[static_cast<size_t>(a)], a);
    for (const auto &[version, use] : wording.plan.temps)
        add(wording.names().versions.at(version), use, version.first);
    const bool unseen = std::ranges::any_of(byFaces, [](const auto &each) { return each.first.find("dirichlet") != std::string::npos; });
    std::string text =
        unseen ? "// The dirichlet values are never used: conditions keep what reads beyond a face from being taken.\n" : "";
    for (const auto &[list, names] : byFaces)
        text += "boundary " + names + list + '\n';
    return text;
}

std::string outputsText(const Wording &wording) {
    std::string text;
    for (const auto &[a, name] : wording.names().arrays)
        if (wording.plan.uses[static_cast<size_t>(a)].result) text += "output " + name + " to \"" + name + "-out.npy\";\n";
    return text;
}

} // namespace oocc::lift
