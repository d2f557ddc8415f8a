// What resolve() makes always passes, so each invariant is broken by hand here.
#include "stencil/verifier.h"

#include "sema/resolve.h"
#include "syntax/parse.h"

#include <functional>
#include <gtest/gtest.h>
#include <stdexcept>

namespace oocc {

namespace {

constexpr const char *kProgram = R"(
stencil whole;
param n : int = 8;
let h = 0.5 * n;
grid (y: n, x: n);
field u, v : f64;
coef c : f32 = 2;
init u = x;
boundary u { x: dirichlet 1; y: fixed; }
step {
    u[t+1] = u[t-1] + c * u[x+1] * h;
    v[t+1] = if u[t+1] > v then sqrt(v) else -v;
}
steps 3;
output u to "u.npy";
)";

Stencil whole() {
    const Source source("whole.stn", kProgram);
    Diagnostics diagnostics;
    const auto program = parse(source, diagnostics);
    return *resolve(*program, {}, diagnostics);
}

ExprPtr expr(Type type, decltype(Expr::node) node) {
    return std::make_shared<const Expr>(Expr{type, {}, std::move(node)});
}

ExprPtr number(double value) {
    return expr(Type::F64, Literal{value});
}

/// Empty when the stencil passes.
std::string broken(const std::function<void(Stencil &)> &change) {
    Stencil stencil = whole();
    change(stencil);
    try {
        verify(stencil);
        return "";
    } catch (const std::logic_error &error) {
        return error.what();
    }
}

std::string brokenUpdate(const ExprPtr &value) {
    return broken([&](Stencil &s) { s.stages[1].value = value; });
}

ExprPtr read(int field, int time, Offsets offset = {}) {
    return expr(Type::F64, Read{field, time, offset});
}

} // namespace

TEST(Verifier, AcceptsWhatResolveMakes) {
    EXPECT_EQ(broken([](Stencil &) {}), "");
}

TEST(Verifier, NamesTheBrokenInvariantOfTheWhole) {
    const auto expect = [](const std::function<void(Stencil &)> &change, const char *invariant) {
        EXPECT_EQ(broken(change), std::string("stencil: broken invariant: ") + invariant);
    };
    expect([](Stencil &s) { s.name.clear(); }, "a stencil has a name");
    expect([](Stencil &s) { s.dims.clear(); }, "a grid has 1 to 4 dimensions");
    expect([](Stencil &s) { s.stages.clear(); }, "a stencil has a stage");
    expect([](Stencil &s) { s.stages.pop_back(); }, "v: one stage per field, none per coefficient");
    expect([](Stencil &s) { s.stages[0].field = 9; }, "u: one stage per field, none per coefficient");
    expect([](Stencil &s) { s.fields[0].levels = 1; }, "u: levels is 1 + the furthest past level read");
    expect([](Stencil &s) { s.fields[0].type = Type::Int; }, "u: a field is f32 or f64");
    expect([](Stencil &s) { s.fields[0].initFile = "u.npy"; }, "u: a file or an expression, not both");
    expect([](Stencil &s) { s.fields[0].init = {nullptr, number(1)}; },
           "u: an initial value of a past level needs one of level 0");
    expect([](Stencil &s) { s.fields[1].init = {number(1), number(1)}; },
           "v: no more initial values than levels");
    expect([](Stencil &s) { s.fields[0].edge[1][0].value = nullptr; }, "u: Dirichlet edges have a value");
    expect([](Stencil &s) { s.fields[0].edge[2][0].kind = EdgeKind::Fixed; },
           "u: edges within the dimensions");
    expect([](Stencil &s) { s.scalars[1].value = expr(Type::F64, ScalarRef{1}); },
           "scalar h: a scalar's index is in range");
    expect([](Stencil &s) { s.dims[0].extent = number(8); }, "extent of y: it is int, its value f64");
    expect([](Stencil &s) { s.steps = nullptr; }, "steps: an expression is missing");
    expect([](Stencil &s) { s.outputs[0].field = -1; }, "an output's field is in range");
    expect([](Stencil &s) { s.outputs[0].path.clear(); }, "an output has a path");
    expect([](Stencil &s) { s.fields[0].init = {read(0, 0)}; }, "initial value of u: no reads here");
    expect([](Stencil &s) { s.fields[0].init = {expr(Type::Int, TimeLevel{})}; },
           "initial value of u: no t here");
    expect([](Stencil &s) { s.steps = expr(Type::Int, Coord{0}); }, "steps: no coordinates here");
}

TEST(Verifier, NamesTheBrokenInvariantOfAnUpdate) {
    const auto expect = [](const ExprPtr &value, const char *invariant) {
        EXPECT_EQ(brokenUpdate(value), std::string("stencil: broken invariant: update of v: ") + invariant);
    };
    const ExprPtr one = number(1), yes = expr(Type::Bool, Literal{true}),
                  whole = expr(Type::Int, Literal{int64_t{1}});
    expect(yes, "it is f64, its value bool");
    expect(expr(Type::F64, Literal{int64_t{1}}), "a literal holds what its type says");
    expect(expr(Type::F32, Literal{0.1}), "a literal of type f32 is rounded to it");
    expect(expr(Type::F64, ScalarRef{0}), "a scalar's type");
    expect(expr(Type::F64, Coord{0}), "a coordinate is int");
    expect(expr(Type::Int, Coord{2}), "a coordinate's dimension is in range");
    expect(expr(Type::F64, TimeLevel{}), "t is int");
    expect(read(7, 0), "a read's field is in range");
    expect(read(2, 0), "a read has its field's type");
    expect(expr(Type::F32, Read{2, 1, {}}), "coefficients are read at time 0");
    expect(read(0, 2), "no read beyond t+1");
    expect(read(1, 1), "v[t+1] is read after its update");
    expect(read(0, 0, {0, 0, 1, 0}), "offsets within the dimensions");
    expect(expr(Type::F64, Unary{UnaryOp::Neg, yes}), "an operand's type");
    expect(expr(Type::F64, Unary{UnaryOp::Not, one}), "'not' is for bool, '-' for numbers");
    expect(expr(Type::F64, Binary{BinaryOp::Add, one, whole}), "operands of one type");
    expect(expr(Type::F64, Binary{BinaryOp::And, one, one}), "'and' and 'or' are for bool");
    expect(expr(Type::Bool, Binary{BinaryOp::Lt, yes, yes}),
           "a comparison gives bool, and bool is not ordered");
    expect(expr(Type::F64, Binary{BinaryOp::Mod, one, one}),
           "arithmetic keeps its operands' type; '%' is for int");
    expect(expr(Type::F64, Select{one, one, one}), "a condition is bool");
    expect(expr(Type::F64, Select{yes, one, whole}), "both branches of one type");
    expect(expr(Type::F64, Call{MathFn::Sqrt, {one, one}}), "a function's number of arguments");
    expect(expr(Type::F64, Call{MathFn::Sqrt, {whole}}), "a function's arguments have its type");
    expect(expr(Type::Int, Call{MathFn::Sqrt, {whole}}), "a function's type");
    expect(expr(Type::F64, Cast{one}), "a cast changes a number to f32 or f64");
}

} // namespace oocc
