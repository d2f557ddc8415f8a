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
    expect([](Stencil &s) { s.stages.pop_back(); }, "v: one update per field, none per coefficient");
    expect([](Stencil &s) { s.stages[0].field = 9; }, "u: one update per field, none per coefficient");
    expect([](Stencil &s) { s.fields[0].levels = 1; }, "u: levels is 1 + the furthest past level read");
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
    expect([](Stencil &s) { s.fields[0].init = {read(0, 0)}; }, "initial value of u: no such reads here");
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
           "arithmetic keeps its operands' type; '%' is for integers");
    expect(expr(Type::F64, Select{one, one, one}), "a condition is bool");
    expect(expr(Type::F64, Select{yes, one, whole}), "both branches of one type");
    expect(expr(Type::F64, Call{MathFn::Sqrt, {one, one}}), "a function's number of arguments");
    expect(expr(Type::F64, Call{MathFn::Sqrt, {whole}}), "a function's arguments have its type");
    expect(expr(Type::Int, Call{MathFn::Sqrt, {whole}}), "a function's type");
    expect(expr(Type::F64, Cast{one}),
           "a cast changes a number's type, and no floating number to an integer");
    expect(expr(Type::Int, Cast{one}),
           "a cast changes a number's type, and no floating number to an integer");
    expect(expr(Type::U8, Literal{int64_t{1}}), "u8 is a type of elements only");
    expect(expr(Type::I32, Literal{int64_t{1} << 31}), "a literal of type i32 fits it");
}

namespace {

constexpr const char *kStages = R"(
stencil stages;
param n : int = 8;
grid (y: n, x: n);
field u : f64;
field m : u8;
coef c : f64 = 2;
temp q : f64;
boundary u { x: periodic; }
step {
    q = u[x-1] * level;
    u[t+1] = q where y > 2;
    m[t+1] = m + 1;
}
inject u at (1, 2) += c;
inject u at points "p.csv" += signal "s.npy";
scalar level = mean(u);
monitor change = max(u[t+1] - q) every n;
record m at (1, 2) every n to "m.npy";
output u to "u-{t}.npy" every n;
stop when change < 3;
steps 3;
)";

enum { Q, U, M, Value, Signal, Level, Change, Traces }; // the stages of that program

Stencil stages() {
    const Source source("stages.stn", kStages);
    Diagnostics diagnostics;
    const auto program = parse(source, diagnostics);
    return *resolve(*program, {}, diagnostics);
}

void expectBroken(const std::function<void(Stencil &)> &change, const char *invariant) {
    Stencil stencil = stages();
    change(stencil);
    try {
        verify(stencil);
        ADD_FAILURE() << "it passes: " << invariant;
    } catch (const std::logic_error &error) {
        EXPECT_EQ(error.what(), std::string("stencil: broken invariant: ") + invariant);
    }
}

const ExprPtr kOne = expr(Type::Int, Literal{int64_t{1}});
const ExprPtr kChange = expr(Type::F64, ScalarRef{2});
const ExprPtr kLevel = expr(Type::F64, ScalarRef{1});

} // namespace

