#include "loops/fields.h"

#include "loops/expressions.h"
#include "loops/initial_values.h"
#include "loops/near.h"
#include "loops/row_values.h"
#include "loops/uses.h"
#include "stencil/printer.h"

namespace oocc::loops {

std::string ghostsName(const Context &context, int field) {
    return "ghosts_" + context.fieldName(field);
}
std::string beyondName(const Context &context, int field) {
    return "beyond_" + context.fieldName(field);
}
bool needsGhosts(const Context &context, int field) {
    const FieldFacts &f = context.facts.fields[field];
    return f.ghostLo > 0 || f.ghostHi > 0;
}

bool needsBeyond(const Context &context, int field) {
    return context.facts.fields[field].readBeyondRows;
}

namespace {

const std::string kEdgeOf = "the edge of ";

std::string ghostCellsName(const Context &context, int field) {
    return "ghost_cells_" + context.fieldName(field);
}

/// fillRow() for a row beyond the grid, where x itself may be moved before the value is taken: target[i] = value.
Body fillRowBeyond(const Context &context, int field, const ExprPtr &value, E lo, E hi,
                   const std::string &row) {
    const int x = context.x();
    const FieldFacts &facts = context.facts.fields[field];
    Translator translator(context);
    translator.what = kEdgeOf + context.fieldName(field);
    translator.invariantOf = x;
    translator.nameCommon({value});
    const E e = context.stored(field, translator.translate(value));
    const bool movesLo = context.movesBeyond(field, x, 0) && facts.ghostLo > 0;
    const bool movesHi = context.movesBeyond(field, x, 1) && facts.ghostHi > 0;
    const bool moved = translator.usesCoord.count(x) && (movesLo || movesHi);
    const std::string index = moved ? "i" : context.coordName(x);
    Body inner;
    if (moved) {
        E at = var(index);
        if (movesLo) at = context.movedTo(field, x, 0, at);
        const bool wraps = context.stencil.fields[field].edge[x][1].kind == EdgeKind::Periodic;
        if (movesHi && !(movesLo && wraps)) at = context.movedTo(field, x, 1, at);
        inner.push_back(declare("const int64_t", context.coordName(x), at));
    }
    for (const Stmt &common : translator.takeCommon())
        inner.push_back(common);
    inner.push_back(assign(at(var(row), var(index)), e));
    Body body = translator.takeHoisted();
    body.push_back(loop(index, lo, hi, inner));
    return body;
}

/// Cells beyond an end of a row that other cells of the row stand for. Those beyond the high end are counted from it: of a loop with
/// row[i] = row[2*n - 1 - i] in it, gcc 12 at -O1 and -O2 believes that it writes nothing, and leaves it out.
Stmt moveCells(const Context &context, int field, int side, int64_t width) {
    const int x = context.x();
    const std::string index = side == 0 ? context.coordName(x) : "i";
    const E n = context.extent(x), i = var(index);
    E from;
    switch (context.stencil.fields[field].edge[x][side].kind) {
    case EdgeKind::Neumann:
        from = side == 0 ? lit(0) : n - lit(1);
        break;
    case EdgeKind::Reflect:
        from = side == 0 ? lit(-1) - i : n - lit(1) - i;
        break;
    case EdgeKind::ReflectCentre:
        from = side == 0 ? negate(i) : n - lit(2) - i;
        break;
    default:
        from = side == 0 ? i + n : i;
    }
    const E to = side == 0 ? i : n + i;
    return loop(index, side == 0 ? lit(-width) : lit(0), side == 0 ? lit(0) : lit(width), {assign(at(var("row"), to), at(var("row"), from))});
}

/// Parameters that name the cell's coordinates other than x, slowest first.
std::vector<Param> coordParams(const Context &context) {
    std::vector<Param> params;
    for (int dim = 0; dim < context.x(); ++dim)
        params.push_back({"int64_t", context.coordName(dim)});
    return params;
}

Body ghostCellsBody(const Context &context, int field) {
    const FieldFacts &facts = context.facts.fields[field];
    const int x = context.x();
    const E target = at(var("row"), var(context.coordName(x)));
    Body body;
    for (int side : {0, 1}) {
        const int64_t width = side == 0 ? facts.ghostLo : facts.ghostHi;
        if (width == 0) continue;
        const E n = context.extent(x), lo = var("lo"), hi = var("hi");
        const Edge &edge = context.stencil.fields[field].edge[x][side];
        // A value is written with the row's last cell; copies follow every cell they may be taken from.
        if (edge.kind == EdgeKind::Dirichlet)
            body.push_back(when(side == 0 ? lo == lit(0) : hi == n,
                                fillRow(context, field, kEdgeOf, edge.value, side == 0 ? lit(-width) : n,
                                        side == 0 ? lit(0) : n + lit(width), target)));
        else if (edge.kind == EdgeKind::Periodic)
            body.push_back(moveCells(context, field, side, width));
        else
            body.push_back(when(side == 0 ? lo < lit(width + 1) : hi >= n - lit(width),
                                {moveCells(context, field, side, width)}));
    }
    return body;
}

std::string ghostCellsComment(const Context &context, int field, const Body &body) {
    const FieldFacts &facts = context.facts.fields[field];
    const char *const ends = facts.ghostLo == 0 ? "the high end" : facts.ghostHi == 0 ? "the low end" : "the ends";
    const bool lo = uses(body, "lo"), hi = uses(body, "hi");
    const char *const touched = lo && hi ? ": those ends that cells [lo, hi) touch"
                                : lo     ? ", if cells from lo on touch it"
                                : hi     ? ", if cells below hi touch it"
                                         : "";
    return "What reads of " + context.stencil.fields[field].name + " see beyond " + ends + " of a row" +
           (uses(body, "t") ? " at level t" : "") + touched + ".";
}

/// Whatever a row of any field may need to be known of.
std::vector<Param> ghostCellsParams(const Context &context) {
    std::vector<Param> params = coordParams(context);
    for (const char *name : {"t", "lo", "hi"})
        params.push_back({"int64_t", name});
    return params;
}

std::vector<Function> buildGhosts(const Context &context, int field) {
    Function cells;
    cells.returns = "void";
    cells.name = ghostCellsName(context, field);
    cells.body = ghostCellsBody(context, field);
    cells.comment = ghostCellsComment(context, field, cells.body);
    cells.params = {{context.cType(field) + " *", "row"}};
    for (const Param &param : ghostCellsParams(context))
        if (uses(cells.body, param.name)) cells.params.push_back(param);

    Function plane;
    plane.comment = "The same for every row of a plane.";
    plane.returns = "void";
    plane.name = ghostsName(context, field);
    plane.params = {{"void *", "plane"}, {"int64_t", context.coordName(0)}, {"int64_t", "t"}};
    plane.body = {declare(context.cType(field) + " *const", "cells", var("plane"))};
    std::vector<E> coords = coordinates(context);
    coords.pop_back();
    const E row = context.ndim() > 2 ? var("cells") + context.rowOffset(field, coordinates(context)) : var("cells");
    const E call = callGhostCells(context, field, row, coords, var("t"), lit(0), context.extent(context.x()));
    for (const Stmt &stmt : overRows(context, {run(call)}))
        plane.body.push_back(stmt);
    markUnused(plane);
    return {cells, plane};
}

/// Faces that follow each other in the grid's order and have the same value.
struct Faces {
    ExprPtr value;
    E outside; ///< a row lies beyond one of them
};

std::vector<Faces> facesWithValues(const Context &context, int field) {
    const Field &f = context.stencil.fields[field];
    std::vector<Faces> found;
    for (int dim = 0; dim < context.x(); ++dim)
        for (int side : {0, 1}) {
            if (!context.hasValueBeyond(field, dim, side)) continue;
            const ExprPtr &value = f.edge[dim][side].value;
            const E coord = var(context.coordName(dim));
            const E outside = side == 0 ? coord < lit(0) : coord >= context.extent(dim);
            if (!found.empty() && toString(context.stencil, found.back().value) == toString(context.stencil, value))
                found.back().outside = found.back().outside || outside;
            else
                found.push_back({value, outside});
        }
    return found;
}

/// Rows beyond the faces other than x's. A cell beyond several faces belongs to the first of them in the grid's order; one that is not
/// beyond any of the others is beyond the last.
Function buildBeyond(const Context &context, int field) {
    const Field &f = context.stencil.fields[field];
    Function function;
    function.comment = "Cells [x_lo, x_hi) of a row of " + f.name + " that lies beyond the grid, at level t.";
    function.returns = "const " + context.cType(field) + " *";
    function.name = beyondName(context, field);
    function.params = {{context.cType(field) + " *", "row"}};
    for (const Param &param : coordParams(context))
        function.params.push_back(param);
    for (const char *name : {"t", "x_lo", "x_hi"})
        function.params.push_back({"int64_t", name});
    const std::vector<Faces> faces = facesWithValues(context, field);
    Body chain;
    for (auto each = faces.rbegin(); each != faces.rend(); ++each) {
        const Body fill = fillRowBeyond(context, field, each->value, var("x_lo"), var("x_hi"), "row");
        chain = each == faces.rbegin() ? fill : Body{when(each->outside, fill, chain)};
    }
    function.body = chain;
    function.body.push_back({Return{var("row")}});
    markUnused(function);
    return function;
}

} // namespace

E callGhostCells(const Context &context, int field, const E &row, const std::vector<E> &coords, const E &t, const E &lo, const E &hi) {
    std::vector<E> values = coords, args{row};
    values.insert(values.end(), {t, lo, hi});
    const Body body = ghostCellsBody(context, field);
    const std::vector<Param> params = ghostCellsParams(context);
    for (size_t i = 0; i < params.size(); ++i)
        if (uses(body, params[i].name)) args.push_back(values[i]);
    return call(ghostCellsName(context, field), args);
}

std::vector<Function> buildFieldFunctions(const Context &context, int field) {
    std::vector<Function> functions;
    if (needsFill(context, field)) functions.push_back(buildFill(context, field));
    if (needsGhosts(context, field))
        for (Function &function : buildGhosts(context, field))
            functions.push_back(function);
    if (needsBeyond(context, field)) functions.push_back(buildBeyond(context, field));
    if (needsNear(context, field)) functions.push_back(buildNear(context, field));
    return functions;
}

} // namespace oocc::loops
