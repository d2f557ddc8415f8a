// The stencil IR: what a program computes, with names resolved, types settled and offsets constant.
// Every later stage reads it and none changes it. Expressions are immutable and may be shared.
#pragma once

#include "support/source.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace oocc {

constexpr int kMaxDims = 4;

/// The type of an expression or of a field's elements. Int is 64-bit and signed, and what fields call i64. U8 is a type of
/// elements only: expressions compute with u8 data as I32, as C does.
enum class Type { Bool, U8, I32, Int, F32, F64 };

const char *typeName(Type type);    ///< as a scalar's type is spelled: "bool", "int", "f32", "f64"
const char *elementName(Type type); ///< as a field's type is spelled: the same, but "i64" for Int
bool isFloat(Type type);
bool isInteger(Type type);    ///< U8, I32 or Int
int64_t typeBytes(Type type); ///< bytes of one stored element
Type valueType(Type element); ///< of expressions over such elements: I32 for U8, otherwise the same

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

/// Offsets per grid dimension, slowest first; entries past the grid's dimensions are 0.
using Offsets = std::array<int, kMaxDims>;

enum class UnaryOp { Neg, Not };
enum class BinaryOp { Add, Sub, Mul, Div, Mod, Eq, Ne, Lt, Le, Gt, Ge, And, Or };
enum class MathFn { Abs, Min, Max, Sqrt, Exp, Log, Sin, Cos, Tan, Atan2, Tanh, Pow, Floor, Fma };

struct Literal {
    std::variant<bool, int64_t, double> value; ///< holds what Expr::type says; a double for both F32 and F64
};
struct ScalarRef {
    int scalar; ///< index into Stencil::scalars
};
struct Coord {
    int dim; ///< the cell's index along this dimension, an Int
};
struct TimeLevel {}; ///< the present level t, an Int
struct Sample {
    int series;    ///< index into Stencil::series
    int ahead = 0; ///< sample t + ahead, from 0 on
};
struct Read {
    int field; ///< index into Stencil::fields
    int time;  ///< 0: present level, 1: next level, -1: the one before, ...; always 0 for a coefficient
    Offsets offset{};
};
struct Unary {
    UnaryOp op;
    ExprPtr a;
};
struct Binary {
    BinaryOp op;
    ExprPtr a, b; ///< of one type, except that And and Or take Bool
};
struct Select {
    ExprPtr condition, a, b;
};
struct Call {
    MathFn fn;
    std::vector<ExprPtr> args;
};
struct Cast {
    ExprPtr a; ///< converted to Expr::type as C does
};

struct Expr {
    Type type;
    Range range;
    std::variant<Literal, ScalarRef, Coord, TimeLevel, Sample, Read, Unary, Binary, Select, Call, Cast> node;
};

/// Calls visit(operand) for what an expression is made of, in order.
template <typename Visit> void eachOperand(const Expr &expr, Visit &&visit);

/// Calls visit(expr) for the expression and everything under it, parents first.
template <typename Visit> void walk(const ExprPtr &expr, Visit &&visit);

/// A value without coordinates. Params and lets are the same for the whole run. A Reduced one (`scalar q = mean(J)`) has
/// the value of its reduction over the present level; updates and points may use it. A Watched one (`monitor`) has that
/// of the last step that evaluated it; only stop conditions use it. Both are F64, and a stage gives their value.
struct Scalar {
    enum class Kind { Param, Let, Reduced, Watched };
    Kind kind;
    std::string name;
    Type type;
    ExprPtr
        value; ///< a parameter's default, a let's definition; refers to earlier params and lets only; else null
    bool given = false; ///< a parameter set with -D when compiling: a constant from then on
    Range range;        ///< of the name in its declaration
};

struct Dim {
    std::string name;
    ExprPtr extent;  ///< cells, an Int over params and lets
    ExprPtr spacing; ///< F64 over params and lets; null: 1. Derivatives have it in them already
    Range range;
};

/// What a read beyond a face sees. Fixed: nothing, the updates keep away from the face. Neumann: the nearest cell.
/// Reflect: the mirror image about the face (-1 sees 0, -2 sees 1). ReflectCentre: about the last cell's centre (-1
/// sees 1). Periodic: the far end; always on both faces. A cell beyond several faces is first moved by all the
/// faces that move it; if it is still outside, the first dimension in the grid's order that has a Dirichlet value decides.
enum class EdgeKind { None, Fixed, Dirichlet, Neumann, Reflect, ReflectCentre, Periodic };
bool movesReads(
    EdgeKind kind); ///< Neumann, Reflect, ReflectCentre, Periodic: another cell stands for the one outside

/// What lies beyond one face of the grid for one field.
struct Edge {
    EdgeKind kind = EdgeKind::None;
    ExprPtr
        value; ///< Dirichlet: of the field's valueType, over params, lets, coordinates (of the outside cell, moved
               ///< along the dimensions that move it) and t (of the level read)
    Range range; ///< of the declaration; empty when None
};

