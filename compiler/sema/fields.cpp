// Fields, coefficients and temps: types and initial values.
#include "sema/resolver.h"

#include <algorithm>

namespace oocc {

namespace {

ExprPtr zero(Type element, Range range) {
    const Literal literal = element == Type::Bool ? Literal{false}
                            : isFloat(element)    ? Literal{0.0}
                                                  : Literal{int64_t{0}};
    return makeExpr(valueType(element), range, literal);
}

} // namespace

/// Fields, coefficients and temps are numbered together, as declared; their values may come in any order after that.
void Resolver::fields() {
    for (const ast::Statement &statement : program_.statements)
        if (const auto *coef = std::get_if<ast::Coef>(&statement.node))
            addField(coef->name, coef->type, FieldKind::Coef);
        else if (const auto *field = std::get_if<ast::Field>(&statement.node))
            for (const ast::Name &name : field->names)
                addField(name, field->type, FieldKind::State);
        else if (const auto *temp = std::get_if<ast::Temp>(&statement.node))
            for (const ast::Name &name : temp->names)
                addField(name, temp->type, FieldKind::Temp);
}

void Resolver::addField(const ast::Name &name, const ast::Name &typeName, FieldKind kind) {
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
    field.coef = kind == FieldKind::Coef;
    field.temp = kind == FieldKind::Temp;
    field.levels = field.temp ? 0 : 1;
    field.range = name.range;
    stencil_.fields.push_back(std::move(field));
}

Diagnostic &Resolver::unknownField(const ast::Name &name) {
    Diagnostic &error = diagnostics_.error(name.range, "unknown field '" + name.text + "'");
    suggestName(error, name, scope_.names({Symbol::Kind::Field}));
    return error;
}

int Resolver::fieldIndex(const ast::Name &name) {
    const Symbol *symbol = scope_.find(name.text);
    if (!symbol) {
        if (Diagnostic &error = unknownField(name); !error.help) error.withHelp(fieldDeclaration(name.text, stencil_));
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
    const bool givenByInit = std::ranges::any_of(program_.statements, [&](const ast::Statement &s) {
        const auto *init = std::get_if<ast::Init>(&s.node);
        return init && init->field.text == coef.name.text; // where it is told that this is the place
    });
    if (!coef.value && !coef.file && !givenByInit)
        diagnostics_.error(coef.name.range, "coefficient '" + coef.name.text + "' has no value")
            .withHelp("give it '= expression' or 'from \"file.npy\"'");
    if (coef.file && checkPath(*coef.file) && field) field->initFile = coef.file->value;
    if (!coef.value) return;
    const int index = field ? symbol->index : -1;
    const Operand value = resolve(*coef.value, {.name = "a coefficient", .coords = true, .reads = Place::Reads::Initial, .below = index});
    if (!field) return;
    const ExprPtr made = assign(value, field->type, "'" + coef.name.text + "'", diagnostics_);
    if (made && isOfOwnCell(made, "a coefficient is made")) field->init = {made};
}

/// What is made cell by cell reads no others; `what` says what is.
bool Resolver::isOfOwnCell(const ExprPtr &value, const std::string &what) {
    bool fine = true;
    walk(value, [&](const Expr &e) {
        const auto *read = std::get_if<Read>(&e.node);
        if (!read || read->offset == Offsets{} || !fine) return;
        diagnostics_.error(e.range, what + " of values at its own cell").withHelp("leave the offset out, or prepare a file with what is wanted");
        fine = false;
    });
    return fine;
}

/// init u[0] = 1, init u[x == 0] = 1: what other languages assign to a part of an array.
bool Resolver::isOfSomeCells(const ast::Init &init) {
    for (const ast::ExprPtr &index : init.indices) {
        const auto *binary = std::get_if<ast::Binary>(&index->node);
        const bool sum = binary && (binary->op == ast::BinaryOp::Add || binary->op == ast::BinaryOp::Sub);
        if (sum || std::holds_alternative<ast::Reference>(index->node) || stencil_.dims.empty()) continue;
        diagnostics_.error(index->range, "an initial value is of all cells")
            .withHelp("a condition tells cells apart: init " + init.field.text + " = if " + stencil_.dims.back().name + " == 0 then 1 else 0;");
        return true;
    }
    return false;
}

void Resolver::init(const ast::Init &init, const ast::Statement &statement) {
    const int index = fieldIndex(init.field);
    Operand value;
    if (init.value) value = resolve(*init.value, {.name = "an initial value", .coords = true, .reads = Place::Reads::Initial});
    if (index >= 0 && stencil_.fields[static_cast<size_t>(index)].coef) {
        const Field &coef = stencil_.fields[static_cast<size_t>(index)];
        const bool hasValue = !coef.init.empty() || !coef.initFile.empty();
        const std::string declaration = "coef " + coef.name + " : " + elementName(coef.type);
        diagnostics_.error(statement.keyword, "'" + coef.name + "' is a coefficient; its value is part of its declaration")
            .note(coef.range, "it is declared here")
            .withHelp(hasValue ? "it has one there; leave out this statement"
                               : "write " + declaration + (init.file ? " from \"file.npy\";" : " = ...;") + " and leave out this statement");
        return;
    }
    if (isOfSomeCells(init)) return;
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
    const bool pathFine = !init.file || checkPath(*init.file);
    const bool oneLevelFromFile = init.file && level > 0;
    if (oneLevelFromFile)
        diagnostics_.error(init.file->range,
                           "one past level from a file is not there yet; a file starts every level");
    if (index < 0 || !levelFine || oneLevelFromFile) return;
    Field &field = stencil_.fields[static_cast<size_t>(index)];
    if (field.temp) {
        diagnostics_
            .error(statement.keyword,
                   "'" + field.name +
                       "' is a temp; the step writes it before it is read, and so it needs no initial value")
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
    const ExprPtr made = assign(value, field.type, "'" + field.name + "'", diagnostics_);
    if (made && isOfOwnCell(made, "an initial value is made")) field.init[static_cast<size_t>(level)] = made;
}

/// Levels are known only after the updates: initial values of levels that nobody reads are left out.
void Resolver::checkInits() {
    for (const auto &[key, range] : inits_) {
        const Field &field = stencil_.fields[static_cast<size_t>(key.first)];
        if (key.second >= field.levels)
            diagnostics_
                .warning(range, "no update reads '" + field.name + "[t-" + std::to_string(key.second) +
                                    "]'; this initial value is not used")
                .of("unused-init");
    }
    for (Field &field : stencil_.fields) {
        const auto levels = static_cast<size_t>(field.levels);
        if (field.init.size() > levels) field.init.resize(levels);
        if (!field.init.empty() && !field.init[0] && field.initFile.empty()) {
            const bool any = std::ranges::any_of(field.init, [](const ExprPtr &e) { return e != nullptr; });
            if (any)
                field.init[0] = zero(field.type, field.range);
            else
                field.init.clear();
        }
    }
}

} // namespace oocc
