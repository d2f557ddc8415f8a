// Fields and coefficients: types, initial values, files, outputs.
#include "sema/resolver.h"

#include <algorithm>

namespace oocc {

/// Fields and coefficients are numbered together, as declared; their values may come in any order after that.
void Resolver::fields() {
    for (const ast::Statement &statement : program_.statements)
        if (const auto *coef = std::get_if<ast::Coef>(&statement.node))
            addField(coef->name, coef->type, true);
        else if (const auto *field = std::get_if<ast::Field>(&statement.node))
            for (const ast::Name &name : field->names)
                addField(name, field->type, false);
}

void Resolver::addField(const ast::Name &name, const ast::Name &typeName, bool coef) {
    Symbol *symbol = scope_.declaredBy(name);
    const std::optional<Type> type = fieldType(typeName, diagnostics_);
    if (!symbol) return;
    if (!type) {
        symbol->kind = Symbol::Kind::Broken;
        return;
    }
    symbol->index = static_cast<int>(stencil_.fields.size());
    Field field;
    field.name = name.text;
    field.type = *type;
    field.coef = coef;
    field.range = name.range;
    stencil_.fields.push_back(std::move(field));
}

int Resolver::fieldIndex(const ast::Name &name) {
    const Symbol *symbol = scope_.find(name.text);
    if (!symbol) {
        suggestName(diagnostics_.error(name.range, "unknown field '" + name.text + "'"), name,
                    scope_.names({Symbol::Kind::Field}));
        return -1;
    }
    if (symbol->kind == Symbol::Kind::Broken) return -1;
    if (symbol->kind != Symbol::Kind::Field) {
        diagnostics_.error(name.range, "'" + name.text + "' is not a field")
            .note(symbol->range, "it is declared here");
        return -1;
    }
    return symbol->index;
}

// -- initial values -----------------------------------------------------------------------

void Resolver::coefValue(const ast::Coef &coef, const ast::Statement &) {
    const Symbol *symbol = scope_.declaredBy(coef.name);
    Field *field = symbol && symbol->kind == Symbol::Kind::Field
                       ? &stencil_.fields[static_cast<size_t>(symbol->index)]
                       : nullptr;
    if (!coef.value && !coef.file)
        diagnostics_.error(coef.name.range, "coefficient '" + coef.name.text + "' has no value")
            .withHelp("give it '= expression' or 'from \"file.npy\"'");
    if (coef.file && checkPath(*coef.file) && field) field->initFile = coef.file->value;
    if (!coef.value) return;
    const Operand value = resolve(*coef.value, {"a coefficient", true});
    if (field) field->init = {assign(value, field->type, "'" + coef.name.text + "'", diagnostics_)};
}

void Resolver::init(const ast::Init &init, const ast::Statement &statement) {
    const int index = fieldIndex(init.field);
    int level = 0;
    ExpressionResolver expressions(stencil_, scope_, updates_, diagnostics_);
    const auto shift = expressions.shift(init.indices);
    const bool levelFine = shift && shift->time <= 0 && shift->offset == Offsets{};
    if (shift && !levelFine)
        diagnostics_
            .error(statement.range,
                   "initial values are given at the point itself, for the present or a past level")
            .withHelp("init " + init.field.text + " = ... or init " + init.field.text + "[t-1] = ...");
    else if (shift)
        level = -shift->time;
    Operand value;
    if (init.value) value = resolve(*init.value, {"an initial value", true});
    const bool pathFine = !init.file || checkPath(*init.file);
    const bool oneLevelFromFile = init.file && level > 0;
    if (oneLevelFromFile)
        diagnostics_.error(init.file->range,
                           "one past level from a file is not there yet; a file starts every level");
    if (index < 0 || !levelFine || oneLevelFromFile) return;
    Field &field = stencil_.fields[static_cast<size_t>(index)];
    if (field.coef) {
        diagnostics_
            .error(statement.keyword,
                   "'" + field.name + "' is a coefficient; its value is part of its declaration")
            .note(field.range, "it is declared here");
        return;
    }
    const auto [at, isNew] = inits_.emplace(std::pair{index, level}, init.field.range);
    if (!isNew) {
        diagnostics_.error(init.field.range, "'" + field.name + "' has an initial value already")
            .note(at->second, "given here");
        return;
    }
    const auto first = inits_.lower_bound({index, 0});
    const auto other = first == at ? std::next(first) : first;
    if ((init.file || !field.initFile.empty()) && other != inits_.end() && other->first.first == index) {
        diagnostics_
            .error(init.field.range,
                   "'" + field.name +
                       "' starts from a file and from an expression; a file starts every level")
            .note(other->second, "given here");
        return;
    }
    if (init.file) {
        if (pathFine) field.initFile = init.file->value;
        return;
    }
    field.init.resize(std::max(field.init.size(), static_cast<size_t>(level) + 1));
    field.init[static_cast<size_t>(level)] = assign(value, field.type, "'" + field.name + "'", diagnostics_);
}

/// Levels are known only after the updates: initial values of levels that nobody reads are left out.
void Resolver::checkInits() {
    for (const auto &[key, range] : inits_) {
        const Field &field = stencil_.fields[static_cast<size_t>(key.first)];
        if (key.second >= field.levels)
            diagnostics_.warning(range, "no update reads '" + field.name + "[t-" +
                                            std::to_string(key.second) +
                                            "]'; this initial value is not used");
    }
    for (Field &field : stencil_.fields) {
        const auto levels = static_cast<size_t>(field.levels);
        if (field.init.size() > levels) field.init.resize(levels);
        if (!field.init.empty() && !field.init[0] && field.initFile.empty()) {
            const bool any = std::ranges::any_of(field.init, [](const ExprPtr &e) { return e != nullptr; });
            if (any)
                field.init[0] = makeExpr(field.type, field.range, Literal{0.0});
            else
                field.init.clear();
        }
    }
}

// -- files -----------------------------------------------------------------------

bool Resolver::checkPath(const ast::Text &path) {
    const std::string &text = path.value;
    if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }))
        diagnostics_.error(path.range, "a file name has no control characters");
    else if (text.empty())
        diagnostics_.error(path.range, "a file name is missing between the quotes");
    else if (text.ends_with(".h5"))
        diagnostics_.error(path.range, "'.h5' files are not there yet; this version has .npy and .raw");
    else if (!text.ends_with(".npy") && !text.ends_with(".raw"))
        diagnostics_.error(path.range, "the kind of this file is unknown; its name ends in .npy or .raw");
    else
        return true;
    return false;
}

void Resolver::output(const ast::Output &output, const ast::Statement &) {
    const int index = fieldIndex(output.field);
    if (output.every)
        diagnostics_.error(output.every->range, notThereYet("output " + output.every->construct) +
                                                    "; files are written at the end");
    if (output.path.value.find("{t}") != std::string::npos) {
        diagnostics_.error(
            output.path.range,
            "'{t}' in a file name is not there yet in this version; files are written at the end");
        return;
    }
    if (!checkPath(output.path) || index < 0) return;
    const Field &field = stencil_.fields[static_cast<size_t>(index)];
    if (field.coef) {
        diagnostics_
            .error(output.field.range,
                   "'" + field.name + "' is a coefficient; it never changes and is not written")
            .note(field.range, "it is declared here");
        return;
    }
    for (const Output &other : stencil_.outputs)
        if (other.path == output.path.value) {
            diagnostics_.error(output.path.range, "two outputs to the same file")
                .note(other.range, "the first is here");
            return;
        }
    stencil_.outputs.push_back({index, output.path.value, output.path.range, nullptr});
}

} // namespace oocc
