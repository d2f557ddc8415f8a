#include "sema/rational.h"

#include <cmath>
#include <cstdint>

namespace oocc {

namespace {

__extension__ using Unsigned128 = unsigned __int128;

Int128 gcd(Int128 a, Int128 b) {
    while (b != 0) {
        const Int128 rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

Int128 multiply(Int128 a, Int128 b) {
    Int128 out = 0;
    if (__builtin_mul_overflow(a, b, &out)) throw std::overflow_error("a fraction overflows 128 bits");
    return out;
}

Int128 add(Int128 a, Int128 b) {
    Int128 out = 0;
    if (__builtin_add_overflow(a, b, &out)) throw std::overflow_error("a fraction overflows 128 bits");
    return out;
}

} // namespace

Rational::Rational(Int128 num, Int128 den) {
    const Int128 common = den < 0 ? -gcd(num, den) : gcd(num, den);
    num_ = num / common;
    den_ = den / common;
}

Rational operator+(const Rational &a, const Rational &b) {
    const Int128 common = gcd(a.den_, b.den_);
    return {add(multiply(a.num_, b.den_ / common), multiply(b.num_, a.den_ / common)),
            multiply(a.den_, b.den_ / common)};
}

Rational operator-(const Rational &a, const Rational &b) {
    return a + b * Rational(-1);
}

/// Reduced crosswise first, so that nothing overflows on the way to a result that fits.
Rational operator*(const Rational &a, const Rational &b) {
    const Rational left(a.num_, b.den_), right(b.num_, a.den_);
    return {multiply(left.num_, right.num_), multiply(left.den_, right.den_)};
}

Rational operator/(const Rational &a, const Rational &b) {
    return a * Rational(b.den_, b.num_);
}

/// Long division, bit by bit: the two sides need not be doubles themselves.
double Rational::nearest() const {
    if (num_ == 0) return 0;
    Unsigned128 a = negative() ? -static_cast<Unsigned128>(num_) : static_cast<Unsigned128>(num_);
    auto b = static_cast<Unsigned128>(den_);
    int exponent = 0;
    for (; a < b; a <<= 1)
        --exponent;
    for (; a >> 1 >= b; b <<= 1)
        ++exponent;

    constexpr int kBits = 53;
    uint64_t mantissa = 0; // of a / b, which is in [1, 2) now
    for (int i = 0; i < kBits; ++i, a <<= 1) {
        const bool one = a >= b;
        mantissa = 2 * mantissa + (one ? 1 : 0);
        if (one) a -= b;
    }
    if (a > b || (a == b && mantissa % 2 == 1)) ++mantissa;
    const double out = std::ldexp(static_cast<double>(mantissa), exponent - kBits + 1);
    return negative() ? -out : out;
}

} // namespace oocc
