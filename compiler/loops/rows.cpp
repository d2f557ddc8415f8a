#include "loops/rows.h"

#include "loops/fields.h"

namespace oocc::loops {

Rows::Rows(const Context &context, const Kernel &kernel)
    : context_(context), stage_(kernel.stages.front()), kernel_(kernel), planes_(context) {}

bool Rows::mayCross(const RowRead &row, int dim) const {
    const int side = sideOf(row, dim);
    return row.offset[dim] != 0 &&
           reachTowards(row.offset[dim], side) > context_.facts.stages[stage_].rim[dim][side];
}

bool Rows::mayLeave(const RowRead &row) const {
    for (int dim = 0; dim < context_.x(); ++dim)
        if (mayCross(row, dim) && context_.hasValueBeyond(row.field, dim, sideOf(row, dim))) return true;
    return false;
}

int Rows::scratchRows() const {
    int rows = 0;
    for (const RowRead &row : kernel_.rows)
        rows += mayLeave(row) ? 1 : 0;
    return rows;
}

E Rows::coordinate(const RowRead &row, int dim) const {
    const E at = var(context_.coordName(dim)) + lit(row.offset[dim]);
    const E moved = mayCross(row, dim) ? context_.movedTo(row.field, dim, sideOf(row, dim), at) : nullptr;
    return moved ? moved : at;
}

E Rows::inside(const RowRead &row, int dim) const {
    const int side = sideOf(row, dim);
    if (!mayCross(row, dim) || !context_.hasValueBeyond(row.field, dim, side)) return nullptr;
    const E at = var(context_.coordName(dim)) + lit(row.offset[dim]);
    return side == 0 ? at >= lit(0) : at < context_.extent(dim);
}

E Rows::inside(const RowRead &row) const {
    E all;
    for (int dim = 0; dim < context_.x(); ++dim)
        all = all && inside(row, dim);
    return all;
}

/// Where planes are unrolled, a read that only goes on beyond the end needs no wrapping; one that a face moves stays in
/// the lap it starts from.
E Rows::planeOf(const RowRead &row) const {
    const E v = var(context_.waveName()), z = var(context_.planeName());
    E at = coordinate(row, 0);
    if (context_.unrolled()) {
        const bool periodic =
            context_.stencil.fields[row.field].edge[0][sideOf(row, 0)].kind == EdgeKind::Periodic;
        const bool moved = mayCross(row, 0) && context_.movesBeyond(row.field, 0, sideOf(row, 0));
        at = moved && !periodic ? v - z + at : v + lit(row.offset[0]);
    }
    return call("oocc_plane", {var("p"), context_.fieldId(row.field), var("s") + lit(row.time - 1), at});
}

E Rows::rowBeyond(const RowRead &row, int scratch) const {
    std::vector<E> args{call("oocc_edge_row", {var("p"), var("EDGE_ROWS"), lit(scratch)})};
    for (int dim = 0; dim < context_.x(); ++dim)
        args.push_back(coordinate(row, dim));
    args.push_back(var("t") + lit(row.time));
    args.push_back(var("x_lo") - lit(row.lo));
    args.push_back(var("x_hi") + lit(row.hi));
    return call(beyondName(context_, row.field), args);
}

Body Rows::planes() {
    Body body;
    if (context_.ndim() < 3) return body;
    for (const RowRead &row : kernel_.rows) {
        const auto [name, isNew] = planes_.take(row.field, row.time, row.offset[0]);
        if (!isNew) continue;
        const E there = inside(row, 0);
        body.push_back(loops::declare("const " + context_.cType(row.field) + " *const", name,
                                      there ? cond(there, planeOf(row), var("NULL")) : planeOf(row)));
    }
    return body;
}

Body Rows::declare(std::vector<E> &arguments) {
    Body body;
    int scratch = 0;
    for (const RowRead &row : kernel_.rows) {
        E at = planeOf(row);
        if (context_.ndim() > 2) {
            std::vector<E> coords;
            for (int dim = 0; dim < context_.x(); ++dim)
                coords.push_back(coordinate(row, dim));
            at = var(planes_.take(row.field, row.time, row.offset[0]).first) + context_.rowOffset(row.field, coords);
        }
        if (mayLeave(row)) at = cond(inside(row), at, rowBeyond(row, scratch++));
        if (context_.ndim() == 2 || mayLeave(row)) {
            body.push_back(loops::declare("const " + context_.cType(row.field) + " *const", row.name, at));
            at = var(row.name);
        }
        arguments.push_back(at);
    }
    return body;
}

} // namespace oocc::loops
