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
    Range range; ///< of the name, without parentheses around it
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
                 If>
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
/// Scratch of one step.
struct Temp {
    std::vector<Name> names;
    Name type;
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
struct Face {
    Name dim;
    std::optional<Name> side; ///< none: both faces
};
struct FaceEdge {
    std::vector<Face> faces;
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
    ExprPtr where; ///< null: none given
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
    ExprPtr every; ///< null: none given
};

/// `(z, y, x)`, or `points "file"`.
struct Place {
    std::vector<ExprPtr> at; ///< empty: from the file
    std::optional<Text> file;
    Range range;
};
/// With a value or a signal.
struct Inject {
    Name field;
    Place place;
    ExprPtr value;
    std::optional<Text> signal;
};
struct Record {
    Name field;
    Place place;
    ExprPtr every; ///< null: none given
    Text path;
};

/// `scalar q = mean(u) where ..`
struct Scalar {
    Name name;
    ExprPtr value;
    ExprPtr where; ///< null: none given
};
struct Monitor {
    Name name;
    ExprPtr value;
    ExprPtr where; ///< null: none given
    ExprPtr every; ///< null: none given
};
/// One number per step, from a file.
struct Series {
    Name name;
    Name type;
    Text file;
};
/// `stop when CONDITION`, or `stop on NAME`.
struct Stop {
    ExprPtr condition;
    std::optional<Name> on;
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
    std::variant<StencilName, Param, Let, Grid, Field, Coef, Temp, Fn, Shape, Init, Boundary, Step, Steps,
                 Output, Inject, Record, Scalar, Monitor, Series, Stop>
        node;
};

struct Program {
    std::vector<Statement> statements;
};

} // namespace oocc::ast
