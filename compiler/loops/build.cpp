#include "loops/build.h"

#include "analysis/limits.h"
#include "loops/fields.h"
#include "loops/interface.h"
#include "loops/jam.h"
#include "loops/observers.h"
#include "loops/points.h"
#include "loops/slab.h"
#include "loops/stages.h"
#include "loops/tables.h"
#include "stencil/printer.h"

#include <algorithm>

namespace oocc::loops {

namespace {

std::string stepLine(const Stencil &stencil, int k) {
    const Stage &stage = stencil.stages[k];
    if (stage.kind == Stage::Kind::Update)
        return stencil.fields[stage.field].name + (stencil.fields[stage.field].temp ? " = " : "[t+1] = ") +
               toString(stencil, stage.value);
    return stageText(stencil, k);
}

bool contracts(const Stencil &stencil) {
    bool found = false;
    for (const Stage &stage : stencil.stages)
        walk(stage.value, [&](const oocc::Expr &e) {
            const oocc::Call *call = std::get_if<oocc::Call>(&e.node);
            found = found || (call && call->fn == MathFn::Fma);
        });
    return found;
}

std::string headComment(const Context &context, const std::string &source) {
    std::string text = context.stencil.name + ": made by oocc from " + source + ".\n\n";
    text += "Fields: ";
    for (size_t f = 0; f < context.stencil.fields.size(); ++f) {
        const Field &field = context.stencil.fields[f];
        text += (f ? ", " : "") +
                std::string(field.coef   ? "coef "
                            : field.temp ? "temp "
                                         : "") +
                field.name + " (" + elementName(field.type) + ")";
    }
    text += "\nOne step:\n";
    for (size_t k = 0; k < context.stencil.stages.size(); ++k)
        text += "    " + shortened(stepLine(context.stencil, static_cast<int>(k)), kMostOfAComment) + "\n";
    if (contracts(context.stencil))
        text += "\nProducts that are added are rounded once, by fma(). Build for a processor that has it "
                "(-march=native): "
                "the library's\nfma() gives the same bits, and takes far longer.\n";
    text += "\nThe file reads from the small to the large: initial values and edges, one update on a row, on "
            "a plane, the\n"
            "tiles of a slab, a pass over the grid. User names carry a prefix: f_ field, p_ parameter, l_ "
            "let, i_ index,\n"
            "n_ extent, w_ reduction.";
    if (!context.constants.all().empty()) text += " What is named k_1, k_2, ... is the same for the whole run.";
    return text;
}

} // namespace

Module build(const Stencil &stencil, const Facts &facts, const Plan &plan, const std::string &source,
             uint64_t hash, Form form) {
    const Context context{stencil, facts, plan};
    Module module;
    module.form = form;
    module.interface = buildInterface(context, source);
    module.comment = headComment(context, source);
    for (int64_t id = 0; int f : context.storedFields())
        module.constants.push_back({"FIELD_" + stencil.fields[f].name, id++, ""});
    for (const auto &constants : {buildScheduleConstants(context), buildObserverConstants(context)})
        module.constants.insert(module.constants.end(), constants.begin(), constants.end());
    module.variables = buildVariables(context);
    module.observers = buildObserverTables(context);
    module.derived = buildSetup(context);
    for (size_t f = 0; f < stencil.fields.size(); ++f)
        for (const Function &function : buildFieldFunctions(context, static_cast<int>(f)))
            module.fields.push_back(function);
    int edgeRows = 0;
    for (size_t g = 0; g < plan.groups.size(); ++g) {
        const std::vector<int> &group = plan.groups[g];
        if (stencil.stages[group.front()].points >= 0) {
            module.kernels.push_back(buildPointStage(context, group.front()));
            continue;
        }
        const Kernel kernel = buildKernel(context, group);
        module.kernels.push_back(kernel.function);
        module.kernels.push_back(buildStage(context, kernel));
        if (plan.jams[g].any()) {
            const Kernel jammed = buildKernel(context, group.front(), plan.jams[g]);
            module.kernels.push_back(jammed.function);
            module.kernels.push_back(buildJammedStage(context, jammed));
        }
        if (context.ndim() > 1) edgeRows = std::max(edgeRows, edgeRowsOf(context, kernel));
    }
    if (edgeRows > 0)
        module.constants.push_back(
            {"EDGE_ROWS", edgeRows, "scratch rows a thread needs for rows beyond the grid"});
    module.schedule = buildSlab(context);
    for (const Dim &dim : stencil.dims)
        module.dims.push_back(dim.name);
    module.tiled = plan.tiled >= 0;
    module.tables = buildTables(context, source, hash, edgeRows, form);
    return module;
}

} // namespace oocc::loops
