// What may stand at a place, and nothing else: operands after an operator, edges after `=` of a boundary, no offer at all where
// a new name is being given.
#include "lsp/context.h"
#include "lsp/features.h"
#include "lsp/lore.h"

#include <algorithm>
#include <set>

namespace oocc::lsp {

namespace {

using Kind = Declared::Kind;
enum ItemKind { kFunctionItem = 3, kFieldItem = 5, kVariableItem = 6, kPropertyItem = 10, kUnitItem = 11, kKeywordItem = 14,
                kEnumMemberItem = 20, kConstantItem = 21, kTypeItem = 25 };

class Completion {
  public:
    Completion(const Document &document, const Context &context)
        : document_(document), index_(document.names), context_(context) {}

    json items() {
        if (!context_.silent) offer();
        return {{"isIncomplete", false}, {"items", std::move(items_)}};
    }

  private:
    void item(const std::string &label, int kind, const std::string &detail, const std::string &documentation = "") {
        if (!offered_.insert(label).second) return;
        json out{{"label", label},
                 {"kind", kind},
                 {"textEdit", {{"range", document_.text.range(context_.prefix)}, {"newText", label}}}};
        if (!detail.empty()) out["detail"] = detail;
        if (!documentation.empty()) out["documentation"] = {{"kind", "markdown"}, {"value", documentation}};
        items_.push_back(std::move(out));
    }
    void item(const Lore &lore, int kind) { item(std::string(lore.word), kind, std::string(lore.signature), std::string(lore.meaning)); }
    void all(Lore::Kind which, int kind) {
        for (const Lore &each : lore())
            if (each.kind == which) item(each, kind);
    }
    void words(std::initializer_list<const char *> list) {
        for (const char *word : list)
            if (const Lore *found = loreOfKeyword(word))
                item(*found, kKeywordItem);
            else
                item(word, kKeywordItem, "");
    }
    void types(std::initializer_list<const char *> list) {
        for (const char *word : list)
            item(*loreOf(word, Lore::Kind::Type), kTypeItem);
    }
    void declared(std::initializer_list<Kind> kinds, const std::string &suffix = "") {
        for (const Kind kind : kinds)
            for (const Declared &d : index_.declarations)
                if (d.kind == kind && isKnownHere(d)) item(d.name + suffix, itemOf(kind), detailOf(kind));
    }
    /// Parameters, lets and shapes use what stands above them.
    bool isKnownHere(const Declared &d) const {
        const bool ordered = d.kind == Kind::Param || d.kind == Kind::Let || d.kind == Kind::Shape;
        return !ordered || !in({"param", "let", "shape"}) || (d.range.begin < context_.prefix.begin && d.name != context_.words[1]);
    }
    static int itemOf(Kind kind) {
        switch (kind) {
        case Kind::Function:
            return kFunctionItem;
        case Kind::Param:
        case Kind::Let:
            return kConstantItem;
        case Kind::Field:
        case Kind::Coef:
        case Kind::Temp:
            return kFieldItem;
        default:
            return kVariableItem;
        }
    }
    static const char *detailOf(Kind kind) {
        static constexpr const char *kNames[] = {"stencil", "param",    "let",   "field",  "coef",    "temp",    "dimension",
                                                 "function", "shape", "scalar", "monitor", "parameter", "offset", "series"};
        return kNames[static_cast<size_t>(kind)];
    }

    bool in(std::initializer_list<const char *> keywords) const {
        return std::ranges::any_of(keywords, [&](const char *k) { return context_.keyword == k; });
    }
    bool inIndices() const { return !context_.brackets.empty() && context_.brackets.back().open == '['; }
    bool flat() const { return context_.brackets.empty(); }
    const std::string &previous() const { return context_.previous(); }

    // -- what may stand here ----------------------------------------------------------------------------

    void offer() {
        if (context_.words.empty()) return begin();
        if (previous() == ".") return members();
        if (inIndices()) return indices();
        if (context_.block == "boundary") return face();
        if (context_.block == "step") return expression();
        if (!afterName()) expression();
    }

