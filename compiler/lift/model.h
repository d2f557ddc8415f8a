// What is known of a function while it is lifted: plain values, from the walk over its statements to the program's text.
#pragma once

#include "lift/poly.h"
#include "stencil/stencil.h"

#include <clang/Basic/SourceLocation.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace oocc::lift {

/// The end of a lift: what stands in its way, where, and what to do about it.
struct Refusal {
    clang::SourceRange at;
    std::string message;
    std::string help;
    std::vector<std::pair<clang::SourceRange, std::string>> notes;
};

/// What an index says of a read that leaves the grid along a loop's dimension: the C reads another cell there. That is what an edge gives.
struct Beyond {
    enum Kind { Ring, Nearest, Mirror };
    Kind kind;
    int loop;    ///< whose variable leaves it
    int side;    ///< 0: before the first cell, 1: after the last; of a Ring both are meant
    std::optional<Poly> extent; ///< the cells there are along it, as the index says
    Poly at;                    ///< the variable at the first cell, from the others on, for which the C reads elsewhere
    clang::SourceRange where;
    int dim = -1; ///< from `bind` on
};

struct Node;
using NodePtr = std::shared_ptr<const Node>;

/// A value as the C computes it: no conversion is left out, and none is added.
struct Node {
    enum Kind { Number, Scalar, Step, Read, Series, Negate, Not, Operate, Choose, Call, Convert };
    Kind kind;
    Type type; ///< of the value; Operate of a comparison: Bool
    clang::SourceRange range;
    std::string text = {}; ///< Number: as it is printed. Operate: the operator. Call: the function
    int64_t integer =
        0;           ///< Number: its value, when it is whole. Step, Series: added to the number of steps done
    int symbol = -1; ///< Scalar: what it is, the variable of a loop, too
    int array = -1;  ///< Read, Series
    std::vector<NodePtr> args = {};

    // Of a read, as it was met:
    std::vector<Poly> index = {};
    std::vector<int> loops = {}; ///< that stand around it, outermost first
    std::vector<Beyond> beyond = {};
    int order = 0;               ///< its place among all reads and stores of a step
    // and as it was understood, from the cell that is stored on:
    int version = -1; ///< how many of the array's stores it sees
    std::vector<int64_t> offset = {};

    size_t size = 1; ///< nodes, all written out; from `make`
};

/// A scalar: a parameter of the program, a value computed once, the variable of a loop.
struct Symbol {
    enum Kind { Parameter, Value, Loop, Time, Opaque };
    Kind kind;
    std::string name;
    Type type;
    NodePtr value; ///< Value: its definition. Parameter: its default, or null. Opaque: what it stands for
    std::string comment = {};
    clang::SourceLocation where = {};
};

struct Array {
    std::string name;
    Type type;
    std::vector<Poly> extents; ///< slowest first; empty: flat, with all indices in one
    bool outermostKnown = true;
    bool local = false;  ///< gone when the function returns
    bool filled = false; ///< local, and given values before the loop over time
    bool declaredAsArray = false, restricted = false;
    bool readOnly = true;
    bool series = false;     ///< one-dimensional, indexed by time
    int slots = 1, slot = 0; ///< a[(t+slot) % slots][..]: each slot is an array of its own
    clang::SourceRange where;
};

struct Loop {
    int symbol;
    Poly low, high; ///< high: one past the last
    int direction = 1;
    clang::SourceRange where;
};

/// A store, and from `bind` on the cells it goes to: per dimension the loop that runs over them, or one plane.
struct Store {
    struct Dim {
        int loop = -1;
        int64_t shift = 0; ///< the cell is loop + shift
        Poly low, high;    ///< which cells; high: one past the last
    };
    int array;
    std::vector<Poly> index;
    std::vector<int> loops;
    NodePtr value;
    std::vector<NodePtr> guards; ///< conditions under which it happens
    std::vector<int> branches;   ///< of which 'if' it is in: k for its first branch, -k for the other
    int order;
    clang::SourceRange where;
    std::vector<Dim> dims;
};

