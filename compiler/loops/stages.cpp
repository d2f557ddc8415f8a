#include "loops/stages.h"

#include "loops/blocks.h"
#include "loops/fields.h"
#include "loops/regions.h"
#include "loops/rows.h"
#include "loops/uses.h"

#include <algorithm>

namespace oocc::loops {

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
