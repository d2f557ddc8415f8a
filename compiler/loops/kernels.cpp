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

/// Library functions and integer division have no vector form; asking for one would only make compilers complain. What
/// is computed before the loop does not count.
bool isVectorisable(const ExprPtr &value, int x);

struct PartsVectorisable {
    int x;
    bool operator()(const oocc::Unary &e) { return isVectorisable(e.a, x); }
    bool operator()(const oocc::Binary &e) {
        const bool division = e.op == BinaryOp::Div || e.op == BinaryOp::Mod;
        return !(division && isInteger(e.a->type)) && isVectorisable(e.a, x) && isVectorisable(e.b, x);
    }
    bool operator()(const Select &e) {
        return isVectorisable(e.condition, x) && isVectorisable(e.a, x) && isVectorisable(e.b, x);
    }
    bool operator()(const oocc::Call &e) {
        const bool vector = e.fn == MathFn::Abs || e.fn == MathFn::Min || e.fn == MathFn::Max ||
                            e.fn == MathFn::Sqrt || e.fn == MathFn::Floor;
        return vector && std::all_of(e.args.begin(), e.args.end(),
                                     [&](const ExprPtr &arg) { return isVectorisable(arg, x); });
    }
    bool operator()(const Cast &e) { return isVectorisable(e.a, x); }
    template <typename Leaf> bool operator()(const Leaf &) { return true; }
};

bool isVectorisable(const ExprPtr &value, int x) {
    return !value || isInvariant(value, x) || std::visit(PartsVectorisable{x}, value->node);
}

/// The loop over the row that gives the kernel its purpose: `out[i] = value` in an update.
Body updateLoop(const Context &context, const Stage &update, const std::string &out, const std::string &index,
                const Body &before, E value) {
    Body inner = before;
    inner.push_back(assign(at(var(out), var(index)), context.stored(update.field, value)));
    return {loop(index, var("lo"), var("hi"), inner,
                 isVectorisable(update.value, context.x()) ? "omp simd" : "")};
}

/// Sums are gathered exactly, cell by cell; extrema in a variable of their own, nan apart. No vector form is asked for:
/// clang has none for extrema of floating numbers, and would say so.
Body gatherLoop(const Stage &stage, const std::string &index, const Body &before, E value) {
    const E g = var("g");
    const Stmt count = assign(var("g->count"), var("g->count") + (var("hi") - var("lo")));
    Body inner = before;
    if (stage.op == ReduceOp::Sum || stage.op == ReduceOp::Mean) {
        inner.push_back(run(call("oocc_gather_sum", {g, value})));
        return {loop(index, var("lo"), var("hi"), inner), count};
    }
    const bool most = stage.op == ReduceOp::Max;
    const E best = var("best"), each = var("each"), nans = var("nans");
    inner.push_back(declare("const double", "each", value));
    inner.push_back(assign(nans, nans + binary(Op::Ne, each, each)));
    inner.push_back(assign(best, cond(most ? best < each : each < best, each, best)));
    return {declare("double", "best", var("g->extreme")),
            declare("int64_t", "nans", lit(0)),
            loop(index, var("lo"), var("hi"), inner),
            assign(var("g->extreme"), best),
            when(lit(0) < nans, {assign(var("g->special"), var("NAN"))}),
            count};
}

std::string opName(ReduceOp op) {
    static constexpr const char *kNames[] = {"sum", "min", "max", "mean"};
    return kNames[static_cast<int>(op)];
}

} // namespace

Kernel buildKernel(const Context &context, int stage) {
    const Stage &s = context.stencil.stages[stage];
    const bool update = s.kind == Stage::Kind::Update;
    const int x = context.x();
    const bool blocks = context.ndim() == 1;
    UniqueNames names;
    Kernel kernel;
    kernel.out = names.take(update ? context.rowName(s.field, 1, {}) : "g");
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
    const E value = translator.translate(s.value);
    kernel.takesTime = translator.usesTime;
    kernel.coords = translator.usesCoord;

    Function &function = kernel.function;
    const std::string name = update ? context.fieldName(s.field) : context.stencil.scalars[s.scalar].name;
    function.comment =
        update ? name + "[t+1] = " + toString(context.stencil, s.value)
               : "Gathers " + name + " = " + opName(s.op) + "(" + toString(context.stencil, s.value) + ").";
    if (inPlace) function.comment += "\nIn place: the old value and the new one share a slot.";
    function.inlined = true;
    function.returns = "void";
    function.name = (update ? "row_" : "gather_") + name;
    function.params.push_back(update ? Param{context.cType(s.field) + " *restrict", kernel.out}
                                     : Param{"struct oocc_gather *restrict", kernel.out});
    for (const RowRead &row : kernel.rows)
        function.params.push_back({"const " + context.cType(row.field) + " *restrict", row.name});
    if (kernel.takesTime) function.params.push_back({"int64_t", "t"});
    for (int dim : kernel.coords)
        if (dim != x) function.params.push_back({"int64_t", context.coordName(dim)});
    if (blocks && kernel.coords.count(0)) function.params.push_back({"int64_t", "first"});
    function.params.push_back({"int64_t", "lo"});
    function.params.push_back({"int64_t", "hi"});
    function.body = translator.takeHoisted();
    Body before;
    if (blocks && kernel.coords.count(0))
        before.push_back(declare("const int64_t", context.coordName(x), var("first") + var("i")));
    const Body body = update ? updateLoop(context, s, kernel.out, index, before, value)
                             : gatherLoop(s, index, before, value);
    function.body.insert(function.body.end(), body.begin(), body.end());
    return kernel;
}

} // namespace oocc::loops