    void begin() {
        if (context_.block == "step") {
            declared({Kind::Field}, "[t+1]");
            declared({Kind::Temp});
        } else if (context_.block == "boundary") {
            faces();
        } else {
            all(Lore::Kind::Statement, kKeywordItem);
        }
    }

    void members() {
        if (context_.block == "boundary" && !context_.has(":")) {
            item("lo", kEnumMemberItem, "the face at index 0");
            item("hi", kEnumMemberItem, "the face at the last index");
        } else {
            for (const Declared &d : index_.declarations)
                if (d.kind == Kind::Dim) item("d" + d.name, kPropertyItem, "the offset along " + d.name);
        }
    }

    void indices() {
        const bool moves = previous() == "+" || previous() == "-";
        if (moves) return declared({Kind::Let, Kind::Param});
        if (previous() != "[" && previous() != ",") return;
        declared({Kind::Dim});
        item(*loreOf("t", Lore::Kind::Constant), kVariableItem);
        for (const Context::Offset &offset : context_.offsets)
            item(offset.name, kVariableItem, "offset");
    }

    void faces() {
        for (const char *side : {"", ".lo", ".hi"})
            declared({Kind::Dim}, side);
    }

    void face() {
        if (!context_.has(":")) {
            if (previous() == ",") faces();
            return;
        }
        if (previous() == ":") return all(Lore::Kind::EdgeKind, kEnumMemberItem);
        if (context_.has("dirichlet")) expression();
    }

    /// What follows names at the beginning of a statement. False: an expression does.
    bool afterName() {
        const size_t count = context_.words.size();
        if (in({"stencil"})) return true;
        const bool data = in({"field", "coef", "temp"});
        if (in({"param"}) || data) {
            if (context_.has("=") || context_.has("from")) return context_.has("from");
            if (previous() == ":" && data) types({"f32", "f64", "i32", "i64", "u8", "bool"});
            if (previous() == ":" && !data) types({"int", "f32", "f64", "bool"});
            if (in({"coef"}) && context_.has(":") && previous() != ":") words({"from"});
            return true;
        }
        if (in({"series"})) {
            if (previous() == ":") types({"f32", "f64"});
            if (context_.has(":") && !context_.has("from") && previous() != ":") words({"from"});
            return true;
        }
        if (in({"let", "fn", "shape", "scalar", "monitor"})) return !context_.has("=") || shapeValue();
        if (in({"grid"})) {
            const bool value = context_.has(":") && previous() != "," && !flat();
            if (value && !context_.wantsOperand()) words({"spacing"});
            return !value;
        }
        if (in({"boundary"})) {
            if (count == 1 || previous() == ",") return declared({Kind::Field, Kind::Coef, Kind::Temp}), true;
            if (previous() == "=") return all(Lore::Kind::EdgeKind, kEnumMemberItem), true;
            return !context_.has("dirichlet");
        }
        if (in({"init", "output", "inject", "record"})) return fieldStatement(count);
        if (in({"stop"})) {
            if (count == 1) return words({"when", "on"}), true;
            if (previous() == "on") return words({"nan", "none"}), true;
            return !context_.has("when");
        }
        return !in({"steps"});
    }

    bool shapeValue() {
        if (!in({"shape"}) || context_.has("where")) return false;
        if (previous() == "=") {
            all(Lore::Kind::ShapeKind, kFunctionItem);
            declared({Kind::Shape});
            return true;
        }
        if (flat()) return words({"where"}), true;
        return false;
    }

