// Changes of the text that are offered: the formatter's, and the remedies of diagnostics.
#include "format/format.h"
#include "lsp/features.h"
#include "support/diff.h"

namespace oocc::lsp {

json formatting(const Document &document, std::optional<Range> lines) {
    const std::string &text = document.text.str();
    const Source source(document.uri, text);
    Diagnostics ignored; // they are shown already
    const std::optional<std::string> result = format(source, ignored);
    if (!result) return nullptr;
    const auto from = linesOf(text), to = linesOf(*result);
    std::vector<uint32_t> starts{0};
    for (const std::string_view line : from)
        starts.push_back(starts.back() + static_cast<uint32_t>(line.size()));
    json edits = json::array();
    for (const Change &change : changes(from, to)) {
        const Range place{starts[change.begin], starts[change.end]};
        if (lines && (place.end < lines->begin || place.begin > lines->end)) continue;
        std::string by;
        for (size_t i = change.newBegin; i < change.newEnd; ++i)
            by += to[i];
        edits.push_back({{"range", document.text.range(place)}, {"newText", by}});
    }
    return edits;
}

json codeActions(const Document &document, Range range) {
    json actions = json::array();
    const json diagnostics = diagnosticsOf(document, true);
    const auto touches = [&](Range at) { return at.begin <= range.end && range.begin <= at.end; };
    for (const Diagnostic *each : document.known->diagnostics.inOrder()) {
        const Diagnostic &d = *each;
        if (!d.fix || d.range.begin == kNowhere.begin || (!touches(d.range) && !touches(d.fix->range))) continue;
        const std::string old(document.known->source.slice(d.fix->range));
        const std::string title = old.empty()            ? "Insert '" + d.fix->text + "'"
                                  : d.fix->text.empty() ? "Remove '" + old + "'"
                                                        : "Replace '" + old + "' by '" + d.fix->text + "'";
        json action{{"title", title},
                    {"kind", "quickfix"},
                    {"isPreferred", true},
                    {"edit",
                     {{"changes",
                       {{document.uri,
                         json::array({{{"range", document.text.range(d.fix->range)}, {"newText", d.fix->text}}})}}}}}};
        for (const json &said : diagnostics)
            if (said["range"] == document.text.range(d.range) && said["message"].get<std::string>().starts_with(d.message))
                action["diagnostics"] = json::array({said});
        actions.push_back(std::move(action));
    }
    return actions;
}

} // namespace oocc::lsp
