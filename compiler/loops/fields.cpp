#include "loops/fields.h"

#include "loops/expressions.h"
#include "loops/uses.h"

namespace oocc::loops {

std::string fillName(const Context &context, int field) {
    return "fill_" + context.fieldName(field);
}
std::string ghostsName(const Context &context, int field) {
    return "ghosts_" + context.fieldName(field);
}
std::string ghostCellsName(const Context &context, int field) {
    return "ghost_cells_" + context.fieldName(field);
}
std::string beyondName(const Context &context, int field) {
    return "beyond_" + context.fieldName(field);
}
std::string nearName(const Context &context, int field) {
    return "near_" + context.fieldName(field);
}

bool needsFill(const Context &context, int field) {
    const Field &f = context.stencil.fields[field];
    for (const ExprPtr &init : f.init)
        if (init) return f.initFile.empty();
    return false;
}

bool needsGhosts(const Context &context, int field) {
    const FieldFacts &f = context.facts.fields[field];
    return f.ghostLo > 0 || f.ghostHi > 0;
}

bool needsBeyond(const Context &context, int field) {
    return context.facts.fields[field].readBeyondRows;
}

bool needsNear(const Context &context, int field) {
    if (context.ndim() > 1) return false;
    for (const Access &access : context.facts.accesses)
        if (access.field == field && !access.atPoint()) return true;
    return false;
}

namespace {

/// The loop `for x in [lo, hi): target = value`, with what does not change along x before it.
Body fillRow(const Context &context, const ExprPtr &value, E lo, E hi, E target) {
    Translator translator(context);
    translator.invariantOf = context.x();
    const E e = translator.translate(value);
    Body body = translator.takeHoisted();
    body.push_back(loop(context.coordName(context.x()), lo, hi, {assign(target, e)}));
    return body;
}

/// Parameters that name the cell's coordinates other than x, slowest first.
std::vector<Param> coordParams(const Context &context) {
    std::vector<Param> params;
    for (int dim = 0; dim < context.x(); ++dim)
        params.push_back({"int64_t", context.coordName(dim)});
    return params;
}

/// Casts to void the parameters that the body has no use for, which C compilers would warn of.
void markUnused(Function &function) {
    Body marks;
    for (const Param &param : function.params)
        if (!uses(function.body, param.name)) marks.push_back(run(cast("void", var(param.name))));
    function.body.insert(function.body.begin(), marks.begin(), marks.end());
}

Body fillPlane(const Context &context, int field, const ExprPtr &init) {
    const std::string cells = "cells", x = context.coordName(context.x());
    if (context.ndim() == 1) {
        Body body{
            declare("const int64_t", "first", var("block") * var("grid->cells")),
            declare("const int64_t", "end", var("first") + call("oocc_cells", {var("grid"), var("block")}))};
        for (Stmt &stmt :
             fillRow(context, init, var("first"), var("end"), at(var(cells), var(x) - var("first"))))
            body.push_back(stmt);
        return body;
    }
    E index = var(x);
    if (context.ndim() == 3) index = var(context.coordName(1)) * context.stride(field) + var(x);
    Body row = fillRow(context, init, lit(0), context.extent(context.x()), at(var(cells), index));
    if (context.ndim() == 2) return row;
    return {loop(context.coordName(1), lit(0), context.extent(1), row)};
}

Function buildFill(const Context &context, int field) {
    const Field &f = context.stencil.fields[field];
    const std::string plane = context.ndim() == 1 ? "block" : context.coordName(0);
    Function function;
    function.comment =
        "Initial values of " + f.name + ", one " + (context.ndim() == 1 ? "block" : "plane") + " at a time.";
    function.returns = "void";
    function.name = fillName(context, field);
    function.params = {{"void *", "plane"}, {"int64_t", plane}, {"int64_t", "level"}};
    Body body = f.init[0] ? fillPlane(context, field, f.init[0]) : Body{};
    for (size_t level = 1; level < f.init.size(); ++level)
        if (f.init[level])
            body = {when(var("level") == lit(-static_cast<int64_t>(level)),
                         fillPlane(context, field, f.init[level]), body)};
    function.body = {declare(context.cType(field) + " *const", "cells", var("plane"))};
    function.body.insert(function.body.end(), body.begin(), body.end());
    markUnused(function);
    return function;
}

std::vector<Function> buildGhosts(const Context &context, int field) {
    const Field &f = context.stencil.fields[field];
    const FieldFacts &facts = context.facts.fields[field];
    const int x = context.x();
    Function cells;
    cells.comment = "What reads of " + f.name +
                    " see beyond the ends of a row at level t: those ends that cells [lo, hi) touch.";
    cells.returns = "void";
    cells.name = ghostCellsName(context, field);
    cells.params = {{context.cType(field) + " *", "row"}};
    for (const Param &param : coordParams(context))
        cells.params.push_back(param);
    for (const char *name : {"t", "lo", "hi"})
        cells.params.push_back({"int64_t", name});
    const E target = at(var("row"), var(context.coordName(x)));
    for (int side : {0, 1}) {
        const int64_t width = side == 0 ? facts.ghostLo : facts.ghostHi;
        if (width == 0) continue;
        const E n = context.extent(x);
        const E touches = side == 0 ? var("lo") == lit(0) : var("hi") == n;
        cells.body.push_back(
            when(touches, fillRow(context, f.edge[x][side].value, side == 0 ? lit(-width) : n,
                                  side == 0 ? lit(0) : n + lit(width), target)));
    }
    markUnused(cells);

    Function plane;
    plane.comment = "The same for every row of a plane.";
    plane.returns = "void";
    plane.name = ghostsName(context, field);
    plane.params = {{"void *", "plane"}, {"int64_t", context.coordName(0)}, {"int64_t", "t"}};
    plane.body = {declare(context.cType(field) + " *const", "cells", var("plane"))};
    std::vector<E> args{var("cells"), var(context.coordName(0))};
    if (context.ndim() == 3) {
        args[0] = var("cells") + var(context.coordName(1)) * context.stride(field);
        args.push_back(var(context.coordName(1)));
    }
    args.insert(args.end(), {var("t"), lit(0), context.extent(x)});
    const Stmt row = run(call(cells.name, args));
    plane.body.push_back(context.ndim() == 3 ? loop(context.coordName(1), lit(0), context.extent(1), {row})
                                             : row);
    return {cells, plane};
}

/// Rows beyond the faces other than x's. A cell beyond several faces belongs to the first of them in the grid's order.
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
    Body chain;
    const E target = at(var("row"), var(context.coordName(context.x())));
    for (int dim = context.x() - 1; dim >= 0; --dim)
        for (int side : {1, 0}) {
            if (!context.hasValueBeyond(field, dim, side)) continue;
            const E coord = var(context.coordName(dim));
            const E outside = side == 0 ? coord < lit(0) : coord >= context.extent(dim);
            chain = {when(
                outside, fillRow(context, f.edge[dim][side].value, var("x_lo"), var("x_hi"), target), chain)};
        }
    function.body = chain;
    function.body.push_back({Return{var("row")}});
    markUnused(function);
    return function;
}

/// 1-D: cells wherever they lie, for the few at a block's ends that an update reads across it.
Function buildNear(const Context &context, int field) {
    const Field &f = context.stencil.fields[field];
    const E x = var(context.coordName(0));
    const E target = at(var("to"), x - var("x_lo"));
    const std::string type = context.cType(field);
    Function function;
    function.comment = "Copies cells [x_lo, x_hi) of " + f.name +
                       " at step s (level t) from the blocks they lie in, or beyond the grid.";
    function.returns = "void";
    function.name = nearName(context, field);
    function.params = {{"const struct oocc_pass *", "p"},
                       {"int64_t", "s"},
                       {"int64_t", "t"},
                       {"int64_t", "x_lo"},
                       {"int64_t", "x_hi"},
                       {type + " *", "to"}};
    const auto beyond = [&](int side) -> Body {
        if (!context.hasValueBeyond(field, 0, side)) return {assign(target, lit(0))};
        Translator translator(context);
        return {assign(target, translator.translate(f.edge[0][side].value))};
    };
    const Body inside{declare("const " + type + " *const", "block",
                              call("oocc_plane", {var("p"), context.fieldId(field), var("s"),
                                                  binary(Op::Div, x, var("grid->cells"))})),
                      assign(target, at(var("block"), binary(Op::Mod, x, var("grid->cells"))))};
    function.body = {loop(context.coordName(0), var("x_lo"), var("x_hi"),
                          {when(x < lit(0), beyond(0), {when(x >= context.extent(0), beyond(1), inside)})})};
    markUnused(function);
    return function;
}

} // namespace

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
