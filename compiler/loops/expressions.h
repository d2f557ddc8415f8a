// Stencil expressions as loop IR: the operations in the order in which the program gives them, so that every schedule
// computes the same bits.
#pragma once

#include "analysis/common_subexpressions.h"
#include "loops/context.h"

#include <functional>
#include <map>
#include <utility>

namespace oocc::loops {

class Translator {
  public:
    /// `read` makes a read of field data; it may be empty where expressions have none.
    explicit Translator(const Context &context, std::function<E(const Read &)> read = {})
        : context_(context), read_(std::move(read)) {}

    /// Overflow-checked integers, for sizes.
    bool checked = false;
    /// What an operation that fails, in sizes or by a division, is said to have been for.
    std::string what = "an expression";
    /// Sub-expressions without reads and without this coordinate are computed once, before the loop over it;
    /// -1: nothing is.
    int invariantOf = -1;
    /// Quotients by what is the same for all those cells are made of its inverse (oocc/quotients.h).
    bool byInverse = false;
    /// Added to coordinates: where one loop computes several rows, that of the row whose value is made.
    Offsets shift{};
    /// What stands for the coordinate along rows, of a part of a row; empty: the coordinate's own name.
    std::string place;

    E translate(const ExprPtr &expr);
    /// The value of a constant of the run, which translate() takes to be there.
    E compute(const ExprPtr &constant) { return build(constant); }

    /// What these values, which are translated next, compute more than once has a name, in a loop over cells.
    void nameCommon(const std::vector<ExprPtr> &values);
    /// Cells that alternatives of choices within them read, and nothing that is computed in any case.
    std::vector<Read> chosenReads() const { return common_->chosenReads(); }
    /// Declarations of these names, in order, that translate() has met and that were not taken yet.
    Body takeCommon();

    /// Names of the inverses that translate() has used since they were taken last. They are moved out, too.
    std::vector<std::string> takeInverses() { return std::exchange(inverses_, {}); }

    /// Declarations of what was moved out, in order; call after translate().
    Body takeHoisted();
    /// Whether any expression so far used t, or the coordinate.
    bool usesTime = false;
    std::set<int> usesCoord;

  private:
    struct Visitor;
    E build(const ExprPtr &expr);
    E hoist(const ExprPtr &expr);
    E over(const oocc::Binary &quotient, E a, E b);
    E common(int number, const ExprPtr &expr);
    E integer(const ExprPtr &expr, E a, E b);
    bool readsU8(const ExprPtr &expr) const;

    const Context &context_;
    std::function<E(const Read &)> read_;
    Body hoisted_;
    std::map<std::string, std::string> hoistedNames_;
    std::map<std::string, std::string> inverseNames_; ///< by type and divisor
    std::vector<std::string> inverses_;
    std::optional<CommonSubexpressions> common_;
    std::map<int, std::string> commonNames_;
    int nextCommon_ = 0; ///< in a name
    Body newCommon_;
    UniqueNames names_;
};

} // namespace oocc::loops
