// Integers and truth as C computes them: what the language says of 64 bits, where C would take an int, and comparisons that compilers warn of
// because they know the outcome.
#pragma once

#include "loops/dsl.h"
#include "stencil/stencil.h"

#include <optional>

namespace oocc::loops {

/// The result where both operands are literals and it fits 64 bits.
std::optional<int64_t> foldedInteger(BinaryOp op, const E &a, const E &b);

/// The operand such that an operation on both is done in 64 bits: literals are ints in C.
E widened(E a, const E &b);

/// The function that adds, subtracts or multiplies I32 or Int modulo 2^32 or 2^64: what C's operators leave undefined.
std::string wrapping(BinaryOp op, Type type);

/// A comparison of two values of this type that no compiler calls pointless: of one with itself, and of a u8 with what no u8 is, which
/// then come out of functions.
E comparison(BinaryOp op, E a, E b, Type type, bool leftIsU8, bool rightIsU8);

/// `and` and `or` of which both sides are computed.
E bothOrEither(BinaryOp op, E a, E b);

/// Both compare the same value with numbers: then `and` and `or` of them may be known, too.
bool areOfOneValue(const E &a, const E &b);

Op opOf(BinaryOp op);

} // namespace oocc::loops
