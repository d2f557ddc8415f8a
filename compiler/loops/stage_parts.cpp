// What the functions of stages have in common: names, parameters, the planes they write, what lies beyond the faces.
#include "loops/stages.h"

#include "loops/fields.h"
#include "loops/regions.h"
#include "loops/uses.h"

#include <algorithm>

namespace oocc::loops {

std::string stageId(const Context &context, int stage) {
    const Stage &s = context.stencil.stages[stage];
    const std::string number = std::to_string(stage) + "_";
    std::string id;
    switch (s.kind) {
    case Stage::Kind::Update:
        return context.fieldName(s.field);
    case Stage::Kind::Inject:
        id = "inject" + number + context.fieldName(s.field);
        break;
    case Stage::Kind::Record:
        id = "record" + number + context.fieldName(s.field);
        break;
    default:
        id = "watch" + number + context.stencil.scalars[s.scalar].name;
    }
    // A field may be called just that, and its update goes by its name.
    const auto isField = [&](const Field &field) { return field.name == id; };
    while (std::ranges::any_of(context.stencil.fields, isField))
        id += '_';
    return id;
}

std::string stageName(const Context &context, int stage) {
    const std::string unit = context.ndim() == 1 ? "block_" : context.ndim() == 2 ? "cells_" : "plane_";
    for (const std::vector<int> &group : context.plan.groups)
        if (group.size() > 1 && group.front() <= stage && stage <= group.back())
            return unit + groupId(context, group);
    return unit + stageId(context, stage);
}

std::vector<Param> stageParams(const Context &context) {
    std::vector<Param> params{
        {"const struct oocc_pass *", "p"}, {"int64_t", "s"}, {"int64_t", context.waveName()}};
    if (context.ndim() > 1) params.insert(params.end(), {{"int64_t", "lo"}, {"int64_t", "hi"}});
    if (context.pieces()) params.insert(params.end(), {{"int64_t", "left"}, {"int64_t", "right"}});
    if (context.fetchesAhead()) params.push_back({"struct oocc_ahead *", "ahead"});
    return params;
}

void declarePlane(const Context &context, Body &body) {
    if (context.unrolled() && uses(body, context.planeName()))
        body.insert(body.begin(), declare("const int64_t", context.planeName(),
                                          call("oocc_plane_of", {var("p"), var(context.waveName())})));
}

std::string targetName(const Context &context, const Kernel &kernel, const std::string &what, int field) {
    return kernel.stages.size() > 1 ? what + "_" + context.fieldName(field) : what;
}

void declareTargets(const Context &context, const Kernel &kernel, Body &body) {
    const auto planeAt = [&](int field, E step) {
        return call("oocc_plane", {var("p"), context.fieldId(field), step, var(context.waveName())});
    };
    for (int field : kernel.written) {
        const std::string type = context.cType(field);
        body.push_back(declare(type + " *const", targetName(context, kernel, "out", field), planeAt(field, var("s"))));
        if (copiesKept(context, kernel.stages.front(), field))
            body.push_back(declare("const " + type + " *const", targetName(context, kernel, "old", field),
                                   planeAt(field, var("s") - lit(1))));
    }
}

bool alwaysDue(const Stage &stage) {
    const Literal *every = stage.every ? std::get_if<Literal>(&stage.every->node) : nullptr;
    return !stage.every || (every && every->value == decltype(every->value){int64_t{1}});
}

void returnUnlessDue(const Context &context, int stage, Body &body) {
    if (alwaysDue(context.stencil.stages[stage])) return;
    const E due = call("oocc_due", {var("p"), var("s"), var("every." + stageId(context, stage))});
    body.push_back(when(notE(due), {{Return{nullptr}}}));
}

static bool hasSeam(const Context &context) {
    return context.ndim() == 2 && context.ring();
}

Stmt callGhosts(const Context &context, int field, E row, E lo, E hi, const Offsets &shift) {
    std::vector<E> coords;
    for (int dim = 0; dim < context.x(); ++dim)
        coords.push_back(var(context.coordName(dim)) + lit(shift[dim]));
    if (hasSeam(context)) {
        lo = lit(0);
        hi = context.extent(context.x());
    }
    return run(callGhostCells(context, field, row, coords, var("t") + lit(1), lo, hi));
}

void addGhosts(const Context &context, Body &body, Body ghosts) {
    if (ghosts.empty()) return;
    if (hasSeam(context))
        body.push_back(when(var("p->chains") == lit(1), std::move(ghosts)));
    else
        std::move(ghosts.begin(), ghosts.end(), std::back_inserter(body));
}

std::string stagesText(const Context &context, const std::vector<int> &stages) {
    std::string text = stages.size() > 1 ? "Stages " + std::to_string(stages.front()) + " to " +
                                               std::to_string(stages.back()) + ", "
                                         : "Stage " + std::to_string(stages.front()) + ", ";
    for (int k : stages)
        text += (k == stages.front() ? "" : k == stages.back() ? " and " : ", ") + stageId(context, k);
    return text;
}

bool copiesKept(const Context &context, int stage, int field) {
    return !context.stencil.fields[field].temp && context.plan.fields[field].slots > 1 &&
           isRestricted(context, stage);
}

} // namespace oocc::loops
