// Reductions over the grid, `scalar` and `monitor`, and what ends a run.
#include "sema/resolver.h"

#include <algorithm>

namespace oocc {

namespace {

struct Reduction {
    const char *name;
    ReduceOp op;
};

constexpr Reduction kReductions[] = {
    {"sum", ReduceOp::Sum}, {"min", ReduceOp::Min}, {"max", ReduceOp::Max}, {"mean", ReduceOp::Mean}};

/// What other languages call them, or have besides, and how it is said here.
struct Elsewhere {
    const char *name, *here;
};

constexpr const char *kCount = "cells are counted by sum(if CONDITION then 1 else 0)";
constexpr Elsewhere kElsewhere[] = {
    {"count", kCount},
    {"any", kCount},
    {"all", kCount},
    {"average", "write mean(a)"},
    {"avg", "write mean(a)"},
    {"maximum", "write max(a)"},
    {"amax", "write max(a)"},
    {"minimum", "write min(a)"},
    {"amin", "write min(a)"},
    {"norm", "write sum(a^2), and take the root where it is used"},
    {"norm2", "write sum(a^2), and take the root where it is used"},
    {"std", "it is made of mean(a) and mean(a^2), where it is used"},
    {"var", "it is made of mean(a) and mean(a^2), where it is used"},
};

} // namespace

/// Their names, so that all else can refer to them; their values come when the step is known.
void Resolver::watchedScalars() {
    const auto add = [&](const ast::Name &name, Scalar::Kind kind) {
        Symbol *symbol = scope_.declaredBy(name);
        if (!symbol) return;
        symbol->index = static_cast<int>(stencil_.scalars.size());
        stencil_.scalars.push_back({kind, name.text, Type::F64, nullptr, false, name.range});
    };
    for (const ast::Statement &statement : program_.statements)
        if (const auto *scalar = std::get_if<ast::Scalar>(&statement.node))
            add(scalar->name, Scalar::Kind::Reduced);
        else if (const auto *monitor = std::get_if<ast::Monitor>(&statement.node))
            add(monitor->name, Scalar::Kind::Watched);
}

/// Completes the stage from `max(EXPR)`; false after an error.
bool Resolver::reduction(const ast::Name &name, const ast::ExprPtr &value, const Place &place, Stage &stage) {
    const auto *call = std::get_if<ast::Call>(&value->node);
    const auto *found = std::ranges::find_if(
        kReductions, [&](const Reduction &r) { return call && call->function.text == r.name; });
    if (found == std::end(kReductions) || call->args.size() != 1) {
        Diagnostic &error = diagnostics_.error(
            value->range, place.name + " is a sum, min, max or mean of one expression, over the whole grid");
        error.withHelp("for example: mean(u); what is computed from it stands where it is used");
        if (call && found == std::end(kReductions)) {
            suggestName(error, call->function, {"sum", "min", "max", "mean"});
            const auto *other = std::ranges::find(kElsewhere, call->function.text, &Elsewhere::name);
            if (other != std::end(kElsewhere)) error.withHelp(other->here);
        }
        return false;
    }
    stage.op = found->op;
    stage.value = assign(resolve(*call->args[0], place), Type::F64, "'" + name.text + "'", diagnostics_);
    const Symbol *symbol = scope_.declaredBy(name);
    if (!symbol) return false;
    stage.scalar = symbol->index;
    return stage.value != nullptr;
}

void Resolver::scalar(const ast::Scalar &scalar, const ast::Statement &statement) {
    Stage stage;
    stage.kind = Stage::Kind::Reduce;
    stage.range = statement.range;
    const bool fine =
        reduction(scalar.name, scalar.value, {"a scalar", true, false, -1, Place::Reads::Scalar}, stage);
    stage.region =
        region(scalar.where, "a sum takes any other condition in its value: sum(if ... then ... else 0)");
    if (fine) stencil_.stages.push_back(std::move(stage));
}

void Resolver::monitor(const ast::Monitor &monitor, const ast::Statement &statement) {
    Stage stage;
    stage.kind = Stage::Kind::Monitor;
    stage.range = statement.range;
    const bool fine =
        reduction(monitor.name, monitor.value, {"a monitor", true, true, -1, Place::Reads::Monitor}, stage);
    stage.region =
        region(monitor.where, "a sum takes any other condition in its value: sum(if ... then ... else 0)");
    stage.every = every(monitor.every);
    if (fine) stencil_.stages.push_back(std::move(stage));
}

void Resolver::stop(const ast::Stop &stop, const ast::Statement &statement) {
    if (stop.on) {
        const bool known = stop.on->text == "nan" || stop.on->text == "none";
        if (!known)
            suggestName(diagnostics_.error(stop.on->range, "a run stops on 'nan', or on 'none'"), *stop.on,
                        {"nan", "none"});
        else if (stopOn_)
            diagnostics_.error(statement.keyword, "a second 'stop on'").note(*stopOn_, "the first is here");
        else
            stencil_.stopOnNan = stop.on->text == "nan";
        if (!stopOn_) stopOn_ = statement.keyword;
        return;
    }
    Place place{"a stop condition"};
    place.watched = true;
    const Operand condition = resolve(*stop.condition, place);
    if (!condition) return;
    if (condition.type() != Type::Bool) {
        diagnostics_
            .error(stop.condition->range,
                   std::string("a stop condition must be bool, and this is ") + typeName(condition.type()))
            .withHelp("compare it: ... < 1e-6");
        return;
    }
    bool watches = false;
    walk(condition.expr, [&](const Expr &e) {
        if (const auto *scalar = std::get_if<ScalarRef>(&e.node))
            watches = watches ||
                      stencil_.scalars[static_cast<size_t>(scalar->scalar)].kind == Scalar::Kind::Watched;
    });
    if (!watches) {
        diagnostics_.error(stop.condition->range, "this condition never changes; it uses no monitor")
            .withHelp(
                "name what it depends on: monitor change = max(...); a number of steps is given by 'steps'");
        return;
    }
    stencil_.stops.push_back({condition.expr, statement.range});
}

/// A scalar that nobody uses still makes every step wait for it.
void Resolver::checkScalarsUsed() {
    std::vector<bool> used(stencil_.scalars.size());
    for (const Stage &stage : stencil_.stages)
        walk(stage.value, [&](const Expr &e) {
            if (const auto *scalar = std::get_if<ScalarRef>(&e.node))
                used[static_cast<size_t>(scalar->scalar)] = true;
        });
    for (size_t i = 0; i < used.size(); ++i) {
        const Scalar &scalar = stencil_.scalars[i];
        if (scalar.kind == Scalar::Kind::Reduced && !used[i])
            diagnostics_
                .warning(scalar.range, "nothing uses '" + scalar.name +
                                           "', and every step waits for it; to watch it, make it a monitor")
                .of("unused-scalar");
    }
}

} // namespace oocc
