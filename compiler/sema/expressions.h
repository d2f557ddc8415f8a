// Private to sema/: an expression as written becomes a typed one.
#pragma once

#include "sema/evaluate.h"
#include "sema/index.h"
#include "sema/operand.h"
#include "sema/scope.h"

#include <map>
#include <string>
#include <vector>

namespace oocc {

constexpr int kMaxOffset = 1024;
constexpr uint64_t kMaxNodes = 100000; ///< of one expression, shared parts counted as often as they occur
constexpr int kMaxDepth = 2000;        ///< as deep as an expression may be as written

/// What to do where a distance is no whole number.
constexpr const char *kStaggered =
    "what lies half a cell further, or half a step later, is another field at the same index: v[x] between u[x] and u[x+1]";

class Rational;
struct Difference;
struct SumPart;

/// Where an expression stands, and so what it may use besides scalars.
struct Place {
    std::string name; ///< for messages: "an extent"
    bool coords = false;
    bool time = false;
    int updates = -1; ///< the field whose update it is, or -1
    /// Who reads fields: nobody here, an initial value or a coefficient (coefficients only, its own cell only), an update, an
    /// injection (its own cell only), a `scalar` (the state before the step) or a `monitor` (all that the step makes, too).
    enum class Reads { None, Initial, Update, Inject, Scalar, Monitor };
    Reads reads = Reads::None;
    int below = -1;       ///< a coefficient: one may be read that is declared before it; -1: any
    bool watched = false; ///< what monitors say may be used
    bool whole = false;   ///< an integer is wanted
    bool offset = false;  ///< and it is the distance of a read

    /// Values of `scalar` statements are known here.
    bool reduced() const {
        return reads == Reads::Update || reads == Reads::Inject || reads == Reads::Monitor;
    }
};

/// The updates of the step by field, as far as known while expressions are resolved.
struct UpdateSite {
    int order;   ///< in the step, from 0
    Range range; ///< of its target, f[t+1]
};
using UpdateSites = std::map<int, UpdateSite>;

class ExpressionResolver {
  public:
    ExpressionResolver(const Stencil &stencil, Scope &scope, const UpdateSites &sites,
                       Diagnostics &diagnostics)
        : stencil_(stencil), scope_(scope), sites_(sites), diagnostics_(diagnostics) {}

    Operand resolve(const ast::Expr &expr, const Place &place);

    /// Time and offset of f[...], or none when that is wrong.
    struct Shift {
        int time = 0;
        Offsets offset{};
        bool timed = false; ///< t was mentioned
    };
    std::optional<Shift> shift(const std::vector<ast::ExprPtr> &indices);

    /// The points of a shape as written (a name, box, star, a set), or none when that is wrong.
    std::optional<std::vector<Offsets>> points(const ast::Expr &shape);
    std::optional<std::vector<Offsets>> points(const ast::Shape &shape);

  private:
    // expressions.cpp
    Operand node(const ast::Integer &e, Range range, bool negative = false);
    Operand node(const ast::Real &e, Range range);
    Operand node(const ast::Boolean &e, Range range);
    Operand node(const ast::Unary &e, Range range);
    Operand node(const ast::Binary &e, Range range);
    Operand node(const ast::If &e, Range range);
    Operand logic(const ast::Binary &e, BinaryOp op, Range range);
    Operand arithmetic(const ast::Binary &e, BinaryOp op, Range range);
    Operand comparison(const ast::Binary &e, BinaryOp op, Range range);
    Operand power(const ast::Binary &e, Range range);
    Operand child(const ast::Expr &e);
    Operand child(const ast::ExprPtr &e) { return child(*e); }
    bool unify(Operand &a, Operand &b, Range range, const std::string &what);
    bool checkDivision(BinaryOp op, const Operand &a, const Operand &b, Range range);
    // calls.cpp
    Operand node(const ast::Call &e, Range range);
    Operand call(MathFn fn, std::vector<Operand> args, Range range);
    // names.cpp
    Operand node(const ast::Reference &e, Range range);
    Operand node(const ast::Index &e, Range range);
    void unknownName(const ast::Name &name);
    void unknownField(const ast::Index &e);
    void misplacedScalar(const std::string &name, const Symbol &symbol, Range range);
    Operand sample(const ast::Index &e, const Symbol &symbol, Range range);
    bool shiftBy(const ast::Expr &index, Shift &shift, std::vector<bool> &seen);
    std::optional<size_t> dimension(const ast::Expr &e);
    // reads.cpp
    bool checkInitial(int index, Range range);
    Operand read(const std::string &name, const Symbol &symbol, const Shift &by, Range range);
    bool checkPlace(const Field &field, const Shift &by, Range range);
    bool checkNext(int field, const Shift &by, Range range);
    bool checkTemp(int field, const Shift &by, Range range);

