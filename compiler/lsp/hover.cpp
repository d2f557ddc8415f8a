// What a name, a word or a sign means at the place where it stands.
#include "analysis/limits.h"
#include "lsp/features.h"
#include "lsp/lore.h"
#include "stencil/printer.h"

#include <algorithm>

namespace oocc::lsp {

namespace {

using Kind = Declared::Kind;

std::string code(std::string_view text) {
    std::string line; // one blank for any number
    for (const char c : text)
        if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    return "```stn\n" + line + "\n```\n";
}

std::string valueText(const Stencil &stencil, Type type, const Value &value) {
    const auto literal = std::visit([](auto v) { return Literal{v}; }, value);
    return toString(stencil, std::make_shared<const Expr>(Expr{type, {}, literal}));
}

/// What the author says of a statement: behind it, or on the lines right above.
std::string remarks(const Known &known, Range statement) {
    const auto &words = known.words;
    const auto blank = [&](uint32_t from, uint32_t to) {
        return from <= to && known.source.slice({from, to}).find('\n') == std::string_view::npos;
    };
    const auto stripped = [&](const Word &word) {
        std::string text(known.source.slice(word.range));
        text = text.substr(2, text.size() - (text.starts_with("/*") ? 4 : 2));
        text.erase(0, text.find_first_not_of(' '));
        return text;
    };
    const auto first = std::ranges::find_if(words, [&](const Word &w) { return w.range.begin >= statement.begin; });
    std::string out;
    for (auto at = first; at != words.begin();) {
        const Word &comment = *--at;
        const uint32_t after = std::next(at) == first ? statement.begin : std::next(at)->range.begin;
        const bool near = std::ranges::count(known.source.slice({comment.range.end, after}), '\n') == 1;
        const bool ownLine = at == words.begin() || !blank(std::prev(at)->range.end, comment.range.begin);
        if (comment.kind != Word::Kind::Comment || !near || !ownLine) break;
        out = stripped(comment) + (out.empty() ? "" : " ") + out;
    }
    for (auto at = first; at != words.end() && (at->range.begin < statement.end || blank(statement.end, at->range.begin)); ++at)
        if (at->kind == Word::Kind::Comment && at->range.begin >= statement.end) {
            out += (out.empty() ? "" : "\n\n") + stripped(*at);
            break;
        }
    return out.empty() ? "" : "\n" + out + "\n";
}

std::string edgesOf(const Stencil &stencil, const Field &field) {
    static constexpr const char *kKinds[] = {"none", "fixed", "dirichlet", "neumann", "reflect", "reflect_center", "periodic"};
    const auto spell = [&](const Edge &edge) {
        return std::string(kKinds[static_cast<size_t>(edge.kind)]) + (edge.value ? " " + toString(stencil, edge.value) : "");
    };
    std::vector<std::string> faces;
    for (size_t dim = 0; dim < stencil.dims.size(); ++dim) {
        const std::string lo = spell(field.edge[dim][0]), hi = spell(field.edge[dim][1]), &name = stencil.dims[dim].name;
        if (lo == hi)
            faces.push_back(name + ": " + lo);
        else
            faces.insert(faces.end(), {name + ".lo: " + lo, name + ".hi: " + hi});
    }
    const std::string first = faces.empty() ? "" : faces[0].substr(faces[0].find(':'));
    if (std::ranges::all_of(faces, [&](const std::string &f) { return f.substr(f.find(':')) == first; }))
        return first.empty() ? "" : first.substr(2) + " at every face";
    std::string out;
    for (const std::string &face : faces)
        out += (out.empty() ? "" : "; ") + face;
    return out;
}

std::string reachOf(const Stencil &stencil, const StageFacts &stage) {
    std::string out;
    for (size_t dim = 0; dim < stencil.dims.size(); ++dim)
        out += (dim > 0 ? ", " : "") + stencil.dims[dim].name + " -" + std::to_string(stage.reach[dim][0]) + "/+" +
               std::to_string(stage.reach[dim][1]);
    return out;
}

std::string counted(size_t n, const char *what) {
    return std::to_string(n) + ' ' + what + (n == 1 ? "" : "s");
}

std::string line(const std::string &what, const std::string &text) {
    return text.empty() ? "" : "- " + what + ": " + text + "\n";
}

std::string readers(const Meaning &meaning, int field) {
    std::string out;
    for (size_t k = 0; k < meaning.stencil.stages.size(); ++k) {
        const auto reads = static_cast<size_t>(std::ranges::count_if(meaning.facts.accesses, [&](const Access &a) {
            return a.field == field && a.stage == static_cast<int>(k);
        }));
        if (reads > 0)
            out += (out.empty() ? "" : ", ") + stageText(meaning.stencil, static_cast<int>(k)) + " (" + counted(reads, "read") + ")";
    }
    return out.empty() ? "nothing" : out;
}

std::string describeField(const Meaning &meaning, size_t index) {
    const Stencil &stencil = meaning.stencil;
    const Field &field = stencil.fields[index];
    const int maker = stencil.stageOf(static_cast<int>(index));
    std::string out = line("size", counted(static_cast<size_t>(typeBytes(field.type)), "byte") + " a cell");
    if (!field.coef && !field.temp)
        out += line("levels", std::to_string(field.levels) + " kept from step to step, " +
                                  std::to_string(meaning.facts.schedule.slots[index]) + " in the window");
    if (field.temp && meaning.facts.fields[index].local) out += line("place", "in registers");
    if (maker >= 0)
        out += line("reach of its update", reachOf(stencil, meaning.facts.stages[static_cast<size_t>(maker)]));
    out += line("read by", readers(meaning, static_cast<int>(index)));
    return out + line("edges", edgesOf(stencil, field));
}

std::string describeUpdate(const Meaning &meaning, size_t stage) {
    const Stencil &stencil = meaning.stencil;
    const StageFacts &facts = meaning.facts.stages[stage];
    std::string out = "\n" + stageText(stencil, static_cast<int>(stage)) + "\n\n" + line("reach", reachOf(stencil, facts)) +
                      line("arithmetic", counted(static_cast<size_t>(facts.flops), "flop") + " a cell");
    std::string rim;
    for (size_t dim = 0; dim < stencil.dims.size(); ++dim)
        if (facts.rim[dim][0] + facts.rim[dim][1] > 0)
            rim += (rim.empty() ? "" : ", ") + stencil.dims[dim].name + ' ' + std::to_string(facts.rim[dim][0]) + "/" +
                   std::to_string(facts.rim[dim][1]);
    out += line("rim", rim) + "\nWhat limits temporal blocking:\n\n";
    for (const std::string &limit : limitsOf(stencil, meaning.facts))
        out += "- " + limit + "\n";
    return out;
}

template <typename List> std::optional<size_t> named(const List &list, const std::string &name) {
    const auto at = std::ranges::find_if(list, [&](const auto &each) { return each.name == name; });
    return at == list.end() ? std::nullopt : std::optional(static_cast<size_t>(at - list.begin()));
}

std::string describeScalar(const Meaning &meaning, const std::string &name) {
    const auto index = named(meaning.stencil.scalars, name);
    if (!index) return "";
    const Scalar &scalar = meaning.stencil.scalars[*index];
    if (!scalar.value) return "";
    return line("value", "`" + valueText(meaning.stencil, scalar.type, meaning.scalars[*index]) + "`, " + typeName(scalar.type) +
                             (scalar.given ? ", set from outside (define)" : ""));
}

std::string describeDim(const Meaning &meaning, const std::string &name) {
    const auto index = named(meaning.stencil.dims, name);
    if (!index) return "";
    const Dim &dim = meaning.stencil.dims[*index];
    const auto value = [&](const ExprPtr &e) { return valueText(meaning.stencil, e->type, evaluate(e, meaning.scalars)); };
    return line("cells", value(dim.extent)) + (dim.spacing ? line("spacing", value(dim.spacing)) : "") +
           (*index == 0 ? "- the slowest: the grid is streamed along it\n" : "") +
           (*index + 1 == meaning.stencil.dims.size() ? "- the fastest: its cells are neighbours in memory\n" : "");
}

std::string typeOf(const Known &known, const Declared &declared) {
    for (const ast::Statement &s : known.program.statements) {
        if (s.range.begin != declared.statement.begin) continue;
        if (const auto *field = std::get_if<ast::Field>(&s.node)) return field->type.text;
        if (const auto *temp = std::get_if<ast::Temp>(&s.node)) return temp->type.text;
    }
    return "";
}

std::string describe(const Document &document, const Declared &declared) {
    const Known &known = *document.known;
    std::string out, facts;
    const auto statement = [&] { return code(known.source.slice(declared.statement)); };
    const Meaning *meaning = document.meaning.get();
    switch (declared.kind) {
    case Kind::Field:
    case Kind::Temp:
        out = code((declared.kind == Kind::Field ? "field " : "temp ") + declared.name + " : " + typeOf(known, declared));
        break;
    case Kind::Dim:
        out = code(declared.name) + "A dimension of the grid; in expressions the index of the cell, an int counted from 0.\n";
        break;
    case Kind::Argument:
        return statement() + "`" + declared.name + "`: a parameter of the function.\n";
    case Kind::Offset:
        return "`" + declared.name + "`: goes through the offsets of a shape; `u[" + declared.name + "]` reads there.\n";
    default:
        out = statement();
    }
    const bool data = declared.kind == Kind::Field || declared.kind == Kind::Temp || declared.kind == Kind::Coef;
    if (meaning && data)
        if (const auto index = named(meaning->stencil.fields, declared.name)) facts = describeField(*meaning, *index);
    if (meaning && (declared.kind == Kind::Param || declared.kind == Kind::Let)) facts = describeScalar(*meaning, declared.name);
    if (meaning && declared.kind == Kind::Dim) facts = describeDim(*meaning, declared.name);
    if (declared.kind == Kind::Scalar) facts = std::string(loreOf("scalar", Lore::Kind::Statement)->meaning) + "\n";
    if (declared.kind == Kind::Series) facts = std::string(loreOf("series", Lore::Kind::Statement)->meaning) + "\n";
    if (declared.kind == Kind::Monitor) facts = std::string(loreOf("monitor", Lore::Kind::Statement)->meaning) + "\n";
    if (declared.kind != Kind::Dim) out += remarks(known, declared.statement);
    if (!facts.empty()) out += "\n" + facts;
    return out;
}

/// The stage of the update whose target is at this place, as it was when the program last compiled.
std::optional<size_t> updateAt(const Document &document, Range target, const std::string &name) {
    if (!document.meaning) return std::nullopt;
    for (const ast::Statement &s : document.known->program.statements)
        if (const auto *step = std::get_if<ast::Step>(&s.node))
            for (const ast::Update &update : step->updates)
                if (update.target.range.begin == target.begin)
                    if (const auto field = named(document.meaning->stencil.fields, name))
                        if (const int stage = document.meaning->stencil.stageOf(static_cast<int>(*field)); stage >= 0)
                            return static_cast<size_t>(stage);
    return std::nullopt;
}

const Lore *loreAt(const Known &known, const Word &word) {
    const std::string_view text = known.source.slice(word.range);
    const auto next = std::ranges::find_if(known.words, [&](const Word &w) { return w.range.begin >= word.range.end; });
    const bool called = next != known.words.end() && known.source.slice(next->range) == "(";
    if (word.kind == Word::Kind::Name && called) return callable(text);
    if (word.kind == Word::Kind::Keyword || word.kind == Word::Kind::Sign) return loreOfKeyword(text);
    if (word.kind == Word::Kind::Name)
        for (const auto kind : {Lore::Kind::Type, Lore::Kind::EdgeKind, Lore::Kind::Constant})
            if (const Lore *found = loreOf(text, kind)) return found;
    return nullptr;
}

} // namespace

const Word *wordAt(const Known &known, uint32_t offset) {
    const Word *ends = nullptr;
    for (const Word &word : known.words) {
        if (word.range.begin <= offset && offset < word.range.end) return &word;
        if (word.range.end == offset && (word.kind == Word::Kind::Name || word.kind == Word::Kind::Keyword)) ends = &word;
    }
    return ends;
}

json hover(const Document &document, uint32_t offset) {
    const Known &known = *document.known;
    const auto answer = [&](Range range, const std::string &text) -> json {
        return {{"contents", {{"kind", "markdown"}, {"value", text}}}, {"range", document.text.range(range)}};
    };
    const Word *word = wordAt(known, offset);
    if (!word || word->kind == Word::Kind::Comment || word->kind == Word::Kind::String) return nullptr;
    if (const auto use = document.nameAt(offset); use && use->range.begin >= word->range.begin && use->range.end <= word->range.end) {
        const Declared &declared = known.index.declarations[use->declaration];
        std::string text = describe(document, declared);
        if (const auto stage = updateAt(document, use->range, declared.name)) text += describeUpdate(*document.meaning, *stage);
        if (!known.compiles && document.meaning) text += "\n*Figures are of the last text that compiled.*\n";
        return answer(use->range, text);
    }
    const Lore *lore = loreAt(known, *word);
    if (!lore) return nullptr;
    return answer(word->range, code(lore->signature) + std::string(lore->meaning) + "\n");
}

} // namespace oocc::lsp
