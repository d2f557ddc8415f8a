// The loop IR: the generated program as functions, loops and expressions, with every decision taken. The C emitter only
// prints it. Names are final C identifiers; types are final C types, as text.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace oocc::loops {

// -- expressions -----------------------------------------------------------------------------------------------------

struct Expr;
using E = std::shared_ptr<const Expr>;

/// How tightly an operator binds; the printer sets parentheses from it. Either and Both are `|` and `&` of truth values: they
/// compute both sides, so that a loop has no branch.
enum class Op { Or, And, Either, Both, Eq, Ne, Lt, Le, Gt, Ge, Add, Sub, Mul, Div, Mod };

struct Int {
    int64_t value;
};
struct Real {
    double value;
    bool single; ///< a float literal
};
struct Bool {
    bool value;
};
struct Text {
    std::string value; ///< a string literal, any bytes
};
struct Name {
    std::string name; ///< an identifier, or a path of them: "p->t0"
};
struct Unary {
    char op; ///< '-', '!', '*' or '&'
    E a;
};
struct Binary {
    Op op;
    E a, b;
};
struct Cond {
    E condition, a, b;
};
struct Call {
    std::string function;
    std::vector<E> args;
};
struct Index {
    E base, index;
};
struct CastTo {
    std::string type;
    E a;
};

struct Expr {
    std::variant<Int, Real, Bool, Text, Name, Unary, Binary, Cond, Call, Index, CastTo> node;
};

// -- statements ------------------------------------------------------------------------------------------------------

struct Stmt;
using Body = std::vector<Stmt>;

struct Comment {
    std::string text;
};
struct Declare {
    std::string type; ///< "const double *const"
    std::string name;
    E value;
};
struct Assign {
    E target, value;
};
struct Do {
    E call;
};
struct Return {
    E value; ///< null in a void function
};
struct Continue {};
/// for (int64_t name = lo; name < hi; name++)
struct For {
    std::string name;
    E lo, hi;
    std::string pragma; ///< "omp simd", "omp for schedule(dynamic)"; empty: none
    Body body;
    bool inclusive = false; ///< up to and with hi
    E step{}; ///< null: 1
};
struct While {
    E condition;
    Body body;
};
struct If {
    E condition;
    Body then, otherwise;
};
/// A braced block under a pragma: "omp parallel"; without one, a scope.
struct Scope {
    std::string pragma;
    Body body;
};

struct Stmt {
    std::variant<Comment, Declare, Assign, Do, Return, Continue, For, While, If, Scope> node;
};

// -- the module ------------------------------------------------------------------------------------------------------

struct Param {
    std::string type, name;
};

struct Function {
    std::string comment;
    std::string returns;
    std::string name;
    std::vector<Param> params;
    Body body;
    bool inlined = false;
    bool apart = false; ///< never inlined
    bool choosing = false; ///< apart, and gcc is not to join what its loop chooses: OOCC_CHOOSING
    bool wide = false;     ///< apart, and gcc is not to keep what its loop reads, besides: OOCC_WIDE. Goes before the others
};

/// static struct { type name; ... } name = { values };
struct Variables {
    std::string comment;
    std::string name;
    struct Member {
        std::string type, name;
        E value; ///< null: starts as zero
        std::string comment;
    };
    std::vector<Member> members;
};

struct Constant {
    std::string name;
    int64_t value;
    std::string comment;
};

/// A table of structs with designated initialisers.
struct Table {
    std::string comment;
    std::string type; ///< "static const struct oocc_field"
    std::string name;
    using Row = std::vector<std::pair<std::string, E>>;
    std::vector<Row> rows;
    bool single = false; ///< one struct instead of an array
};

/// What an application that links the stencil sees of it. Names are the program's; types are C types.
struct Interface {
    struct Param {
        std::string name, type;
        std::string value; ///< the default, as the program has it
        bool constant;     ///< fixed with -D
    };
    struct Field {
        std::string name, type;
        std::string id;      ///< FIELD_u
        std::string element; ///< as the program calls it
        bool coef;
        int levels;
    };
    struct Watch {
        std::string name;
        std::string id; ///< WATCH_e
        bool feeds;     ///< updates use it
    };
    std::string stencil, source;
    std::vector<std::string> dims; ///< slowest first
    std::string steps;             ///< how many, as the program says it
    std::vector<Param> params;
    std::vector<Field> fields;
    std::vector<Watch> watches;
};

/// A program of its own, with main(); or a library, with functions for an application.
enum class Form { Program, Library };

struct Module {
    Form form = Form::Program;
    Interface interface;
    std::string comment;             ///< the head of the file
    std::vector<std::string> dims;   ///< names, slowest first
    bool tiled = false;              ///< slabs are cut into tiles
    std::vector<Constant> constants; ///< enum { ... }
    std::vector<Variables> variables;
    std::vector<Table> observers;   ///< points, signals, records and watches, which kernels look at
    std::vector<Function> derived;  ///< setup and use_grid
    std::vector<Function> fields;   ///< initial values and edges
    std::vector<Function> kernels;  ///< row kernels and stages
    std::vector<Function> schedule; ///< tiles and groups
    std::vector<Table> tables;
};

/// What --emit=loops shows: the same tree with C's clutter left out.
void print(std::ostream &out, const Module &module);

} // namespace oocc::loops