/// A function's loop over time, taken apart.
struct Kernel {
    std::string name, file;
    unsigned line = 0;
    std::vector<lift::Symbol> symbols;
    std::vector<Array> arrays;
    std::vector<Loop> loops;
    std::vector<Store> stores; ///< of one step, in order
    std::vector<int>
        after;  ///< array a at the end of a step is what after[a] was in it (pointers that are swapped)
    Poly steps; ///< how many
    int64_t firstStep = 0;             ///< the time variable's first value
    int time = -1;                     ///< its symbol
    std::map<std::string, int> opaque; ///< symbols for what no polynomial says (n/2), by what it is
    bool sameRims = false;             ///< --same-rims
    std::vector<int> dims;             ///< the symbols of the grid's dimensions, once there are any
    std::vector<std::string> notes;
    std::set<std::string> functions; ///< those that are called and have other bits in other libraries

    bool isLoop(int symbol) const { return symbols[static_cast<size_t>(symbol)].kind == lift::Symbol::Loop; }
};

/// Cells of a step's definition: per dimension from low to one past the last.
struct Box {
    std::vector<Poly> low, high;
};

/// One array's values after one of its stores: where `pieces` apply they decide, the last one first; elsewhere it is what
/// version `from` was.
struct Definition {
    struct Piece {
        Box box;
        NodePtr guard; ///< or null
        NodePtr value;
        clang::SourceRange where;
    };
    int array, version, from;
    int field = -1; ///< the field that gets these values; -1: a temp
    std::vector<Piece> pieces;
    bool hasBase = true; ///< something reads what no piece gives
    int order = 0;
    // From `settleEdges` on.
    bool where[kMaxDims][2] = {}; ///< faces that a `where` keeps away from
    bool chain = false;           ///< over the whole grid, chosen by conditions
};

/// What is to be written: the fields, what a step does, what lies beyond the faces.
struct Plan {
    std::vector<Poly> extents;
    std::vector<std::string> dims; ///< names of the dimensions
    std::vector<Definition> definitions;
    struct Use {
        bool field = false, coef = false, series = false, result = false;
        bool fixed[kMaxDims][2] = {}, unseen[kMaxDims][2] = {}; ///< faces
        std::optional<Beyond> beyond[kMaxDims][2] = {};
    };
    std::vector<Use> uses;                    ///< of each array
    std::vector<size_t> stores;               ///< how many a step has into each array: its last version
    std::vector<int> owner;                   ///< for each array: the field that its last version becomes
    std::map<std::pair<int, int>, Use> temps; ///< versions that are temps, with their edges
};

constexpr size_t kMaxSize = 20000; ///< of one value
NodePtr make(Node node);
NodePtr inverted(const NodePtr &condition);
NodePtr operation(const std::string &op, Type type, const NodePtr &a, const NodePtr &b,
                  clang::SourceRange where);
void walk(const NodePtr &n, const std::function<void(const Node &)> &visit);
/// The same with every node under it replaced, the innermost first.
NodePtr rewrite(const NodePtr &n, const std::function<NodePtr(const NodePtr &)> &change);

/// What a value of numbers alone is: of integers and conditions, and of `float`.
std::optional<int64_t> known(const NodePtr &n);
std::optional<float> knownFloat(const NodePtr &n);
/// Of two conditions, one of which may be known; `op` is "and" or "or".
NodePtr logical(const std::string &op, const NodePtr &a, const NodePtr &b, clang::SourceRange where);

/// An integer value as a polynomial; what is none, but known before the run (n/2), becomes a symbol of its own. None: data.
std::optional<Poly> polynomial(Kernel &kernel, const NodePtr &n);

/// What a step does, which arrays are fields, and what lies beyond their faces. Throws a Refusal.
Plan understand(Kernel &kernel, const std::vector<std::string> &results);

} // namespace oocc::lift
