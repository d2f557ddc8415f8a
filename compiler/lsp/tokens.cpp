// Colours by meaning: what a name is, which letters cannot tell.
#include "lsp/features.h"
#include "lsp/lore.h"

#include <map>

namespace oocc::lsp {

namespace {

enum Token { kKeyword, kComment, kString, kNumber, kOperator, kVariable, kParameter, kProperty, kFunction, kType, kEnumMember };
constexpr const char *kTokens[] = {"keyword",  "comment",  "string",   "number",   "operator", "variable",
                                   "parameter", "property", "function", "type",     "enumMember"};
constexpr unsigned kDeclaration = 1, kReadonly = 2, kDefaultLibrary = 4;

std::pair<Token, unsigned> tokenOf(Declared::Kind kind) {
    using Kind = Declared::Kind;
    switch (kind) {
    case Kind::Param:
    case Kind::Let:
    case Kind::Scalar:
    case Kind::Monitor:
    case Kind::Series:
        return {kVariable, kReadonly};
    case Kind::Coef:
        return {kProperty, kReadonly};
    case Kind::Field:
    case Kind::Temp:
        return {kProperty, 0};
    case Kind::Function:
        return {kFunction, 0};
    case Kind::Stencil:
    case Kind::Shape:
        return {kType, 0};
    case Kind::Dim:
    case Kind::Argument:
    case Kind::Offset:
        return {kParameter, 0};
    }
    return {kVariable, 0};
}

} // namespace

json tokenLegend() {
    return {{"tokenTypes", kTokens}, {"tokenModifiers", {"declaration", "readonly", "defaultLibrary"}}};
}

json semanticTokens(const Document &document) {
    const Known &known = *document.known;
    std::map<uint32_t, const NameUse *> uses;
    for (const NameUse &use : known.index.uses)
        uses.emplace(use.range.begin, &use);
    json data = json::array();
    uint64_t line = 0, character = 0;
    const auto put = [&](Range range, Token token, unsigned modifiers) {
        const json from = document.text.position(range.begin), to = document.text.position(range.end);
        if (from["line"] != to["line"]) return; // of several lines: left to the grammar
        const auto l = from["line"].get<uint64_t>(), c = from["character"].get<uint64_t>();
        for (const uint64_t n : {l - line, l == line ? c - character : c, to["character"].get<uint64_t>() - c,
                                 static_cast<uint64_t>(token), static_cast<uint64_t>(modifiers)})
            data.push_back(n);
        line = l;
        character = c;
    };
    for (const Word &word : known.words) {
        const auto use = uses.find(word.range.begin);
        if (use != uses.end()) {
            const Declared &declared = known.index.declarations[use->second->declaration];
            const auto [token, modifiers] = tokenOf(declared.kind);
            put(word.range, token, modifiers | (declared.range.begin == word.range.begin ? kDeclaration : 0));
        } else if (word.kind == Word::Kind::Keyword) {
            put(word.range, kKeyword, 0);
        } else if (word.kind == Word::Kind::Name) {
            const std::string_view text = known.source.slice(word.range);
            if (callable(text))
                put(word.range, kFunction, kDefaultLibrary);
            else if (loreOf(text, Lore::Kind::Type))
                put(word.range, kType, kDefaultLibrary);
            else if (loreOf(text, Lore::Kind::EdgeKind))
                put(word.range, kEnumMember, kDefaultLibrary);
            else if (loreOf(text, Lore::Kind::Constant))
                put(word.range, kVariable, kReadonly | kDefaultLibrary);
        }
    }
    return {{"data", data}};
}

} // namespace oocc::lsp
