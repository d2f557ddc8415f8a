// What the expressions of one loop compute more than once: the base of a power, an argument that a function uses twice, a term
// of two updates. Value numbering, as in Cocke and Schwartz, "Programming Languages and Their Compilers" (1970).
#pragma once

#include "stencil/stencil.h"

#include <optional>
#include <unordered_map>

namespace oocc {

/// A function that is more than an instruction.
bool isLong(MathFn fn);

class CommonSubexpressions {
  public:
    /// `values` are what the loop along dimension x computes of each cell, all of them before it stores any.
    CommonSubexpressions(const std::vector<ExprPtr> &values, int x);

    /// The number of the common subexpression that an expression within `values` is an occurrence of, if it is worth a name: it is
    /// computed at least twice, at least once in any case, takes two operations or more, varies along x and cannot fail. Equal ones
    /// have equal numbers.
    std::optional<int> numberOf(const ExprPtr &expr) const;

    /// Whether two expressions within `values` compute the same of the same.
    bool areEqual(const ExprPtr &a, const ExprPtr &b) const { return numbers_.at(a.get()) == numbers_.at(b.get()); }

    /// The cells that alternatives of choices read, and nothing that is computed in any case.
    std::vector<Read> chosenReads() const;

    /// Every expression within `values`, equal ones once; operands come before what is made of them.
    const std::vector<const Expr *> &distinct() const { return distinct_; }

  private:
    using Number = int;
    struct Operand {
        Number number;
        bool always; ///< computed whenever the whole is: not one of two alternatives
    };
    struct Value {
        std::vector<Operand> operands;
        int operations = 0; ///< in the loop, with those of its operands; two stand for many
        bool mayHaveName = false;
        int uses = 0; ///< by different values, and by one of them as often as it does
        bool always = false;
    };
    struct Numbering;

    void markAlways(Number number);

    std::vector<Value> values_;
    std::vector<const Expr *> distinct_; ///< by number
    std::unordered_map<const Expr *, Number> numbers_;
};

} // namespace oocc