struct Field {
    std::string name;
    Type type;
    bool coef = false; ///< read-only for the whole run
    bool temp = false; ///< made anew in every step, and gone after it; no initial value, no Fixed edge
    int levels = 1;    ///< levels carried from step to step: 1 + the furthest past level read; 0 for a temp
    /// Initial values: one per level, [0] for t = 0, [1] for t = -1, ...; over scalars, coordinates, and the values of coefficients
    /// at the same point: of those with a smaller index, if it is one itself.
    /// An entry that is null takes the value of level 0. All null with initFile empty: zero.
    std::vector<ExprPtr> init;
    std::string initFile;                           ///< .npy or .raw to start every level from; empty: init
    std::array<std::array<Edge, 2>, kMaxDims> edge; ///< [dim][0 low, 1 high]
    Range range;                                    ///< of the name in its declaration
};

/// Index ranges: [dim][0] the first index, [dim][1] one past the last; null: the grid's own end. Ints over params and
/// lets. What lies beyond the grid is cut off.
using Region = std::array<std::array<ExprPtr, 2>, kMaxDims>;

enum class ReduceOp { Sum, Min, Max, Mean };

/// One thing done in a step. In order: the updates as the program has them, then all Injects, then Reduces, Monitors
/// and Records; so the latter see what the whole step has made.
struct Stage {
    enum class Kind {
        Update, ///< field[t+1] = value at every point of the region; elsewhere it keeps its value
        Inject, ///< field[t+1] += value, or the signal, at the cells of points
        Reduce, ///< scalar = op(value), the value its reads have for the next step: time 1 stands for the program's
                ///< present level. Also evaluated before the first step
        Monitor, ///< scalar = op(value) after the steps whose new level is a multiple of `every`
        Record ///< the field's new value at points, after the steps whose new level is a multiple of `every`
    };
    Kind kind = Kind::Update;
    int field = -1;  ///< Update, Inject, Record
    ExprPtr value;   ///< Update, Inject: of the field's valueType; null for a signal. Reduce, Monitor: F64.
                     ///< Record: the read of field at time 1
    Range range;     ///< of the whole statement
    Region region{}; ///< Update (not of a temp), Reduce, Monitor: where it applies
    int scalar = -1; ///< Reduce, Monitor: the scalar it gives a value
    ReduceOp op = ReduceOp::Sum;
    int points = -1; ///< Inject, Record: index into Stencil::points
    std::string
        signal;       ///< Inject: .npy of (samples) or (samples, points), sample t for the step from level t
    ExprPtr every;    ///< Monitor, Record: Int over params and lets; null: 1
    std::string path; ///< Record: .npy of (samples, points)

    bool writes() const { return kind == Kind::Update || kind == Kind::Inject; }
};

/// Where fields are injected or recorded: one place given by an F64 per dimension over params and lets, or a file with one
/// place per line. In cells, multilinear between them.
struct Points {
    std::vector<ExprPtr> at; ///< empty: from the file
    std::string file;
    Range range;
};

/// One number per step, which updates, injections and monitors read; sample t is for the step from level t to t + 1.
struct Series {
    std::string name;
    Type type; ///< F32 or F64: what a sample is rounded to
    std::string file;
    Range range;
};

struct Output {
    int field;
    std::string path; ///< ends in .npy or .raw; "{t}" stands for the level
    Range range;
    ExprPtr every; ///< Int over params and lets: at every level that is a multiple of it; null: at the end
};

/// The run ends after the first step that makes a condition true.
struct Stop {
    ExprPtr condition; ///< Bool over params, lets and Watched scalars
    Range range;
};

struct Stencil {
    std::string name;
    Range nameRange;
    std::vector<Scalar> scalars; ///< in order of declaration
    std::vector<Dim> dims;       ///< slowest first
    std::vector<Field> fields;
    std::vector<Points> points;
    std::vector<Series> series;
    std::vector<Stage> stages;
    ExprPtr steps; ///< an Int over params and lets
    std::vector<Output> outputs;
    std::vector<Stop> stops;
    bool stopOnNan = true; ///< the run ends when a floating field of the state holds nan or inf

    /// The update of a field, or -1 for a coefficient.
    int stageOf(int field) const;
    /// Updates and injections of a field, in order of stage; empty for a coefficient.
    std::vector<int> writersOf(int field) const;
};

// -- implementation ----------------------------------------------------------------------------------------------

template <typename Visit> void eachOperand(const Expr &expr, Visit &&visit) {
    if (const auto *unary = std::get_if<Unary>(&expr.node)) visit(unary->a);
    if (const auto *cast = std::get_if<Cast>(&expr.node)) visit(cast->a);
    if (const auto *binary = std::get_if<Binary>(&expr.node)) {
        visit(binary->a);
        visit(binary->b);
    }
    if (const auto *select = std::get_if<Select>(&expr.node)) {
        visit(select->condition);
        visit(select->a);
        visit(select->b);
    }
    if (const auto *call = std::get_if<Call>(&expr.node))
        for (const ExprPtr &arg : call->args)
            visit(arg);
}

template <typename Visit> void walk(const ExprPtr &expr, Visit &&visit) {
    if (!expr) return;
    visit(*expr);
    eachOperand(*expr, [&](const ExprPtr &operand) { walk(operand, visit); });
}

} // namespace oocc
