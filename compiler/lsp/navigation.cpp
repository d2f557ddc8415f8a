// Where names are declared and used, and what a program is made of.
#include "lsp/features.h"

#include <algorithm>

namespace oocc::lsp {

namespace {

enum SymbolKind { kModule = 2, kNamespace = 3, kMethod = 6, kField = 8, kFunction = 12, kVariable = 13, kConstant = 14,
                  kArray = 18, kEvent = 24, kStruct = 23 };

/// Uses of the name at the offset, its declaration among them.
std::vector<const NameUse *> usesAt(const Document &document, uint32_t offset) {
    std::vector<const NameUse *> out;
    const Index &index = document.known->index;
    const auto use = document.nameAt(offset);
    if (!use) return out;
    for (const NameUse &each : index.uses)
        if (each.declaration == use->declaration) out.push_back(&each);
    return out;
}

bool isDeclaration(const Index &index, const NameUse &use) {
    return index.declarations[use.declaration].range.begin == use.range.begin;
}

class Symbols {
  public:
    explicit Symbols(const Text &text) : text_(text) {}

    json of(const ast::Program &program) {
        json list = json::array();
        for (const ast::Statement &s : program.statements)
            std::visit([&](const auto &node) { add(node, s, list); }, s.node);
        return list;
    }

  private:
    json symbol(const std::string &name, int kind, Range whole, Range chosen, const std::string &detail = "") {
        json out{{"name", name}, {"kind", kind}, {"range", text_.range(whole)}, {"selectionRange", text_.range(chosen)}};
        if (!detail.empty()) out["detail"] = detail;
        return out;
    }
    json symbol(const ast::Name &name, int kind, const ast::Statement &s, const std::string &detail = "") {
        return symbol(name.text, kind, s.range, name.range, detail);
    }

    template <typename Node> void add(const Node &, const ast::Statement &, json &) {}
    void add(const ast::StencilName &n, const ast::Statement &s, json &list) { list.push_back(symbol(n.name, kModule, s)); }
    void add(const ast::Param &n, const ast::Statement &s, json &list) {
        list.push_back(symbol(n.name, kConstant, s, "param " + n.type.text));
    }
    void add(const ast::Let &n, const ast::Statement &s, json &list) { list.push_back(symbol(n.name, kVariable, s, "let")); }
    void add(const ast::Field &n, const ast::Statement &s, json &list) {
        for (const ast::Name &name : n.names)
            list.push_back(symbol(name, kField, s, "field " + n.type.text));
    }
    void add(const ast::Temp &n, const ast::Statement &s, json &list) {
        for (const ast::Name &name : n.names)
            list.push_back(symbol(name, kField, s, "temp " + n.type.text));
    }
    void add(const ast::Coef &n, const ast::Statement &s, json &list) {
        list.push_back(symbol(n.name, kField, s, "coef " + n.type.text));
    }
    void add(const ast::Series &n, const ast::Statement &s, json &list) {
        list.push_back(symbol(n.name, kArray, s, "series " + n.type.text));
    }
    void add(const ast::Fn &n, const ast::Statement &s, json &list) { list.push_back(symbol(n.name, kFunction, s)); }
    void add(const ast::Shape &n, const ast::Statement &s, json &list) { list.push_back(symbol(n.name, kArray, s, "shape")); }
    void add(const ast::Scalar &n, const ast::Statement &s, json &list) { list.push_back(symbol(n.name, kEvent, s, "scalar")); }
    void add(const ast::Monitor &n, const ast::Statement &s, json &list) { list.push_back(symbol(n.name, kEvent, s, "monitor")); }
    void add(const ast::Grid &n, const ast::Statement &s, json &list) {
        json out = symbol("grid", kStruct, s.range, s.keyword);
        for (const ast::GridDim &dim : n.dims)
            out["children"].push_back(symbol(dim.name.text, kVariable, dim.name.range, dim.name.range, "dimension"));
        list.push_back(std::move(out));
    }
    void add(const ast::Step &n, const ast::Statement &s, json &list) {
        json out = symbol("step", kNamespace, s.range, s.keyword);
        for (const ast::Update &update : n.updates)
            out["children"].push_back(
                symbol(update.target.text + (update.indices ? "[t+1]" : ""), kMethod, update.range, update.target.range, "update"));
        list.push_back(std::move(out));
    }

    const Text &text_;
};

} // namespace

json definition(const Document &document, uint32_t offset) {
    const Index &index = document.known->index;
    const auto use = document.nameAt(offset);
    if (!use) return nullptr;
    return {{"uri", document.uri}, {"range", document.text.range(index.declarations[use->declaration].range)}};
}

json references(const Document &document, uint32_t offset, bool withDeclaration) {
    json list = json::array();
    for (const NameUse *use : usesAt(document, offset))
        if (withDeclaration || !isDeclaration(document.known->index, *use))
            list.push_back({{"uri", document.uri}, {"range", document.text.range(use->range)}});
    return list;
}

json highlights(const Document &document, uint32_t offset) {
    json list = json::array();
    for (const NameUse *use : usesAt(document, offset))
        list.push_back({{"range", document.text.range(use->range)}, {"kind", isDeclaration(document.known->index, *use) ? 3 : 2}});
    return list;
}

json symbols(const Document &document, bool nested) {
    json list = Symbols(document.text).of(document.known->program);
    if (nested) return list;
    json flat = json::array();
    const auto add = [&](const json &each, const json &container) {
        json out{{"name", each["name"]},
                 {"kind", each["kind"]},
                 {"location", {{"uri", document.uri}, {"range", each["range"]}}}};
        if (!container.is_null()) out["containerName"] = container;
        flat.push_back(std::move(out));
    };
    for (const json &each : list) {
        add(each, nullptr);
        if (each.contains("children"))
            for (const json &child : each["children"])
                add(child, each["name"]);
    }
    return flat;
}

} // namespace oocc::lsp
