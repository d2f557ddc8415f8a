// The step: which field each update gives a value, and what the updates read.
#include "sema/resolver.h"

#include <algorithm>

namespace oocc {

/// The field of f[t+1] = ..., or -1 after an error.
int Resolver::target(const ast::Update &update) {
    const std::string &name = update.target.text;
    if (!scope_.find(name)) {
        Diagnostic &error = unknownField(update.target);
        const std::string typed = name + " : " + likelyType(stencil_) + ";";
        if (!error.help)
            error.withHelp(update.indices ? "declare it: field " + typed : "what only the step itself needs is a temp: temp " + typed);
        scope_.declare(update.target, Symbol::Kind::Broken); // what reads it needs no other help
        return -1;
    }
    const int index = fieldIndex(update.target);
    if (index < 0) return -1;
    const Field &field = stencil_.fields[static_cast<size_t>(index)];
    if (field.coef) {
        diagnostics_.error(update.target.range, "'" + field.name + "' is a coefficient and cannot be updated")
            .withHelp("declare it as a field to let it change")
            .note(field.range, "it is declared here");
        return -1;
    }
    if (field.temp) return tempTarget(update, index);
    const std::string right = field.name + "[t+1]";
    if (!update.indices) {
        diagnostics_.error(update.targetRange, "an update gives the next level: " + right + " = ...")
            .withFix(update.targetRange, right);
        return -1;
    }
    const auto shift = ExpressionResolver(stencil_, scope_, updates_, diagnostics_).shift(*update.indices);
    if (!shift) return -1;
    if (shift->offset != Offsets{}) {
        diagnostics_
            .error(update.targetRange, "an update gives the value of the point itself: " + right + " = ...")
            .withHelp("shift the reads on the right instead")
            .withFix(update.targetRange, right);
        return -1;
    }
    if (shift->time != 1) {
        diagnostics_.error(update.targetRange, "an update gives the next level: " + right + " = ...")
            .withFix(update.targetRange, right);
        return -1;
    }
    return index;
}

/// A temp has neither levels nor points of its own to be written at: `q = ...`.
int Resolver::tempTarget(const ast::Update &update, int index) {
    if (!update.indices) return index;
    const std::string &name = update.target.text;
    diagnostics_
        .error(update.targetRange,
               "'" + name + "' is a temp, scratch of one step; it is written " + name + " = ...")
        .withFix(update.targetRange, name);
    return -1;
}

void Resolver::step(const ast::Step &step, const ast::Statement &statement) {
    // All targets first: a read of f[t+1] asks whether the update of f stands above it.
    std::vector<int> targets;
    for (size_t k = 0; k < step.updates.size(); ++k) {
        const ast::Update &update = step.updates[k];
        int index = target(update);
        if (index >= 0) {
            const auto [at, isNew] =
                updates_.emplace(index, UpdateSite{static_cast<int>(k), update.targetRange});
            if (!isNew) {
                diagnostics_
                    .error(update.targetRange, "'" + update.target.text + "' is updated twice in one step")
                    .withHelp("join both into one update, with if ... then ... else ... where they differ")
                    .note(at->second.range, "first updated here");
                index = -1;
            }
        }
        targets.push_back(index);
    }
    for (size_t k = 0; k < step.updates.size(); ++k)
        if (targets[k] >= 0) update(step.updates[k], targets[k]);
    if (step.updates.empty()) diagnostics_.error(statement.keyword, "the step has no update");
    checkUpdated();
}

void Resolver::update(const ast::Update &update, int index) {
    const Field &field = stencil_.fields[static_cast<size_t>(index)];
    Stage stage;
    stage.field = index;
    stage.range = update.range;
    const Operand value = resolve(*update.value, {"an update", true, true, index, Place::Reads::Update});
    stage.value = assign(value, field.type, "'" + field.name + "'", diagnostics_);
    if (update.where && field.temp)
        diagnostics_
            .error(update.where->range,
                   "'" + field.name + "' is a temp; where it is not written it would have no value")
            .withHelp("say what it is elsewhere: " + field.name + " = if ... then ... else 0;");
    else
        stage.region = region(update.where, "any other condition is part of the value: " + field.name +
                                                "[t+1] = if ... then ... else " + field.name + ";");
    if (stage.value) stencil_.stages.push_back(std::move(stage));
}

void Resolver::checkUpdated() {
    for (size_t i = 0; i < stencil_.fields.size(); ++i) {
        const Field &field = stencil_.fields[i];
        if (field.coef || updates_.contains(static_cast<int>(i))) continue;
        const bool tried = std::ranges::any_of(program_.statements, [&](const ast::Statement &s) {
            const auto *step = std::get_if<ast::Step>(&s.node);
            return step && std::ranges::any_of(step->updates, [&](const ast::Update &u) {
                       return u.target.text == field.name;
                   });
        });
        if (tried) continue;
        if (field.temp)
            diagnostics_.error(field.range, "temp '" + field.name + "' is never written")
                .withHelp("give it a value in the step, before it is read: " + field.name + " = ...;");
        else
            diagnostics_.error(field.range, "field '" + field.name + "' is never updated")
                .withHelp("what does not change is a coefficient: coef " + field.name + " : " +
                          elementName(field.type) + " = ...");
    }
}

/// How far back reads go. A scalar is gathered after the step before, so that its reads are one level further on.
void Resolver::countLevels() {
    for (const Stage &stage : stencil_.stages)
        walk(stage.value, [&](const Expr &e) {
            const auto *read = std::get_if<Read>(&e.node);
            if (!read) return;
            Field &field = stencil_.fields[static_cast<size_t>(read->field)];
            const int present = stage.kind == Stage::Kind::Reduce && !field.coef ? 1 : 0;
            if (!field.temp) field.levels = std::max(field.levels, 1 + present - read->time);
        });
}

namespace {

/// Whether the update gives a value to every cell: no part of the grid is named, and no read keeps it away from a face.
bool reachesAll(const Stencil &stencil, const Stage &update) {
    bool all = true;
    for (const auto &range : update.region)
        all = all && !range[0] && !range[1];
    walk(update.value, [&](const Expr &e) {
        const auto *read = std::get_if<Read>(&e.node);
        if (!read) return;
        const Field &field = stencil.fields[static_cast<size_t>(read->field)];
        for (size_t d = 0; d < read->offset.size(); ++d) {
            if (read->offset[d] == 0) continue;
            const EdgeKind beyond = field.edge[d][read->offset[d] > 0].kind;
            all = all && beyond != EdgeKind::None && beyond != EdgeKind::Fixed;
        }
    });
    return all;
}

} // namespace

/// A field of which a step reads only what it has made itself is carried from step to step for nothing.
void Resolver::checkCarried() {
    enum class Use { None, Made, Read, Carried };
    std::vector<Use> uses(stencil_.fields.size());
    const auto use = [&](int field, Use most) {
        Use &of = uses[static_cast<size_t>(field)];
        of = std::max(of, most);
    };
    for (const Stage &stage : stencil_.stages) {
        const bool first = stage.kind == Stage::Kind::Update && uses[static_cast<size_t>(stage.field)] == Use::None;
        if (stage.writes() || stage.kind == Stage::Kind::Record)
            use(stage.field, first && reachesAll(stencil_, stage) ? Use::Made : Use::Carried);
        const bool reads = stage.kind == Stage::Kind::Update || stage.kind == Stage::Kind::Monitor; // the others cannot read a temp
        walk(stage.value, [&](const Expr &e) {
            if (const auto *read = std::get_if<Read>(&e.node)) use(read->field, reads && read->time == 1 ? Use::Read : Use::Carried);
        });
    }
    for (const Output &output : stencil_.outputs)
        use(output.field, Use::Carried);
    for (size_t i = 0; i < uses.size(); ++i) {
        const Field &field = stencil_.fields[i];
        const auto fixed = [](const auto &sides) { return std::ranges::any_of(sides, [](const Edge &e) { return e.kind == EdgeKind::Fixed; }); };
        if (uses[i] == Use::Read && !field.temp && !field.coef && std::ranges::none_of(field.edge, fixed))
            diagnostics_
                .warning(field.range, "every step makes '" + field.name + "' anew before it is read, and stores it for nothing")
                .of("unused-state")
                .withHelp("declare it with 'temp' and leave out its levels: it takes memory for a few planes then, and no disk");
    }
}

void Resolver::steps(const ast::Steps &steps, const ast::Statement &) {
    const Operand count = resolve(*steps.count, {.name = "the number of steps", .whole = true});
    if (!count) return;
    if (count.type() != Type::Int) {
        Diagnostic &error = diagnostics_.error(
            steps.count->range, std::string("the number of steps must be int, and this is ") + typeName(count.type()));
        if (isFloat(count.type()))
            error.withHelp("let the rest follow from a whole number: param count : int = 100; let dt = 1.0 / count; steps count;");
        return;
    }
    stencil_.steps = count.expr;
}

} // namespace oocc
