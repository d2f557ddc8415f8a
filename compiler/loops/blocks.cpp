// A block's middle reads its own cells only; the few cells at its ends are computed from copies that reach across.
#include "loops/blocks.h"

#include "loops/near.h"
#include "loops/regions.h"
#include "loops/stages.h"

#include <algorithm>

namespace oocc::loops {

namespace {

class BlockBuilder {
  public:
    BlockBuilder(const Context &context, const Kernel &kernel)
        : context_(context), stage_(kernel.stages.front()), kernel_(kernel),
          s_(context.stencil.stages[stage_]), update_(s_.kind == Stage::Kind::Update) {
        across_ =
            std::any_of(kernel.rows.begin(), kernel.rows.end(), [](const RowRead &r) { return r.across(); });
    }

    Function build() {
        Function function;
        function.returns = "void";
        function.name = stageName(context_, stage_);
        function.params = stageParams(context_);
        function.comment = stagesText(context_, kernel_.stages) + ": one block at step s.";
        Body &body = function.body;
        begin(body);
        declareRange(body);
        copyKept(body);
        std::vector<E> args;
        for (const RowRead &row : kernel_.rows) {
            body.push_back(declare("const " + context_.cType(row.field) + " *const", row.name,
                                   planeAt(row.field, var("s") + lit(row.time - 1))));
            args.push_back(var(row.name));
        }
        if (!across_) {
            body.push_back(callKernel(nullptr, args, var("first"), var("x_lo"), var("x_hi")));
            declarePlane(context_, body);
            return function;
        }
        const int64_t lo = reach(0), hi = reach(1);
        body.push_back(declare("const int64_t", "left", minOf(maxOf(lit(lo), var("x_lo")), var("x_hi"))));
        body.push_back(
            declare("const int64_t", "right", maxOf(var("left"), minOf(var("x_hi"), var("n") - lit(hi)))));
        body.push_back(callKernel(nullptr, args, var("first"), var("left"), var("right")));
        body.push_back(end(var("x_lo"), var("left")));
        body.push_back(end(var("right"), var("x_hi")));
        declarePlane(context_, body);
        return function;
    }

  private:
    int64_t reach(int side) const {
        int64_t most = 0;
        for (int k : kernel_.stages)
            most = std::max(most, context_.facts.stages[k].reach[0][side]);
        return most;
    }
    bool copies(int field) const { return copiesKept(context_, stage_, field); }
    std::string nameFor(const std::string &what, int field) const {
        return targetName(context_, kernel_, what, field);
    }
    E planeAt(int field, E step) const {
        return call("oocc_plane", {var("p"), context_.fieldId(field), step, var(context_.waveName())});
    }

    void begin(Body &body) const {
        if (!update_) returnUnlessDue(context_, stage_, body);
        body.push_back(declare("const int64_t", "n", call("oocc_cells", {var("grid"), var("block")})));
        if (across_ || isRestricted(context_, stage_) || kernel_.coords.count(0))
            body.push_back(declare("const int64_t", "first", var("block") * var("grid->cells")));
        if (kernel_.takesTime || across_)
            body.push_back(declare("const int64_t", "t", var("p->t0") + var("s") - lit(1)));
        if (!update_) {
            const std::string &name = context_.stencil.scalars[s_.scalar].name;
            body.push_back(declare("struct oocc_gather *const", "g",
                                   call("oocc_gather", {var("p"), var("WATCH_" + name), var("s")})));
            return;
        }
        declareTargets(context_, kernel_, body);
    }

    /// [x_lo, x_hi): the block's cells that the stage applies to.
    void declareRange(Body &body) const {
        const E lo = boundOf(context_, stage_, 0, 0), hi = boundOf(context_, stage_, 0, 1);
        const E n = var("n"), first = var("first");
        body.push_back(declare("const int64_t", "x_lo", lo ? minOf(maxOf(lo - first, lit(0)), n) : lit(0)));
        body.push_back(declare("const int64_t", "x_hi", hi ? maxOf(var("x_lo"), minOf(n, hi - first)) : n));
    }
    void copyKept(Body &body) const {
        for (int field : kernel_.written) {
            if (!copies(field)) continue;
            const auto copy = [&](E from, E to) {
                return loop("i", from, to,
                            {assign(at(var(nameFor("out", field)), var("i")),
                                    at(var(nameFor("old", field)), var("i")))});
            };
            if (boundOf(context_, stage_, 0, 0)) body.push_back(copy(lit(0), var("x_lo")));
            if (boundOf(context_, stage_, 0, 1)) body.push_back(copy(var("x_hi"), var("n")));
        }
    }

    /// Cells [lo, hi) of rows that begin `shift` cells into the block.
    Stmt callKernel(E shift, const std::vector<E> &rows, E first, E lo, E hi) const {
        std::vector<E> args;
        if (!update_) args.push_back(var("g"));
        for (int field : kernel_.written)
            args.push_back((shift ? var(nameFor("out", field)) + shift : var(nameFor("out", field))) + lo);
        for (const E &row : rows)
            args.push_back(update_ ? row + lo : row);
        if (kernel_.takesTime) args.push_back(var("t"));
        if (kernel_.coords.count(0)) args.push_back(update_ ? first + lo : first);
        if (update_)
            args.push_back(hi - lo);
        else
            args.insert(args.end(), {lo, hi});
        return run(call(kernel_.function.name, args));
    }

    Stmt end(E from, E to) const {
        const int64_t lo = reach(0), hi = reach(1);
        Body part;
        std::vector<E> copies;
        for (const RowRead &row : kernel_.rows) {
            if (!row.across()) {
                copies.push_back(var(row.name) + from);
                continue;
            }
            const std::string name = "cells_of_" + row.name; // not near_: field f_u has a function near_f_u
            part.push_back(declare(context_.cType(row.field),
                                   name + "[" + std::to_string(2 * (lo + hi)) + "]", nullptr));
            std::vector<E> args{var("p"), var("s") + lit(row.time - 1), var("t") + lit(row.time)};
            if (context_.unrolled()) args.push_back(var("v") - var("block"));
            args.insert(args.end(), {var("first") + from - lit(lo), var("first") + to + lit(hi), var(name)});
            part.push_back(run(call(nearName(context_, row.field), args)));
            copies.push_back(var(name) + lit(lo));
        }
        part.push_back(callKernel(from, copies, var("first") + from, lit(0), to - from));
        return when(from < to, part);
    }

    const Context &context_;
    int stage_;
    const Kernel &kernel_;
    const Stage &s_;
    bool update_;
    bool across_ = false;
};

} // namespace

Function buildBlockStage(const Context &context, const Kernel &kernel) {
    return BlockBuilder(context, kernel).build();
}

} // namespace oocc::loops
