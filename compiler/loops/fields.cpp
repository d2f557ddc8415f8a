#include "loops/fields.h"

#include "loops/expressions.h"
#include "loops/near.h"
#include "loops/uses.h"
#include "stencil/printer.h"

namespace oocc::loops {

std::string fillName(const Context &context, int field) {
    return "fill_" + context.fieldName(field);
}
std::string ghostsName(const Context &context, int field) {
    return "ghosts_" + context.fieldName(field);
}
std::string beyondName(const Context &context, int field) {
    return "beyond_" + context.fieldName(field);
}
bool needsFill(const Context &context, int field) {
    const Field &f = context.stencil.fields[field];
    for (const ExprPtr &init : f.init)
        if (init) return f.initFile.empty();
    return false;
}

std::vector<int> fillSources(const Context &context, int field) {
    std::set<int> sources;
    for (const ExprPtr &init : context.stencil.fields[field].init)
        if (init)
            walk(init, [&](const oocc::Expr &e) {
                if (const auto *read = std::get_if<Read>(&e.node)) sources.insert(read->field);
            });
    return {sources.begin(), sources.end()};
}

bool needsGhosts(const Context &context, int field) {
    const FieldFacts &f = context.facts.fields[field];
    return f.ghostLo > 0 || f.ghostHi > 0;
}

bool needsBeyond(const Context &context, int field) {
    return context.facts.fields[field].readBeyondRows;
}

namespace {

const std::string kInitialOf = "the initial value of ", kEdgeOf = "the edge of ";

std::string ghostCellsName(const Context &context, int field) {
    return "ghost_cells_" + context.fieldName(field);
}

/// The loop `for x in [lo, hi): target = value`, with what does not change along x before it; `what` the value is, and `read` what it
/// is made of.
Body fillRow(const Context &context, int field, const std::string &what, const ExprPtr &value, E lo, E hi, E target,
             std::function<E(const Read &)> read = {}) {
    Translator translator(context, std::move(read));
    translator.what = what + context.fieldName(field);
    translator.invariantOf = context.x();
    translator.nameCommon({value});
    const E e = context.stored(field, translator.translate(value));
    Body body = translator.takeHoisted(), cell = translator.takeCommon();
    cell.push_back(assign(target, e));
    body.push_back(loop(context.coordName(context.x()), lo, hi, std::move(cell)));
    return body;
}

/// The same for a row beyond the grid, where x itself may be moved before the value is taken: target[i] = value.
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

std::vector<E> coordinates(const Context &context) {
    std::vector<E> coords;
    for (int dim = 0; dim < context.ndim(); ++dim)
        coords.push_back(var(context.coordName(dim)));
    return coords;
}

/// The body for every row of a plane.
Body overRows(const Context &context, Body body) {
    for (int dim = context.x() - 1; dim >= 1; --dim)
        body = {loop(context.coordName(dim), lit(0), context.extent(dim), body)};
    return body;
}

/// The plane of a coefficient that initial values are made of.
std::string sourceName(const Context &context, int field) {
    return "of_" + context.fieldName(field);
}

Body fillPlane(const Context &context, int field, const ExprPtr &init) {
    const std::string cells = "cells", x = context.coordName(context.x());
    const auto source = [&](const Read &read) {
        E index = var(x);
        if (context.ndim() == 1) index = var(x) - var("first");
        if (context.ndim() > 2) index = context.rowOffset(read.field, coordinates(context)) + var(x);
        return at(var(sourceName(context, read.field)), index);
    };
    if (context.ndim() == 1) {
        Body body{
            declare("const int64_t", "first", var("block") * var("grid->cells")),
            declare("const int64_t", "end", var("first") + call("oocc_cells", {var("grid"), var("block")}))};
        for (Stmt &stmt :
             fillRow(context, field, kInitialOf, init, var("first"), var("end"), at(var(cells), var(x) - var("first")), source))
            body.push_back(stmt);
        return body;
    }
    E index = var(x);
    if (context.ndim() > 2) index = context.rowOffset(field, coordinates(context)) + var(x);
    return overRows(
        context, fillRow(context, field, kInitialOf, init, lit(0), context.extent(context.x()), at(var(cells), index), source));
}

Function buildFill(const Context &context, int field) {
    const Field &f = context.stencil.fields[field];
    const std::string plane = context.ndim() == 1 ? "block" : context.coordName(0);
    Function function;
    const std::vector<int> sources = fillSources(context, field);
    function.comment = "Initial values of " + f.name + ", one " + (context.ndim() == 1 ? "block" : "plane") + " at a time";
    for (const int source : sources)
        function.comment += (source == sources.front() ? ", made from " : ", ") + context.stencil.fields[source].name;
    function.comment += '.';
    function.returns = "void";
    function.name = fillName(context, field);
    function.params = {{"void *", "plane"}, {"int64_t", plane}, {"int64_t", "level"}};
    if (!sources.empty()) function.params.insert(function.params.begin() + 1, {"const void *const *", "source_plane"});
    Body body = f.init[0] ? fillPlane(context, field, f.init[0]) : Body{};
    for (size_t level = 1; level < f.init.size(); ++level)
        if (f.init[level])
            body = {when(var("level") == lit(-static_cast<int64_t>(level)),
                         fillPlane(context, field, f.init[level]), body)};
    function.body = {declare(context.cType(field) + " *const", "cells", var("plane"))};
    for (size_t i = 0; i < sources.size(); ++i)
        function.body.push_back(declare("const " + context.cType(sources[i]) + " *const", sourceName(context, sources[i]),
                                        at(var("source_plane"), lit(static_cast<int64_t>(i)))));
    function.body.insert(function.body.end(), body.begin(), body.end());
    markUnused(function);
    return function;
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
