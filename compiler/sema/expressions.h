// Private to sema/: an expression as written becomes a typed one.
#pragma once

#include "sema/operand.h"
#include "sema/scope.h"

#include <map>

namespace oocc {

/// Where an expression stands, and so what it may use besides scalars.
struct Place {
    std::string name; ///< for messages: "an extent"
    bool coords = false;
    bool time = false;
    int updates = -1; ///< the field whose update it is, or -1
    /// Who reads fields: nobody here, an update, an injection (its own cell only), a `scalar` (the state before
    /// the step) or a `monitor` (all that the step makes, too).
    enum class Reads { None, Update, Inject, Scalar, Monitor };
    Reads reads = Reads::None;
    bool watched = false; ///< what monitors say may be used

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
    ExpressionResolver(const Stencil &stencil, const Scope &scope, const UpdateSites &sites,
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

  private:
    // expressions.cpp
    Operand node(const ast::Integer &e, Range range, bool negative = false);
    Operand node(const ast::Real &e, Range range);
    Operand node(const ast::Boolean &e, Range range);
    Operand node(const ast::Unary &e, Range range);
    Operand node(const ast::Binary &e, Range range);
    Operand node(const ast::If &e, Range range);
    Operand node(const ast::Unsupported &e, Range range);
    Operand logic(const ast::Binary &e, BinaryOp op, Range range);
    Operand arithmetic(const ast::Binary &e, BinaryOp op, Range range);
    Operand comparison(const ast::Binary &e, BinaryOp op, Range range);
    Operand power(const ast::Binary &e, Range range);
    Operand child(const ast::ExprPtr &e);
    bool unify(Operand &a, Operand &b, Range range, const std::string &what);
    void checkDivision(BinaryOp op, const Operand &a, const Operand &b, Range range);
    // calls.cpp
    Operand node(const ast::Call &e, Range range);
    Operand call(MathFn fn, std::vector<Operand> args, Range range);
    // names.cpp
    Operand node(const ast::Reference &e, Range range);
    Operand node(const ast::Index &e, Range range);
    void unknownName(const ast::Name &name);
    void misplacedScalar(const std::string &name, const Symbol &symbol, Range range);
    bool shiftBy(const ast::Expr &index, Shift &shift, std::vector<bool> &seen);
    // reads.cpp
    Operand read(const std::string &name, const Symbol &symbol, const Shift &by, Range range);
    bool checkPlace(const Field &field, const Shift &by, Range range);
    bool checkNext(int field, const Shift &by, Range range);
    bool checkTemp(int field, const Shift &by, Range range);

    const Stencil &stencil_;
    const Scope &scope_;
    const UpdateSites &sites_;
    Diagnostics &diagnostics_;
    Place place_;
};

/// What to say of something that the language has and this version has not.
std::string notThereYet(const std::string &construct);

} // namespace oocc
