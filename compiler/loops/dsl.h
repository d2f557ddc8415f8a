// Short spellings for building loop IR. Sums and products with literal 0 and 1 fold, so that builders can be written
// for the general case and still give what a person would write.
#pragma once

#include "loops/loops.h"

namespace oocc::loops {

E lit(int64_t value);
E var(const std::string &name);
E text(const std::string &value);
E call(const std::string &function, std::vector<E> args);
E at(E base, E index);
E cast(const std::string &type, E a);
E cond(E condition, E a, E b);
E binary(Op op, E a, E b);
E negate(E a);
E notE(E a);
E addressOf(E a);

E operator+(E a, E b);
E operator-(E a, E b);
E operator*(E a, E b);
E operator<(E a, E b);
E operator>=(E a, E b);
E operator==(E a, E b);
E operator&&(E a, E b);
E operator||(E a, E b);

E minOf(E a, E b); ///< oocc_min
E maxOf(E a, E b); ///< oocc_max

Stmt comment(const std::string &text);
Stmt declare(const std::string &type, const std::string &name, E value);
Stmt assign(E target, E value);
Stmt run(E call);
Stmt loop(const std::string &name, E lo, E hi, Body body, const std::string &pragma = "");
Stmt loopBy(E step, const std::string &name, E lo, E hi, Body body);
Stmt loopTo(const std::string &name, E first, E last, Body body); ///< with the last
Stmt when(E condition, Body then, Body otherwise = {});
Stmt scope(const std::string &pragma, Body body);

/// A text of at most so many characters, or as many of its words and " ...": what is longer nobody reads.
std::string shortened(const std::string &text, size_t most);
constexpr size_t kMostOfAComment = 500; ///< on one update

/// True for the literal.
bool isLiteral(const E &e, int64_t value);

} // namespace oocc::loops
