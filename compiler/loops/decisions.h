// Decisions of rows in a kernel (analysis/row_decisions.h): what is asked before its loops, and where rows are cut for it.
#pragma once

#include "analysis/row_decisions.h"
#include "loops/expressions.h"

#include <string>
#include <vector>

namespace oocc::loops {

class Decisions {
  public:
    Decisions(Translator &translator, UniqueNames &names) : translator_(translator), names_(names) {}

    /// That a decision is true for all rows of a loop, and that it is for none; null where they decide alike.
    struct Tests {
        E all, none;
        Body made;      ///< declarations of what these are of
        bool first = false; ///< of those that one row is cut for
    };
    /// Whether rows that lie so far from the first one may decide differently.
    static bool mayDiffer(const Decision &decision, const std::vector<Offsets> &rows);
    /// Of such rows. What is made from now on, up to decide(), is for cells [begin(), end()).
    Tests of(const Decision &decision, const std::vector<Offsets> &rows);
    E begin() const;
    E end() const;

    /// The loops of rows that all decide so, or all otherwise, or differ (which is not asked for where they cannot).
    Body decide(Tests tests, Body yes, Body no, Body mixed);

    /// What a comment says of it; empty where nothing is decided.
    std::string comment() const;

  private:
    E testOf(const Decision &decision, Body &made);

    Translator &translator_;
    UniqueNames &names_;
    bool isCut_ = false; ///< here the row is
    std::vector<E> cuts_;
    bool any_ = false, cut_ = false, differ_ = false; ///< anywhere
};

} // namespace oocc::loops
