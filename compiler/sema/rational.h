// Exact fractions of 128-bit integers, for weights of difference formulas.
#pragma once

#include <stdexcept>

namespace oocc {

__extension__ using Int128 = __int128;

/// A fraction in lowest terms with a positive denominator. Every operation throws std::overflow_error when its result
/// does not fit.
class Rational {
  public:
    Rational(Int128 value = 0) : num_(value) {} // NOLINT: a whole number is a fraction
    Rational(Int128 num, Int128 den);           ///< den is not 0

    Int128 num() const { return num_; }
    Int128 den() const { return den_; }
    bool negative() const { return num_ < 0; }
    /// The nearest double, ties to even.
    double nearest() const;

    friend Rational operator+(const Rational &a, const Rational &b);
    friend Rational operator-(const Rational &a, const Rational &b);
    friend Rational operator*(const Rational &a, const Rational &b);
    friend Rational operator/(const Rational &a, const Rational &b); ///< b is not 0
    friend bool operator==(const Rational &a, const Rational &b) = default;

  private:
    Int128 num_ = 0, den_ = 1;
};

} // namespace oocc