    bool fieldStatement(size_t count) {
        if (count == 1) {
            declared({Kind::Field});
            return true;
        }
        if (in({"init"})) {
            if (count == 2 || previous() == "]") words({"from"});
            return !context_.has("=");
        }
        if (in({"output"})) {
            if (count == 2) words({"to"});
            if (count == 4) words({"every"});
            return !context_.has("every");
        }
        if (count == 2) return words({"at"}), true;
        if (previous() == "at") return words({"points"}), true;
        if (!flat() || context_.has("+=")) {
            if (previous() == "+=") words({"signal"});
            return context_.has("signal");
        }
        const bool record = in({"record"});
        if (record && context_.has("every") && !context_.has("to")) {
            if (context_.wantsOperand()) return false;
            words({"to"});
        } else if (record && !context_.has("to")) {
            words({"every", "to"});
        }
        return true;
    }

    // -- expressions ----------------------------------------------------------------------------------------

    bool afterClause() const { return context_.has("every"); }

    void expression() {
        if (previous() == "in") {
            all(Lore::Kind::ShapeKind, kFunctionItem);
            return declared({Kind::Shape});
        }
        if (context_.block == "step" && !context_.has("=")) return;
        if (!context_.wantsOperand()) return operators();
        const bool watch = in({"scalar", "monitor"}), step = context_.block == "step", fn = in({"fn"});
        if (watch && previous() == "=") return words({"sum", "min", "max", "mean"}), reductions();
        if (!context_.brackets.empty() && previous() == ":" && !in({"grid"})) return declared({Kind::Let, Kind::Param}); // order:

        for (const std::string &name : context_.parameters)
            item(name, kVariableItem, "parameter");
        for (const Context::Offset &offset : context_.offsets)
            item(offset.name, kVariableItem, "offset");
        if (in({"stop"})) declared({Kind::Monitor});
        const bool cells = step || fn || watch || in({"inject"});
        if (in({"shape"}) && context_.has("where"))
            for (const Declared &d : index_.declarations)
                if (d.kind == Kind::Dim) item("d" + d.name, kPropertyItem, "the offset along " + d.name);
        const bool value = !afterClause() && !(in({"inject", "record"}) && !context_.has("+="));
        if (value && cells) {
            declared({Kind::Field, Kind::Coef});
            if (!in({"inject", "scalar"})) declared({Kind::Temp});
            if (!in({"scalar"})) {
                declared({Kind::Scalar});
                declared({Kind::Series}, "[t]");
            }
        }
        const bool edge = context_.block == "boundary" || in({"boundary"});
        if (value && (cells || edge || in({"coef", "init"}))) declared({Kind::Dim});
        if (value && (edge || (cells && !in({"scalar"})))) item(*loreOf("t", Lore::Kind::Constant), kVariableItem);
        declared({Kind::Param, Kind::Let});
        declared({Kind::Function});
        for (const Lore &each : lore())
            if (each.kind == Lore::Kind::Function && ((value && cells) || each.signature.find("order") == std::string_view::npos))
                item(each, kFunctionItem); // derivatives need something to derive
        if (value && cells) {
            item(*callable("sum"), kFunctionItem);
            item(*callable("prod"), kFunctionItem);
        }
        item(*loreOf("pi", Lore::Kind::Constant), kConstantItem);
        words({"if", "not", "true", "false"});
    }

    void reductions() {
        for (const char *name : {"sum", "min", "max", "mean"})
            item(*callable(name), kFunctionItem);
    }

    void operators() {
        if (context_.openIfs > 0) words({"then"});
        if (context_.openIfs == 0 && context_.openThens > 0) words({"else"});
        words({"and", "or"});
        const bool where = context_.block == "step" || in({"scalar", "monitor"});
        const bool whole = flat() && context_.openIfs == 0 && context_.openThens == 0;
        if (whole && where && !context_.has("where") && !context_.has("every")) words({"where"});
        if (whole && in({"monitor"}) && !context_.has("every")) words({"every"});
    }

    const Document &document_;
    const Index &index_;
    const Context &context_;
    json items_ = json::array();
    std::set<std::string> offered_;
};

} // namespace

json completion(const Document &document, uint32_t offset) {
    const Context context = contextAt(*document.known, offset);
    return Completion(document, context).items();
}

} // namespace oocc::lsp
