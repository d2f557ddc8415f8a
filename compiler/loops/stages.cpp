#include "loops/stages.h"

#include "loops/fields.h"

#include <map>

namespace oocc::loops {

namespace {

class StageBuilder {
  public:
    StageBuilder(const Context &context, int stage, const Kernel &kernel)
        : context_(context), stage_(stage), kernel_(kernel), field_(context.stencil.stages[stage].field),
          facts_(context.facts.stages[stage]), inSlot_(context.plan.fields[field_].slots == 1) {}

    Function build() {
        Function function;
        function.returns = "void";
        function.name = stageName(context_, stage_);
        function.params = {{"const struct oocc_pass *", "p"}, {"int64_t", "s"}};
        const std::string name = context_.fieldName(field_);
        switch (context_.ndim()) {
        case 1:
            function.comment = "Stage " + std::to_string(stage_) + ", " + name + ": one block at step s.";
            function.params.push_back({"int64_t", "block"});
            function.body = block();
            break;
        case 2:
            function.comment =
                "Stage " + std::to_string(stage_) + ", " + name + ": cells [lo, hi) of one row at step s.";
            function.params.insert(
                function.params.end(),
                {{"int64_t", context_.coordName(0)}, {"int64_t", "lo"}, {"int64_t", "hi"}});
            function.body = rowPiece();
            break;
        default:
            function.comment = "Stage " + std::to_string(stage_) + ", " + name +
                               ": cells [left, right) of rows [lo, hi) of one plane at step s.";
            function.params.insert(function.params.end(), {{"int64_t", context_.coordName(0)},
                                                           {"int64_t", "lo"},
                                                           {"int64_t", "hi"},
                                                           {"int64_t", "left"},
                                                           {"int64_t", "right"}});
            function.body = rows();
        }
        return function;
    }

    /// True when some row may lie beyond a face that gives it a value.
    bool mayLeave(const RowRead &row) const {
        for (int dim = 0; dim < context_.x(); ++dim)
            if (leaves(row, dim)) return true;
        return false;
    }

  private:
    bool leaves(const RowRead &row, int dim) const {
        const int side = row.offset[dim] < 0 ? 0 : 1;
        return row.offset[dim] != 0 && context_.hasValueBeyond(row.field, dim, side) &&
               reachTowards(row.offset[dim], side) > facts_.rim[dim][side];
    }

    std::string pointer(int field) const { return "const " + context_.cType(field) + " *const"; }
    E planeOf(int field, E s, E z) const {
        return call("oocc_plane", {var("p"), context_.fieldId(field), s, z});
    }
    E stepOf(int time) const { return var("s") + lit(time - 1); }
    E timeOf(int time) const { return var("t") + lit(time); }
    E coord(int dim) const { return var(context_.coordName(dim)); }

    /// The cell's coordinate lies in a rim of this dimension; null when there is none.
    E inRim(int dim) const {
        const auto [lo, hi] = facts_.rim[dim];
        const E below = lo > 0 ? coord(dim) < lit(lo) : nullptr;
        const E above = hi > 0 ? coord(dim) >= context_.extent(dim) - lit(hi) : nullptr;
        return below || above;
    }
    bool hasRim() const {
        for (int dim = 0; dim < context_.ndim(); ++dim)
            if (facts_.rim[dim][0] > 0 || facts_.rim[dim][1] > 0) return true;
        return false;
    }
    bool copies() const { return hasRim() && !inSlot_; }

    /// Cells of a rim: their next value is their present one. Whole rows are copied by memcpy, the few cells at a
    /// row's ends by a loop.
    Stmt copyRow(E out, E old, E from, E to) const {
        const E bytes = cast("size_t", to - from) * call("sizeof", {var(context_.cType(field_))});
        return run(call("memcpy", {out + from, old + from, bytes}));
    }
    Stmt copyCells(E out, E old, E from, E to) const {
        return loop("i", from, to, {assign(at(out, var("i")), at(old, var("i")))});
    }

