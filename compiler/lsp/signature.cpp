// Which function the offset is within the arguments of, and which of them.
#include "lsp/context.h"
#include "lsp/features.h"
#include "lsp/lore.h"

#include <algorithm>

namespace oocc::lsp {

namespace {

/// "d(f, x, order: K)" and where its parameters are.
json signatureOf(const std::string &text, const std::string &documentation) {
    json parameters = json::array();
    const size_t open = text.find('('), close = text.rfind(')');
    for (size_t at = open + 1; open != std::string::npos && close > open + 1 && at < close;) {
        const size_t end = std::min(text.find(',', at), close);
        parameters.push_back({{"label", json::array({at, end})}});
        at = text.find_first_not_of(' ', end + 1);
    }
    json out{{"label", text}, {"parameters", parameters}};
    if (!documentation.empty()) out["documentation"] = {{"kind", "markdown"}, {"value", documentation}};
    return out;
}

} // namespace

json signatureHelp(const Document &document, uint32_t offset) {
    const Known &known = *document.known;
    const Context context = contextAt(known, offset);
    for (auto bracket = context.brackets.rbegin(); bracket != context.brackets.rend(); ++bracket) {
        if (bracket->open != '(') continue;
        json signature;
        if (const Lore *found = callable(bracket->caller))
            signature = signatureOf(std::string(found->signature), std::string(found->meaning));
        else
            for (const ast::Statement &s : known.program.statements)
                if (const auto *fn = std::get_if<ast::Fn>(&s.node); fn && fn->name.text == bracket->caller) {
                    std::string text = fn->name.text + "(";
                    for (size_t i = 0; i < fn->params.size(); ++i)
                        text += (i > 0 ? ", " : "") + fn->params[i].text;
                    signature = signatureOf(text + ")", "");
                }
        if (!signature.is_null())
            return {{"signatures", json::array({signature})}, {"activeSignature", 0}, {"activeParameter", bracket->commas}};
    }
    return nullptr;
}

} // namespace oocc::lsp
