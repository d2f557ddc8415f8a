#include "lsp/lore.h"

namespace oocc::lsp {

const std::vector<Lore> &lore() {
    using Kind = Lore::Kind;
    static const std::vector<Lore> list{
        {Kind::Statement, "stencil", "stencil NAME;", "The name of the program, of its scratch directory and of its symbols."},
        {Kind::Statement, "param", "param NAME : TYPE = EXPR;",
         "A scalar that can be set from outside, with its default. `oocc -D n=1024` makes it a constant; a program that leaves it "
         "open takes `-D` when it runs."},
        {Kind::Statement, "let", "let NAME = EXPR;", "A named value, computed once per run from parameters and earlier lets."},
        {Kind::Statement, "fn", "fn NAME(PARAMETER, ...) = EXPR;",
         "A function. It is written out where it is called, so it costs nothing and has no types of its own."},
        {Kind::Statement, "grid", "grid (NAME: EXTENT spacing EXPR, ...);",
         "One to four dimensions, slowest first: the first one is that along which the grid is streamed, the last one that whose "
         "cells are neighbours in memory."},
        {Kind::Statement, "field", "field NAME, ... : TYPE;", "What evolves. Every field has exactly one update in the step."},
        {Kind::Statement, "coef", "coef NAME : TYPE = EXPR;",
         "Data given per cell that never changes: an expression of coordinates, or `from \"FILE\"`. Stored once, read in every "
         "pass, never written back."},
        {Kind::Statement, "temp", "temp NAME, ... : TYPE;",
         "Data per cell that a step makes and uses, and that is gone when the step has ended. It takes memory for a few planes and "
         "no disk."},
        {Kind::Statement, "init", "init NAME = EXPR;",
         "The values a field starts from; without it, 0. `init u[t-1] = ...` gives a past level."},
        {Kind::Statement, "boundary", "boundary NAME, ... = EDGE;",
         "What a field, a coefficient or a temp is beyond the faces of the grid: at every face, or `{ x, z: EDGE; y.lo: EDGE; }`."},
        {Kind::Statement, "step", "step { NAME[t+1] = EXPR; }", "The updates of one step, in order: one per field, one per temp."},
        {Kind::Statement, "steps", "steps EXPR;", "How many steps a run advances; `--steps` overrides it."},
        {Kind::Statement, "output", "output FIELD to \"NAME-{t}.npy\" every N;",
         "Writes the field after the last step, or at every level that is a multiple of N."},
        {Kind::Statement, "shape", "shape NAME = SHAPE where CONDITION;", "A set of offsets, for sums: `sum(o in s) w * u[o]`."},
        {Kind::Statement, "scalar", "scalar NAME = OP(EXPR) where CONDITION;",
         "A reduction of the state before the step, which the step uses. Every step waits for it, so each is a pass of its own: no "
         "temporal blocking."},
        {Kind::Statement, "series", "series NAME : TYPE from \"FILE.npy\";",
         "A number for each step, from a file: `NAME[t]` is that of the step from level t to t + 1; beyond the last one it is 0."},
        {Kind::Statement, "monitor", "monitor NAME = OP(EXPR) where CONDITION every N;",
         "A reduction that looks at what a step has done and prints a line. It costs arithmetic, not passes."},
        {Kind::Statement, "inject", "inject FIELD at PLACE += EXPR;",
         "Adds to a field at a point, after the step's updates; between cells with multilinear weights."},
        {Kind::Statement, "record", "record FIELD at PLACE every N to \"FILE.npy\";",
         "Keeps what the field is at points after every step, or every N steps."},
        {Kind::Statement, "stop", "stop when CONDITION;",
         "Ends the run after the first step that makes a condition of monitors true. `stop on none;` lets it run on through nan."},

        {Kind::Clause, "if", "if C then A else B", "A where C holds, else B; takes in all that follows."},
        {Kind::Clause, "then", "if C then A else B", "The value where the condition holds."},
        {Kind::Clause, "else", "if C then A else B", "The value where the condition does not hold."},
        {Kind::Clause, "and", "A and B", "Both hold. Binds less than comparisons, more than `or`."},
        {Kind::Clause, "or", "A or B", "One of them holds, or both. Binds least."},
        {Kind::Clause, "not", "not A", "The opposite of a bool. Binds less than comparisons."},
        {Kind::Clause, "true", "true", "The bool that holds."},
        {Kind::Clause, "false", "false", "The bool that does not."},
        {Kind::Clause, "from", "from \"FILE\"", "Values from a file, `.npy` or `.raw`, of the field's shape and type."},
        {Kind::Clause, "to", "to \"FILE\"", "Where a result goes. It appears under its name only once it is complete."},
        {Kind::Clause, "in", "sum(o in SHAPE) EXPR", "The shape whose offsets the name goes through."},
        {Kind::Clause, "at", "at (z, y, x)", "A place in cells, which may lie between them, or `points \"FILE\"`."},
        {Kind::Clause, "on", "stop on nan;", "`nan`, the default, or `none`."},
        {Kind::Clause, "when", "stop when CONDITION;", "A condition of monitors, parameters and lets."},
        {Kind::Clause, "where", "where y >= 4 and y < n-4",
         "Bounds of single coordinates, joined by `and`. Cells that are left out keep their value and cost nothing."},
        {Kind::Clause, "every", "every N", "After the steps whose level is a multiple of N."},
        {Kind::Clause, "points", "points \"FILE\"", "A text file of points, one per line."},
        {Kind::Clause, "signal", "signal \"FILE.npy\"", "Numbers by step, or by step and point; beyond the last one it is 0."},
        {Kind::Clause, "spacing", "spacing EXPR", "The distance of neighbouring cells, which derivatives divide by; 1 without it."},

        {Kind::Operator, "+", "A + B", "Sum; left to right."},
        {Kind::Operator, "-", "A - B, -A", "Difference, or the opposite."},
        {Kind::Operator, "*", "A * B", "Product; left to right."},
        {Kind::Operator, "/", "A / B", "Quotient; of integers it truncates: `7/2` is 3."},
        {Kind::Operator, "%", "A % B", "The rest of a division of integers, with the sign of its left side."},
        {Kind::Operator, "^", "A ^ B",
         "Power, right to left; `-x^2` is `-(x^2)`. With a whole number from 0 to 16 it is a product, of A's type."},
        {Kind::Operator, "==", "A == B", "Equal. Comparisons are not chained."},
        {Kind::Operator, "!=", "A != B", "Not equal."},
        {Kind::Operator, "<", "A < B", "Less. Comparisons are not chained: `a < b and b < c`."},
        {Kind::Operator, "<=", "A <= B", "Less or equal."},
        {Kind::Operator, ">", "A > B", "Greater."},
        {Kind::Operator, ">=", "A >= B", "Greater or equal."},
        {Kind::Operator, "+=", "inject FIELD at PLACE += EXPR", "What is added, after the step's updates."},

        {Kind::Function, "abs", "abs(a)", "The absolute value, of any number."},
        {Kind::Function, "min", "min(a, b)", "`a` where `a < b`, otherwise `b`. Over a shape or the grid: the least."},
        {Kind::Function, "max", "max(a, b)", "`a` where `a > b`, otherwise `b`. Over a shape or the grid: the greatest."},
        {Kind::Function, "sqrt", "sqrt(a)", "The square root, correctly rounded."},
        {Kind::Function, "floor", "floor(a)", "The greatest whole number that is not above a."},
        {Kind::Function, "exp", "exp(a)", "The exponential function, within 1 unit in the last place."},
        {Kind::Function, "log", "log(a)", "The natural logarithm, within 1 unit in the last place."},
        {Kind::Function, "sin", "sin(a)", "The sine of a in radians, within 1 unit in the last place."},
        {Kind::Function, "cos", "cos(a)", "The cosine of a in radians, within 1 unit in the last place."},
        {Kind::Function, "tan", "tan(a)", "The tangent of a in radians, within 2.5 units in the last place."},
        {Kind::Function, "tanh", "tanh(a)", "The hyperbolic tangent, within 2.5 units in the last place."},
        {Kind::Function, "atan2", "atan2(y, x)", "The angle of the point (x, y), from -pi to pi, within 2.5 units in the last place."},
        {Kind::Function, "pow", "pow(a, b)", "a to the power of b, within 1 unit in the last place."},
        {Kind::Function, "mod", "mod(a, b)", "`a % b`, of integers."},
        {Kind::Function, "d", "d(f, x, order: K)",
         "First derivative along x: the central difference with the fewest points of order K (even, 2 without it). Reaches K/2 cells."},
        {Kind::Function, "d2", "d2(f, x, order: K)", "Second derivative along x, of order K. Reaches K/2 cells."},
        {Kind::Function, "dp", "dp(f, x, order: K)",
         "First derivative half a cell forward, at x + 1/2: order 2 is `(f[x+1] - f) / h`. For staggered grids."},
        {Kind::Function, "dm", "dm(f, x, order: K)",
         "First derivative half a cell backward, at x - 1/2: order 2 is `(f - f[x-1]) / h`. For staggered grids."},
        {Kind::Function, "laplace", "laplace(f, order: K)", "The sum of the second derivatives along all dimensions, of order K."},

        {Kind::Reduction, "sum", "sum(o in SHAPE) EXPR",
         "Over the offsets of a shape; takes in one product. In `scalar` and `monitor`, `sum(EXPR)` goes over the grid, and is exact."},
        {Kind::Reduction, "prod", "prod(o in SHAPE) EXPR", "The product over the offsets of a shape; takes in one product."},
        {Kind::Reduction, "mean", "mean(EXPR)", "The exact sum over the grid, divided by the number of cells; in `scalar` and `monitor`."},
        {Kind::ShapeKind, "box", "box(r)", "Every offset of at most r along each dimension."},
        {Kind::ShapeKind, "star", "star(r)", "Offsets of at most r along one dimension only, and the centre."},

        {Kind::Type, "int", "int", "Of scalars: 64 bits, signed, every operation checked."},
        {Kind::Type, "f32", "f32", "IEEE 754, 4 bytes."},
        {Kind::Type, "f64", "f64", "IEEE 754, 8 bytes."},
        {Kind::Type, "i32", "i32", "Of fields: signed integers of 4 bytes, which wrap around."},
        {Kind::Type, "i64", "i64", "Of fields: signed integers of 8 bytes, which wrap around."},
        {Kind::Type, "u8", "u8", "Of fields: 0 to 255; expressions over it compute in i32, and a value is stored modulo 256."},
        {Kind::Type, "bool", "bool", "`true` or `false`."},

        {Kind::EdgeKind, "fixed", "fixed",
         "Nothing beyond the face: updates keep away from it, and the rim that they leave keeps its initial values."},
        {Kind::EdgeKind, "dirichlet", "dirichlet EXPR",
         "The expression, of the coordinates of the cell that is read, parameters, lets and `t`."},
        {Kind::EdgeKind, "neumann", "neumann", "The nearest cell: the gradient across the face is zero."},
        {Kind::EdgeKind, "reflect", "reflect", "The mirror image about the face: -1 sees 0, -2 sees 1."},
        {Kind::EdgeKind, "reflect_center", "reflect_center", "The mirror image about the last cell's centre: -1 sees 1."},
        {Kind::EdgeKind, "periodic", "periodic", "The other end: the dimension is a ring. Always both faces."},

        {Kind::Constant, "t", "t", "The level before this step, an int, 0 at the start. `u[t+1]` is what this step makes of u."},
        {Kind::Constant, "pi", "pi", "3.14159..., an f64."},
    };
    return list;
}

const Lore *loreOf(std::string_view word, Lore::Kind kind) {
    for (const Lore &each : lore())
        if (each.word == word && each.kind == kind) return &each;
    return nullptr;
}

const Lore *callable(std::string_view word) {
    for (const auto kind : {Lore::Kind::Function, Lore::Kind::Reduction, Lore::Kind::ShapeKind})
        if (const Lore *found = loreOf(word, kind)) return found;
    return nullptr;
}

const Lore *loreOfKeyword(std::string_view word) {
    for (const auto kind : {Lore::Kind::Statement, Lore::Kind::Clause, Lore::Kind::Operator})
        if (const Lore *found = loreOf(word, kind)) return found;
    return nullptr;
}

} // namespace oocc::lsp
