// The program as written: one struct per construct, names unresolved. Every node keeps its range, for
// messages.
#pragma once

#include "support/source.h"

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace oocc::ast {

struct Name {
    std::string text;
    Range range;
};

/// A quoted string, without its quotes; the range includes them.
struct Text {
    std::string value;
    Range range;
};

/// Something that the language has and this version has not. It is refused later, at its keyword, and checked
/// no further.
struct Unsupported {
    std::string construct; ///< how the message calls it
    Range range;           ///< of its keyword
    std::vector<Name> declares;
};

// -- expressions -----------------------------------------------------------------------

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

enum class UnaryOp { Neg, Not };
enum class BinaryOp { Or, And, Eq, Ne, Lt, Le, Gt, Ge, Add, Sub, Mul, Div, Mod, Pow };

const char *spelling(UnaryOp op);
const char *spelling(BinaryOp op);

struct Integer {
    std::string digits; ///< any number of them; whether they fit is for sema to say
};
struct Real {
    std::string text;
};
struct Boolean {
    bool value;
};
struct Reference {
    std::string name;
};
/// `u[t-1, x+1]`: each index as written.
struct Index {
    Name name;
    std::vector<ExprPtr> indices;
};
struct Call {
    Name function;
    std::vector<ExprPtr> args;
    std::vector<std::optional<Name>> labels; ///< of each argument: `order` in `laplace(u, order: 8)`
};
/// `o.dx`: what an offset moves along one dimension.
struct Member {
    Name object;
    Name member;
};
/// `{(0, 1), (0, -1)}`: a shape, point by point. Stands only where a shape does.
struct PointSet {
    std::vector<std::vector<ExprPtr>> points;
    std::vector<Range> ranges; ///< of each point
};
/// `sum(o in s) w(o) * a[o]`. The shape is a name, box(r), star(r) or a PointSet.
struct Reduction {
    Name op;
    Name variable;
    ExprPtr shape;
    ExprPtr body;
};
struct Unary {
    UnaryOp op;
    ExprPtr a;
};
struct Binary {
    BinaryOp op;
    Range opRange;
    ExprPtr a, b;
};
struct If {
    ExprPtr condition, a, b;
};

struct Expr {
    Range range;
    std::variant<Integer, Real, Boolean, Reference, Index, Call, Member, PointSet, Reduction, Unary, Binary,
                 If, Unsupported>
        node;
};

// -- statements -----------------------------------------------------------------------

struct StencilName {
    Name name;
};
struct Param {
    Name name;
    Name type;
    ExprPtr value; ///< null: none given
};
struct Let {
    Name name;
    ExprPtr value;
};
struct GridDim {
    Name name;
    ExprPtr extent;
    ExprPtr spacing; ///< null: none given
};
struct Grid {
    std::vector<GridDim> dims;
};
struct Field {
    std::vector<Name> names;
    Name type;
};
/// With a value or a file; with neither the program is wrong, and sema says so.
struct Coef {
    Name name;
    Name type;
    ExprPtr value;
    std::optional<Text> file;
};
struct Init {
    Name field;
    std::vector<ExprPtr> indices;
    ExprPtr value;
    std::optional<Text> file;
};
struct EdgeValue {
    Name kind;
    ExprPtr value; ///< null: none given
};
struct FaceEdge {
    Name dim;
    std::optional<Name> side; ///< none: both faces
    EdgeValue edge;
};
/// Either `all`, or a list of faces.
struct Boundary {
    std::vector<Name> fields;
    std::optional<EdgeValue> all;
    std::vector<FaceEdge> faces;
};
struct Update {
    Name target;
    std::optional<std::vector<ExprPtr>> indices; ///< none: no brackets
    ExprPtr value;
    std::optional<Unsupported> where;
    Range targetRange;
    Range range;
};
struct Step {
    std::vector<Update> updates;
};
struct Steps {
    ExprPtr count;
};
struct Output {
    Name field;
    Text path;
    std::optional<Unsupported> every;
};

struct Fn {
    Name name;
    std::vector<Name> params;
    ExprPtr body;
};
struct Shape {
    Name name;
    ExprPtr points; ///< as a Reduction's shape
    ExprPtr where;  ///< null: every point
};

struct Statement {
    Range range;
    Range keyword;
    std::variant<StencilName, Param, Let, Grid, Field, Coef, Init, Boundary, Step, Steps, Output, Fn, Shape,
                 Unsupported>
        node;
};

struct Program {
    std::vector<Statement> statements;
};

} // namespace oocc::ast