    bool needsTime() const {
        if (kernel_.takesTime || needsGhosts(context_, field_)) return true;
        for (const RowRead &row : kernel_.rows)
            if (context_.ndim() == 1 ? row.across() : mayLeave(row)) return true;
        return false;
    }
    void declareTime(Body &body) const {
        if (needsTime()) body.push_back(declare("const int64_t", "t", var("p->t0") + var("s") - lit(1)));
    }
    void declareOut(Body &body) const {
        const E next = planeOf(field_, var("s"), coord0());
        body.push_back(declare(context_.cType(field_) + " *const", "out", next));
        if (copies())
            body.push_back(declare(pointer(field_), "old", planeOf(field_, var("s") - lit(1), coord0())));
    }
    E coord0() const { return context_.ndim() == 1 ? var("block") : coord(0); }

    /// [x_lo, x_hi): the cells of [lo, hi) that are not in x's rims.
    void declareRange(Body &body, E lo, E hi) const {
        const auto [below, above] = facts_.rim[context_.x()];
        const E n = context_.extent(context_.x());
        body.push_back(declare("const int64_t", "x_lo", below == 0 ? lo : minOf(maxOf(lo, lit(below)), hi)));
        body.push_back(declare("const int64_t", "x_hi",
                               above == 0 ? hi : maxOf(var("x_lo"), minOf(hi, n - lit(above)))));
    }
    void copyRims(Body &body, E out, E old, E lo, E hi) const {
        const auto [below, above] = facts_.rim[context_.x()];
        if (inSlot_) return;
        if (below > 0) body.push_back(copyCells(out, old, lo, var("x_lo")));
        if (above > 0) body.push_back(copyCells(out, old, var("x_hi"), hi));
    }

    Stmt callKernel(E out, const std::vector<E> &rows, E first, E lo, E hi) const {
        std::vector<E> args{out};
        args.insert(args.end(), rows.begin(), rows.end());
        if (kernel_.takesTime) args.push_back(var("t"));
        for (int dim : kernel_.coords)
            if (dim != context_.x()) args.push_back(coord(dim));
        if (context_.ndim() == 1 && kernel_.coords.count(0)) args.push_back(first);
        args.push_back(lo);
        args.push_back(hi);
        return run(call(kernel_.function.name, args));
    }
    Stmt callGhosts(E out, E lo, E hi) const {
        std::vector<E> args{out};
        for (int dim = 0; dim < context_.x(); ++dim)
            args.push_back(coord(dim));
        args.insert(args.end(), {timeOf(1), lo, hi});
        return run(call(ghostCellsName(context_, field_), args));
    }

    /// Inside the grid along a dimension; null when the row cannot leave it there.
    E inside(const RowRead &row, int dim) const {
        if (!leaves(row, dim)) return nullptr;
        const E c = coord(dim) + lit(row.offset[dim]);
        return row.offset[dim] < 0 ? c >= lit(0) : c < context_.extent(dim);
    }
    /// The scratch row that stands for a row beyond the grid.
    E beyondRow(const RowRead &row, int index) const {
        const E scratch = call("oocc_edge_row", {var("p"), var("EDGE_ROWS"), lit(index)});
        std::vector<E> args{scratch};
        for (int dim = 0; dim < context_.x(); ++dim)
            args.push_back(coord(dim) + lit(row.offset[dim]));
        args.push_back(timeOf(row.time));
        args.push_back(var("x_lo") - lit(row.lo));
        args.push_back(var("x_hi") + lit(row.hi));
        return call(beyondName(context_, row.field), args);
    }

    Body block() const;
    Body rowPiece() const;
    Body rows() const;