TEST(Verifier, NamesTheBrokenInvariantOfAStage) {
    EXPECT_NO_THROW(verify(stages()));
    expectBroken([](Stencil &s) { std::swap(s.stages[Value], s.stages[M]); },
                 "stages are in order: updates, injections, reductions, monitors, records");
    expectBroken([](Stencil &s) { s.stages[U].field = 9; }, "u: one update per field, none per coefficient");
    expectBroken([](Stencil &s) { s.stages[Q].region[0][1] = kOne; }, "update of q: no bounds here");
    expectBroken([](Stencil &s) { s.stages[U].region[2][1] = kOne; }, "update of u: no bounds here");
    expectBroken([](Stencil &s) { s.stages[U].region[0][0] = number(1); },
                 "update of u, bound: it is int, its value f64");
    expectBroken([](Stencil &s) { s.stages[U].region[0][0] = expr(Type::Int, Coord{0}); },
                 "update of u, bound: no coordinates here");
    expectBroken([](Stencil &s) { s.stages[U].every = kOne; }, "update of u: it happens in every step");
    expectBroken([](Stencil &s) { s.stages[U].points = 0; }, "update of u: its points");
    expectBroken([](Stencil &s) { s.stages[U].path = "a.npy"; }, "update of u: its path");
    expectBroken([](Stencil &s) { s.stages[U].signal = "a.npy"; }, "update of u: its signal");
    expectBroken([](Stencil &s) { s.stages[M].value = expr(Type::Int, Literal{int64_t{1}}); },
                 "update of m: it is i32, its value int");
    expectBroken([](Stencil &s) { s.stages[Value].field = 1; },
                 "injection into m: its field is floating, and kept");
    expectBroken([](Stencil &s) { s.stages[Value].field = 3; },
                 "injection into q: its field is floating, and kept");
    expectBroken([](Stencil &s) { s.stages[Value].value = nullptr; },
                 "injection into u: a value or a signal");
    expectBroken([](Stencil &s) { s.stages[Signal].value = number(1); },
                 "injection into u: a value or a signal");
    expectBroken([](Stencil &s) { s.stages[Value].points = 7; }, "injection into u: its set of points is in range");
    expectBroken([](Stencil &s) { s.points[0].file = "p.csv"; },
                 "injection into u: points from a file or from the program");
    expectBroken([](Stencil &s) { s.points[0].at.pop_back(); },
                 "injection into u: a point has every dimension");
    expectBroken([](Stencil &s) { s.points[0].at[0] = kOne; },
                 "injection into u, point: it is f64, its value int");
    expectBroken([](Stencil &s) { s.stages[Level].value = kOne; },
                 "reduction level: it is f64, its value int");
    expectBroken([](Stencil &s) { s.stages[Level].scalar = 2; }, "scalar level: one stage gives its value");
    expectBroken([](Stencil &s) { s.stages[Level].every = kOne; },
                 "reduction level: it happens in every step");
    expectBroken([](Stencil &s) { s.stages[Level].field = 0; }, "reduction level: it has no field");
    expectBroken([](Stencil &s) { s.stages[Change].every = number(1); },
                 "monitor change, every: it is int, its value f64");
    expectBroken([](Stencil &s) { s.scalars[1].kind = Scalar::Kind::Watched; },
                 "update of q: no monitor's value here");
    expectBroken([](Stencil &s) { s.scalars[0].value = nullptr; }, "scalar n: an expression is missing");
    expectBroken([](Stencil &s) { s.scalars[1].type = Type::F32; }, "scalar level: a reduction is f64");
    expectBroken([](Stencil &s) { s.stages[Traces].value = expr(Type::I32, Read{1, 0, {}}); },
                 "record of m: it reads what its field has become");
    expectBroken([](Stencil &s) { s.stages[Traces].path.clear(); }, "record of m: its path");
}

TEST(Verifier, NamesTheBrokenInvariantOfWhatAStageUses) {
    expectBroken([](Stencil &s) { s.stages[U].value = kChange; }, "update of u: no monitor's value here");
    expectBroken([](Stencil &s) { s.stages[Level].value = kLevel; },
                 "reduction level: no scalar of the state here");
    expectBroken(
        [](Stencil &s) { s.stops[0].condition = expr(Type::Bool, Binary{BinaryOp::Lt, kLevel, kLevel}); },
        "stop condition: no scalar of the state here");
    expectBroken([](Stencil &s) { s.stops[0].condition = kChange; },
                 "stop condition: it is bool, its value f64");
    expectBroken(
        [](Stencil &s) { s.stages[Level].value = expr(Type::F64, Cast{expr(Type::Int, TimeLevel{})}); },
        "reduction level: no t here");
    expectBroken([](Stencil &s) { s.stages[Level].value = read(3, 1); }, "reduction level: no temp here");
    expectBroken([](Stencil &s) { s.stages[Value].value = read(3, 1); }, "injection into u: no temp here");
    expectBroken([](Stencil &s) { s.stages[Value].value = read(0, 1, {0, 1, 0, 0}); },
                 "injection into u: an injection reads its own cell");
    expectBroken([](Stencil &s) { s.stages[Q].value = read(3, 1); },
                 "update of q: q is read after its update");
    expectBroken([](Stencil &s) { s.stages[U].value = read(3, 0); }, "update of u: temps are read at time 1");
    expectBroken([](Stencil &s) { s.stages[Level].value = read(0, 0); },
                 "u: levels is 1 + the furthest past level read");
}

TEST(Verifier, NamesTheBrokenInvariantOfTempsEdgesAndOutputs) {
    expectBroken([](Stencil &s) { s.fields[3].levels = 1; }, "q: a temp carries no levels");
    expectBroken([](Stencil &s) { s.fields[3].initFile = "q.npy"; }, "q: a temp has no initial values");
    expectBroken([](Stencil &s) { s.fields[3].init = {number(1)}; }, "q: no more initial values than levels");
    expectBroken([](Stencil &s) { s.fields[3].edge[0][0].kind = EdgeKind::Fixed; },
                 "q: a temp has no fixed edge");
    expectBroken([](Stencil &s) { s.fields[2].temp = true; }, "c: a coefficient or a temp, not both");
    expectBroken([](Stencil &s) { s.fields[0].edge[1][1].kind = EdgeKind::Neumann; },
                 "u: a dimension is periodic at both faces");
    expectBroken([](Stencil &s) { s.outputs[0].field = 3; }, "an output's field is kept from step to step");
    expectBroken([](Stencil &s) { s.outputs[0].every = nullptr; },
                 "an output's path has the level when there are several");
    expectBroken([](Stencil &s) { s.outputs[0].every = number(1); },
                 "output's every: it is int, its value f64");
    expectBroken([](Stencil &s) { s.dims[0].spacing = kOne; }, "spacing of y: it is f64, its value int");
}

} // namespace oocc
