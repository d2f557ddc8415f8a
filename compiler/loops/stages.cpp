#include "loops/stages.h"

#include "loops/blocks.h"
#include "loops/fields.h"
#include "loops/regions.h"
#include "loops/rows.h"
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

namespace {

class StageBuilder {
  public:
    StageBuilder(const Context &context, const Kernel &kernel)
        : context_(context), stage_(kernel.stages.front()), kernel_(kernel), rows_(context, kernel),
          update_(context.stencil.stages[stage_].kind == Stage::Kind::Update) {}

    Function build() {
        Function function;
        function.returns = "void";
        function.name = stageName(context_, stage_);
        function.params = stageParams(context_);
        function.comment = comment();
        begin(function.body);
        if (context_.ndim() == 2)
            rowPiece(function.body);
        else
            rows(function.body);
        dropUnused(function.body);
        declarePlane(context_, function.body);
        return function;
    }

  private:
    std::string comment() const {
        const char *const what = context_.ndim() == 2 ? ": cells [lo, hi) of one row at step s."
                                 : context_.pieces()
                                     ? ": cells [left, right) of rows [lo, hi) of one plane at step s."
                                 : context_.ndim() == 4 ? ": rows with [lo, hi) of one plane at step s."
                                                        : ": rows [lo, hi) of one plane at step s.";
        return stagesText(context_, kernel_.stages) + what;
    }

    E coord(int dim) const { return var(context_.coordName(dim)); }
    E bound(int dim, int side) const { return boundOf(context_, stage_, dim, side); }
    E left() const { return context_.ndim() == 2 ? var("lo") : context_.pieces() ? var("left") : lit(0); }
    E right() const {
        return context_.ndim() == 2 ? var("hi")
               : context_.pieces()  ? var("right")
                                    : context_.extent(context_.x());
    }
    E elsewhere(
        int dim) const { ///< the cell's coordinate is one that the stage leaves out; null when it leaves none
        const E below = bound(dim, 0) ? coord(dim) < bound(dim, 0) : nullptr;
        const E above = bound(dim, 1) ? coord(dim) >= bound(dim, 1) : nullptr;
        return below || above;
    }
    bool copies(int field) const { return copiesKept(context_, stage_, field); }

    std::string nameFor(const std::string &what, int field) const {
        return targetName(context_, kernel_, what, field);
    }

    /// Everything that is the same for the whole plane.
    void begin(Body &body) const {
        if (context_.ndim() == 2 || context_.pieces())
            body.push_back(when(left() >= right(), {{Return{nullptr}}}));
        if (!update_) returnUnlessDue(context_, stage_, body);
        body.push_back(declare("const int64_t", "t", var("p->t0") + var("s") - lit(1)));
        if (!update_) {
            body.push_back(declare(
                "struct oocc_gather *const", "g",
                call("oocc_gather",
                     {var("p"),
                      var("WATCH_" + context_.stencil.scalars[context_.stencil.stages[stage_].scalar].name),
                      var("s")})));
            return;
        }
        declareTargets(context_, kernel_, body);
    }

    /// What becomes of a row that is left out as a whole.
    Body keptRow(const std::string &to, const std::string &from) const {
        Body body, ghosts;
        for (int field : kernel_.written) {
            const E target = var(nameFor(to, field));
            if (copies(field))
                body.push_back(run(call("memcpy", {target + left(), var(nameFor(from, field)) + left(),
                                                   cast("size_t", right() - left()) *
                                                       call("sizeof", {var(context_.cType(field))})})));
            if (needsGhosts(context_, field))
                ghosts.push_back(callGhosts(context_, field, target, left(), right()));
        }
        addGhosts(context_, body, std::move(ghosts));
        return body;
    }

    /// [x_lo, x_hi): the cells of [left, right) that the stage applies to.
    void declareRange(Body &body) const {
        const E below = bound(context_.x(), 0), above = bound(context_.x(), 1);
        body.push_back(
            declare("const int64_t", "x_lo", below ? minOf(maxOf(left(), below), right()) : left()));
        body.push_back(
            declare("const int64_t", "x_hi", above ? maxOf(var("x_lo"), minOf(right(), above)) : right()));
    }

