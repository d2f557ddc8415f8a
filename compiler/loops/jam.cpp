#include "loops/jam.h"

#include "loops/fields.h"
#include "loops/regions.h"
#include "loops/stages.h"
#include "loops/uses.h"

#include <algorithm>

namespace oocc::loops {

namespace {

class JamBuilder {
  public:
    JamBuilder(const Context &context, const Kernel &kernel)
        : context_(context), kernel_(kernel), jam_(kernel.jam), stage_(kernel.stages.front()),
          field_(kernel.written.front()), type_(context.cType(field_)), planes_(context) {
        for (int64_t plane = 0; plane < jam_.planes; ++plane)
            for (int64_t row = 0; row < jam_.rows; ++row)
                shifts_.push_back({static_cast<int>(plane), static_cast<int>(row)});
    }

    Function build() {
        Function function;
        function.returns = "void";
        function.name = jamName(context_, stage_);
        function.params = stageParams(context_);
        if (jam_.planes > 1) function.params.insert(function.params.begin() + 3, {"int64_t", "planes"});
        function.comment = comment();
        Body &body = function.body;
        if (flat() || context_.pieces()) body.push_back(when(left() >= right(), {{Return{nullptr}}}));
        if (flat()) {
            body.push_back(when(notE(planesThere()), {others(), {Return{nullptr}}}));
            declareRest(body);
            const Body cells = rows();
            body.insert(body.end(), cells.begin(), cells.end());
        } else {
            declareRows(body);
            body.push_back(others());
            body.push_back(when(var("inner") == lit(0), {{Return{nullptr}}}));
            declareRest(body);
            body.push_back(loopBy(lit(jam_.rows), row(), var("inner_lo"), var("inner_hi"), rows()));
        }
        dropUnused(body);
        declarePlane(context_, body);
        return function;
    }

  private:
    bool flat() const { return context_.ndim() == 2; } ///< planes are rows
    std::string row() const { return context_.coordName(1); }
    E plane() const { return var(context_.waveName()); }
    E left() const { return flat() ? var("lo") : context_.pieces() ? var("left") : lit(0); }
    E right() const { return flat() ? var("hi") : context_.pieces() ? var("right") : context_.extent(context_.x()); }
    const char *to() const { return flat() ? "out" : "to"; } ///< the row that is written, and the one that it copies from
    const char *from() const { return flat() ? "old" : "from"; }
    bool copies() const { return copiesKept(context_, stage_, field_); }
    int64_t jammed(int dim) const { return dim == 0 ? jam_.planes : jam_.rows; }

    std::string comment() const {
        const std::string planes = std::to_string(jam_.planes);
        if (flat())
            return "The same for up to " + planes + " rows from " + context_.waveName() +
                   " on: at once where there are as many and their reads stay inside the grid, else one by one.";
        return "The same" + (jam_.planes > 1 ? " for up to " + planes + " planes from " + context_.waveName() + " on" : std::string()) +
               ": rows whose reads stay inside the grid " + std::to_string(jam_.rows) + " at a time" +
               (jam_.planes > 1 ? ", of all planes" : "") + ", the others one by one.";
    }

    /// The furthest that the first row's reads, and those of the rows after it, go towards a face.
    int64_t reach(int dim, int side) const {
        int64_t most = side == 0 ? 0 : jammed(dim) - 1;
        for (const RowRead &read : kernel_.rows)
            most = std::max<int64_t>(most, side == 0 ? -read.offset[dim] : read.offset[dim]);
        return most;
    }
    /// From where on, and up to where, the first one's coordinate may be for all to be inside, and inside the region.
    E lowest(int dim) const {
        const E bound = boundOf(context_, stage_, dim, 0);
        const E inside = lit(reach(dim, 0));
        const Int *rim = bound ? std::get_if<Int>(&bound->node) : nullptr;
        return !bound ? inside : rim ? lit(std::max(rim->value, reach(dim, 0))) : maxOf(bound, inside);
    }
    E end(int dim) const {
        const int64_t rim = context_.facts.stages[stage_].rim[dim][1] + jammed(dim) - 1;
        const E n = context_.extent(dim);
        if (!context_.stencil.stages[stage_].region[dim][1]) return n - lit(std::max(rim, reach(dim, 1)));
        return minOf(boundOf(context_, stage_, dim, 1) - lit(jammed(dim) - 1), n - lit(reach(dim, 1)));
    }

    /// There are as many planes as are taken at once, and they are inside.
    E planesThere() const {
        const E z = var(context_.planeName());
        E there = z >= lowest(0) && z < end(0);
        if (jam_.planes > 1) there = var("planes") == lit(jam_.planes) && there;
        return there;
    }

    /// [inner_lo, inner_hi): the rows that are taken at once; inner of them.
    void declareRows(Body &body) const {
        const E rows = lit(jam_.rows);
        body.push_back(declare("const int64_t", "inner_lo", minOf(maxOf(var("lo"), lowest(1)), var("hi"))));
        const E last = minOf(var("hi"), end(1) + lit(jam_.rows - 1)); // behind the last row of a whole jam
        const E groups = binary(Op::Div, maxOf(last - var("inner_lo"), lit(0)), rows);
        body.push_back(declare("const int64_t", "inner", cond(planesThere(), groups * rows, lit(0))));
        body.push_back(declare("const int64_t", "inner_hi", var("inner_lo") + var("inner")));
    }