    const Context &context_;
    int stage_;
    const Kernel &kernel_;
    int field_;
    const StageFacts &facts_;
    bool inSlot_; ///< one slot: cells that are not updated stay where they are
};

Body StageBuilder::rows() const {
    Body body;
    const E y = coord(1), to = var("to"), from = var("from"), left = var("left"), right = var("right");
    body.push_back(when(left >= right, {{Return{nullptr}}}));
    const bool ghosts = needsGhosts(context_, field_);
    declareTime(body);
    declareOut(body);
    Body rowStart{
        declare(context_.cType(field_) + " *const", "to", var("out") + y * context_.stride(field_))};
    if (copies())
        rowStart.push_back(declare(pointer(field_), "from", var("old") + y * context_.stride(field_)));
    Body keepRow;
    if (!inSlot_) keepRow.push_back(copyRow(to, from, left, right));
    if (ghosts) keepRow.push_back(callGhosts(to, left, right));
    if (const E rim = inRim(0)) {
        Body kept;
        if (!keepRow.empty()) {
            Body row = rowStart;
            row.insert(row.end(), keepRow.begin(), keepRow.end());
            kept.push_back(loop(context_.coordName(1), var("lo"), var("hi"), row));
        }
        kept.push_back({Return{nullptr}});
        body.push_back(when(rim, kept));
    }
    declareRange(body, left, right);
    // One pointer per plane that is read; rows are found from it.
    std::map<std::string, std::string> planes;
    std::vector<std::string> planeNames;
    for (const RowRead &row : kernel_.rows) {
        Offsets offset = row.offset;
        offset[1] = 0;
        const std::string name = "plane_of_" + context_.rowName(row.field, row.time, offset);
        planeNames.push_back(name);
        if (!planes.emplace(name, name).second) continue;
        const E plane = planeOf(row.field, stepOf(row.time), coord(0) + lit(offset[0]));
        const E there = inside(row, 0);
        body.push_back(declare(pointer(row.field), name, there ? cond(there, plane, var("NULL")) : plane));
    }
    Body inner = rowStart;
    if (const E rim = inRim(1)) {
        Body kept = keepRow;
        kept.push_back({Continue{}});
        inner.push_back(when(rim, kept));
    }
    std::vector<E> args;
    int edges = 0;
    for (size_t r = 0; r < kernel_.rows.size(); ++r) {
        const RowRead &row = kernel_.rows[r];
        E arg = var(planeNames[r]) + (y + lit(row.offset[1])) * context_.stride(row.field);
        if (mayLeave(row)) {
            const E there = inside(row, 0) && inside(row, 1);
            inner.push_back(declare(pointer(row.field), row.name, cond(there, arg, beyondRow(row, edges++))));
            arg = var(row.name);
        }
        args.push_back(arg);
    }
    copyRims(inner, to, from, left, right);
    inner.push_back(callKernel(to, args, nullptr, var("x_lo"), var("x_hi")));
    if (ghosts) inner.push_back(callGhosts(to, left, right));
    body.push_back(loop(context_.coordName(1), var("lo"), var("hi"), inner));
    return body;
}

Body StageBuilder::rowPiece() const {
    Body body;
    const E out = var("out"), old = var("old"), lo = var("lo"), hi = var("hi");
    body.push_back(when(lo >= hi, {{Return{nullptr}}}));
    declareTime(body);
    declareOut(body);
    Body ghosts;
    if (needsGhosts(context_, field_)) ghosts.push_back(callGhosts(out, lo, hi));
    if (const E rim = inRim(0)) {
        Body kept;
        if (!inSlot_) kept.push_back(copyRow(out, old, lo, hi));
        kept.insert(kept.end(), ghosts.begin(), ghosts.end());
        kept.push_back({Return{nullptr}});
        body.push_back(when(rim, kept));
    }
    declareRange(body, lo, hi);
    std::vector<E> args;
    int edges = 0;
    for (const RowRead &row : kernel_.rows) {
        const E plane = planeOf(row.field, stepOf(row.time), coord(0) + lit(row.offset[0]));
        const E there = inside(row, 0);
        body.push_back(declare(pointer(row.field), row.name,
                               there ? cond(there, plane, beyondRow(row, edges++)) : plane));
        args.push_back(var(row.name));
    }
    copyRims(body, out, old, lo, hi);
    body.push_back(callKernel(out, args, nullptr, var("x_lo"), var("x_hi")));
    body.insert(body.end(), ghosts.begin(), ghosts.end());
    return body;
}

/// A block's middle reads its own cells only; the few cells at its ends are computed from copies that reach across.
Body StageBuilder::block() const {
    Body body;
    const auto [below, above] = facts_.rim[0];
    const int64_t lo = facts_.reach[0][0], hi = facts_.reach[0][1];
    const E n = var("n"), first = var("first");
    body.push_back(declare("const int64_t", "n", call("oocc_cells", {var("grid"), var("block")})));
    bool across = false;
    for (const RowRead &row : kernel_.rows)
        across |= row.across();
    if (across || below > 0 || above > 0 || kernel_.coords.count(0))
        body.push_back(declare("const int64_t", "first", var("block") * var("grid->cells")));
    declareTime(body);
    declareOut(body);
    const E total = context_.extent(0);
    body.push_back(
        declare("const int64_t", "x_lo", below == 0 ? lit(0) : minOf(maxOf(lit(below) - first, lit(0)), n)));
    body.push_back(declare("const int64_t", "x_hi",
                           above == 0 ? n : maxOf(var("x_lo"), minOf(n, total - lit(above) - first))));
    copyRims(body, var("out"), var("old"), lit(0), n);
    std::vector<E> args;
    for (const RowRead &row : kernel_.rows) {
        body.push_back(
            declare(pointer(row.field), row.name, planeOf(row.field, stepOf(row.time), var("block"))));
        args.push_back(var(row.name));
    }
    if (!across) {
        body.push_back(callKernel(var("out"), args, first, var("x_lo"), var("x_hi")));
        return body;
    }
    body.push_back(declare("const int64_t", "left", minOf(maxOf(lit(lo), var("x_lo")), var("x_hi"))));
    body.push_back(declare("const int64_t", "right", maxOf(var("left"), minOf(var("x_hi"), n - lit(hi)))));
    body.push_back(callKernel(var("out"), args, first, var("left"), var("right")));
    const auto end = [&](E from, E to) {
        Body part;
        std::vector<E> copies;
        for (const RowRead &row : kernel_.rows) {
            if (!row.across()) {
                copies.push_back(var(row.name) + from);
                continue;
            }
            const std::string name = "near_" + row.name;
            part.push_back(declare(context_.cType(row.field),
                                   name + "[" + std::to_string(2 * (lo + hi)) + "]", nullptr));
            part.push_back(run(call(nearName(context_, row.field),
                                    {var("p"), stepOf(row.time), timeOf(row.time), first + from - lit(lo),
                                     first + to + lit(hi), var(name)})));
            copies.push_back(var(name) + lit(lo));
        }
        part.push_back(callKernel(var("out") + from, copies, first + from, lit(0), to - from));
        return when(from < to, part);
    };
    body.push_back(end(var("x_lo"), var("left")));
    body.push_back(end(var("right"), var("x_hi")));
    return body;
}

} // namespace

std::string stageName(const Context &context, int stage) {
    return (context.ndim() == 1   ? "block_"
            : context.ndim() == 2 ? "cells_"
                                  : "plane_") +
           context.fieldName(context.stencil.stages[stage].field);
}

Function buildStage(const Context &context, int stage, const Kernel &kernel) {
    return StageBuilder(context, stage, kernel).build();
}

int edgeRowsOf(const Context &context, int stage, const Kernel &kernel) {
    const StageBuilder builder(context, stage, kernel);
    int rows = 0;
    for (const RowRead &row : kernel.rows)
        rows += builder.mayLeave(row) ? 1 : 0;
    return rows;
}

} // namespace oocc::loops