    /// One row: the cells at its ends that keep their value, the kernel between them, what lies beyond.
    void writeRow(Body &body, const std::string &to, const std::string &from,
                  const std::vector<E> &rows) const {
        const auto copyCells = [&](int field, E lo, E hi) {
            return loop(
                "i", lo, hi,
                {assign(at(var(nameFor(to, field)), var("i")), at(var(nameFor(from, field)), var("i")))});
        };
        std::vector<E> args;
        for (int field : kernel_.written) {
            if (copies(field) && bound(context_.x(), 0))
                body.push_back(copyCells(field, left(), var("x_lo")));
            if (copies(field) && bound(context_.x(), 1))
                body.push_back(copyCells(field, var("x_hi"), right()));
            args.push_back(var(nameFor(to, field)) + var("x_lo"));
        }
        if (!update_) args.push_back(var("g"));
        for (const E &row : rows)
            args.push_back(update_ ? row + var("x_lo") : row);
        if (kernel_.takesTime) args.push_back(var("t"));
        for (int dim : kernel_.coords)
            if (dim != context_.x() || update_) args.push_back(dim == context_.x() ? var("x_lo") : coord(dim));
        if (update_) {
            args.push_back(var("x_hi") - var("x_lo"));
            if (context_.fetchesAhead()) args.push_back(var("ahead"));
        } else
            args.insert(args.end(), {var("x_lo"), var("x_hi")});
        body.push_back(run(call(kernel_.function.name, args)));
        Body ghosts;
        for (int field : kernel_.written)
            if (needsGhosts(context_, field))
                ghosts.push_back(callGhosts(context_, field, var(nameFor(to, field)), left(), right()));
        addGhosts(context_, body, std::move(ghosts));
    }

    void rowPiece(Body &body) {
        if (const E elsewhere = this->elsewhere(0)) {
            Body kept = keptRow("out", "old");
            kept.push_back({Return{nullptr}});
            body.push_back(when(elsewhere, kept));
        }
        declareRange(body);
        std::vector<E> args;
        const Body found = rows_.declare(args);
        body.insert(body.end(), found.begin(), found.end());
        writeRow(body, "out", "old", args);
    }

    std::vector<E> coords() const {
        std::vector<E> list;
        for (int dim = 0; dim < context_.x(); ++dim)
            list.push_back(coord(dim));
        return list;
    }
    /// The loops over the rows of the plane that the tile has.
    Stmt overRows(Body body) const {
        for (int dim = context_.x() - 1; dim >= 2; --dim)
            body = {loop(context_.coordName(dim), lit(0), context_.extent(dim), body)};
        return loop(context_.coordName(1), var("lo"), var("hi"), body);
    }

    /// Where the rows that are written begin, and those that what is left out is copied from.
    Body rowStarts() const {
        Body starts;
        for (int field : kernel_.written) {
            const E offset = context_.rowOffset(field, coords());
            const std::string type = context_.cType(field);
            starts.push_back(
                declare(type + " *const", nameFor("to", field), var(nameFor("out", field)) + offset));
            if (copies(field))
                starts.push_back(declare("const " + type + " *const", nameFor("from", field),
                                         var(nameFor("old", field)) + offset));
        }
        return starts;
    }

    void rows(Body &body) {
        const Body rowStart = rowStarts(), keep = keptRow("to", "from");
        if (const E elsewhere = this->elsewhere(0)) {
            Body kept;
            if (!keep.empty()) {
                Body row = rowStart;
                row.insert(row.end(), keep.begin(), keep.end());
                kept.push_back(overRows(row));
            }
            kept.push_back({Return{nullptr}});
            body.push_back(when(elsewhere, kept));
        }
        declareRange(body);
        for (const Stmt &plane : rows_.planes())
            body.push_back(plane);
        Body inner;
        inner.insert(inner.end(), rowStart.begin(), rowStart.end());
        E leftOut;
        for (int dim = 1; dim < context_.x(); ++dim)
            leftOut = leftOut || elsewhere(dim);
        if (leftOut) {
            Body kept = keep;
            kept.push_back({Continue{}});
            inner.push_back(when(leftOut, kept));
        }
        std::vector<E> args;
        const Body found = rows_.declare(args);
        inner.insert(inner.end(), found.begin(), found.end());
        writeRow(inner, "to", "from", args);
        dropUnused(inner); // where rows are left out as a whole, none is copied from
        body.push_back(overRows(inner));
    }

    const Context &context_;
    int stage_; ///< the first of the group: all apply to the same cells
    const Kernel &kernel_;
    Rows rows_;
    bool update_;
};

} // namespace

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

Function buildStage(const Context &context, const Kernel &kernel) {
    Function function =
        context.ndim() == 1 ? buildBlockStage(context, kernel) : StageBuilder(context, kernel).build();
    dropUnused(function.body); // rows are copied from only where some cells of them are left out
    markUnused(function);
    return function;
}

int edgeRowsOf(const Context &context, const Kernel &kernel) {
    return Rows(context, kernel).scratchRows();
}

} // namespace oocc::loops
