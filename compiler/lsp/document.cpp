#include "lsp/document.h"

#include "stencil/verifier.h"
#include "syntax/parse.h"

#include <algorithm>

namespace oocc::lsp {

namespace {

constexpr size_t kMaxProgramBytes = size_t{64} << 20; // as of a file: positions are 32-bit

/// The same stages, in the same order and with the same messages, as oocc goes through.
std::shared_ptr<const Meaning> compile(Known &known, const std::vector<Define> &defines) {
    known.program = parseWhatIsWhole(known.source, known.diagnostics);
    known.parses = !known.diagnostics.hasErrors();
    known.index = indexNames(known.program);
    if (!known.parses) return nullptr;
    auto stencil = resolve(known.program, defines, known.diagnostics);
    if (!stencil) return nullptr;
    verify(*stencil);
    auto facts = analyze(*stencil, known.diagnostics);
    if (!facts) return nullptr;
    known.compiles = true;
    std::vector<Value> scalars = evaluateScalars(*stencil);
    return std::make_shared<Meaning>(Meaning{std::move(*stencil), std::move(*facts), std::move(scalars)});
}

std::string fileOf(const std::string &uri) {
    return uri.substr(uri.rfind('/') + 1);
}

} // namespace

const Known &Document::look(const std::vector<Define> &defines) {
    if (known) return *known;
    const bool tooLong = text.str().size() > kMaxProgramBytes;
    known.emplace(fileOf(uri), tooLong ? std::string() : text.str());
    if (tooLong) {
        known->diagnostics.error(kNowhere, "this text is larger than 64 MiB, which no program is");
        return *known;
    }
    known->words = words(known->source);
    try {
        if (auto now = compile(*known, defines)) meaning = std::move(now);
    } catch (const EvaluationError &error) {
        known->diagnostics.error(error.range, error.message);
    } catch (const std::exception &error) {
        known->diagnostics.error(kNowhere, std::string("internal error: ") + error.what());
    }
    gatherNames();
    return *known;
}

void Document::gatherNames() {
    if (known->parses) {
        names = lastNames = known->index;
        return;
    }
    names = known->index;
    for (const Declared &old : lastNames.declarations)
        if (std::ranges::none_of(names.declarations, [&](const Declared &d) { return d.name == old.name && d.kind == old.kind; }))
            names.declarations.push_back(old);
}

std::optional<NameUse> Document::nameAt(uint32_t offset) const {
    if (const NameUse *use = known->index.at(offset)) return *use;
    if (known->parses) return std::nullopt;
    const auto word = std::ranges::find_if(known->words, [&](const Word &w) {
        return w.range.begin <= offset && offset <= w.range.end && w.kind == Word::Kind::Name;
    });
    if (word == known->words.end()) return std::nullopt;
    const std::string_view name = known->source.slice(word->range);
    const bool called = std::next(word)->range.begin < text.str().size() && text.str()[std::next(word)->range.begin] == '(';
    const auto &all = known->index.declarations;
    for (size_t i = 0; i < all.size(); ++i)
        if (all[i].name == name && all[i].scope.begin == 0 && all[i].scope.end == UINT32_MAX &&
            called == (all[i].kind == Declared::Kind::Function))
            return NameUse{word->range, i};
    return std::nullopt;
}

json diagnosticsOf(const Document &document, bool related) {
    const Text &text = document.text;
    json list = json::array();
    for (const Diagnostic *d : document.known->diagnostics.inOrder()) {
        json each{{"range", text.range(d->range)},
                  {"severity", d->severity == Severity::Error ? 1 : 2},
                  {"source", "oocc"},
                  {"message", d->message + (d->help ? "\nhelp: " + *d->help : "")}};
        for (const Note &note : d->notes)
            if (related)
                each["relatedInformation"].push_back(
                    {{"location", {{"uri", document.uri}, {"range", text.range(note.range)}}}, {"message", note.message}});
            else
                each["message"] = each["message"].get<std::string>() + "\nnote: " + note.message;
        list.push_back(std::move(each));
    }
    return list;
}

} // namespace oocc::lsp