    /// What a name of a function's parameter or of a sum's offset stands for: a value or an offset.
    struct Local {
        Operand value;
        std::optional<Offsets> offset;
    };
    using Locals = std::map<std::string, Local>;
    const Local *local(const std::string &name) const;
    const Offsets *localOffset(const ast::Expr &e) const;

    // offsets.cpp
    std::optional<bool> shiftByOffset(const ast::Expr &index, Shift &shift);
    bool withinReach(const Shift &shift, Range range);
    std::optional<int64_t> distanceOf(const ast::Expr &e);
    Operand readLocal(const ast::Index &e, const Local &local, Range range);
    // functions.cpp
    bool enter(Range range);
    Operand body(const ast::ExprPtr &e);
    Operand inlined(const ast::Call &e, Symbol &symbol, Range range);
    std::optional<Locals> arguments(const ast::Call &e, const ast::Fn &fn);
    bool refuseLabels(const ast::Call &e);
    Operand bounded(Operand operand, Range range, const std::string &what);
    // reductions.cpp
    Operand node(const ast::Reduction &e, Range range);
    std::optional<std::vector<Operand>> termsOf(const ast::Reduction &e, const std::vector<Offsets> &shape, Range range);
    Operand join(const std::string &op, const Operand &a, const Operand &b, Range range);
    Operand joined(const std::string &op, const SumPart &order, const std::vector<Operand> &terms, Range range);
    Operand node(const ast::Member &e, Range range);
    Operand node(const ast::PointSet &e, Range range);
    // shapes.cpp
    std::optional<std::vector<Offsets>> regular(const ast::Call &e, Range range);
    std::optional<std::vector<Offsets>> explicitSet(const ast::PointSet &e);
    std::optional<bool> holds(const ast::Expr &condition, const Offsets &offset);
    // constants.cpp
    std::optional<int64_t> constantInteger(const ast::Expr &e, const std::string &what);
    std::optional<Value> constant(const Operand &operand, const ast::Expr &e, const std::string &what);
    // derivatives.cpp
    Operand derivative(const ast::Call &e, Range range);
    std::optional<int> derivativeOrder(const ast::Call &e);
    Operand derivativeOperand(const ast::Call &e);
    Operand shifted(const Operand &f, const Offsets &by, Range range);
    Operand combine(BinaryOp op, Operand a, Operand b, Range range);
    Operand addTerm(const Operand &sum, const Rational &weight, const Operand &group, Range range);
    Operand difference(const Difference &formula, const Operand &f, const std::vector<size_t> &dims,
                       Range range);

    const Stencil &stencil_;
    Scope &scope_;
    const UpdateSites &sites_;
    Diagnostics &diagnostics_;
    Place place_;
    Locals locals_;
    std::vector<const ast::Fn *> inlining_; ///< innermost last
    int depth_ = 0;                         ///< of nodes being resolved, through functions
    uint64_t visits_ = 0;                   ///< of nodes, through functions and sums
};

bool isDerivative(const std::string &function);

} // namespace oocc
