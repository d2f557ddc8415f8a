// Integer polynomials in symbols (parameters, loop variables): what indices and bounds of loops are made of.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace oocc::lift {

class Poly {
  public:
    using Monomial = std::vector<int>; ///< symbols, sorted, one entry for each power; empty: the constant

    Poly() = default;
    Poly(int64_t constant) { add({}, constant); }
    static Poly of(int symbol) {
        Poly p;
        p.add({symbol}, 1);
        return p;
    }

    const std::map<Monomial, int64_t> &terms() const { return terms_; }
    std::optional<int64_t> constant() const; ///< the value, when no symbol is left
    bool has(const std::function<bool(int)> &which) const;
    /// What the symbol is multiplied by; none when its square occurs.
    std::optional<Poly> coefficient(int symbol) const;
    /// Without every term in which the symbol occurs.
    Poly without(int symbol) const;
    /// The quotient of a division that leaves no term of the divisor's highest degree; constants are rounded to the nearest.
    Poly dividedBy(const Poly &divisor) const;

    Poly &operator+=(const Poly &o);
    Poly &operator-=(const Poly &o);
    friend Poly operator+(Poly a, const Poly &b) { return a += b; }
    friend Poly operator-(Poly a, const Poly &b) { return a -= b; }
    friend Poly operator*(const Poly &a, const Poly &b);
    bool operator==(const Poly &) const = default;

  private:
    void add(Monomial monomial, int64_t factor);
    std::map<Monomial, int64_t> terms_;
};

/// b - a, when that is a number: how far bounds are apart, whatever the parameters are.
std::optional<int64_t> distance(const Poly &a, const Poly &b);

} // namespace oocc::lift
