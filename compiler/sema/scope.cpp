#include "sema/scope.h"

#include "support/spelling.h"

#include <algorithm>
#include <cctype>

namespace oocc {

void Scope::declare(const ast::Name &name, Symbol::Kind kind) {
    if (name.text == "t") {
        diagnostics_.error(name.range, "'t' is the present time level and cannot be declared");
        return;
    }
    const auto [at, isNew] = symbols_.emplace(name.text, Symbol{kind, -1, name.range});
    if (!isNew)
        diagnostics_.error(name.range, "'" + name.text + "' is declared already")
            .note(at->second.range, "first declared here");
}

Symbol *Scope::find(const std::string &name) {
    const auto at = symbols_.find(name);
    return at == symbols_.end() ? nullptr : &at->second;
}

const Symbol *Scope::find(const std::string &name) const {
    const auto at = symbols_.find(name);
    return at == symbols_.end() ? nullptr : &at->second;
}

Symbol *Scope::declaredBy(const ast::Name &name) {
    Symbol *symbol = find(name.text);
    return symbol && symbol->range.begin == name.range.begin ? symbol : nullptr;
}

std::vector<std::string> Scope::names(std::initializer_list<Symbol::Kind> kinds) const {
    constexpr size_t kMostErrors = 100; // beyond them nobody reads; a list of all names for each of thousands takes its time
    std::vector<std::string> list;
    if (diagnostics_.all().size() > kMostErrors) return list;
    for (const auto &[name, symbol] : symbols_)
        if (std::ranges::find(kinds, symbol.kind) != kinds.end()) list.push_back(name);
    return list;
}

void suggestName(Diagnostic &error, const ast::Name &wrong, const std::vector<std::string> &candidates) {
    if (const auto near = closest(wrong.text, candidates))
        error.withHelp("did you mean '" + *near + "'?").withFix(wrong.range, *near);
}

void suggestDimension(Diagnostic &error, const ast::Name &wrong, const Scope &scope) {
    suggestName(error, wrong, scope.names({Symbol::Kind::Dim}));
    if (!error.help && !scope.dims.empty()) error.withHelp("the grid has " + joined(scope.dims));
}

void suggestExtent(Diagnostic &error, const ast::Name &wrong, const Scope &scope) {
    for (size_t d = 0; d < scope.dims.size(); ++d) {
        const std::string &dim = scope.dims[d], &extent = scope.extents[d];
        std::string upper = "N" + dim;
        std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        if (wrong.text != "n" + dim && wrong.text != "n_" + dim && wrong.text != upper) continue;
        if (!extent.empty())
            error.withHelp("the extent of " + dim + " is '" + extent + "' here").withFix(wrong.range, extent);
        else
            error.withHelp("give the extent of " + dim + " that name: param " + wrong.text + " : int = ...; grid (" + dim + ": " + wrong.text + ")");
        return;
    }
}

std::string likelyType(const Stencil &stencil) {
    const auto real = std::ranges::find_if(stencil.fields, [](const Field &field) { return isFloat(field.type); });
    return typeName(real == stencil.fields.end() ? Type::F64 : real->type);
}

std::string fieldDeclaration(const std::string &name, const Stencil &stencil) {
    const std::string typed = name + " : " + likelyType(stencil);
    return "declare it: field " + typed + "; or, if it never changes: coef " + typed + " = ...;";
}

} // namespace oocc
