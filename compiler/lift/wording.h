// Private to write*.cpp: what the program calls the things the C speaks of, and which of the C's scalars its text needs.
#pragma once

#include "lift/typing.h"

#include <set>

namespace oocc::lift {

class Wording {
  public:
    Wording(Kernel &kernel, const Plan &plan);
    Wording(const Wording &) = delete; // its printer looks into its names

    /// A name that nothing else has.
    std::string unique(std::string name);
    const Names &names() const { return names_; }
    Printer &print() { return print_; }

    /// Their text; the scalars in it are needed from now on, and those that these are made of.
    std::string used(const Poly &p);
    void use(const NodePtr &n);
    bool isUsed(size_t symbol) const { return usedSymbols_.count(static_cast<int>(symbol)) > 0; }

    Kernel &kernel;
    const Plan &plan;

  private:
    void useSymbol(int symbol);

    Names names_;
    Printer print_;
    std::set<std::string> taken_;
    std::set<int> usedSymbols_;
};

/// write_step.cpp: the step's updates.
std::string stepText(Wording &wording);

/// write_declarations.cpp: the statements around the step. `defaults` are those of -D.
std::string gridText(Wording &wording);
std::string scalarsText(Wording &wording, const std::map<std::string, std::string> &defaults);
std::string fieldsText(const Wording &wording);
std::string boundariesText(const Wording &wording);
std::string outputsText(const Wording &wording);

} // namespace oocc::lift
