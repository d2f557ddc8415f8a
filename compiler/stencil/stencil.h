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

/// The type of an expression. Int is 64-bit and signed.
enum class Type { Bool, Int, F32, F64 };

const char *typeName(Type type); ///< as spelled in a program: "bool", "int", "f32", "f64"
bool isFloat(Type type);
int64_t typeBytes(Type type); ///< bytes of one stored element

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

/// Offsets per grid dimension, slowest first; entries past the grid's dimensions are 0.
using Offsets = std::array<int, kMaxDims>;

enum class UnaryOp { Neg, Not };
enum class BinaryOp { Add, Sub, Mul, Div, Mod, Eq, Ne, Lt, Le, Gt, Ge, And, Or };
enum class MathFn { Abs, Min, Max, Sqrt, Exp, Log, Sin, Cos, Tan, Atan2, Tanh, Pow, Floor };

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
    std::variant<Literal, ScalarRef, Coord, TimeLevel, Read, Unary, Binary, Select, Call, Cast> node;
};

/// Calls visit(expr) for the expression and everything under it, parents first.
template <typename Visit> void walk(const ExprPtr &expr, Visit &&visit);

/// A parameter or a let: one value for the whole run.
struct Scalar {
    enum class Kind { Param, Let };
    Kind kind;
    std::string name;
    Type type;
    ExprPtr value;      ///< a parameter's default, a let's definition; refers to earlier scalars only
    bool given = false; ///< a parameter set with -D when compiling: a constant from then on
    Range range;        ///< of the name in its declaration
};

struct Dim {
    std::string name;
    ExprPtr extent; ///< cells, an Int over scalars
    Range range;
};

enum class EdgeKind { None, Fixed, Dirichlet };

/// What lies beyond one face of the grid for one field.
struct Edge {
    EdgeKind kind = EdgeKind::None;
    ExprPtr value; ///< Dirichlet: of the field's type, over scalars, coordinates (of the outside cell) and t (of the level read)
    Range range;   ///< of the declaration; empty when None
};

struct Field {
    std::string name;
    Type type;         ///< F32 or F64
    bool coef = false; ///< read-only for the whole run
    int levels = 1;    ///< levels carried from step to step: 1 + the furthest past level read
    /// Initial values: one per level, [0] for t = 0, [1] for t = -1, ...; over scalars and coordinates.
    /// An entry that is null takes the value of level 0. All null with initFile empty: zero.
    std::vector<ExprPtr> init;
    std::string initFile;                          ///< .npy or .raw to start every level from; empty: init
    std::array<std::array<Edge, 2>, kMaxDims> edge; ///< [dim][0 low, 1 high]
    Range range;                                    ///< of the name in its declaration
};

/// One update, in program order: field[t+1] = value at every point of the field's domain.
struct Stage {
    int field;
    ExprPtr value; ///< of the field's type
    Range range;   ///< of the whole statement
};

struct Output {
    int field;
    std::string path; ///< ends in .npy or .raw
    Range range;
};

struct Stencil {
    std::string name;
    Range nameRange;
    std::vector<Scalar> scalars; ///< in order of declaration
    std::vector<Dim> dims;       ///< slowest first
    std::vector<Field> fields;
    std::vector<Stage> stages;
    ExprPtr steps; ///< an Int over scalars
    std::vector<Output> outputs;

    /// The stage that writes a field, or -1 for a coefficient.
    int stageOf(int field) const;
};

// -- implementation ----------------------------------------------------------------------------------------------

template <typename Visit> void walk(const ExprPtr &expr, Visit &&visit) {
    if (!expr)
        return;
    visit(*expr);
    struct Children {
        Visit &visit;
        void operator()(const Literal &) {}
        void operator()(const ScalarRef &) {}
        void operator()(const Coord &) {}
        void operator()(const TimeLevel &) {}
        void operator()(const Read &) {}
        void operator()(const Unary &e) { walk(e.a, visit); }
        void operator()(const Binary &e) {
            walk(e.a, visit);
            walk(e.b, visit);
        }
        void operator()(const Select &e) {
            walk(e.condition, visit);
            walk(e.a, visit);
            walk(e.b, visit);
        }
        void operator()(const Call &e) {
            for (const ExprPtr &arg : e.args)
                walk(arg, visit);
        }
        void operator()(const Cast &e) { walk(e.a, visit); }
    };
    std::visit(Children{visit}, expr->node);
}

} // namespace oocc
