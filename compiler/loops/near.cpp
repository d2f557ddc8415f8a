#include "loops/near.h"

#include "loops/expressions.h"
#include "loops/uses.h"

namespace oocc::loops {

std::string nearName(const Context &context, int field) {
    return "near_" + context.fieldName(field);
}

bool needsNear(const Context &context, int field) {
    if (context.ndim() > 1) return false;
    for (const Access &access : context.facts.accesses)
        if (access.field == field && !access.atPoint()) return true;
    return false;
}

Function buildNear(const Context &context, int field) {
    const Field &f = context.stencil.fields[field];
    const std::string index = context.coordName(0);
    const bool moves = context.movesBeyond(field, 0, 0) || context.movesBeyond(field, 0, 1);
    const std::string counter =
        moves ? "i" : index; // the cell asked for, where x becomes the one that stands for it
    const E x = var(index), n = context.extent(0), target = at(var("to"), var(counter) - var("x_lo"));
    const std::string type = context.cType(field);
    Function function;
    function.comment = "Copies cells [x_lo, x_hi) of " + f.name +
                       " at step s (level t) from the blocks they lie in, or beyond the grid.";
    function.returns = "void";
    function.name = nearName(context, field);
    function.params = {{"const struct oocc_pass *", "p"}, {"int64_t", "s"}, {"int64_t", "t"}};
    if (context.unrolled()) {
        function.comment += "\nThe cells are counted from the lap of the grid that begins with block `lap`.";
        function.params.push_back({"int64_t", "lap"});
    }
    function.params.insert(function.params.end(),
                           {{"int64_t", "x_lo"}, {"int64_t", "x_hi"}, {type + " *", "to"}});

    Body body;
    if (moves) body.push_back(declare("int64_t", index, var(counter)));
    E block = binary(Op::Div, x, var("grid->cells"));
    if (f.edge[0][0].kind == EdgeKind::Periodic) {
        body.push_back(declare("int64_t", "first", var("lap")));
        const auto lap = [&](E outside, E shift, E blocks) {
            return when(outside, {assign(x, x + shift), assign(var("first"), var("first") + blocks)});
        };
        body.push_back(lap(x < lit(0), n, negate(var("grid->planes"))));
        body.push_back(lap(x >= n, negate(n), var("grid->planes")));
        block = var("first") + block;
    } else if (context.unrolled()) {
        block = var("lap") + block;
    }
    const auto outside = [&](int side) { return side == 0 ? x < lit(0) : x >= n; };
    Body inside{declare("const " + type + " *const", "cells",
                        call("oocc_plane", {var("p"), context.fieldId(field), var("s"), block})),
                assign(target, at(var("cells"), binary(Op::Mod, x, var("grid->cells"))))};
    for (int side : {0, 1})
        if (context.movesBeyond(field, 0, side) && f.edge[0][side].kind != EdgeKind::Periodic)
            body.push_back(assign(x, context.movedTo(field, 0, side, x)));
    for (int side : {1, 0}) {
        if (context.movesBeyond(field, 0, side)) continue;
        Translator translator(context);
        translator.what = "the edge of " + context.fieldName(field);
        // Without a value no kernel looks at the cell.
        const E value = context.hasValueBeyond(field, 0, side)
                            ? context.stored(field, translator.translate(f.edge[0][side].value))
                            : lit(0);
        inside = {when(outside(side), {assign(target, value)}, inside)};
    }
    body.insert(body.end(), inside.begin(), inside.end());
    function.body = {loop(counter, var("x_lo"), var("x_hi"), body)};
    markUnused(function);
    return function;
}

} // namespace oocc::loops
