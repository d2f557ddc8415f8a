// Values as text in oocc's words, checked node by node: what oocc makes of the text is what the C makes of its own.
#pragma once

#include "lift/model.h"

#include <map>

namespace oocc::lift {

/// Names of what a program speaks of.
struct Names {
    std::map<int, std::string> symbols;                  ///< scalars and dimensions
    std::map<std::pair<int, int>, std::string> versions; ///< of temps
    std::map<int, std::string> arrays;
};

class Printer {
  public:
    Printer(Kernel &kernel, const Plan &plan, const Names &names)
        : kernel_(kernel), plan_(plan), names_(names) {}

    /// What is stored into elements of a type.
    std::string assigned(const NodePtr &n, Type to);
    /// A scalar's definition.
    std::string scalar(const NodePtr &n, Type to);
    std::string condition(const NodePtr &n);
    std::string integer(const Poly &p);

  private:
    /// As sema sees it: its type, whether it is data, whether it is a plain number.
    struct Text {
        std::string text;
        int binds = 0; ///< how strongly: see kBinds...
        Type type = Type::Int;
        bool data = false, plain = false;
    };

    Text print(const NodePtr &n);
    Text operate(const NodePtr &n);
    Text unify(Text &a, Text &b, Type want, const NodePtr &at);
    Text read(const Node &n) const;
    Text convert(const NodePtr &n, Type to);
    NodePtr stripped(const NodePtr &n, Type to) const;
    static std::string in(const Text &t, int binds) { return t.binds < binds ? '(' + t.text + ')' : t.text; }

    Kernel &kernel_;
    const Plan &plan_;
    const Names &names_;
};

} // namespace oocc::lift
