// Injections and records: where the points are, what is added there, what is kept; and series, numbers by step.
#include "sema/resolver.h"

namespace oocc {

/// The index of a new set of points, or -1 after an error.
int Resolver::points(const ast::Place &place) {
    Points points;
    points.range = place.range;
    bool fine = true;
    if (place.file) {
        fine = checkFileName(*place.file);
        points.file = place.file->value;
    }
    for (const ast::ExprPtr &each : place.at) {
        const Operand coordinate = resolve(*each, {.name = "a point's place", .whole = true});
        points.at.push_back(assign(coordinate, Type::F64, "a point's place", diagnostics_));
        fine = fine && points.at.back();
    }
    if (!place.file && place.at.size() != stencil_.dims.size() && !stencil_.dims.empty()) {
        std::string order;
        for (const Dim &dim : stencil_.dims)
            order += (order.empty() ? "" : ", ") + dim.name;
        diagnostics_
            .error(place.range, "a point of this grid has " + std::to_string(stencil_.dims.size()) +
                                    (stencil_.dims.size() == 1 ? " coordinate" : " coordinates") +
                                    ", and this one " + std::to_string(place.at.size()))
            .withHelp("they stand in the grid's order: (" + order + ")");
        fine = false;
    }
    if (!fine) return -1;
    stencil_.points.push_back(std::move(points));
    return static_cast<int>(stencil_.points.size()) - 1;
}

/// Injections are scattered cells: they read nothing but the cell itself, and so add no reach to the schedule.
bool Resolver::readsOwnCell(const ExprPtr &value) {
    bool fine = true;
    walk(value, [&](const Expr &e) {
        const auto *read = std::get_if<Read>(&e.node);
        if (!read || (read->offset == Offsets{} && read->time >= 0)) return;
        const std::string &name = stencil_.fields[static_cast<size_t>(read->field)].name;
        if (read->time < 0)
            diagnostics_
                .error(e.range,
                       "an injection reads the level before the step and the new one, none before these")
                .withHelp("write " + name + " or " + name + "[t+1]");
        else
            diagnostics_.error(e.range, "an injection reads only the cell that it adds to")
                .withHelp("leave the offset out, or make an update of it");
        fine = false;
    });
    return fine;
}

void Resolver::inject(const ast::Inject &inject, const ast::Statement &statement) {
    Stage stage;
    stage.kind = Stage::Kind::Inject;
    stage.range = statement.range;
    stage.field = stateField(inject.field, "takes no injection");
    stage.points = points(inject.place);
    const Field *field = stage.field < 0 ? nullptr : &stencil_.fields[static_cast<size_t>(stage.field)];
    if (field && !isFloat(field->type)) {
        diagnostics_
            .error(inject.field.range, "injections are weighted sums and go into floating fields; '" +
                                           field->name + "' is " + elementName(field->type))
            .note(field->range, "it is declared here");
        field = nullptr;
    }
    bool fine = field && stage.points >= 0;
    if (inject.signal) {
        fine = checkNumPy(*inject.signal, "a signal") && fine;
        stage.signal = inject.signal->value;
    } else {
        const Operand value = resolve(*inject.value, {"an injection", true, true, -1, Place::Reads::Inject});
        if (field) stage.value = assign(value, field->type, "'" + field->name + "'", diagnostics_);
        fine = fine && stage.value && readsOwnCell(stage.value);
    }
    if (fine) stencil_.stages.push_back(std::move(stage));
}

void Resolver::series(const ast::Series &series, const ast::Statement &) {
    const bool fileFine = checkNumPy(series.file, "a series");
    const std::optional<Type> type = fieldType(series.type, diagnostics_);
    if (type && !isFloat(*type))
        diagnostics_.error(series.type.range, "a series is f32 or f64, as its file is")
            .withHelp("whole numbers and conditions: compare a sample with a number");
    Symbol *symbol = scope_.declaredBy(series.name);
    if (!symbol) return;
    if (!fileFine || !type || !isFloat(*type)) {
        symbol->kind = Symbol::Kind::Broken;
        return;
    }
    symbol->index = static_cast<int>(stencil_.series.size());
    stencil_.series.push_back({series.name.text, *type, series.file.value, series.name.range});
}

void Resolver::record(const ast::Record &record, const ast::Statement &statement) {
    Stage stage;
    stage.kind = Stage::Kind::Record;
    stage.range = statement.range;
    stage.field = stateField(record.field, "is not recorded");
    stage.points = points(record.place);
    stage.every = every(record.every);
    stage.path = record.path.value;
    const bool pathFine = checkNumPy(record.path, "a record") && isNewFile(record.path);
    if (stage.field < 0 || stage.points < 0 || !pathFine) return;
    const Type type = stencil_.fields[static_cast<size_t>(stage.field)].type;
    stage.value = makeExpr(valueType(type), record.field.range, Read{stage.field, 1, {}});
    stencil_.stages.push_back(std::move(stage));
}

} // namespace oocc
