#include "loops/kernels.h"

#include "loops/expressions.h"
#include "stencil/printer.h"

#include <algorithm>

namespace oocc::loops {

namespace {

/// The index of a row among those the kernel reads; added when it is new.
size_t rowOf(const Context &context, const Read &read, std::vector<RowRead> &rows, UniqueNames &names) {
    Offsets offset = read.offset;
    offset[context.x()] = 0;
    const auto same = [&](const RowRead &row) {
        return row.field == read.field && row.time == read.time && row.offset == offset;
    };
    auto found = std::find_if(rows.begin(), rows.end(), same);
    if (found == rows.end()) {
        rows.push_back(
            {names.take(context.rowName(read.field, read.time, offset)), read.field, read.time, offset});
        found = rows.end() - 1;
    }
    found->lo = std::max(found->lo, -read.offset[context.x()]);
    found->hi = std::max(found->hi, read.offset[context.x()]);
    return static_cast<size_t>(found - rows.begin());
}

/// Library functions and integer division have no vector form; asking for one would only make compilers complain.
bool isVectorisable(const ExprPtr &value) {
    bool vectorisable = true;
    walk(value, [&](const oocc::Expr &e) {
        const oocc::Call *called = std::get_if<oocc::Call>(&e.node);
        const oocc::Binary *binary = std::get_if<oocc::Binary>(&e.node);
        if (called && called->fn != MathFn::Abs && called->fn != MathFn::Min && called->fn != MathFn::Max &&
            called->fn != MathFn::Sqrt && called->fn != MathFn::Floor)
            vectorisable = false;
        if (binary && e.type == Type::Int && (binary->op == BinaryOp::Div || binary->op == BinaryOp::Mod))
            vectorisable = false;
    });
    return vectorisable;
}

} // namespace

Kernel buildKernel(const Context &context, int stage) {
    const Stage &update = context.stencil.stages[stage];
    const int x = context.x();
    const bool blocks = context.ndim() == 1;
    UniqueNames names;
    Kernel kernel;
    kernel.out = names.take(context.rowName(update.field, 1, {}));
    // In 1-D, i counts cells of a block and x = first + i.
    const std::string index = blocks ? "i" : context.coordName(x);
    bool inPlace = false;

    Translator translator(context, [&](const Read &read) {
        if (context.inPlace(read, stage)) {
            inPlace = true;
            return at(var(kernel.out), var(index));
        }
        const size_t row = rowOf(context, read, kernel.rows, names);
        return at(var(kernel.rows[row].name), var(index) + lit(read.offset[x]));
    });
    translator.invariantOf = x;
    const E value = translator.translate(update.value);
    kernel.takesTime = translator.usesTime;
    kernel.coords = translator.usesCoord;

    Function &function = kernel.function;
    function.comment = context.fieldName(update.field) + "[t+1] = " + toString(context.stencil, update.value);
    if (inPlace) function.comment += "\nIn place: the old value and the new one share a slot.";
    function.inlined = true;
    function.returns = "void";
    function.name = "row_" + context.fieldName(update.field);
    function.params.push_back({context.cType(update.field) + " *restrict", kernel.out});
    for (const RowRead &row : kernel.rows)
        function.params.push_back({"const " + context.cType(row.field) + " *restrict", row.name});
    if (kernel.takesTime) function.params.push_back({"int64_t", "t"});
    for (int dim : kernel.coords)
        if (dim != x) function.params.push_back({"int64_t", context.coordName(dim)});
    if (blocks && kernel.coords.count(0)) function.params.push_back({"int64_t", "first"});
    function.params.push_back({"int64_t", "lo"});
    function.params.push_back({"int64_t", "hi"});
    function.body = translator.takeHoisted();
    Body inner;
    if (blocks && kernel.coords.count(0))
        inner.push_back(declare("const int64_t", context.coordName(x), var("first") + var("i")));
    inner.push_back(assign(at(var(kernel.out), var(index)), value));
    function.body.push_back(
        loop(index, var("lo"), var("hi"), inner, isVectorisable(update.value) ? "omp simd" : ""));
    return kernel;
}

} // namespace oocc::loops
