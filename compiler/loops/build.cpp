#include "loops/build.h"

#include "loops/fields.h"
#include "loops/observers.h"
#include "loops/points.h"
#include "loops/stages.h"
#include "loops/tables.h"
#include "loops/tiles.h"
#include "stencil/printer.h"

#include <algorithm>

namespace oocc::loops {

namespace {

std::string headComment(const Context &context, const std::string &source) {
    std::string text = context.stencil.name + ": made by oocc from " + source + ".\n\n";
    text += "Fields: ";
    for (size_t f = 0; f < context.stencil.fields.size(); ++f) {
        const Field &field = context.stencil.fields[f];
        text += (f ? ", " : "") + std::string(field.coef ? "coef " : "") + field.name + " (" +
                typeName(field.type) + ")";
    }
    text += "\nOne step:\n";
    for (const Stage &stage : context.stencil.stages)
        text += "    " + context.stencil.fields[stage.field].name +
                "[t+1] = " + toString(context.stencil, stage.value) + "\n";
    text += "\nThe file reads from the small to the large: initial values and edges, one update on a row, on "
            "a plane, the\n"
            "tiles of a slab, a pass over the grid. User names carry a prefix: f_ field, p_ parameter, l_ "
            "let, i_ index,\n"
            "n_ extent.";
    return text;
}

} // namespace

Module build(const Stencil &stencil, const Facts &facts, const Plan &plan, const std::string &source,
             uint64_t hash) {
    const Context context{stencil, facts, plan};
    Module module;
    module.comment = headComment(context, source);
    for (size_t f = 0; f < stencil.fields.size(); ++f)
        module.constants.push_back({"FIELD_" + stencil.fields[f].name, static_cast<int64_t>(f), ""});
    for (const auto &constants : {buildScheduleConstants(context), buildObserverConstants(context)})
        module.constants.insert(module.constants.end(), constants.begin(), constants.end());
    module.variables = buildVariables(context);
    module.observers = buildObserverTables(context);
    module.derived = buildSetup(context);
    for (size_t f = 0; f < stencil.fields.size(); ++f)
        for (const Function &function : buildFieldFunctions(context, static_cast<int>(f)))
            module.fields.push_back(function);
    int edgeRows = 0;
    for (int k = 0; k < static_cast<int>(stencil.stages.size()); ++k) {
        if (stencil.stages[k].points >= 0) {
            module.kernels.push_back(buildPointStage(context, k));
            continue;
        }
        const Kernel kernel = buildKernel(context, k);
        module.kernels.push_back(kernel.function);
        module.kernels.push_back(buildStage(context, k, kernel));
        if (context.ndim() > 1) edgeRows = std::max(edgeRows, edgeRowsOf(context, k, kernel));
    }
    if (edgeRows > 0)
        module.constants.push_back(
            {"EDGE_ROWS", edgeRows, "scratch rows a thread needs for rows beyond the grid"});
    module.schedule = buildGroup(context);
    for (const Dim &dim : stencil.dims)
        module.dims.push_back(dim.name);
    module.tiled = plan.tiled >= 0;
    module.tables = buildTables(context, source, hash, edgeRows);
    return module;
}

} // namespace oocc::loops
