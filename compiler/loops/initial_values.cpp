#include "loops/initial_values.h"

#include "loops/row_values.h"
#include "loops/uses.h"

#include <set>

namespace oocc::loops {

std::string fillName(const Context &context, int field) {
    return "fill_" + context.fieldName(field);
}

bool needsFill(const Context &context, int field) {
    const Field &f = context.stencil.fields[field];
    for (const ExprPtr &init : f.init)
        if (init) return f.initFile.empty();
    return false;
}

std::vector<int> fillSources(const Context &context, int field) {
    std::set<int> sources;
    for (const ExprPtr &init : context.stencil.fields[field].init)
        if (init)
            walk(init, [&](const oocc::Expr &e) {
                if (const auto *read = std::get_if<Read>(&e.node)) sources.insert(read->field);
            });
    return {sources.begin(), sources.end()};
}

namespace {

const std::string kInitialOf = "the initial value of ";

/// The plane of a coefficient that initial values are made of.
std::string sourceName(const Context &context, int field) {
    return "of_" + context.fieldName(field);
}

Body fillPlane(const Context &context, int field, const ExprPtr &init) {
    const std::string x = context.coordName(context.x());
    const auto cell = [&](const std::string &plane, int of) {
        if (context.ndim() == 1) return at(var(plane), var(x) - var("first"));
        return at(var(plane), context.ndim() > 2 ? context.rowOffset(of, coordinates(context)) + var(x) : var(x));
    };
    const E target = cell("cells", field);
    const auto source = [&](const Read &read) { return cell(sourceName(context, read.field), read.field); };
    if (context.ndim() == 1) {
        Body body{
            declare("const int64_t", "first", var("block") * var("grid->cells")),
            declare("const int64_t", "end", var("first") + call("oocc_cells", {var("grid"), var("block")}))};
        for (Stmt &stmt : fillRow(context, field, kInitialOf, init, var("first"), var("end"), target, source))
            body.push_back(stmt);
        return body;
    }
    return overRows(context, fillRow(context, field, kInitialOf, init, lit(0), context.extent(context.x()), target, source));
}

} // namespace

Function buildFill(const Context &context, int field) {
    const Field &f = context.stencil.fields[field];
    const std::string plane = context.ndim() == 1 ? "block" : context.coordName(0);
    Function function;
    const std::vector<int> sources = fillSources(context, field);
    function.comment = "Initial values of " + f.name + ", one " + (context.ndim() == 1 ? "block" : "plane") + " at a time";
    for (const int source : sources)
        function.comment += (source == sources.front() ? ", made from " : ", ") + context.stencil.fields[source].name;
    function.comment += '.';
    function.returns = "void";
    function.name = fillName(context, field);
    function.params = {{"void *", "plane"}, {"int64_t", plane}, {"int64_t", "level"}};
    if (!sources.empty()) function.params.insert(function.params.begin() + 1, {"const void *const *", "source_plane"});
    Body body = f.init[0] ? fillPlane(context, field, f.init[0]) : Body{};
    for (size_t level = 1; level < f.init.size(); ++level)
        if (f.init[level])
            body = {when(var("level") == lit(-static_cast<int64_t>(level)),
                         fillPlane(context, field, f.init[level]), body)};
    function.body = {declare(context.cType(field) + " *const", "cells", var("plane"))};
    for (size_t i = 0; i < sources.size(); ++i)
        function.body.push_back(declare("const " + context.cType(sources[i]) + " *const", sourceName(context, sources[i]),
                                        at(var("source_plane"), lit(static_cast<int64_t>(i)))));
    function.body.insert(function.body.end(), body.begin(), body.end());
    markUnused(function);
    return function;
}

} // namespace oocc::loops
