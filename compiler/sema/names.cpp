// Names in expressions: scalars, coordinates, t, and reads of fields with their offsets.
#include "sema/elsewhere.h"
#include "sema/expressions.h"

#include <charconv>
#include <numbers>

namespace oocc {

namespace {

constexpr int kMaxPast =
    8; // the window keeps at most 16 levels of a field, and some programs need a few more than live

/// What others call t.
constexpr const char *kTime[] = {"time", "timestep", "iteration", "iter", "it"};

std::string quoted(const std::string &text) {
    return "'" + text + "'";
}

/// How a function begins that has one more parameter.
std::string headOf(const ast::Fn &fn, const std::string &more) {
    std::string head = "fn " + fn.name.text + "(";
    for (const ast::Name &param : fn.params)
        head += param.text + ", ";
    return head + more + ") = ...";
}

} // namespace

void ExpressionResolver::unknownName(const ast::Name &name) {
    using Kind = Symbol::Kind;
    std::vector<std::string> candidates = scope_.names({Kind::Scalar});
    if (place_.coords)
        for (const std::string &dim : scope_.names({Kind::Dim}))
            candidates.push_back(dim);
    const bool initial = place_.reads == Place::Reads::Initial;
    if (place_.reads != Place::Reads::None)
        for (const std::string &field : scope_.names({Kind::Field}))
            if (!initial || stencil_.fields[static_cast<size_t>(scope_.find(field)->index)].coef) candidates.push_back(field);
    if (place_.reduced())
        for (const std::string &scalar : scope_.names({Kind::Reduced}))
            candidates.push_back(scalar);
    if (place_.watched)
        for (const std::string &monitor : scope_.names({Kind::Watched}))
            candidates.push_back(monitor);
    for (const auto &[local, value] : locals_)
        candidates.push_back(local);
    Diagnostic &error = diagnostics_.error(name.range, "unknown name " + quoted(name.text));
    suggestExtent(error, name, scope_);
    if (!error.help && place_.time && contains(kTime, name.text)) error.withHelp("the number of the step is 't'").withFix(name.range, "t");
    if (!error.help) suggestName(error, name, candidates);
    if (error.help) return;
    const std::string field = place_.reads != Place::Reads::None && !initial ? "field " + name.text + " : " + likelyType(stencil_) + "; or " : "";
    const std::string type = place_.whole ? "int" : "f64";
    const std::string declared = "declare it: " + field + "param " + name.text + " : " + type + " = ...; or let " + name.text + " = ...;";
    error.withHelp(inlining_.empty() ? declared : "take it from the caller: " + headOf(*inlining_.back(), name.text) + "; or " + declared);
}

Operand ExpressionResolver::node(const ast::Reference &e, Range range) {
    if (const Local *found = local(e.name)) {
        if (found->offset)
            diagnostics_.error(range, quoted(e.name) + " is an offset and not a number")
                .withHelp("read at it, u[" + e.name + "], or use a part of it, " + e.name + ".d" +
                          (scope_.dims.empty() ? "x" : scope_.dims.back()));
        return found->value;
    }
    const Symbol *symbol = scope_.find(e.name);
    if (!symbol && e.name == "t") {
        if (place_.time) return {makeExpr(Type::Int, range, TimeLevel{})};
        Diagnostic &error = diagnostics_.error(range, "'t' changes from step to step; " + place_.name +
                                                          " cannot depend on it");
        if (place_.reads == Place::Reads::Scalar)
            error.withHelp("use t where the scalar is used: t * mean(u)");
        return {};
    }
    if (!symbol && e.name == "pi") return {makeExpr(Type::F64, range, Literal{std::numbers::pi})};
    if (!symbol) {
        unknownName({e.name, range});
        return {};
    }
    switch (symbol->kind) {
    case Symbol::Kind::Broken:
        return {};
    case Symbol::Kind::Scalar:
        if (symbol->index < 0) {
            diagnostics_.error(range, quoted(e.name) + " has no value yet at this place")
                .note(symbol->range, "it is declared here; a value may use what stands above it");
            return {};
        }
        return {makeExpr(stencil_.scalars[static_cast<size_t>(symbol->index)].type, range,
                         ScalarRef{symbol->index})};
    case Symbol::Kind::Reduced:
    case Symbol::Kind::Watched:
        if (symbol->kind == Symbol::Kind::Reduced ? place_.reduced() : place_.watched)
            return {makeExpr(Type::F64, range, ScalarRef{symbol->index})};
        misplacedScalar(e.name, *symbol, range);
        return {};
    case Symbol::Kind::Series:
        diagnostics_.error(range, quoted(e.name) + " is a series, which has one value per step")
            .withHelp("brackets read the present step's: " + e.name + "[t]");
        return {};
    case Symbol::Kind::Dim:
        if (!place_.coords) {
            diagnostics_.error(range, quoted(e.name) + " is a coordinate; " + place_.name +
                                          " is the same at every point");
            return {};
        }
        return {makeExpr(Type::Int, range, Coord{symbol->index})};
    case Symbol::Kind::Field:
        return read(e.name, *symbol, {}, range);
    case Symbol::Kind::Function:
        diagnostics_.error(range, quoted(e.name) +
                                      " is a function; it is called with parentheses: " + e.name + "(...)");
        return {};
    case Symbol::Kind::Shape:
        diagnostics_.error(range, quoted(e.name) + " is a shape and not a value")
            .withHelp("sum over it: sum(o in " + e.name + ") u[o]");
        return {};
    }
    return {};
}

/// What a `scalar` or a `monitor` gives, used where it has no value.
void ExpressionResolver::misplacedScalar(const std::string &name, const Symbol &symbol, Range range) {
    const bool watched = symbol.kind == Symbol::Kind::Watched;
    const std::string what = quoted(name) + (watched ? " is a monitor; " : " is a scalar of the state; ");
    Diagnostic *error = nullptr;
    if (place_.watched)
        error = &diagnostics_.error(range, what + "what ends the run is watched after the step")
                     .withHelp("make it a monitor: monitor " + name + " = ...;");
    else if (place_.reads == Place::Reads::Scalar)
        error = &diagnostics_.error(range, what + "a scalar is made of fields alone")
                     .withHelp("all scalars are gathered in one go; combine them where they are used");
    else if (watched && place_.reduced())
        error = &diagnostics_.error(range, what + place_.name + " needs its value before the step has ended")
                     .withHelp("a reduction that the step uses is a scalar: scalar " + name + " = ...;");
    else
        error = &diagnostics_.error(range, what + place_.name + " cannot change from step to step");
    error->note(symbol.range, "it is declared here");
}

/// drive[t] may be a field's level or a series' sample.
void ExpressionResolver::unknownField(const ast::Index &e) {
    const auto *index = e.indices.size() == 1 ? std::get_if<ast::Reference>(&e.indices[0]->node) : nullptr;
    const bool byStep = index && index->name == "t";
    Diagnostic &error = diagnostics_.error(e.name.range, "unknown field " + std::string(byStep ? "or series " : "") + quoted(e.name.text));
    suggestName(error, e.name, byStep ? scope_.names({Symbol::Kind::Field, Symbol::Kind::Series}) : scope_.names({Symbol::Kind::Field}));
    if (error.help) return;
    if (byStep)
        error.withHelp("numbers by step come from a file: series " + e.name.text + " : f64 from \"" + e.name.text + ".npy\";");
    else
        error.withHelp(fieldDeclaration(e.name.text, stencil_));
}

Operand ExpressionResolver::node(const ast::Index &e, Range range) {
    if (const Local *found = local(e.name.text)) return readLocal(e, *found, range);
    const Symbol *symbol = scope_.find(e.name.text);
    if (symbol && symbol->kind == Symbol::Kind::Broken) return {};
    if (symbol && symbol->kind == Symbol::Kind::Series) return sample(e, *symbol, range);
    if (!symbol || symbol->kind != Symbol::Kind::Field) {
        if (symbol || e.name.text == "t" || e.name.text == "pi")
            diagnostics_.error(e.name.range,
                               quoted(e.name.text) + " is not a field and has no points to read");
        else
            unknownField(e);
        return {};
    }
    const std::optional<Shift> by = shift(e.indices);
    return by ? read(e.name.text, *symbol, *by, range) : Operand{};
}

/// drive[t], drive[t+1]: the sample of this step, or of a later one.
Operand ExpressionResolver::sample(const ast::Index &e, const Symbol &symbol, Range range) {
    const auto *name = e.indices.size() == 1 ? &*e.indices[0] : nullptr;
    const auto *sum = name ? std::get_if<ast::Binary>(&name->node) : nullptr;
    int64_t ahead = 0;
    if (sum && sum->op == ast::BinaryOp::Add) {
        const std::optional<int64_t> distance = distanceOf(*sum->b);
        if (!distance) return {};
        ahead = *distance;
        name = &*sum->a;
    }
    const auto *reference = name ? std::get_if<ast::Reference>(&name->node) : nullptr;
    if (!reference || reference->name != "t" || ahead < 0) {
        diagnostics_.error(range, quoted(e.name.text) + " is a series; it is read at t, or at a later step")
            .withHelp("write " + e.name.text + "[t] or " + e.name.text + "[t+1]")
            .note(symbol.range, "it is declared here");
        return {};
    }
    if (!place_.reduced()) {
        diagnostics_.error(range, quoted(e.name.text) + " changes from step to step; " + place_.name +
                                      " cannot depend on it");
        return {};
    }
    return {makeExpr(stencil_.series[static_cast<size_t>(symbol.index)].type, range,
                     Sample{symbol.index, static_cast<int>(ahead)})};
}

std::optional<ExpressionResolver::Shift> ExpressionResolver::shift(const std::vector<ast::ExprPtr> &indices) {
    Shift by;
    std::vector<bool> seen(stencil_.dims.size() + 1);
    for (const ast::ExprPtr &index : indices)
        if (!shiftBy(*index, by, seen)) return std::nullopt;
    by.timed = seen.back();
    return by;
}

/// One index: x, x+2, t-1. `seen` has one entry per dimension and one for t.
bool ExpressionResolver::shiftBy(const ast::Expr &index, Shift &shift, std::vector<bool> &seen) {
    if (const std::optional<bool> done = shiftByOffset(index, shift)) return *done;
    const auto *binary = std::get_if<ast::Binary>(&index.node);
    const bool sum = binary && (binary->op == ast::BinaryOp::Add || binary->op == ast::BinaryOp::Sub);
    const ast::Expr &base = sum ? *binary->a : index;
    const auto *name = std::get_if<ast::Reference>(&base.node);
    if (!name) {
        const bool constant = sum && std::holds_alternative<ast::Binary>(base.node);
        diagnostics_.error(index.range, constant ? "offsets are integer constants" : "this is not an offset")
            .withHelp("an offset is a dimension and a whole number: x+1");
        return false;
    }
    const bool time = name->name == "t" && !local(name->name);
    const std::optional<size_t> dim = time ? std::nullopt : dimension(base);
    if (!time && !dim) return false;
    int64_t by = 0;
    if (sum) {
        const std::optional<int64_t> distance = distanceOf(*binary->b);
        if (!distance) return false;
        by = binary->op == ast::BinaryOp::Sub ? -*distance : *distance;
    }
    const size_t slot = time ? stencil_.dims.size() : *dim;
    if (seen[slot]) {
        diagnostics_.error(index.range, quoted(name->name) + " occurs twice in these brackets")
            .withHelp("each dimension has one offset; of two neighbours, each is a value by itself: u[x-1] + u[x+1]");
        return false;
    }
    seen[slot] = true;
    if (!time) {
        shift.offset[slot] += static_cast<int>(by);
        return withinReach(shift, index.range);
    }
    if (by > 1 || by < -kMaxPast) {
        const std::string most = std::to_string(kMaxPast);
        diagnostics_
            .error(index.range, by > 1 ? "the furthest level there is, is t+1" : "at most " + most + " past levels are kept")
            .withHelp(by > 1 ? "a step makes level t+1 from t and the levels before: write t+1 for t+" + std::to_string(by)
                             : "what is older than t-" + most + " needs a field that keeps it: 'old[t+1] = u[t-" + most + "];'");
        return false;
    }
    shift.time = static_cast<int>(by);
    return true;
}

/// A dimension by its name, or by that of a parameter which it was given for: fn slope(f, k) = f[k+1] - f[k-1].
std::optional<size_t> ExpressionResolver::dimension(const ast::Expr &e) {
    const auto *name = std::get_if<ast::Reference>(&e.node);
    if (const Local *argument = name ? local(name->name) : nullptr) {
        const auto *coord = argument->value ? std::get_if<Coord>(&argument->value.expr->node) : nullptr;
        if (coord) return static_cast<size_t>(coord->dim);
        diagnostics_.error(e.range, quoted(name->name) + " is a parameter here, and not a dimension of the grid")
            .withHelp("give it a dimension where the function is called");
        return std::nullopt;
    }
    const Symbol *symbol = name ? scope_.find(name->name) : nullptr;
    if (symbol && symbol->kind == Symbol::Kind::Broken) return std::nullopt;
    if (symbol && symbol->kind == Symbol::Kind::Dim && symbol->index >= 0) return static_cast<size_t>(symbol->index);
    Diagnostic &error = diagnostics_.error(e.range, (name ? quoted(name->name) : "this") + " is not a dimension of the grid");
    suggestDimension(error, {name ? name->name : "", e.range}, scope_);
    return std::nullopt;
}

} // namespace oocc
