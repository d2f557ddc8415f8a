// A name is changed where it is declared and wherever it stands for that; and then the text is looked at once more, since the
// new name may mean something already, there or in between.
#include "lsp/features.h"
#include "lsp/rpc.h"
#include "syntax/parse.h"

#include <algorithm>

namespace oocc::lsp {

namespace {

const NameUse &nameAt(const Document &document, uint32_t offset) {
    const Known &known = *document.known;
    if (!known.parses)
        throw RequestError(kRequestFailed, "a program with syntax errors has places that are not known; correct these first");
    const NameUse *use = known.index.at(offset);
    if (!use) throw RequestError(kRequestFailed, "there is no name here that the program declares");
    return *use;
}

std::string replaced(const std::string &text, const std::vector<Range> &places, const std::string &by) {
    std::string out;
    uint32_t last = 0;
    for (const Range &place : places) {
        out += text.substr(last, place.begin - last) + by;
        last = place.end;
    }
    return out + text.substr(last);
}

/// Whether every name of both texts stands for the same declaration, by its number.
bool sameNames(const Index &a, const Index &b) {
    return std::ranges::equal(a.uses, b.uses, {}, &NameUse::declaration, &NameUse::declaration);
}

} // namespace

json prepareRename(const Document &document, uint32_t offset) {
    const NameUse &use = nameAt(document, offset);
    return {{"range", document.text.range(use.range)},
            {"placeholder", document.known->index.declarations[use.declaration].name}};
}

json rename(const Document &document, uint32_t offset, const std::string &name) {
    const Known &known = *document.known;
    const NameUse &use = nameAt(document, offset);
    const Declared &declared = known.index.declarations[use.declaration];
    const bool global = declared.kind != Declared::Kind::Stencil;
    if (!canBeName(name)) throw RequestError(kRequestFailed, "'" + name + "' is no name: letters, digits and '_', not reserved");
    if (name == "t" && global) throw RequestError(kRequestFailed, "'t' is the present time level and cannot be declared");
    if (isBuiltin(name) && declared.kind == Declared::Kind::Function)
        throw RequestError(kRequestFailed, "'" + name + "' is a function of the language");
    std::vector<Range> places;
    for (const NameUse &each : known.index.uses)
        if (each.declaration == use.declaration) places.push_back(each.range);

    const Source after(known.source.path(), replaced(document.text.str(), places, name));
    Diagnostics diagnostics;
    const Index index = indexNames(parseWhatIsWhole(after, diagnostics));
    const bool twice = global && std::ranges::count_if(index.declarations, [&](const Declared &d) {
                                     return d.name == name && d.scope.end == declared.scope.end && d.kind != Declared::Kind::Stencil;
                                 }) > 1;
    if (twice || diagnostics.hasErrors() || !sameNames(known.index, index))
        throw RequestError(kRequestFailed, "'" + name + "' means something else already where '" + declared.name + "' stands");

    json edits = json::array();
    for (const Range &place : places)
        edits.push_back({{"range", document.text.range(place)}, {"newText", name}});
    return {{"changes", {{document.uri, edits}}}};
}

} // namespace oocc::lsp