    Stmt others() const {
        const auto call = [&](E plane, E lo, E hi) {
            std::vector<E> args{var("p"), var("s"), plane, lo, hi};
            if (context_.pieces()) args.insert(args.end(), {left(), right()});
            if (context_.fetchesAhead()) args.push_back(var("ahead"));
            return run(loops::call(stageName(context_, stage_), args));
        };
        const E at = jam_.planes > 1 ? var("plane") : plane();
        Body each{call(at, var("lo"), flat() ? var("hi") : var("inner_lo"))};
        if (!flat()) each.push_back(call(at, var("inner_hi"), var("hi")));
        return jam_.planes > 1 ? loop("plane", plane(), plane() + var("planes"), each) : scope("", each);
    }

    E planeAt(int field, E step, int64_t shift) const {
        return call("oocc_plane", {var("p"), context_.fieldId(field), step, plane() + lit(shift)});
    }
    std::string named(const std::string &what, const Offsets &shift) const { return what + context_.shiftSuffix(shift); }

    /// What is the same for all rows: times, planes, the range of cells.
    void declareRest(Body &body) {
        body.push_back(declare("const int64_t", "t", var("p->t0") + var("s") - lit(1)));
        for (int64_t k = 0; k < jam_.planes; ++k) {
            const Offsets shift{static_cast<int>(k)};
            body.push_back(declare(type_ + " *const", named("out", shift), planeAt(field_, var("s"), k)));
            if (copies())
                body.push_back(
                    declare("const " + type_ + " *const", named("old", shift), planeAt(field_, var("s") - lit(1), k)));
        }
        const E below = boundOf(context_, stage_, context_.x(), 0), above = boundOf(context_, stage_, context_.x(), 1);
        body.push_back(declare("const int64_t", "x_lo", below ? minOf(maxOf(left(), below), right()) : left()));
        body.push_back(declare("const int64_t", "x_hi", above ? maxOf(var("x_lo"), minOf(right(), above)) : right()));
        for (const RowRead &read : kernel_.rows)
            if (const auto [name, isNew] = planes_.take(read.field, read.time, read.offset[0]); isNew)
                body.push_back(declare("const " + context_.cType(read.field) + " *const", name,
                                       planeAt(read.field, var("s") + lit(read.time - 1), read.offset[0])));
    }

    E rowStart(int field, const std::string &plane, int64_t shift) const {
        return flat() ? var(plane) : var(plane) + context_.rowOffset(field, {nullptr, var(row()) + lit(shift)});
    }

    Body rows() {
        Body body;
        std::vector<E> args;
        for (const Offsets &shift : shifts_) {
            args.push_back(var(named(to(), shift)) + var("x_lo"));
            if (flat()) continue;
            const Offsets plane{shift[0]};
            body.push_back(declare(type_ + " *const", named("to", shift), rowStart(field_, named("out", plane), shift[1])));
            if (copies())
                body.push_back(declare("const " + type_ + " *const", named("from", shift),
                                       rowStart(field_, named("old", plane), shift[1])));
        }
        copyEnds(body);
        for (const RowRead &read : kernel_.rows)
            args.push_back(rowStart(read.field, planes_.take(read.field, read.time, read.offset[0]).first, read.offset[1]) +
                           var("x_lo"));
        if (kernel_.takesTime) args.push_back(var("t"));
        for (int dim : kernel_.coords)
            if (dim != context_.x()) args.push_back(var(context_.coordName(dim)));
        if (kernel_.coords.count(context_.x())) args.push_back(var("x_lo"));
        args.push_back(var("x_hi") - var("x_lo"));
        if (context_.fetchesAhead()) args.push_back(var("ahead"));
        body.push_back(run(call(kernel_.function.name, args)));
        Body ghosts;
        if (needsGhosts(context_, field_))
            for (const Offsets &shift : shifts_)
                ghosts.push_back(callGhosts(context_, field_, var(named(to(), shift)), left(), right(), shift));
        addGhosts(context_, body, std::move(ghosts));
        dropUnused(body);
        return body;
    }

    void copyEnds(Body &body) const {
        if (!copies()) return;
        const auto copy = [&](E lo, E hi) {
            Body cells;
            for (const Offsets &shift : shifts_)
                cells.push_back(assign(at(var(named(to(), shift)), var("i")), at(var(named(from(), shift)), var("i"))));
            body.push_back(loop("i", lo, hi, cells));
        };
        if (boundOf(context_, stage_, context_.x(), 0)) copy(left(), var("x_lo"));
        if (boundOf(context_, stage_, context_.x(), 1)) copy(var("x_hi"), right());
    }

    const Context &context_;
    const Kernel &kernel_;
    const Jam jam_;
    const int stage_, field_;
    const std::string type_;
    std::vector<Offsets> shifts_; ///< of the rows that are written
    PlaneNames planes_;
};

} // namespace

std::string jamName(const Context &context, int stage) {
    return "jam_" + stageId(context, stage);
}

Function buildJammedStage(const Context &context, const Kernel &kernel) {
    Function function = JamBuilder(context, kernel).build();
    dropUnused(function.body);
    markUnused(function);
    return function;
}

} // namespace oocc::loops
